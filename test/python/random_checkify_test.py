"""Random programs under checkify: the bits of the program, and the error that jit(checks=...) stops with.

Alone and as instances of a vmap, on both backends. KOLAM_SEED=... gives the same programs again, KOLAM_PROGRAMS=... another number.
"""

import numpy as np
import pytest
from random_counts import count
from random_programs.generator import Generator
from random_programs.operations import table
from random_programs.running import Raised, same_bits

import kolam as ko

PROGRAMS = count(80)
PARTS = 4
ENTRIES = table(ko._kolam._elementwise_rows)
KINDS = ("nan", "bounds", "overflow")
SLUGS = {"nan-created", "index-out-of-range", "indices-not-unique", "integer-overflow"}


def outcome(call):
    try:
        return call()
    except ko.KolamError as error:
        if error.slug == "internal":
            raise
        return Raised(error.slug, str(error))


def slug_and_line(text):
    """The slug of an error's text, and the line that it names."""
    return text[text.index("[") : text.index("]") + 1], text.rsplit("\n", 1)[-1].strip()


def keeps_promises(program, arrays, every):
    values = arrays | {v.name: np.asarray(result) for v, result in every.items()}
    return all(not step.promises or step.promises([values[v.name] for v in step.operands]) for _, step in program.steps)


def check(program, rng):
    """Whether the program had an error."""
    every = program.outputs(all_results=True)
    scope = {"ko": ko, "np": np}
    exec(program.source(every), scope)
    function = scope["program"]
    arrays = program.calls[0].arrays
    args = [ko.asarray(array) for array in arrays.values()]
    kinds = {kind for kind in KINDS if rng.random() < 0.7} or {"nan"}
    plain = outcome(lambda: ko.jit(function, backend="interpret")(*args))
    if isinstance(plain, Raised):
        return None
    stopped = outcome(lambda: ko.jit(function, backend="interpret", checks=kinds)(*args))
    if isinstance(stopped, Raised) and stopped.slug not in SLUGS:
        return None
    promised = keeps_promises(program, arrays, dict(zip(every, plain, strict=True)))
    for backend in ("cpu", "interpret"):
        error, results = ko.jit(ko.checkify(function, errors=kinds), backend=backend)(*args)
        text = error.get()
        if isinstance(stopped, Raised):
            assert text is not None, f"{backend}: no error, but {stopped.text}"
            assert slug_and_line(text) == slug_and_line(stopped.text), f"{backend}: {text}, but {stopped.text}"
        else:
            assert text is None, f"{backend}: {text}"
        for v, own, other in zip(every, results, plain, strict=True):
            assert not promised or same_bits(np.asarray(own), np.asarray(other)), f"{backend}, {v.name}: {own} and {other}"
    if not args:
        return text is not None
    stacked = [np.stack([array, array]) for array in arrays.values()]
    for place, mapped in (("(at [0]", ko.vmap(ko.checkify(function, errors=kinds))), ("", ko.checkify(ko.vmap(function), errors=kinds))):
        error, _ = ko.jit(mapped)(*stacked)
        found = error.get()
        assert (found is None) == (text is None), f"of instances: {found}, but {text}"
        if found is not None:
            assert slug_and_line(found) == slug_and_line(text) and place in found, f"of instances: {found}, but {text}"
    return text is not None


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs(part, seed):
    failed = 0
    for number in range(part, PROGRAMS, PARTS):
        rng = np.random.default_rng([seed, 31, number])
        program = Generator(rng, ENTRIES, dynamic=False).program(int(rng.integers(1, 6)))
        try:
            failed += bool(check(program, rng))
        except (AssertionError, ko.KolamError) as error:
            raise AssertionError(f"KOLAM_SEED={seed}, program {number}: {error}\n{program.source(program.outputs())}") from error
    if PROGRAMS >= 20 * PARTS:
        assert failed >= 1, "no program had an error"
