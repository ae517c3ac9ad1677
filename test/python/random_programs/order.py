"""Entries that sort: values, places, the first k."""

import numpy as np
from random_programs import reference as ref
from random_programs.extents import is_known
from random_programs.steps import Entry, Step
from random_programs.values import DTYPES


def places_in_order(array, axis, descending):
    """Stable in both orders: NumPy's ascending order of the reversed cells, reversed."""
    wide = ref.widen(array)
    if not descending:
        return np.argsort(wide, axis=axis, kind="stable")
    places = np.flip(np.argsort(np.flip(wide, axis), axis=axis, kind="stable"), axis)
    return array.shape[axis] - 1 - places


def in_order(array, axis, descending):
    return np.take_along_axis(array, places_in_order(array, axis, descending), axis)


def place_dtype(extent):
    return "int32" if is_known(extent) else "int64"


def sorting(name, function):
    def make(g):
        x = g.value(DTYPES, least=1)
        axis, descending = g.axis(x.rank), g.chance(0.4)
        dtype = x.dtype if name == "sort" else place_dtype(x.dims[axis])
        options = f", axis={axis}" + (", descending=True" if descending else "")
        return Step(f"ko.{name}({x.name}{options})", (x,), dtype, x.dims, lambda a: ref.widen(function(a[0], axis, descending)))

    return Entry(name, make, 1.5)


def top_k():
    def make(g):
        x = g.value(DTYPES, least=1)
        axis, largest, which = g.axis(x.rank), g.chance(0.7), g.pick([0, 1])
        extent = x.dims[axis]
        k = int(g.rng.integers(0, min(extent, 5) + 1)) if is_known(extent) else g.pick([0, 1, 2])
        dims = list(x.dims)
        dims[axis] = k
        dtype = place_dtype(extent) if which else x.dtype
        function = places_in_order if which else in_order
        return Step(
            f"ko.top_k({x.name}, {k}, axis={axis}{'' if largest else ', largest=False'})[{which}]", (x,), dtype, tuple(dims),
            lambda a: ref.widen(np.take(function(a[0], axis, largest), range(k), axis)),
            raises=lambda a: "k-out-of-range" if a[0].shape[axis] < k else None,
        )  # fmt: skip

    return Entry("top_k", make, 2.0)


ORDER = [sorting("sort", in_order), sorting("argsort", places_in_order), top_k()]
