"""Refs: mutable views of the blocks that a kernel works on, and what is done to them. `kolam.pallas` is what users see."""

import dataclasses
import math
import threading

import kolam
from kolam import _kolam
from kolam.dtypes import as_dtype
from kolam.errors import KolamTypeError, KolamValueError


def fail_kernel(function, message, kind=KolamValueError, slug="bad-kernel"):
    """Raises an error of a kernel."""
    raise kind.make(function, slug, message)


class _Kernels(threading.local):
    """What is being traced: the names of the axes of each grid, innermost last."""

    def __init__(self):
        self.axes = []


KERNELS = _Kernels()


@dataclasses.dataclass(frozen=True)
class Slice:
    """What `ds` gives: `size` elements from `start` on, `stride` apart."""

    start: object
    size: object
    stride: int = 1

    @classmethod
    def from_slice(cls, slc, size):
        """A Python slice of a dim of `size` elements, clipped into it."""
        start, stop, step = slc.indices(size)
        if step < 1:
            fail_kernel("Slice.from_slice", f"argument 'slc': expected a step of at least 1, but got {step}", slug="bad-step")
        return cls(start, max((stop - start + step - 1) // step, 0), step)


def ds(start, size=None, stride=1):
    """In the index of a Ref: `size` elements from `start` on, `stride` apart; `ds(size)` begins at 0.

    Where only the run knows `start`, elements may lie outside: they are read as the pad value and not written. Of a known
    `start` all must lie inside; slices clip instead.
    """
    return Slice(0, start, stride) if size is None else Slice(start, size, stride)


dslice = ds


def _items(index):
    items = index if isinstance(index, tuple) else (index,)
    return [("ds", item.start, item.size, item.stride) if isinstance(item, Slice) else item for item in items]


def _mask_in(index):
    """The boolean array that is the whole of an index, or None."""
    items = index if isinstance(index, tuple) else (index,)
    if len(items) == 1 and getattr(items[0], "dtype", None) == kolam.bool and getattr(items[0], "ndim", 0) > 0:
        return items[0]
    return None


class _At:
    def __init__(self, ref):
        self._ref = ref

    def __getitem__(self, index):
        return self._ref._view(self._ref._held.at(_items(index)))


class Ref:
    """A mutable view of elements of an array, inside a kernel.

    `ref[index]` reads, `ref[index] = value` writes, by NumPy's indexing: integers, slices, `ds`, `...`, integer arrays. A value
    has the shape of the elements, or is a scalar. `ref[mask] = value` writes where a boolean array holds. Views (`at[index]`,
    `reshape`, `transpose`, `T`, `bitcast`) share elements: what is written through one is read through the others.
    """

    __slots__ = ("_held", "_name")

    def __init__(self, held, name=""):
        self._held = held
        self._name = name

    def _view(self, held):
        return Ref(held, self._name)

    def _words(self):
        """How errors call it."""
        own = f"'{self._name}' " if self._name else ""
        return f"the Ref {own}of {self.dtype.name}{list(self.shape)}"

    @property
    def shape(self):
        """The extents."""
        return self._held.shape

    @property
    def dtype(self):
        """The dtype of the elements."""
        return self._held.dtype

    @property
    def valid_shape(self):
        """Of a block: how many elements along each dim the array has, ints or int32 scalars. Of other Refs the shape."""
        return self._held.valid_shape()

    @property
    def ndim(self):
        """The number of dims."""
        return len(self.shape)

    @property
    def size(self):
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def at(self):
        """`ref.at[index]`: the elements as a Ref."""
        return _At(self)

    @property
    def T(self):
        """The dims in reverse order."""
        return self.transpose()

    def reshape(self, *shape):
        """The same elements in row-major order in another shape."""
        return self._view(self._held.reshape(shape[0] if len(shape) == 1 and isinstance(shape[0], tuple | list) else shape))

    def transpose(self, *axes):
        """Dim d of the view is dim `axes[d]`; reversed unless given."""
        return self._view(self._held.transpose(list(axes[0] if len(axes) == 1 and isinstance(axes[0], tuple | list) else axes)))

    def bitcast(self, dtype):
        """The same bits as elements of another dtype.

        Of another width the last dim but one has as many more or fewer elements, and those of one wide element stand below
        one another, the low bits first; of rank 1 the only dim, and they stand side by side. What is outside of such a view
        is 0.
        """
        return self._view(self._held.bitcast(as_dtype(dtype)))

    def get(self):
        """The elements."""
        return load(self)

    def set(self, value):
        """Sets the elements."""
        store(self, value)

    def __getitem__(self, index):
        if _mask_in(index) is not None:
            fail_kernel("index", "expected places to read, but got a mask; read with load(ref, ..., mask=mask, other=)", slug="bad-index")
        return load(self, index)

    def __setitem__(self, index, value):
        mask = _mask_in(index)
        store(self, ... if mask is not None else index, value, mask=mask)

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return f"Ref({self.dtype}{list(self.shape)})"

    def _refuse(self, *_):
        what = f"expected values, but got {self._words()}; did you forget to read it: {self._name or 'ref'}[...]"
        fail_kernel("Attempting to pass a Ref to an operation", what, KolamTypeError, "not-an-array")

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __matmul__ = _refuse
    __rmatmul__ = __pow__ = __rpow__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = __neg__ = __abs__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = __and__ = __or__ = __xor__ = __bool__ = _refuse
    __hash__ = object.__hash__


def view_of(function, ref, index):
    """The elements of a Ref at an index, as the C++ half holds them."""
    if not isinstance(ref, Ref):
        fail_kernel(function, f"argument 'ref': expected a Ref, but got {type(ref).__name__}", KolamTypeError, "argument-type")
    return ref._held if index is ... else ref._held.at(_items(index))


def load(ref, index=..., *, mask=None, other=None):
    """`where(mask, ref[index], other)`, where nothing is read at places whose mask does not hold.

    Without `other` the elements there are the pad value of the BlockSpec. Both broadcast to the elements.
    """
    if isinstance(other, Ref):
        fail_kernel("load", f"argument 'other': expected values, but got {other._words()}; read it: {other._name or 'ref'}[...]", KolamTypeError, "not-an-array")
    return view_of("load", ref, index).load(mask, other)


_ONE = object()  # in place of an argument that is not given


def store(ref, index=..., value=_ONE, *, mask=None):
    """`ref[index] = value` where `mask` holds. Of several that are one element the last in row-major order stays.

    `store(ref, value)` stores to all elements.
    """
    if value is _ONE:
        index, value = ..., index
    if isinstance(value, Ref):
        fail_kernel("store", f"Cannot store a Ref into another Ref: got {value._words()}; read its elements, {value._name or 'ref'}[...]", KolamTypeError, "not-an-array")
    view_of("store", ref, index).store(value, mask)


def _updater(name, words, elsewhere="the pad value of the BlockSpec"):
    def update(ref, index, value, *, mask=None):
        return _kolam._ref_update(name, view_of(name, ref, index), value, None, mask)

    update.__name__ = update.__qualname__ = name
    update.__doc__ = f"""{words}; gives the elements as each update found them.

    Elements are updated one by one in row-major order, so that every one of several updates of an element counts. Where
    `mask` does not hold nothing is done, and the result is {elsewhere}.
    """
    return update


swap = _updater("swap", "`ref[index] = value`", "that of `value`")
atomic_add = _updater("atomic_add", "`ref[index] += value`")
atomic_max = _updater("atomic_max", "`ref[index] = maximum(ref[index], value)`")
atomic_min = _updater("atomic_min", "`ref[index] = minimum(ref[index], value)`")
atomic_and = _updater("atomic_and", "`ref[index] &= value`")
atomic_or = _updater("atomic_or", "`ref[index] |= value`")
atomic_xor = _updater("atomic_xor", "`ref[index] ^= value`")
atomic_xchg = _updater("atomic_xchg", "`ref[index] = value`")


def atomic_cas(ref, cmp, val, *, index=..., mask=None):
    """`ref[index] = val` where `ref[index] == cmp`; gives the elements as they were."""
    return _kolam._ref_update("atomic_cas", view_of("atomic_cas", ref, index), val, cmp, mask)
