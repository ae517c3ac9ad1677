"""Makes a program that fails smaller, while it fails in the same way."""

import time
from dataclasses import replace

import numpy as np
from random_programs.extents import shape_at
from random_programs.programs import Call, Program
from random_programs.running import Raised, failure, run
from random_programs.values import Value, random_array

SECONDS = 30


def _results(program):
    """All results of every call, or None where one raises."""
    try:
        every = run(program, "interpret", program.outputs(all_results=True))
    except Exception:  # noqa: BLE001  (whatever it is, there are no results)
        return None
    return None if any(isinstance(results, Raised) for results in every) else every


def invented_results(program):
    """Arrays in place of results, for programs that must not run here."""
    rng = np.random.default_rng(0)
    return [
        {value.name: random_array(rng, value.dtype, shape_at(value.dims, call.sizes)) for value, _ in program.steps} for call in program.calls
    ]


def shrink(program, kind, check=failure, results=_results):
    """A smaller program that fails in the same way: steps go first, then calls, then extents."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        for smaller in _candidates(program, results):
            wrong = check(smaller)
            if wrong and wrong.kind == kind:
                program = smaller
                break
            if time.monotonic() > end:
                break
        else:
            return program
    return program


def _candidates(program, results):
    """Programs with one thing less."""
    # Without a result that nobody uses.
    unused = program.outputs()
    for value in unused if len(unused) > 1 else []:
        yield _pruned(replace(program, steps=[(v, s) for v, s in program.steps if v is not value]))
    # One call of two.
    if len(program.calls) > 1:
        for call in program.calls:
            yield replace(program, calls=[call])
    # A step's result as an input of the same values.
    every = results(program)
    for value, _ in reversed(program.steps[:-1]) if every else []:
        if not all(isinstance(d, int) or d.isidentifier() for d in value.dims):
            continue
        steps = [(v, s) for v, s in program.steps if v is not value]
        calls = [Call(c.sizes, c.arrays | {value.name: r[value.name]}) for c, r in zip(program.calls, every, strict=True)]
        yield _pruned(Program([*program.inputs, value], steps, calls))
    # Half of an extent, or one cell less: along all dims of equal extent.
    for extent in sorted({e for call in program.calls for array in call.arrays.values() for e in array.shape if e > 1}):
        for smaller in sorted({extent // 2, 1, extent - 1}):
            yield _cut(program, extent, smaller)


def _pruned(program):
    """Without inputs that nobody uses."""
    used = {v.name for _, step in program.steps for v in step.operands}
    return replace(program, inputs=[v for v in program.inputs if v.name in used])


def _cut(program, extent, smaller):
    """Every dim of that extent cut; steps whose text says extents then fail in another way, and are refused."""

    def cut(value):
        return Value(value.name, value.dtype, _dims(value.dims))

    def _dims(given):
        return tuple(smaller if d == extent else d for d in given)

    steps = [(cut(v), replace(s, operands=tuple(cut(o) for o in s.operands), dims=_dims(s.dims))) for v, s in program.steps]
    calls = [
        Call(
            {symbol: smaller if size == extent else size for symbol, size in call.sizes.items()},
            {name: array[tuple(slice(smaller if e == extent else e) for e in array.shape)] for name, array in call.arrays.items()},
        )
        for call in program.calls
    ]
    return Program([cut(v) for v in program.inputs], steps, calls)
