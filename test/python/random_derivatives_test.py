"""Random programs and their derivatives: value_and_grad, jvp, vmap of both, with and without memory_limit, on one thread and on two.

Native code and interpreter give the same bits; gradient and tangent agree by <w, J v> = <J^T w, v>, where numbers are tame. A
program that has no derivative says so. KOLAM_SEED=... gives the same programs again, KOLAM_PROGRAMS=... another number of them.
"""

import numpy as np
import pytest
from derivatives import twins
from random_counts import count
from random_programs.generator import Generator
from random_programs.operations import table
from random_programs.running import Raised
from random_programs.values import FLOATS

import kolam as ko

PROGRAMS = count(1000)
PARTS = 8
ENTRIES = table(ko._kolam._elementwise_rows)


def is_float(value):
    return value.dtype in FLOATS


def draw(rng, kind):
    """A program of floats that gives floats."""
    while True:
        program = Generator(rng, ENTRIES, dynamic=False, kind=kind).program(int(rng.integers(1, 6)))
        if any(map(is_float, program.inputs)) and any(map(is_float, program.outputs())):
            return program


def check(program, rng):
    """Whether a program's derivatives were compared."""
    outputs = [v for v in program.outputs() if is_float(v)]
    inputs = [v for v in program.inputs if is_float(v)]
    scope = {"ko": ko, "np": np}
    exec(program.source(outputs), scope)
    arrays = program.calls[0].arrays
    floats = [arrays[v.name] for v in inputs]
    constants = {name: ko.asarray(array) for name, array in arrays.items()}

    def function(*given):
        named = constants | dict(zip([v.name for v in inputs], given, strict=True))
        return scope["program"](*[named[v.name] for v in program.inputs])

    plain = twins.outcome(lambda: ko.jit(function, backend="interpret")(*floats))
    if isinstance(plain, Raised):
        return None
    weights = [rng.standard_normal(y.shape) for y in plain]

    def total(results):
        parts = [ko.sum(ko.astype(y, ko.float64) * ko.asarray(w)) for y, w in zip(results, weights, strict=True)]
        return sum(parts, ko.zeros((), dtype=ko.float64))

    along = [np.asarray(rng.standard_normal(a.shape)).astype(a.dtype) for a in floats]
    units = [twins.UNITS[v.dtype] for v in program.inputs + [v for v, _ in program.steps] if is_float(v)]
    return twins.check(function, total, floats, along, None if None in units else max(units))


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_derivatives_of_random_programs(part, seed):
    compared = 0
    for number in range(part, PROGRAMS, PARTS):
        rng = np.random.default_rng([seed, 22, number])
        program = draw(rng, "large" if number % 50 == 13 else "small")
        try:
            compared += bool(check(program, rng))
        except (AssertionError, ko.KolamError) as error:
            raise AssertionError(f"KOLAM_SEED={seed}, program {number}: {error}\n{program.source(program.outputs())}") from error
    if PROGRAMS >= 10 * PARTS:
        assert compared >= PROGRAMS // PARTS * 3 // 4, f"only {compared} programs have derivatives"
