"""The methods and attributes that arrays have in NumPy: each is the function of the same name."""

import numpy as np

import kolam
from kolam import numpy_functions
from kolam._kolam import Array, Tensor
from kolam.errors import KolamTypeError, KolamValueError

#: Methods, with the function each calls.
METHODS = {
    name: name
    for name in (
        "all any argmax argmin argsort astype clip cumulative_prod cumulative_sum max mean min prod repeat reshape round "
        "sort squeeze std sum var"
    ).split()
}
#: Methods whose parameters are NumPy's own.
OF_NUMPY = {"cumprod": np.cumprod, "cumsum": np.cumsum, "dot": np.dot, "take": np.take}


def _method(function, name):
    def method(self, *positional, **named):
        return function(self, *positional, **named)

    method.__name__ = name
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


def _flatten(self):
    """The elements in row-major order, rank 1."""
    return kolam.reshape(self, (-1,))


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


def _round(self, digits=None):
    """round(x): every element at the nearest integer, halves to even."""
    if digits:
        raise KolamValueError.make("round", "bad-option", f"argument 'digits': expected none, but got {digits!r}")
    return kolam.round(self)


def attach():
    """Gives the methods to arrays and traced values."""
    for name, function in METHODS.items():
        if not hasattr(kolam, function):
            continue
        method = _method(getattr(kolam, function), name)
        for cls in (Array, Tensor):
            setattr(cls, name, method)
    for name, function in OF_NUMPY.items():
        method = _method(numpy_functions.FUNCTIONS[function], name)
        method.__doc__ = f"numpy.{name} of this array."
        for cls in (Array, Tensor):
            setattr(cls, name, method)
    for cls in (Array, Tensor):
        cls.__iter__ = _iterate
        cls.__round__ = _round
        cls.__divmod__ = lambda self, other: (self // other, self % other)
        cls.__rdivmod__ = lambda self, other: (other // self, other % self)
        cls.reshape = _reshape
        cls.transpose = _transpose
        cls.ravel = cls.flatten = _flatten
        cls.T = property(_transpose, doc="The dims in reverse order.")
        cls.mT = property(lambda self: kolam.matrix_transpose(self), doc="The last two dims exchanged.")
