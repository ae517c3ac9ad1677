"""Convolution of images by windows of rows that overlap."""

import functools

import kolam
from kolam import pallas as pl
from kolam.errors import KolamValueError
from kolam.kernels._arguments import NUMBERS, bind_dims, block_of, is_empty, is_integer, require_count, require_kind, sums_of


def _conv2d_kernel(x_ref, w_ref, o_ref, *, stride, dilation):
    rows, columns, outputs = o_ref.shape
    height, width, channels, _ = w_ref.shape
    sums = sums_of(x_ref.dtype) if x_ref.dtype.kind == "float" else o_ref.dtype
    total = kolam.zeros((rows * columns, outputs), dtype=sums)
    for i in range(height):
        for j in range(width):  # all elements that an element of the filter meets, as a matrix
            seen = x_ref[pl.ds(dilation[0] * i, rows, stride[0]), pl.ds(dilation[1] * j, columns, stride[1])]
            total += kolam.matmul(kolam.reshape(seen, (rows * columns, channels)), w_ref[i, j], dtype=sums)
    o_ref[...] = kolam.reshape(total, o_ref.shape).astype(o_ref.dtype)


def _pair(name, given, least):
    pair = tuple(given) if isinstance(given, tuple | list) else (given, given)
    if len(pair) != 2 or not all(is_integer(number) and number >= least for number in pair):
        raise KolamValueError.make("conv2d", "bad-window", f"argument '{name}': expected an integer of at least {least}, or two, but got {given!r}")
    return pair


def _paddings(given, extents, spans, stride):
    """(before, behind) for both dims."""
    if given == "valid":
        return [(0, 0), (0, 0)]
    if given == "same":
        totals = [max((pl.cdiv(n, step) - 1) * step + span - n, 0) for n, span, step in zip(extents, spans, stride, strict=True)]
        return [(total // 2, total - total // 2) for total in totals]
    if isinstance(given, str):
        raise KolamValueError.make("conv2d", "bad-window", f"argument 'padding': expected 'valid', 'same', integers or pairs, but got {given!r}")
    sides = given if isinstance(given, tuple | list) else (given, given)
    if len(sides) != 2:
        raise KolamValueError.make("conv2d", "bad-window", f"argument 'padding': expected one entry for each of 2 dims, but got {given!r}")
    return [_pair("padding", side, 0) for side in sides]


def conv2d(x, w, *, stride=1, padding=0, dilation=1, block_h=8, out_dtype=None, interpret=False):
    """A filter moved over images whose channels stand last:

        result[b, i, j, o] = sum_{y, z, c} x[b, stride i + dilation y - before, stride j + dilation z - before, c] w[y, z, c, o]

    >>> import kolam as ko
    >>> ko.kernels.conv2d(ko.ones((1, 3, 3, 1)), ko.ones((3, 3, 1, 1)), padding=1)[0, :, :, 0].tolist()
    [[4.0, 6.0, 4.0], [6.0, 9.0, 6.0], [4.0, 6.0, 4.0]]

    x is [batch, height, width, channels] and w [window height, window width, channels, outputs], promoted to one dtype of
    numbers; the result is [batch, height', width', outputs]. `stride` and `dilation` are an integer, or two; `padding` is
    "valid" (none), "same" (as many positions as the stride leaves), an integer, or for each dim an integer or
    (before, behind); elements outside are zeros. A point of the grid makes block_h rows of one image from the window of
    rows that they need; windows overlap. Sums of floats are float32, or float64 of such; those of integers have
    `out_dtype`, that of the operands unless given. Raises `[rank-mismatch]`, `[shape-mismatch]` for other channels or a
    filter larger than the padded image, `[dtype-mismatch]`, `[bad-window]`, `[bad-block]`, and `[symbolic-extent]` for
    images whose extents only the run knows.
    """
    x, w = kolam.asarray(x), kolam.asarray(w)
    extents = bind_dims("conv2d", x=(x, "batch height width channels"), w=(w, "window_height window_width channels outputs"))
    batch, *size, channels, window_height, window_width, outputs = extents.values()
    require_kind("conv2d", NUMBERS, x=x, w=w)
    require_count("conv2d", block_h=block_h)
    stride, dilation = _pair("stride", stride, 1), _pair("dilation", dilation, 1)
    if not all(isinstance(extent, int) for extent in (*size, window_height, window_width)):
        raise KolamValueError.make("conv2d", "symbolic-extent", f"argument 'x': expected images of known extents, but got {size}; leave these dims out of `dynamic`")
    spans = [step * (window - 1) + 1 for window, step in zip((window_height, window_width), dilation, strict=True)]
    paddings = _paddings(padding, size, spans, stride)
    places = [n + sum(sides) - span for n, sides, span in zip(size, paddings, spans, strict=True)]
    if min(places) < 0 or min(window_height, window_width) < 1:
        raise KolamValueError.make(
            "conv2d", "shape-mismatch", f"argument 'w': expected a filter that fits into images of {size} with padding {paddings}, but got one that reaches over {spans}"
        )
    height, width = (place // step + 1 for place, step in zip(places, stride, strict=True))
    dtype = kolam.result_type(x, w)
    out = kolam.ShapeDtypeStruct((batch, height, width, outputs), dtype if out_dtype is None else out_dtype)
    if is_empty(batch, channels, outputs):
        return kolam.zeros(out.shape, dtype=out.dtype)
    rows = block_of(height, block_h)
    reach = (rows - 1) * stride[0] + spans[0]
    # Windows lie in an image that is padded before: a window of padding alone would have no element of the array.
    x = kolam.pad(x.astype(dtype), [(0, 0), *paddings, (0, 0)])
    return pl.pallas_call(
        functools.partial(_conv2d_kernel, stride=stride, dilation=dilation),
        out,
        grid=(batch, pl.cdiv(height, rows)),
        in_specs=[
            pl.BlockSpec((None, pl.Element(reach), x.shape[2], channels), lambda b, i: (b, i * rows * stride[0], 0, 0)),
            pl.BlockSpec(w.shape, lambda b, i: (0, 0, 0, 0)),
        ],
        out_specs=pl.BlockSpec((None, rows, width, outputs), lambda b, i: (b, i, 0, 0)),
        name="conv2d",
        interpret=interpret,
    )(x, w.astype(dtype))
