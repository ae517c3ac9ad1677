"""Functions that transformations made: inlined in a trace, else compiled once per signature and cached."""

import functools

from kolam import _kolam
from kolam._creation import asarray
from kolam._jit import jit
from kolam._pytree import flatten, unflatten
from kolam.errors import KolamTypeError

_MISSING = object()


class Transformed:
    """`inline`, a function over arrays that any trace may call, behind a call like `function`'s."""

    def __init__(self, function, inline):
        functools.update_wrapper(self, function, updated=())
        self._inline = inline
        self._jitted = {}

    def __call__(self, *args, **named):
        if _kolam._is_tracing():
            return self._inline(*args, **named)
        structure = flatten((args, named), leaves := [])
        given = [leaf for leaf in leaves if is_dynamic(leaf)]
        # Other leaves are what they are: a call with others is another program.
        key = (structure, tuple(_MISSING if is_dynamic(leaf) else (type(leaf), leaf) for leaf in leaves))
        try:
            compiled = self._jitted.get(key)
        except TypeError:  # a leaf that has no hash
            return self._inline(*args, **named)
        if compiled is None:
            inline = self._inline

            def call(*arrays):
                arrays = iter(arrays)
                whole = [next(arrays) if is_dynamic(leaf) else leaf for leaf in pattern]
                positional, keywords = unflatten(structure, iter(whole))
                return inline(*positional, **keywords)

            pattern = [_DYNAMIC if is_dynamic(leaf) else leaf for leaf in leaves]
            call.__name__ = getattr(self, "__name__", "f")
            compiled = self._jitted[key] = jit(call)
        return compiled(*[as_array(leaf) for leaf in given])

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)


class _Dynamic:
    """Stands for an array among the leaves of a call."""

    shape = ()


_DYNAMIC = _Dynamic()
_CACHE = "__kolam_transformed__"


def transformed(function, options, make):
    """The function that `make` makes of `function`: the same for the same options, so that what it compiled is found again."""
    attributes = getattr(function, "__dict__", None)
    if not isinstance(attributes, dict):
        return make()
    owner, known = attributes.get(_CACHE, (None, None))
    if owner is not function:  # none yet, or those of a function that this one wraps
        known = {}
        attributes[_CACHE] = (function, known)
    if options not in known:
        known[options] = make()
    return known[options]


def is_array(leaf):
    """Whether a leaf is an array, or a traced one."""
    return hasattr(leaf, "shape") or hasattr(leaf, "__dlpack__") or hasattr(leaf, "__array__")


def is_list(leaf):
    """Whether a leaf is a list of Kolam's."""
    return isinstance(leaf, _kolam.List | _kolam.TracedList)


def is_dynamic(leaf):
    """Whether a leaf is an argument of the compiled program."""
    return is_array(leaf) or is_list(leaf) or (isinstance(leaf, float) and not isinstance(leaf, bool))


def as_array(leaf):
    """A leaf as Kolam's array; lists as they are."""
    return leaf if is_list(leaf) or isinstance(leaf, _kolam.Array | _kolam.Tensor) else asarray(leaf)


def is_float(leaf):
    """Whether a leaf may have a tangent."""
    if isinstance(leaf, float):
        return True
    if is_list(leaf):
        return leaf.dtype.kind == "float"
    return is_array(leaf) and as_array(leaf).dtype.kind == "float"


def require_function(fun, name):
    """Throws `[argument-type]` unless `fun` can be called."""
    if not callable(fun):
        raise KolamTypeError.make(name, "argument-type", f"argument 'fun': expected a function, but got {fun!r}")
