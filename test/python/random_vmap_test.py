"""Random programs under vmap: the bits, dtypes and errors of a Python loop over the instances.

The bits are the same without exception: an op rounds in the order that its own extents say, and those of an instance stay what
they are. NaN are one value. KOLAM_SEED=... gives the same programs again, KOLAM_PROGRAMS=... another number of them.
"""

import numpy as np
import pytest
from random_counts import count
from random_programs.batches import make_batch
from random_programs.generator import Generator
from random_programs.operations import table
from random_programs.running import Raised, same_bits

import kolam as ko

PROGRAMS = count(1000)
PARTS = 8
WAYS = ("at once", "inside jit", "inside jit", "interpreted", "around jit", "dynamic")
ENTRIES = table(ko._kolam._elementwise_rows)


def program_of(batch, outputs):
    scope = {"ko": ko, "np": np}
    exec(batch.program.source(outputs), scope)
    return scope["program"]


def outcome(call):
    try:
        return call()
    except ko.KolamError as error:
        if error.slug == "internal":
            raise
        return Raised(error.slug, str(error))


def one_after_the_other(batch, way):
    """All results by name for each instance, or Raised."""
    every = batch.program.outputs(all_results=True)
    function = program_of(batch, every)
    if way != "at once":
        function = ko.jit(function, backend="interpret", dynamic=batch.program.dynamic())
    results = {}
    for place in batch.places():
        arrays = batch.arrays(place)
        found = outcome(lambda arrays=arrays: function(*map(ko.asarray, arrays.values())))
        if not isinstance(found, Raised):
            found = {v.name: np.asarray(result) for v, result in zip(every, found, strict=True)}
        results[place] = found
    return results


def keeps_promises(batch, results):
    """Whether what steps promise holds in every instance; else anything may come out."""
    for place, found in results.items():
        values = batch.arrays(place) | found
        for _, step in batch.program.steps:
            if step.promises and not step.promises([values[v.name] for v in step.operands]):
                return False
    return True


def dynamic_dims(batch):
    """Every extent of instances and every symbol of the program, by input."""
    dims = {}
    for v in batch.program.inputs:
        names = list(v.dims)
        for number, level in reversed(list(enumerate(batch.levels))):
            if (axis := level.in_axes[v.name]) is not None:
                names.insert(axis % (len(names) + 1), f"instances{number}")
        dims[v.name] = {place: name for place, name in enumerate(names) if isinstance(name, str)}
    return {name: found for name, found in dims.items() if found}


def all_at_once(batch, way):
    """The results by name, or Raised."""
    plain = program_of(batch, batch.outputs)

    def function(*args):
        flat = []
        for arg in args:
            flat += arg.values() if isinstance(arg, dict) else [arg]
        return {v.name: result for v, result in zip(batch.outputs, plain(*flat), strict=True)}

    mapped = plain if way == "dynamic" else ko.jit(function) if way == "around jit" else function
    for level in reversed(batch.levels):
        axes = tuple(batch.tree(level.in_axes.get))
        axes = tuple(shorter(axis) for axis in axes)
        out_axes = tuple(level.out_axes.values()) if way == "dynamic" else dict(level.out_axes)
        mapped = ko.vmap(mapped, shorter(axes), shorter(out_axes))
    if way in ("inside jit", "interpreted"):
        mapped = ko.jit(mapped, backend="cpu" if way == "inside jit" else "interpret")
    if way == "dynamic":
        mapped = ko.jit(mapped, dynamic=dynamic_dims(batch))
    # What is not mapped comes as it is: an array of NumPy would meet NumPy's functions.
    given = (lambda name: ko.asarray(batch.stacked(name))) if way == "at once" else batch.stacked
    results = outcome(lambda: mapped(*batch.tree(given)))
    if way == "dynamic" and not isinstance(results, Raised):
        results = dict(zip([v.name for v in batch.outputs], results, strict=True))
    return results


def shorter(axes):
    """One axis in place of a container that holds no other."""
    parts = list(axes.values()) if isinstance(axes, dict) else axes
    if not isinstance(parts, tuple | list) or any(isinstance(part, dict | tuple) or part != parts[0] for part in parts):
        return axes
    return parts[0]


def problem(batch, way):
    """What is wrong, or None."""
    expected = one_after_the_other(batch, way)
    results = all_at_once(batch, way)
    slugs = {found.slug for found in expected.values() if isinstance(found, Raised)}
    if slugs:
        is_empty = any(level.count == 0 for level in batch.levels)
        if results.slug in slugs if isinstance(results, Raised) else is_empty:
            return None
        return f"the loop raises {slugs}, vmap gives {results}"
    if not keeps_promises(batch, expected):
        return None
    if isinstance(results, Raised):
        return f"the loop gives results, vmap raises {results}"
    for v in batch.outputs:
        theirs, ours = batch.expected(v.name, expected), np.asarray(results[v.name])
        if not same_bits(ours, theirs):
            return f"{v.name}: the loop gives\n{theirs!r}\nand vmap\n{ours!r}"
    return None


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_random_programs_under_vmap(part, seed):
    for number in range(part, PROGRAMS, PARTS):
        rng = np.random.default_rng([seed, number])
        generator = Generator(rng, ENTRIES, dynamic=(way := WAYS[number % len(WAYS)]) == "dynamic")
        batch = make_batch(generator, int(rng.integers(1, 5)))
        try:
            wrong = problem(batch, way)
        except Exception as error:
            raise AssertionError(f"KOLAM_SEED={seed}, program {number}, {way}\n{batch.text()}") from error
        assert wrong is None, f"KOLAM_SEED={seed}, program {number}, {way}: {wrong}\n{batch.text()}"
