"""Pickles: arrays, lists and functions, and reading them from bytes that may be damaged or somebody else's."""

import copyreg
import pickle

import numpy as np

from kolam import _kolam
from kolam._kolam import Array, List, TracedList
from kolam.errors import KolamTypeError, KolamValueError
from kolam.fractal._parts import ListOf, lists_of


def _reduced_array(self, protocol):
    """With protocol 5 the elements may travel beside the pickle."""
    elements = np.frombuffer(memoryview(self._memory).cast("B"), np.uint8) if self.nbytes else b""
    content = pickle.PickleBuffer(elements) if protocol >= 5 else bytes(elements)
    return _kolam._unpickled_array, (self.dtype.name, tuple(self.shape), content)


def list_of_leaves(leaves, offsets):
    """A pickled kolam.List."""
    if not isinstance(leaves, Array) or not isinstance(offsets, list):
        raise KolamTypeError.make("unpickle", "bad-pickle", "expected an array of leaves and a list of offsets")
    return List.from_offsets(leaves, offsets)


def _reduced_list(self):
    return list_of_leaves, (self.leaves(), [self.offsets(level) for level in range(1, self.depth)])


def _copied_list(self, memo):
    return List.from_offsets(self.leaves().__deepcopy__(memo), [self.offsets(level) for level in range(1, self.depth)])


def list_of_parts(cls, parts):
    """A pickled FractalTensor: a pytree of lists of one length."""
    lists = []
    if isinstance(cls, type) and issubclass(cls, ListOf):
        lists = lists_of(parts.parts if isinstance(parts, ListOf) else parts)
    if not lists or not all(isinstance(inner, List | ListOf) for inner in lists):
        raise KolamTypeError.make("unpickle", "bad-pickle", f"expected a pytree of lists, but got {parts!r:.60}")
    _kolam._list_require_one_length([inner for inner in lists if isinstance(inner, List)], "unpickle")
    self = object.__new__(cls)
    object.__setattr__(self, "parts", parts)
    return self


def _reduced_parts(self):
    return list_of_parts, (type(self), self.parts)


def function(name):
    """The function of kolam of that name: `sum`, `random.uniform`."""
    found = _kolam
    for part in name.split(".") if isinstance(name, str) else [""]:
        found = getattr(found, part, None)
    if not isinstance(found, type(_kolam.sum)):
        raise KolamValueError.make("unpickle", "bad-pickle", f"expected the name of a function of kolam, but got {name!r}")
    return found


def _reduced_function(self):
    module = self.__module__.removeprefix("kolam._kolam").removeprefix(".")
    return function, (f"{module}.{self.__name__}" if module else self.__name__,)


def attach():
    """Gives the protocols to our classes. Functions of the extension are of a class of our own (NB_DOMAIN)."""
    Array.__reduce_ex__ = _reduced_array
    List.__reduce__ = _reduced_list
    List.__deepcopy__ = _copied_list
    ListOf.__reduce__ = _reduced_parts
    TracedList.__copy__ = lambda self: self
    TracedList.__deepcopy__ = lambda self, memo: self
    copyreg.pickle(type(_kolam.sum), _reduced_function)
