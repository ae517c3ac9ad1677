"""Programs over nested ragged lists: lists of lists of equal tensors.

    from kolam import fractal as ops

    xs = ops.FractalTensor([[a, b], [c]])

Source: FractalTensor, "Parallel functions on FractalTensor: a demonstrating example".
"""

import kolam as _kolam_package
from kolam._kolam import Tensor
from kolam.fractal._combining import enumerate, join, product, repeat, zip
from kolam.fractal._conversion import flatten, slices, stack, unbind
from kolam.fractal._elements import first, gather, index, last, reverse
from kolam.fractal._elements import length as len
from kolam.fractal._groups import dilate, split
from kolam.fractal._lists import FractalTensor, Iterator
from kolam.fractal._parallel import (
    dilated_map, filter, filterall, fold, foldl, foldr, forall, map, reduce, scan, scanl, scanr,
)  # fmt: skip
from kolam.fractal._tensors import cat, full, ones, rand, zeros
from kolam.fractal._windows import shifted_slide, shifted_window, slide, window
from kolam._static_list import StaticList

__all__ = [
    "FractalTensor", "Iterator", "StaticList", "Tensor", "cat", "dilate", "dilated_map", "enumerate", "filter", "filterall",
    "first", "flatten", "fold", "foldl", "foldr", "forall", "full", "gather", "index", "join", "last", "len", "map", "ones",
    "product", "rand", "reduce", "repeat", "reverse", "scan", "scanl", "scanr", "shifted_slide", "shifted_window", "slices",
    "slide", "split", "stack", "unbind", "window", "zeros", "zip",
]  # fmt: skip


__all__ = [name for name in globals() if name[0] != "_"]


def __getattr__(name):
    """Functions on tensors are Kolam's own: ops.tanh is kolam.tanh."""
    if name in _kolam_package.__all__:
        return getattr(_kolam_package, name)
    from kolam import _hints

    raise _hints.unknown_name("kolam.fractal", name, __all__)


def __dir__():
    return __all__
