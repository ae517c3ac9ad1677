"""Convolutions over one, two and three spatial dims, and their definition in NumPy."""

import itertools
from dataclasses import replace

import numpy as np
from random_programs.contractions import other_dtype, products, wider
from random_programs.extents import is_known, most_cells, plus, quotient_up
from random_programs.steps import Entry, join, require
from random_programs.values import NUMBERS, promote


def paddings(kind, extents, windows, strides, dilations):
    """(before, after) for every spatial dim."""
    if kind == "valid":
        return [(0, 0)] * len(extents)
    if kind != "same":
        return kind
    out = []
    for extent, window, stride, dilation in zip(extents, windows, strides, dilations, strict=True):
        missing = max((-(-extent // stride) - 1) * stride + (window - 1) * dilation + 1 - extent, 0)
        out.append((missing // 2, missing - missing // 2))
    return out


def convolve(x, w, strides, padding, dilations, groups):
    """result[n, o, y] = sum over c, k of x[n, g c' + c, strides y + dilation k - before] w[o, c, k]."""
    pads = paddings(padding, x.shape[2:], w.shape[2:], strides, dilations)
    padded = np.pad(x, [(0, 0), (0, 0), *pads])
    counts = [(e - (k - 1) * d - 1) // s + 1 for e, k, s, d in zip(padded.shape[2:], w.shape[2:], strides, dilations, strict=True)]
    outputs, channels = w.shape[0] // groups, w.shape[1]
    out = np.zeros((x.shape[0], w.shape[0], *counts), x.dtype)
    for group, place in itertools.product(range(groups), np.ndindex(w.shape[2:])):
        window = [slice(k * d, k * d + (n - 1) * s + 1, s) for k, d, n, s in zip(place, dilations, counts, strides, strict=True)]
        if 0 in counts:
            continue
        cells = padded[(slice(None), slice(group * channels, (group + 1) * channels), *window)]
        weights = w[(slice(group * outputs, (group + 1) * outputs), slice(None), *place)]
        out[:, group * outputs : (group + 1) * outputs] += np.einsum("nc...,oc->no...", cells, weights)
    return out


def _result_extent(extent, reach, stride, padding):
    if padding == "same":
        # Kolam refuses other strides of symbolic extents, and an empty input.
        require(extent != 0 and (is_known(extent) or stride == 1))
        return quotient_up(extent, stride)
    last = plus(extent, (0 if padding == "valid" else padding) - reach)
    if is_known(last):
        require(last >= 0)
        return last // stride + 1
    return f"({last} // {stride} + 1)"


def convolution():
    def make(g):
        spatial = g.pick([1, 1, 2, 2, 3])
        groups, channels, outputs = g.pick([1, 1, 2, 3]), g.pick([1, 1, 2, 3, 5]), g.pick([0, 1, 1, 2, 3, 8, 16])
        fitting = [v for v in g.values if v.rank == spatial + 2 and v.dtype in NUMBERS and is_known(v.dims[1]) and v.dims[1]]
        if fitting and g.chance(0.5):
            x = g.pick(fitting)
            groups = g.pick([k for k in range(1, x.dims[1] + 1) if x.dims[1] % k == 0][:4])
            channels = x.dims[1] // groups
        else:
            x = g.input(g.pick(NUMBERS), [g.extent((0, 1, 2, 3)), groups * channels, *[g.extent((1, 2, 5, 9, 17)) for _ in range(spatial)]])
        windows = [g.pick([1, 2, 3]) for _ in range(spatial)]
        strides, dilations = [g.pick([1, 1, 2, 3]) for _ in range(spatial)], [g.pick([1, 1, 2]) for _ in range(spatial)]
        padding = g.pick(["valid", "same", "numbers", "numbers"])
        if padding == "numbers":
            padding = [(g.pick([0, 1, 2]), g.pick([0, 1, 3])) for _ in range(spatial)]
        reaches = [(window - 1) * dilation + 1 for window, dilation in zip(windows, dilations, strict=True)]
        dims = [_result_extent(x.dims[2 + i], reaches[i], strides[i], padding if isinstance(padding, str) else sum(padding[i])) for i in range(spatial)]
        w = g.input(other_dtype(g, x.dtype), (groups * outputs, channels, *windows))
        require(most_cells((x.dims[0], *dims, groups * outputs, channels, *windows)) <= 100_000)
        sums, option = wider(g, promote(x.dtype, w.dtype))
        pads = padding[0][0] if padding == [(padding[0][0],) * 2] * spatial else padding
        text = f"strides={_option(g, strides)}, padding={pads!r}, dilation={_option(g, dilations)}, groups={groups}{option}"
        name = g.pick(["conv", f"conv{spatial}d"])
        step = products(
            f"ko.{name}({join((x, w))}, {text})", (x, w), sums, (x.dims[0], groups * outputs, *dims),
            lambda a, b: convolve(a, b, strides, padding, dilations, groups),
        )  # fmt: skip

        def raises(arrays):
            extents = arrays[0].shape[2:]
            pads = paddings(padding, extents, windows, strides, dilations)
            fits = all(sum(pad) + extent >= reach for pad, extent, reach in zip(pads, extents, reaches, strict=True))
            return None if fits else "shape-mismatch"

        return replace(step, raises=raises)

    return Entry("conv", make, 3.0)


def _option(g, numbers):
    """One number where all are equal, sometimes."""
    return numbers[0] if len(set(numbers)) == 1 and g.chance(0.5) else numbers
