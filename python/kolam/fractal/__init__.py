"""Programs over nested ragged lists: lists of lists of equal tensors.

    from kolam import fractal as ops

    xs = ops.FractalTensor([[a, b], [c]])

Source: FractalTensor, "Parallel functions on FractalTensor: a demonstrating example".
"""

from kolam._kolam import Tensor
from kolam.fractal.lists import FractalTensor, StaticList

__all__ = ["FractalTensor", "StaticList", "Tensor"]
