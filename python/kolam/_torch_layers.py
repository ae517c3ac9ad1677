"""torch.nn.functional on our arrays, under PyTorch's names and with its parameters."""

import math

import kolam
from kolam._kolam import Array
from kolam.errors import KolamIndexError, KolamTypeError, KolamValueError


def _refuse(function, argument, expected, actual):
    raise KolamValueError.make(
        f"torch.{function}", "bad-option", f"argument '{argument}': expected {expected}, but got {actual!r}"
    )


def _at_place(function, inplace):
    if inplace:
        raise KolamTypeError.make(
            f"torch.{function}", "immutable-array", "argument 'inplace': expected False, but got True: an array never changes"
        )


def _softmax(ours):
    def function(input, dim=None, _stacklevel=3, dtype=None):
        input = kolam.asarray(input) if dtype is None else kolam.astype(input, dtype)
        return ours(input, (0 if input.ndim in (0, 1, 3) else 1) if dim is None else dim)

    return function


def _activation(name, function):
    """`function`, which never writes to its input."""

    def called(input, *options, inplace=False, **named):
        _at_place(name, inplace)
        return function(kolam.asarray(input), *options, **named)

    return called


def gelu(input, approximate="none"):
    return kolam.gelu(input, approximate)


def softplus(input, beta=1.0, threshold=20.0):
    scaled = kolam.multiply(input, float(beta))
    return kolam.where(scaled > float(threshold), input, kolam.softplus(scaled) / float(beta))


def elu(input, alpha=1.0):
    return kolam.where(input > 0, input, float(alpha) * kolam.expm1(input))


def celu(input, alpha=1.0):
    return kolam.where(input > 0, input, float(alpha) * kolam.expm1(input / float(alpha)))


def leaky_relu(input, negative_slope=0.01):
    return kolam.where(input > 0, input, input * float(negative_slope))


def selu(input):
    return 1.0507009873554805 * elu(input, 1.6732632423543772)


def mish(input):
    return input * kolam.tanh(kolam.softplus(input))


def hardtanh(input, min_val=-1.0, max_val=1.0):
    return kolam.clip(input, min_val, max_val)


def hardsigmoid(input):
    return kolam.clip(input + 3.0, 0.0, 6.0) / 6.0


def softsign(input):
    return input / (1.0 + kolam.abs(input))


def logsigmoid(input):
    return -kolam.softplus(-kolam.asarray(input))


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    axes = tuple(range(-len(tuple(normalized_shape)), 0))
    return kolam.layer_norm(input, weight, bias, axis=axes, epsilon=eps)


def rms_norm(input, normalized_shape, weight=None, eps=None):
    axes = tuple(range(-len(tuple(normalized_shape)), 0))
    return kolam.rms_norm(input, weight, axis=axes, epsilon=_epsilon(input) if eps is None else eps)


def _epsilon(x):
    """The gap above 1 of a float dtype."""
    return {"float64": 2.0**-52, "float16": 2.0**-10, "bfloat16": 2.0**-7}.get(kolam.asarray(x).dtype.name, 2.0**-23)


