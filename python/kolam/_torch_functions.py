"""PyTorch's functions on our arrays, under PyTorch's names and with its parameters."""

import sys

import kolam
from kolam import _torch_layers, _torch_statistics
from kolam._kolam import Array, Tensor
from kolam.dtypes import DTYPES, as_dtype
from kolam._torch_statistics import Pair
from kolam.errors import KolamTypeError


def _reduction(ours):
    def function(input, dim=None, keepdim=False):
        return ours(input, dim, keepdims=keepdim)

    return function


def _extremum(ours, place, elementwise):
    """max(x), max(x, y), or max(x, dim): a pair of values and indices."""

    def function(input, other=None, keepdim=False, *, dim=None):
        dim = other if isinstance(other, int) else dim
        if dim is not None:
            return Pair(ours(input, dim, keepdims=keepdim), place(input, dim, keepdims=keepdim))
        return ours(input) if other is None else elementwise(input, other)

    return function


def _variance(ours):
    def function(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        return ours(input, dim, correction=int(unbiased) if correction is None else correction, keepdims=keepdim)

    return function


def sort(input, dim=-1, descending=False, stable=False):
    places = kolam.argsort(input, dim, descending=descending)
    return Pair(kolam.take_along_axis(input, places, dim), places)


def topk(input, k, dim=-1, largest=True, sorted=True):
    return Pair(*kolam.top_k(input, k, dim, largest))


def argsort(input, dim=-1, descending=False, stable=False):
    return kolam.argsort(input, dim, descending=descending)


def gather(input, dim, index):
    # The other dims of the indices may be shorter than the input's.
    index, input = kolam.asarray(index), kolam.asarray(input)
    parts = tuple(slice(None) if d == dim % input.ndim else slice(extent) for d, extent in enumerate(index.shape))
    return kolam.take_along_axis(input[parts], index, dim)


def flatten(input, start_dim=0, end_dim=-1):
    return kolam.asarray(input).flatten(start_dim, end_dim)


def split(tensor, split_size_or_sections, dim=0):
    extent = kolam.asarray(tensor).shape[dim]
    given = split_size_or_sections
    lengths = [given] * (extent // given) if isinstance(given, int) else list(given)
    ends = [sum(lengths[: i + 1]) for i in range(len(lengths))]
    return tuple(kolam.split(tensor, [end for end in ends if end < extent], dim))


def chunk(input, chunks, dim=0):
    return split(input, -(-kolam.asarray(input).shape[dim] // chunks), dim)


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


def unsqueeze(input, dim):
    return kolam.expand_dims(input, dim)


def squeeze(input, dim=None):
    return kolam.squeeze(input, dim)


def roll(input, shifts, dims=None):
    return kolam.roll(input, shifts, dims)


def flip(input, dims):
    return kolam.flip(input, dims)


def moveaxis(input, source, destination):
    return kolam.moveaxis(input, source, destination)


def repeat_interleave(input, repeats, dim=None, *, output_size=None):
    return kolam.repeat(input, repeats, dim)


def tile(input, dims):
    return kolam.tile(input, dims)


def index_select(input, dim, index):
    return kolam.take(input, index, dim)


def masked_fill(input, mask, value):
    return kolam.where(mask, kolam.full_like(input, value), input)


def unbind(input, dim=0):
    return tuple(kolam.unstack(input, dim))


def clamp(input, min=None, max=None):
    return kolam.clip(input, min, max)


#: Functions of one name and one meaning.
_SAME = (
    "abs acos acosh asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor "
    "ceil cos cosh einsum erf erfc exp exp2 expm1 floor floor_divide fmod hypot isfinite isinf isnan lgamma log log10 log1p log2 logaddexp "
    "allclose copysign deg2rad heaviside isclose kron logical_and logical_not logical_or logical_xor matmul maximum minimum nextafter "
    "outer pow rad2deg reciprocal relu remainder round rsqrt xlogy "
    "sigmoid sign sin sinh sqrt square tan tanh tensordot trace tril triu trunc where zeros_like ones_like"
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
    "max": _extremum(kolam.max, kolam.argmax, kolam.maximum), "min": _extremum(kolam.min, kolam.argmin, kolam.minimum),
    "var": _variance(kolam.var), "std": _variance(kolam.std), "sort": sort, "topk": topk, "argsort": argsort, "gather": gather,
    "flatten": flatten, "split": split, "chunk": chunk, "roll": roll, "flip": flip, "moveaxis": moveaxis, "movedim": moveaxis,
    "repeat_interleave": repeat_interleave, "tile": tile, "index_select": index_select, "masked_fill": masked_fill, "unbind": unbind,
    "dot": kolam.vecdot, "mv": kolam.matmul, "erfinv": kolam.erf_inv, "nansum": _reduction(kolam.nansum), "nanmean": _reduction(kolam.nanmean),
    "unsqueeze": unsqueeze, "squeeze": squeeze, "clamp": clamp, "clip": clamp,
} | _torch_layers.FUNCTIONS | _torch_statistics.FUNCTIONS  # fmt: skip

_REFLECTED = {"radd": "add", "rmul": "mul", "rsub": "sub", "rdiv": "div", "rtruediv": "div", "rmatmul": "matmul", "rpow": "pow"}
_OPERATORS = {"truediv": "div", "invert": "bitwise_not", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}


def _torch_tensors(value):
    """The tensors of PyTorch in nested arguments."""
    kind = getattr(sys.modules.get("torch"), "Tensor", ())
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, tuple | list):
        return [tensor for part in value for tensor in _torch_tensors(part)]
    return [value] if isinstance(value, kind) else []


def _without_gradients(value):
    """Nested arguments with tensors of PyTorch that record nothing."""
    if isinstance(value, dict):
        return {key: _without_gradients(part) for key, part in value.items()}
    if type(value) in (tuple, list):
        return type(value)(map(_without_gradients, value))
    return value.detach() if isinstance(value, getattr(sys.modules.get("torch"), "Tensor", ())) else value


def require_no_gradients(function, tensors):
    """Raises where PyTorch records gradients of one of its tensors, which would end at an array of ours in silence."""
    if any(tensor.requires_grad for tensor in tensors) and sys.modules["torch"].is_grad_enabled():
        raise KolamTypeError.make(
            function, "records-gradients",
            "expected tensors that record no gradients, but got one that does; none flow through arrays of Kolam: call it under "
            "torch.no_grad(), or with tensor.detach()",
        )  # fmt: skip


def call(function, positional, named):
    """Calls ours for a function of PyTorch. Refuses what PyTorch would record gradients of, and what is not here."""
    named = named or {}
    if tensors := _torch_tensors((positional, named)):
        require_no_gradients(f"torch.{function.__name__}", tensors)
        positional, named = _without_gradients(positional), _without_gradients(named)
    name = function.__name__
    bare = name[2:-2] if name.startswith("__") and name.endswith("__") else name
    if bare in _REFLECTED and name != bare:
        bare, positional = _REFLECTED[bare], positional[::-1]
    ours = FUNCTIONS.get(_OPERATORS.get(bare, bare))
    if ours is None:
        from kolam import _hints  # only errors need it

        asked = f"torch.{name}"
        word = f"kolam.{bare} may be what you mean" if bare in kolam.__all__ else _hints.hint(bare, kolam.__all__)
        raise KolamTypeError.make(
            asked, "no-torch-function",
            f"expected tensors of PyTorch, but got an array of Kolam, which has no function for torch.{name}; "
            f"{word and word + ', or '}convert it by torch.from_dlpack(x)",
        )  # fmt: skip
    return ours(*positional, **named)


#: Types and constructors, for kolam.samba.torch.
NAMES = {dtype.name: dtype for dtype in DTYPES} | {
    "half": as_dtype("float16"), "float": as_dtype("float32"), "double": as_dtype("float64"),
    "short": as_dtype("int16"), "int": as_dtype("int32"), "long": as_dtype("int64"),
    "Tensor": Array | Tensor, "tensor": kolam.asarray,
}  # fmt: skip
