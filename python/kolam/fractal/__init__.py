"""Programs over nested ragged lists: lists of lists of equal tensors.

    from kolam import fractal as ops

    xs = ops.FractalTensor([[a, b], [c]])

Source: FractalTensor, "Parallel functions on FractalTensor: a demonstrating example".
"""

import kolam as _kolam_package
from kolam._kolam import Tensor
from kolam.fractal.access import (
    dilate, enumerate, first, flatten, gather, index, join, last, product, repeat, reverse, shifted_slide, shifted_window,
    slices, slide, split, stack, unbind, window, zip,
)  # fmt: skip
from kolam.fractal.access import length as len
from kolam.fractal.lists import FractalTensor, StaticList
from kolam.fractal.parallel import (
    dilated_map, filter, filterall, fold, foldl, foldr, forall, map, reduce, scan, scanl, scanr,
)  # fmt: skip
from kolam.fractal.tensors import cat, full, ones, rand, zeros
from kolam.fractal.values import Iterator


def __getattr__(name):
    """Functions on tensors are Kolam's own: ops.tanh is kolam.tanh."""
    try:
        return getattr(_kolam_package, name)
    except AttributeError:
        raise AttributeError(f"module 'kolam.fractal' has no attribute '{name}'") from None