def _conv(ours, rank):
    def function(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        x = kolam.asarray(input)
        is_single = x.ndim == rank + 1  # without a batch
        if not isinstance(padding, str):
            padding = [(before, before) for before in ([padding] * rank if isinstance(padding, int) else padding)]
        y = ours(kolam.expand_dims(x, 0) if is_single else x, weight, _several(stride), padding, _several(dilation), groups)
        if bias is not None:
            y = y + kolam.reshape(bias, (-1,) + (1,) * rank)
        return y[0] if is_single else y

    return function


def _several(number):
    return number if isinstance(number, int) else list(number)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    if max_norm is not None:
        _refuse("embedding", "max_norm", "None", max_norm)
    input, weight = kolam.asarray(input), kolam.asarray(weight)
    if isinstance(input, Array) and input.size:
        low, high = kolam.min(input).item(), kolam.max(input).item()
        if low < 0 or high >= weight.shape[0]:
            message = f"argument 'input': expected indices from 0 to {weight.shape[0] - 1}, but got {low if low < 0 else high}"
            raise KolamIndexError.make("torch.embedding", "index-out-of-range", message)
    return kolam.take(weight, input, axis=0)


def _reduced(function, losses, reduction, count=None):
    if reduction not in ("none", "mean", "sum"):
        _refuse(function, "reduction", "'none', 'mean' or 'sum'", reduction)
    if reduction == "none":
        return losses
    total = kolam.sum(losses)
    return total if reduction == "sum" else total / (math.prod(losses.shape) if count is None else count)


def cross_entropy(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean", label_smoothing=0.0
):
    if weight is not None:
        _refuse("cross_entropy", "weight", "None", weight)
    if label_smoothing:
        _refuse("cross_entropy", "label_smoothing", "0", label_smoothing)
    input, target = kolam.asarray(input), kolam.asarray(target)
    axis = 0 if input.ndim == 1 else 1
    if target.dtype.kind == "float":
        return _reduced("cross_entropy", losses := kolam.cross_entropy(input, target, axis), reduction, max(losses.size, 1))
    counts = target != ignore_index
    losses = kolam.where(counts, kolam.cross_entropy(input, kolam.where(counts, target, 0), axis), 0.0)
    return _reduced("cross_entropy", losses, reduction, kolam.sum(kolam.astype(counts, losses.dtype)))


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    return _reduced("mse_loss", kolam.square(kolam.subtract(input, target)), reduction)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    return _reduced("l1_loss", kolam.abs(kolam.subtract(input, target)), reduction)


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False
):
    if dropout_p:
        _refuse("scaled_dot_product_attention", "dropout_p", "0", dropout_p)
    return kolam.attention(query, key, value, mask=attn_mask, causal=is_causal, scale=scale)


def dropout(input, p=0.5, training=True, inplace=False):
    if training and p:
        _refuse("dropout", "training", "False (model.eval()), or kolam.dropout(key, x, p)", training)
    return input


def normalize(input, p=2.0, dim=1, eps=1e-12, out=None):
    if p != 2:
        _refuse("normalize", "p", "2", p)
    return input / kolam.maximum(kolam.sqrt(kolam.sum(kolam.square(input), dim, keepdims=True)), eps)


def pad(input, pad, mode="constant", value=None):
    modes = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}
    if mode not in modes or len(pad) % 2:
        _refuse("pad", "pad", f"pairs of widths and a mode of {', '.join(modes)}", (pad, mode))
    pairs = [(pad[i], pad[i + 1]) for i in range(0, len(pad), 2)][::-1]  # the last dim comes first
    widths = [(0, 0)] * (kolam.asarray(input).ndim - len(pairs)) + pairs
    return kolam.pad(input, widths, modes[mode], 0 if value is None else value)


FUNCTIONS = {
    "softmax": _softmax(kolam.softmax), "log_softmax": _softmax(kolam.log_softmax), "linear": kolam.linear, "gelu": gelu,
    "softplus": softplus, "softsign": softsign, "logsigmoid": logsigmoid, "log_sigmoid": logsigmoid, "layer_norm": layer_norm,
    "rms_norm": rms_norm, "conv1d": _conv(kolam.conv1d, 1), "conv2d": _conv(kolam.conv2d, 2), "conv3d": _conv(kolam.conv3d, 3),
    "embedding": embedding, "cross_entropy": cross_entropy, "mse_loss": mse_loss, "l1_loss": l1_loss, "dropout": dropout,
    "scaled_dot_product_attention": scaled_dot_product_attention, "normalize": normalize, "pad": pad,
}  # fmt: skip
FUNCTIONS |= {
    name: _activation(name, function)
    for name, function in {
        "relu": kolam.relu, "silu": kolam.silu, "elu": elu, "celu": celu, "leaky_relu": leaky_relu, "selu": selu, "mish": mish,
        "hardtanh": hardtanh, "hardsigmoid": hardsigmoid, "hardswish": lambda x: x * hardsigmoid(x),
        "relu6": lambda x: kolam.clip(x, 0, 6),
    }.items()
}  # fmt: skip
