"""Functions that transformations made: inlined in a trace, else compiled once per signature and cached."""

import functools
import types

from kolam import _kolam
from kolam._captured import Captured
from kolam._creation import asarray
from kolam._jit import jit
from kolam._pytree import flatten, unflatten
from kolam._statics import identity
from kolam.errors import KolamTypeError

_MOST_SIGNATURES = 256  # of one function: numbers that are no floats are part of them
_DYNAMIC = object()  # stands for an array among leaves


class Calls:
    """The programs of `trace`, a function of `function`'s arguments that gives (result, note), by the signature of its calls.

    Leaves of which `is_argument` holds are arguments of the program; others are what they are: a call with others is another
    program. What `function` captures is as it was when it was traced, unless a name stands for another object: then it is
    traced again.
    """

    def __init__(self, function, trace, is_argument):
        self._function, self._trace, self._is_argument = function, trace, is_argument
        self._known = {}

    def run(self, args, named):
        """(result, note) of a call."""
        structure = flatten((args, named), leaves := [])
        leaves = [_Argument(leaf) if self._is_argument(leaf) else leaf for leaf in leaves]
        try:
            key = structure, tuple([leaf.spec if type(leaf) is _Argument else identity(leaf) for leaf in leaves])
            known = self._known.get(key)
        except TypeError:  # a leaf that has no hash
            return self._trace(*args, **named)
        if known is None or not known.captured.is_unchanged():
            known = self._known[key] = _Known(self._function, self._trace, structure, leaves)
            if len(self._known) > _MOST_SIGNATURES:
                del self._known[next(iter(self._known))]
        return known.run([leaf.array for leaf in leaves if type(leaf) is _Argument])


class _Argument:
    """An argument of a program; lists have any lengths, and a Python float takes the dtype of what it meets, as in `jit`."""

    __slots__ = ("array", "spec")

    def __init__(self, leaf):
        if type(leaf) is float:
            self.array, self.spec = leaf, float
            return
        self.array = array = as_array(leaf)
        self.spec = str(array.type) if is_list(array) else (array.dtype, array.shape)


class _Known:
    """One of these programs."""

    def __init__(self, function, trace, structure, leaves):
        pattern = [_DYNAMIC if type(leaf) is _Argument else leaf for leaf in leaves]

        def call(*arrays):
            arrays = iter(arrays)
            whole = [next(arrays) if leaf is _DYNAMIC else leaf for leaf in pattern]
            positional, keywords = unflatten(structure, iter(whole))
            result, self._note = trace(*positional, **keywords)
            arrays, self._rebuild = split(result)
            return arrays

        call.__name__ = getattr(function, "__name__", "f")
        self._function, self._jitted = function, jit(call)
        self._jitted._expect_single_calls()
        self.captured = Captured(None)

    def run(self, arrays):
        traced = self._jitted.cache_size
        results = self._jitted(*arrays)
        if self._jitted.cache_size != traced:
            self.captured = Captured(self._function)
        return self._rebuild(results), self._note


class Transformed:
    """`inline`, a function over arrays that any trace may call, behind a call like `function`'s."""

    def __init__(self, function, inline, is_argument=None):
        functools.update_wrapper(self, function, updated=())
        self._inline = inline
        self._calls = Calls(function, lambda *args, **named: (inline(*args, **named), None), is_argument or is_dynamic)

    def __call__(self, *args, **named):
        if _kolam._is_tracing():
            return self._inline(*args, **named)
        return self._calls.run(args, named)[0]

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)


_CACHE = "__kolam_transformed__"


def transformed(function, options, make):
    """What `make` makes of `function`: the same for the same options, so that what it compiled is found again.

    It lives as long as the function does. Methods and other objects that can be called have state that may change: of them it
    is made anew.
    """
    is_code = isinstance(function, types.FunctionType) or "__wrapped__" in getattr(function, "__dict__", ())
    if not is_code or isinstance(function, types.MethodType):
        return make()
    attributes = function.__dict__
    owner, known = attributes.get(_CACHE, (None, None))
    if owner is not function:  # none yet, or those of a function that this one wraps
        known = {}
        attributes[_CACHE] = (function, known)
    try:
        key = identity(options)
        found = known.get(key)
    except TypeError:  # an option that has no hash
        return make()
    if found is None:
        found = known[key] = make()
    return found


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


def split(tree):
    """The arrays among the leaves of a result, and what puts others in their place."""
    structure = flatten(tree, leaves := [])
    dynamic = [is_result(leaf) for leaf in leaves]

    def rebuild(arrays, others=leaves):
        arrays = iter(arrays)
        return unflatten(structure, iter([next(arrays) if is_one else others and others[place] for place, is_one in enumerate(dynamic)]))

    return [as_array(leaf) for leaf, is_one in zip(leaves, dynamic, strict=True) if is_one], rebuild


def is_result(leaf):
    return hasattr(leaf, "shape") or isinstance(leaf, float | int) or is_list(leaf)


def require_function(fun, name):
    """Throws `[argument-type]` unless `fun` can be called."""
    if not callable(fun):
        raise KolamTypeError.make(name, "argument-type", f"argument 'fun': expected a function, but got {fun!r}")
