"""Random calls of composites beside NumPy: at once, under jit and vmap, by the interpreter, with extents that are symbols.

What moves, counts or picks is exact; sums lie within some roundings of the sum of magnitudes.
KOLAM_SEED=... gives the same calls again, KOLAM_PROGRAMS=... another number of them.
"""

import numpy as np
import pytest
from random_composites.cases import Draw, wrong
from random_composites.order import ORDER
from random_composites.segments import SEGMENTS
from random_composites.statistics import STATISTICS
from random_composites.structure import STRUCTURE
from random_composites.units import UNITS_AND_LOSSES
from random_composites.updates import UPDATES
from random_composites.windows import WINDOWS
from random_counts import count

import kolam as ko

CALLS = count(280)
GROUPS = {
    "segments": SEGMENTS, "order": ORDER, "updates": UPDATES, "structure": STRUCTURE, "windows": WINDOWS, "units": UNITS_AND_LOSSES,
    "statistics": STATISTICS,
}  # fmt: skip
WAYS = ("at once", "jit", "interpreted", "dynamic", "vmap")


def make_call(rng, makers):
    draw = Draw(rng)
    return draw.pick(makers)(draw)


def function_of(call, way):
    names = [f"x{place}" for place in range(len(call.arrays))]
    function = eval(f"lambda {', '.join(names)}: {call.text}", {"ko": ko, "np": np})
    if way == "at once":
        return lambda *arrays: function(*map(ko.asarray, arrays))
    if way == "vmap":  # of two instances with the same arrays; now and then the last one is not mapped
        axes = tuple(None if place and place == len(names) - 1 and call.arrays[place].size % 2 else 0 for place in range(len(names)))
        mapped = ko.vmap(function, axes)
        return lambda *arrays: mapped(*(ko.asarray(x if axis is None else np.stack([x, x])) for x, axis in zip(arrays, axes)))
    dynamic = {name: list(range(array.ndim)) for name, array in zip(names, call.arrays) if array.ndim}
    dynamic = dynamic if way == "dynamic" and not call.needs_extents else None
    return ko.jit(function, backend="interpret" if way == "interpreted" else "cpu", dynamic=dynamic)


def problem(call, way):
    """What is wrong, or None."""
    if way == "vmap" and (call.has_free_extent or not call.arrays):
        return None  # an extent that differs between instances is refused
    results = function_of(call, way)(*call.arrays)
    results = results if isinstance(results, tuple | list) else (results,)
    if way == "vmap":
        results = [np.asarray(result) for result in results]
        return wrong(call, [result[0] for result in results], False) or wrong(call, [result[1] for result in results], False)
    is_symbolic = way == "dynamic" or call.has_free_extent and way != "at once"
    return wrong(call, results, is_symbolic)


@pytest.mark.parametrize("group", GROUPS)
def test_random_calls(group, seed):
    for number in range(CALLS // len(GROUPS)):
        rng = np.random.default_rng([seed, number, len(group)])
        with np.errstate(all="ignore"):
            call, way = make_call(rng, GROUPS[group]), WAYS[number % len(WAYS)]
        where = f"KOLAM_SEED={seed}, call {number}, {way}: {call.text}\n{call.arrays}"
        try:
            found = problem(call, way)
        except Exception as error:
            raise AssertionError(where) from error
        assert found is None, f"{where}\n{found}"
