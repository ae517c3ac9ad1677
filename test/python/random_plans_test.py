"""Random programs, cut at random: the bits of the whole.

KOLAM_SEED=... gives the same programs again, KOLAM_PROGRAMS=... another number of them.
"""

import numpy as np
import pytest
from random_counts import count
from random_programs.extents import shape_at
from random_programs.generator import make_program
from random_programs.running import same_bits

import kolam as ko
from kolam._plan import _random_plan

PROGRAMS = count(1000)
BATCHES = 10


def run_whole(f, args):
    """The results, or the error's slug."""
    try:
        return ko.jit(f, backend="interpret")(*args)
    except ko.KolamError as error:
        return error.slug


def run_cut(f, args, seed):
    plan = _random_plan(f, *args, workers=3, seed=seed)
    assert plan.check() == [], f"{seed}\n{plan}"
    try:
        return plan.run(*args, backend="interpret")
    except ko.KolamError as error:
        assert error.slug != "bad-program", f"{error}\n{plan}"
        return error.slug


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_programs_cut_at_random(batch, seed):
    for number in range(batch, PROGRAMS, BATCHES):
        program = make_program(seed, number)
        call = program.calls[0]
        scope = {"ko": ko, "np": np}
        exec(program.source(program.outputs()), scope)
        args = [call.arrays[v.name] for v in program.inputs]
        if any(np.prod(shape_at(v.dims, call.sizes)) > 20_000 for v in program.inputs):
            continue  # slow to interpret
        expected = run_whole(scope["program"], args)
        what = f"seed {seed}, program {number}:\n{program.source(program.outputs())}"
        try:
            given = run_cut(scope["program"], args, number)
        except ko.KolamError as error:
            assert error.slug in ("not-cut", expected), f"{what}\n{error}"
            continue
        if isinstance(expected, str) or isinstance(given, str):
            assert given == expected, what
            continue
        for one, other in zip(given, expected, strict=True):
            assert same_bits(np.asarray(one), np.asarray(other)), what
