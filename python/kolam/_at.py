"""x.at[...]: elements at an index, to be updated in a new array or read with a rule for places outside."""

from kolam import _hints, _kolam
from kolam._callables import checks_arguments
from kolam.errors import KolamAttributeError, KolamTypeError


class IndexUpdater:
    """What x.at is: x.at[index] are the elements x[index]."""

    __slots__ = ("_x",)

    def __init__(self, x):
        self._x = x

    def __getitem__(self, index):
        return Cells(self._x, index)

    def __call__(self, *index, **named):
        raise KolamTypeError.make("at", "call-mismatch", "expected an index in brackets, but got a call; write x.at[index]")

    def __setitem__(self, index, value):
        raise KolamTypeError.make("at", "immutable-array", "an array never changes; write x = x.at[i].set(value)")

    def __getattr__(self, name):
        if name[0] == "_":
            raise AttributeError(name)
        if name in UPDATES:
            words = f"no attribute {name!r}: write x.at[index].{name}(...)"
            raise KolamAttributeError.make("at", "unknown-name", words)
        raise _hints.unknown_name("x.at[index]", name, UPDATES, "at")

    def __repr__(self):
        return f"({self._x!r}).at"


class Cells:
    """The elements x[index] of x.at[index]: every method but `get` gives another array, in which they are changed.

    An index is what NumPy takes: integers, slices, `...`, None, integer arrays, a mask. Values broadcast to the elements and
    are converted to x's dtype; one of a kind above it (a float for integers) is refused. Values that hit one element act in
    row-major order, so `add` counts them all. Negative places count from the end; what lies outside then is dropped, or
    refused where it is a plain integer. `mode` says otherwise: "drop" or "fill", "clip" for the nearest place, or
    "promise_in_bounds". `indices_are_sorted` and `unique_indices` are for programs from JAX; they change nothing.
    """

    __slots__ = ("_index", "_x")

    def __init__(self, x, index):
        self._x, self._index = x, index

    def __getattr__(self, name):
        if name[0] == "_":
            raise AttributeError(name)
        raise _hints.unknown_name("x.at[index]", name, UPDATES, "at")

    def __repr__(self):
        return f"({self._x!r}).at[{self._index!r}]"

    def set(self, value, *, mode=None, indices_are_sorted=False, unique_indices=False):
        """x with x[index] = value.

        >>> import kolam as ko
        >>> ko.zeros(4).at[1:3].set(5).tolist()
        [0.0, 5.0, 5.0, 0.0]
        """
        return _kolam._at_set(self._x, self._index, value, mode)

    def add(self, value, *, mode=None, indices_are_sorted=False, unique_indices=False):
        """x with value added to x[index], as often as a place occurs.

        >>> import kolam as ko
        >>> ko.zeros(3).at[ko.asarray([0, 2, 2])].add(1).tolist()
        [1.0, 0.0, 2.0]
        """
        return _kolam._at_add(self._x, self._index, value, mode)

    def subtract(self, value, *, mode=None, indices_are_sorted=False, unique_indices=False):
        """x with value subtracted from x[index]."""
        return _kolam._at_subtract(self._x, self._index, value, mode)

    def multiply(self, value, *, mode=None, indices_are_sorted=False, unique_indices=False):
        """x with x[index] multiplied by value."""
        return _kolam._at_multiply(self._x, self._index, value, mode)

    def divide(self, value, *, mode=None, indices_are_sorted=False, unique_indices=False):
        """x with x[index] divided by value; x holds floats."""
        return _kolam._at_divide(self._x, self._index, value, mode)

    def power(self, value, *, mode=None, indices_are_sorted=False, unique_indices=False):
        """x with x[index] to the power of value."""
        return _kolam._at_power(self._x, self._index, value, mode)

    def min(self, value, *, mode=None, indices_are_sorted=False, unique_indices=False):
        """x with the lesser of x[index] and value; NaN where one is NaN."""
        return _kolam._at_min(self._x, self._index, value, mode)

    def max(self, value, *, mode=None, indices_are_sorted=False, unique_indices=False):
        """x with the greater of x[index] and value; NaN where one is NaN.

        >>> import kolam as ko
        >>> ko.asarray([1, 7, 3]).at[...].max(4).tolist()
        [4, 7, 4]
        """
        return _kolam._at_max(self._x, self._index, value, mode)

    def apply(self, f, *, mode=None, indices_are_sorted=False, unique_indices=False):
        """x with f(x[index]); f works on one element, and runs once for every time that an element is hit.

        >>> import kolam as ko
        >>> ko.asarray([1.0, 4.0, 9.0]).at[1:].apply(ko.sqrt).tolist()
        [1.0, 2.0, 3.0]
        """
        return _kolam._at_apply(self._x, self._index, f, mode)

    def get(self, *, mode=None, fill_value=None, indices_are_sorted=False, unique_indices=False):
        """x[index]; with mode "fill" elements outside are `fill_value`, or NaN, the lowest integer, the highest unsigned, true.

        >>> import kolam as ko
        >>> ko.asarray([1, 2, 3]).at[ko.asarray([0, 5])].get(mode="fill", fill_value=0).tolist()
        [1, 0]
        """
        return _kolam._at_get(self._x, self._index, mode, fill_value)

    mul = multiply
    div = divide
    pow = power


#: What elements have.
UPDATES = tuple(name for name in vars(Cells) if name[0] != "_")

for _name in UPDATES:
    setattr(Cells, _name, checks_arguments(getattr(Cells, _name)))
