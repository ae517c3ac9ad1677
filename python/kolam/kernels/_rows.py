"""Functions along the last axis, by blocks of rows."""

import functools

import kolam
from kolam import pallas as pl
from kolam.kernels._arguments import FLOATS, bind_dims, block_of, describe, is_empty, require_count, require_kind, sums_of
from kolam.errors import KolamValueError


def _softmax_kernel(x_ref, o_ref):
    x = x_ref[...].astype(sums_of(x_ref.dtype))
    powers = kolam.exp(x - kolam.max(x, axis=-1, keepdims=True))
    o_ref[...] = (powers / kolam.sum(powers, axis=-1, keepdims=True)).astype(o_ref.dtype)


def _layer_norm_kernel(x_ref, *refs, epsilon):
    x = x_ref[...].astype(sums_of(x_ref.dtype))
    centred = x - kolam.mean(x, axis=-1, keepdims=True)
    scale = kolam.rsqrt(kolam.mean(centred * centred, axis=-1, keepdims=True) + epsilon)
    _store_scaled(centred * scale, *refs)


def _rms_norm_kernel(x_ref, *refs, epsilon):
    x = x_ref[...].astype(sums_of(x_ref.dtype))
    _store_scaled(x * kolam.rsqrt(kolam.mean(x * x, axis=-1, keepdims=True) + epsilon), *refs)


def _store_scaled(y, *refs):
    """y weight + bias, those that there are, to the last Ref."""
    *parameters, o_ref = refs
    if parameters:
        y = y * parameters[0][...].astype(y.dtype)
    if len(parameters) > 1:
        y = y + parameters[1][...].astype(y.dtype)
    o_ref[...] = y.astype(o_ref.dtype)


def _over_rows(function, kernel, x, parameters, block_rows, interpret):
    """`kernel` of blocks of rows of x, and of the parameters, [n] each, whole."""
    if x.ndim == 0:
        raise KolamValueError.make(function, "rank-mismatch", f"argument 'x': expected at least one dim, but got {describe(x)}; write x.reshape(1)")
    require_kind(function, FLOATS, x=x, **parameters)
    require_count(function, block_rows=block_rows)
    n = x.shape[-1]
    if is_empty(*x.shape):
        return x
    row = kolam.reshape(x, (-1, n)) if x.ndim != 2 else x
    bind_dims(function, x=(row, "rows n"), **{name: (parameter, "n") for name, parameter in parameters.items()})
    block = pl.BlockSpec((block_of(row.shape[0], block_rows), n), lambda i: (i, 0))
    result = pl.pallas_call(
        kernel,
        kolam.ShapeDtypeStruct(row.shape, x.dtype),
        grid=(pl.cdiv(row.shape[0], block.block_shape[0]),),
        in_specs=[block] + [pl.BlockSpec((n,), lambda i: (0,))] * len(parameters),
        out_specs=block,
        name=function,
        interpret=interpret,
    )(row, *parameters.values())
    return kolam.reshape(result, x.shape)


def softmax(x, *, block_rows=32, interpret=False):
    """Powers of e along the last axis, as parts of their sum:

        result[..., i] = exp(x[..., i] - m) / sum_j exp(x[..., j] - m),   m = max_j x[..., j]

    >>> import kolam as ko
    >>> ko.kernels.softmax(ko.asarray([[1.0, 1.0], [0.0, 1000.0]])).tolist()
    [[0.5, 0.5], [0.0, 1.0]]

    x is [..., n], floats; so is the result. bfloat16 and float16 compute in float32 and round once. A point of the grid has
    block_rows rows. Raises `[rank-mismatch]` for a scalar, `[dtype-mismatch]`, and `[bad-block]` for less than one row.
    """
    return _over_rows("softmax", _softmax_kernel, kolam.asarray(x), {}, block_rows, interpret)


def layer_norm(x, weight=None, bias=None, *, epsilon=1e-5, block_rows=32, interpret=False):
    """Rows of mean 0 and variance 1, scaled and moved:

        result[..., i] = (x[..., i] - mean) / sqrt(variance + epsilon) weight[i] + bias[i]

    >>> import kolam as ko
    >>> ko.kernels.layer_norm(ko.asarray([[1.0, 3.0]]), epsilon=0.0).tolist()
    [[-1.0, 1.0]]

    x is [..., n], floats; so is the result. weight and bias are [n], left out unless given.
    bfloat16 and float16 compute in float32 and round once. A point of the grid has block_rows rows. Raises
    `[rank-mismatch]` for a scalar, `[shape-mismatch]`, `[dtype-mismatch]`, and
    `[bad-block]` for less than one row. Source: Ba, Kiros, Hinton, "Layer Normalization", 2016.
    """
    x = kolam.asarray(x)
    if weight is None and bias is not None:
        weight = kolam.ones(x.shape[-1:], dtype=x.dtype)
    parameters = {name: kolam.asarray(given) for name, given in (("weight", weight), ("bias", bias)) if given is not None}
    return _over_rows("layer_norm", functools.partial(_layer_norm_kernel, epsilon=epsilon), x, parameters, block_rows, interpret)


def rms_norm(x, weight=None, *, epsilon=1e-5, block_rows=32, interpret=False):
    """Rows whose squares have mean 1, scaled:

        result[..., i] = x[..., i] / sqrt(mean_j x[..., j]^2 + epsilon) weight[i]

    >>> import kolam as ko
    >>> ko.kernels.rms_norm(ko.asarray([[3.0, 3.0]]), epsilon=0.0).tolist()
    [[1.0, 1.0]]

    x is [..., n], floats; so is the result. weight is [n], left out unless given. bfloat16 and float16 compute in float32
    and round once. A point of the grid has block_rows rows. Raises `[rank-mismatch]` for a scalar, `[shape-mismatch]`,
    `[dtype-mismatch]`, and `[bad-block]` for less than one row. Source: Zhang, Sennrich, "Root Mean Square Layer
    Normalization", 2019.
    """
    parameters = {} if weight is None else {"weight": kolam.asarray(weight)}
    return _over_rows("rms_norm", functools.partial(_rms_norm_kernel, epsilon=epsilon), kolam.asarray(x), parameters, block_rows, interpret)
