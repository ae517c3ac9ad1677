"""SambaFlow's parallel patterns under their own names: its published programs run as they stand.

Source: SambaNova, "Compose complex operations with parallel patterns", and SambaNova's model zoo. What they leave open is
decided as in kolam.gather, kolam.scatter and kolam.zip_map_reduce: a gather clips, a scatter drops. `torch` stands in for
PyTorch where that is not installed: `from kolam.samba import torch`.
"""

import functools
import inspect
from types import SimpleNamespace

import kolam
from kolam import _torch_functions
from kolam._kolam import Array, Tensor
from kolam.dtypes import as_dtype
from kolam.errors import KolamError, KolamValueError

__all__ = [
    "Attrs", "SambaTensor", "get_int_or_float_bit_width", "get_int_type", "sn_fma", "sn_gather", "sn_imm", "sn_iteridx",
    "sn_reduce", "sn_scatter", "sn_select", "sn_zipmapreduce", "torch",
]  # fmt: skip

SambaTensor = Array | Tensor
_SIGNED = {8: "int8", 16: "int16", 32: "int32", 64: "int64"}


def _under_its_name(inner, **parameters):
    """A function whose errors name it and its own parameters, where kolam's `inner` raises them."""

    def decorate(function):
        @functools.wraps(function)
        def call(*positional, **named):
            try:
                return function(*positional, **named)
            except KolamError as error:
                text = str(error)
                if not text.startswith(f"{inner}: "):
                    raise
                text = function.__name__ + text.removeprefix(inner)
                for ours, theirs in parameters.items():
                    text = text.replace(f"argument '{ours}'", f"argument '{theirs}'")
                renamed = type(error)(text)
                renamed.slug, renamed.where = error.slug, error.where
                raise renamed from None

        call.__signature__ = inspect.signature(function)
        return call

    return decorate


class Attrs:
    """What the body of an sn_zipmapreduce knows of its iteration space: opaque, for sn_iteridx."""

    __slots__ = ("default_dtype", "shape", "__weakref__")

    def __init__(self, default_dtype, shape):
        self.default_dtype, self.shape = default_dtype, shape


@_under_its_name("gather", x="input_tensor")
def sn_gather(input_tensor, start_indices, gather_dims, gather_lengths, batched_dims=0):
    """kolam.gather with mode "clip".

    >>> import kolam as ko
    >>> from kolam import samba
    >>> samba.sn_gather(ko.asarray([10, 20, 30, 40]), ko.asarray([[1], [2]]), [0], [2]).tolist()
    [[20, 30], [30, 40]]
    """
    return kolam.gather(input_tensor, start_indices, gather_dims, gather_lengths, batched_dims)


@_under_its_name("scatter")
def sn_scatter(
    operand, update, start_indices, scatter_dims, rmw_op="kUpdate", unique_indices=False, batched_dims=0
):
    """kolam.scatter with mode "drop".

    >>> import kolam as ko
    >>> from kolam import samba
    >>> samba.sn_scatter(ko.zeros(3), ko.asarray([[5.0]]), ko.asarray([[1]]), [0], "kAdd").tolist()
    [0.0, 5.0, 0.0]
    """
    return kolam.scatter(operand, update, start_indices, scatter_dims, rmw_op, unique_indices, batched_dims)


@_under_its_name("zip_map_reduce", reduce="reduce_func", axis="reduce_dim", f="func")
def sn_zipmapreduce(func, inputs, reduce_func=None, reduce_dim=None, stoc_accum=False):
    """func(attrs, *elements) over the zipped elements of the inputs, then a reduction.

    `reduce_func` is SUM, ADD, PROD, MUL, MIN, MAX, MEAN, ANY, ALL, ARGMIN or ARGMAX in any case, over the dims `reduce_dim`
    (all unless given), which stay with extent 1. `stoc_accum` is `[unsupported-stoc-accum]`: it has no published meaning.

    >>> import kolam as ko
    >>> from kolam.samba import sn_imm, sn_iteridx, sn_select, sn_zipmapreduce
    >>> def lower(attrs, x):
    ...     return sn_select(sn_iteridx(attrs, 0) >= sn_iteridx(attrs, 1), x, sn_imm(0, ko.f32))
    >>> sn_zipmapreduce(lower, [ko.ones((3, 3))]).tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]
    """
    if stoc_accum:
        raise KolamValueError.make(
            "sn_zipmapreduce", "unsupported-stoc-accum", "expected stoc_accum=False, but got True"
        )
    inputs = [x if isinstance(x, Array | Tensor) else kolam.asarray(x) for x in inputs]
    width = max(32, get_int_or_float_bit_width(inputs[0].dtype)) if inputs else 32
    attrs = Attrs(get_int_type(width), _broadcast([x.shape for x in inputs]))
    return kolam.zip_map_reduce(
        lambda *cells: func(attrs, *cells), inputs, reduce=reduce_func, axis=reduce_dim, keepdims=True
    )


