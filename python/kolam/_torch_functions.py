"""PyTorch's functions on our arrays, under PyTorch's names and with its parameters."""

import kolam
from kolam._kolam import Array, Tensor
from kolam.dtypes import DTYPES, as_dtype
from kolam.errors import KolamValueError


def _reduction(ours):
    def function(input, dim=None, keepdim=False):
        return ours(input, dim, keepdims=keepdim)

    return function


def _extremum(ours, elementwise):
    """max(x), or max(x, y); PyTorch's max(x, dim) is a pair, which kolam.max and kolam.argmax give apart."""

    def function(input, other=None):
        if isinstance(other, int):
            raise KolamValueError.make(
                ours.__name__, "bad-option", f"expected no dim, but got {other}; use kolam.{ours.__name__}(x, axis={other})"
            )
        return ours(input) if other is None else elementwise(input, other)

    return function


def transpose(input, dim0, dim1):
    axes = list(range(kolam.asarray(input).ndim))
    axes[dim0], axes[dim1] = axes[dim1], axes[dim0]
    return kolam.permute_dims(input, axes)


def permute(input, *dims):
    return kolam.permute_dims(input, dims[0] if len(dims) == 1 else dims)


def reshape(input, *shape):
    return kolam.reshape(input, shape[0] if len(shape) == 1 else shape)


def add(input, other, *, alpha=1):
    return kolam.add(input, other if alpha == 1 else kolam.multiply(other, alpha))


def subtract(input, other, *, alpha=1):
    return kolam.subtract(input, other if alpha == 1 else kolam.multiply(other, alpha))


def divide(input, other, *, rounding_mode=None):
    if rounding_mode == "floor":
        return kolam.floor_divide(input, other)
    quotient = kolam.divide(input, other)
    return kolam.trunc(quotient) if rounding_mode == "trunc" else quotient


def cumsum(input, dim):
    return kolam.cumulative_sum(input, dim)


def cat(tensors, dim=0):
    return kolam.concat(list(tensors), dim)


def stack(tensors, dim=0):
    return kolam.stack(list(tensors), dim)


def softmax(input, dim):
    return kolam.softmax(input, dim)


def unsqueeze(input, dim):
    return kolam.expand_dims(input, dim)


def squeeze(input, dim=None):
    return kolam.squeeze(input, dim)


def clamp(input, min=None, max=None):
    return kolam.clip(input, min, max)


#: Functions of one name and one meaning.
_SAME = (
    "abs acos acosh asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor "
    "ceil cos cosh einsum erf exp exp2 expm1 floor floor_divide hypot isfinite isinf isnan log log10 log1p log2 logaddexp "
    "logical_and logical_not logical_or logical_xor matmul maximum minimum outer pow reciprocal relu remainder round rsqrt "
    "sigmoid sign sin sinh sqrt square tan tanh tensordot tril triu trunc where zeros_like ones_like"
).split()

FUNCTIONS = {name: getattr(kolam, name) for name in _SAME} | {
    "eq": kolam.equal, "ne": kolam.not_equal, "lt": kolam.less, "le": kolam.less_equal, "gt": kolam.greater,
    "ge": kolam.greater_equal, "bitwise_not": kolam.bitwise_invert, "neg": kolam.negative, "negative": kolam.negative,
    "absolute": kolam.abs, "add": add, "sub": subtract, "subtract": subtract, "mul": kolam.multiply,
    "multiply": kolam.multiply, "div": divide, "divide": divide, "true_divide": divide, "mm": kolam.matmul,
    "bmm": kolam.matmul, "permute": permute, "transpose": transpose, "swapaxes": transpose, "reshape": reshape,
    "t": kolam.matrix_transpose, "cat": cat, "concat": cat, "concatenate": cat, "stack": stack, "cumsum": cumsum,
    "sum": _reduction(kolam.sum), "mean": _reduction(kolam.mean), "prod": _reduction(kolam.prod),
    "amax": _reduction(kolam.max), "amin": _reduction(kolam.min), "argmax": _reduction(kolam.argmax),
    "argmin": _reduction(kolam.argmin), "all": _reduction(kolam.all), "any": _reduction(kolam.any),
    "max": _extremum(kolam.max, kolam.maximum), "min": _extremum(kolam.min, kolam.minimum), "softmax": softmax,
    "unsqueeze": unsqueeze, "squeeze": squeeze, "clamp": clamp, "clip": clamp,
}  # fmt: skip

_REFLECTED = {"radd": "add", "rmul": "mul", "rsub": "sub", "rdiv": "div", "rtruediv": "div", "rmatmul": "matmul", "rpow": "pow"}
_OPERATORS = {"truediv": "div", "invert": "bitwise_not", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}


def call(function, positional, named):
    """Calls ours for a function of PyTorch; NotImplemented where there is none."""
    name = function.__name__
    bare = name[2:-2] if name.startswith("__") and name.endswith("__") else name
    if bare in _REFLECTED and name != bare:
        bare, positional = _REFLECTED[bare], positional[::-1]
    ours = FUNCTIONS.get(_OPERATORS.get(bare, bare))
    return NotImplemented if ours is None else ours(*positional, **(named or {}))


#: Types and constructors, for kolam.samba.torch.
NAMES = {dtype.name: dtype for dtype in DTYPES} | {
    "half": as_dtype("float16"), "float": as_dtype("float32"), "double": as_dtype("float64"),
    "short": as_dtype("int16"), "int": as_dtype("int32"), "long": as_dtype("int64"),
    "Tensor": Array | Tensor, "tensor": kolam.asarray,
}  # fmt: skip
