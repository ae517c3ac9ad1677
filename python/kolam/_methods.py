"""The methods and attributes that arrays have in NumPy: each is the function of the same name."""

import numpy as np

import kolam
from kolam import _at, _hints, _namespace, _numpy_parameters
from kolam._kolam import Array, Extent, Tensor
from kolam.errors import KolamTypeError, KolamValueError

#: Methods, each the function of the same name.
METHODS = (
    "all any argmax argmin argsort astype clip cumulative_prod cumulative_sum diagonal max mean min prod repeat sort "
    "squeeze std sum swapaxes trace var"
).split()


def _method(function, name):
    def method(self, *positional, **named):
        return function(self, *positional, **named)

    method.__name__, method.__wrapped__ = name, function
    method.__doc__ = f"kolam.{function.__name__} of this array.\n\n{function.__doc__}"
    return method


def _reshape(self, *shape):
    """The elements in row-major order under another shape: x.reshape(2, -1) or x.reshape((2, -1))."""
    return kolam.reshape(self, shape[0] if len(shape) == 1 else shape)


def _transpose(self, *axes):
    """The dims in another order; reversed unless given."""
    axes = axes[0] if len(axes) == 1 and axes[0] is not None else axes
    axes = axes if axes and axes != (None,) else tuple(reversed(range(self.ndim)))
    return kolam.permute_dims(self, axes)


def _flatten(self, start_dim=0, end_dim=-1):
    """The elements in row-major order, rank 1; with PyTorch's bounds the dims from `start_dim` to `end_dim` become one."""
    if (start_dim, end_dim) == (0, -1) or self.ndim == 0:
        return kolam.reshape(self, (-1,))
    first, last = start_dim % self.ndim, end_dim % self.ndim
    return kolam.reshape(self, (*self.shape[:first], -1, *self.shape[last + 1 :]))


def _take(self, indices, axis=None):
    """The elements at `indices` along `axis`, or of all elements in row-major order."""
    return _numpy_parameters.take(self, indices, axis)


def _dot(self, other):
    """Sums over the last dim of this array and the last but one of the other."""
    return _numpy_parameters.dot(self, other)


def _cumsum(self, axis=None, dtype=None):
    """kolam.cumulative_sum, of all elements in row-major order where there is no axis."""
    return kolam.cumulative_sum(*((self, axis) if axis is not None else (kolam.ravel(self), 0)), dtype=dtype)


def _cumprod(self, axis=None, dtype=None):
    """kolam.cumulative_prod, of all elements in row-major order where there is no axis."""
    return kolam.cumulative_prod(*((self, axis) if axis is not None else (kolam.ravel(self), 0)), dtype=dtype)


def _copy(self):
    """The array itself: it never changes."""
    return self


def _missing(self, name):
    """Names that are not here: those of other libraries are told what to write."""
    raise _hints.unknown_name("array", name, dir(type(self)), "array" if isinstance(self, Array) else "traced value")


def _set_item(self, index, value):
    raise KolamTypeError.make(
        "__setitem__", "immutable-array", "an array never changes; write x = x.at[i].set(value) in place of x[i] = value"
    )


def _represent(self):
    """The elements with the dtype, and the shape where there are none."""
    elements = np.asarray(self)
    shape = f"shape={self.shape}, " if self.size == 0 else ""
    text = np.array2string(elements, separator=", ", prefix="Array(") if self.size else "[]"
    return f"Array({text}, {shape}dtype={self.dtype.name})"


def _iterate(self):
    """The slices along the leading dim; over a traced value this unrolls a loop."""
    if self.ndim == 0:
        raise TypeError("iteration over an array of rank 0")
    extent = self.shape[0]
    if not isinstance(extent, int):
        raise KolamTypeError.make(
            "iter", "traced-value", f"expected a known extent to unroll over, but got {extent}; use kolam.scan or "
            "kolam.fori_loop, or drop the dim from `dynamic`",
        )  # fmt: skip
    return (self[i] for i in range(extent))


def _round(self, decimals=0):
    """Every element at the nearest integer, halves to even."""
    if decimals is not None and decimals != 0:
        raise KolamValueError.make(
            "round", "bad-option", f"argument 'decimals': expected 0, but got {decimals!r}; {_hints.keyword_hint('decimals', ())}"
        )
    return kolam.round(self)


def _item_of(item):
    """`item` of a class with NumPy's indices: x.item(), x.item(5) of all elements in row-major order, x.item(1, 2)."""

    def method(self, *index):
        if not index:
            return item(self)
        place = index[0] if len(index) == 1 else index
        return item((kolam.ravel(self) if not isinstance(place, tuple) else self)[place])

    method.__name__ = "item"
    method.__doc__ = f"{item.__doc__}\n\nx.item(5) is one of all elements in row-major order, x.item(1, 2) the one there."
    return method


def _delete_item(self, index):
    raise KolamTypeError.make(
        "__delitem__", "immutable-array", "an array never changes; write x = kolam.concat([x[:i], x[i + 1:]]), or x = x[mask]"
    )


def _comparison(sign):
    def compare(self, other):
        raise KolamTypeError.make(
            "Extent", "traced-value", f"expected known numbers for {sign}, but got {self}, which only the run knows; compare "
            f"kolam.extent(n) {sign} k and let kolam.cond choose, or drop the dim from `dynamic`",
        )  # fmt: skip

    return compare


def attach():
    """Gives the methods to arrays and traced values."""
    for name in METHODS:
        method = _method(getattr(kolam, name), name)
        for cls in (Array, Tensor):
            setattr(cls, name, method)
    Array.__repr__ = _represent
    for name, sign in (("lt", "<"), ("le", "<="), ("gt", ">"), ("ge", ">=")):
        setattr(Extent, f"__{name}__", _comparison(sign))
    Array.__complex__ = lambda self: complex(self.item())
    for cls in (Array, Tensor):
        cls.__getattr__ = _missing
        cls.__iter__ = _iterate
        cls.__setitem__, cls.__delitem__ = _set_item, _delete_item
        cls.__round__ = cls.round = _round
        cls.item = _item_of(cls.item)
        cls.__divmod__ = lambda self, other: (self // other, self % other)
        cls.__rdivmod__ = lambda self, other: (other // self, other % self)
        cls.copy = _copy
        cls.cumprod, cls.cumsum = _cumprod, _cumsum
        cls.dot, cls.take = _dot, _take
        cls.reshape = _reshape
        cls.transpose = _transpose
        cls.ravel = cls.flatten = _flatten
        cls.device = property(lambda self: "cpu", doc='The device of the elements, always "cpu".')
        cls.to_device = _namespace.to_device
        cls.__array_namespace__ = _namespace.namespace
        cls.at = property(_at.IndexUpdater, doc="x.at[index].set(value), add, get...: elements at an index (kolam._at.Elements).")
        cls.T = property(_transpose, doc="The dims in reverse order.")
        cls.mT = property(lambda self: kolam.matrix_transpose(self), doc="The last two dims exchanged.")