@_under_its_name("sn_zipmapreduce", inputs="input", reduce_func="fn", reduce_dim="dim")
def sn_reduce(input, dim, fn):
    """`input` reduced over `dim`, which stays with extent 1; `fn` as `reduce_func` of sn_zipmapreduce.

    >>> import kolam as ko
    >>> from kolam import samba
    >>> samba.sn_reduce(ko.asarray([[1, 2], [3, 4]]), 1, "SUM").tolist()
    [[3], [7]]
    """
    return sn_zipmapreduce(lambda attrs, x: x, [input], fn, dim)


@_under_its_name("iter_idx")
def sn_iteridx(attrs, dim, dtype=None):
    """In a body: the coordinate along `dim` of the iteration space before the reduction.

    >>> import kolam as ko
    >>> from kolam import samba
    >>> samba.sn_zipmapreduce(lambda attrs, x: samba.sn_iteridx(attrs, 0), [ko.zeros(3)]).tolist()
    [0, 1, 2]

    Its dtype is the signed integer of the first input's width, at least int32, unless given. Throws
    `[extent-does-not-fit]` where the last coordinate is beyond the dtype.
    """
    dtype = attrs.default_dtype if dtype is None else as_dtype(dtype)
    extent = attrs.shape[dim] if -len(attrs.shape) <= dim < len(attrs.shape) else 0
    if isinstance(extent, int) and dtype.kind in ("integer", "unsigned"):
        greatest = 2 ** (8 * dtype.itemsize - (dtype.kind == "integer")) - 1
        if extent - 1 > greatest:
            raise KolamValueError.make(
                "sn_iteridx", "extent-does-not-fit",
                f"argument 'dtype': expected a type that holds {extent - 1}, but got {dtype.name}",
            )  # fmt: skip
    return kolam.iter_idx(dim, dtype)


@_under_its_name("imm", value="input")
def sn_imm(input, dtype):
    """A scalar of a dtype of its own.

    >>> import kolam as ko
    >>> from kolam import samba
    >>> samba.sn_imm(0.5, ko.float64).dtype
    kolam.float64
    """
    return kolam.imm(input, dtype)


@_under_its_name("select", x="true_val", y="false_val")
def sn_select(cond, true_val, false_val):
    """cond ? true_val : false_val, both computed; an integer cond is true unless 0.

    >>> import kolam as ko
    >>> from kolam import samba
    >>> samba.sn_select(ko.asarray([1, 0]), ko.asarray([10, 20]), -1).tolist()
    [10, -1]
    """
    return kolam.select(cond, true_val, false_val)


@_under_its_name("fma", x="a", y="b", z="c")
def sn_fma(a, b, c):
    """a b + c, rounded once.

    >>> import kolam as ko
    >>> from kolam import samba
    >>> samba.sn_fma(ko.asarray([2.0]), 3.0, 0.5).tolist()
    [6.5]
    """
    return kolam.fma(a, b, c)


def get_int_or_float_bit_width(dtype):
    """8 for int8, 16 for bfloat16.

    >>> import kolam as ko
    >>> from kolam import samba
    >>> samba.get_int_or_float_bit_width(ko.bfloat16)
    16
    """
    return 8 * as_dtype(dtype).itemsize


def get_int_type(width):
    """The signed integer of a width of 8, 16, 32 or 64 bits.

    >>> import kolam as ko
    >>> from kolam import samba
    >>> samba.get_int_type(16)
    kolam.int16
    """
    if width not in _SIGNED:
        raise KolamValueError.make("get_int_type", "unknown-width", f"expected 8, 16, 32 or 64, but got {width!r}")
    return as_dtype(_SIGNED[width])


def _broadcast(shapes):
    """The common shape, as far as the first extent that is not 1 tells; zip_map_reduce checks it."""
    rank = max((len(shape) for shape in shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    return [next((extent for extent in dims if extent != 1), 1) for dims in zip(*padded, strict=True)]


#: Stands in for PyTorch: dtypes, functions and a constructor, under PyTorch's names.
torch = SimpleNamespace(**_torch_functions.FUNCTIONS, **_torch_functions.NAMES)


def __getattr__(name):
    """Names that are not here: those of other libraries are told what to write."""
    from kolam import _hints

    raise _hints.unknown_name("kolam.samba", name, __all__)


def __dir__():
    return __all__
