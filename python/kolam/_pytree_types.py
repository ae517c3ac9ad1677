"""Types that users have registered as pytrees."""

import dataclasses

from kolam import _kolam
from kolam.errors import KolamTypeError, KolamValueError
from kolam._statics import Static

#: The types that pytrees know by themselves.
_OWN = (int, float, bool, complex, str, bytes, tuple, list, dict, type(None))
_nodes = {}


class Node:
    """How values of one type are taken apart and put back."""

    def __init__(self, cls, take_apart, put_back, names=None):
        self._cls, self._take_apart, self._put_back, self._names = cls, take_apart, put_back, names

    def split(self, value):
        """((the type, what is static), parts)."""
        taken = self._take_apart(value)
        if not isinstance(taken, tuple) or len(taken) != 2:
            raise KolamTypeError.make(
                "pytree", "bad-pytree-type",
                f"expected the flatten function of {self._cls.__name__} to give a pair (children, aux_data), but got {taken!r}",
            )  # fmt: skip
        children, static = taken
        return (self._cls, Static(static, f"the static part of a {self._cls.__name__}")), list(children)

    def join(self, static, parts):
        """The value of these parts."""
        return self._put_back(static.value, tuple(parts))

    def part_names(self, count):
        """How the parts are reached."""
        return [f".{name}" for name in self._names] if self._names is not None else [f"[<child {i}>]" for i in range(count)]


def find_node(cls):
    """The Node of a registered type, else None."""
    return _nodes.get(cls)


def register_pytree_node(nodetype, flatten_func, unflatten_func):
    """Makes values of a class pytrees: `flatten_func(value)` gives (children, aux_data), and
    `unflatten_func(aux_data, children)` the value again.

    >>> import kolam as ko
    >>> class Interval:
    ...     def __init__(self, low, high):
    ...         self.low, self.high = low, high
    >>> ko.pytree.register_pytree_node(Interval, lambda i: ((i.low, i.high), None), lambda aux, parts: Interval(*parts))
    >>> ko.jit(lambda i: i.high - i.low)(Interval(2.0, 5.0)).item()
    3.0

    Children are pytrees. `aux_data` is static: hashable, and another trace of `jit` for each. The class is meant itself, not
    those derived from it. Throws `[bad-pytree-type]` for a class that is registered already, and for Python's own.
    """
    if not isinstance(nodetype, type):
        raise _bad("register_pytree_node", f"expected a class, but got {nodetype!r}", KolamTypeError)
    for name, function in (("flatten_func", flatten_func), ("unflatten_func", unflatten_func)):
        if not callable(function):
            raise _bad("register_pytree_node", f"argument '{name}': expected a function, but got {function!r}", KolamTypeError)
    _register("register_pytree_node", nodetype, Node(nodetype, flatten_func, unflatten_func))


def register_pytree_node_class(cls):
    """The same, as a decorator of a class with the methods `tree_flatten(self)` and `tree_unflatten(cls, aux_data, children)`.

    >>> import kolam as ko
    >>> @ko.pytree.register_pytree_node_class
    ... class Scale:
    ...     def __init__(self, by, name):
    ...         self.by, self.name = by, name
    ...     def tree_flatten(self):
    ...         return (self.by,), self.name
    ...     @classmethod
    ...     def tree_unflatten(cls, name, children):
    ...         return cls(*children, name)
    ...     @ko.jit
    ...     def __call__(self, x):
    ...         return x * self.by
    >>> Scale(3, "three")(ko.asarray([1, 2])).tolist()
    [3, 6]
    """
    for method in ("tree_flatten", "tree_unflatten"):
        if not callable(getattr(cls, method, None)):
            message = f"expected a class with the method {method}, but got {cls!r}"
            raise _bad("register_pytree_node_class", message, KolamTypeError)
    node = Node(cls, lambda value: value.tree_flatten(), lambda *given: cls.tree_unflatten(*given))
    _register("register_pytree_node_class", cls, node)
    return cls


def register_dataclass(nodetype=None, data_fields=None, meta_fields=None, drop_fields=()):
    """Says which fields of a class hold arrays (`data_fields`) and which are static (`meta_fields`).

    >>> import dataclasses
    >>> import kolam as ko
    >>> @ko.pytree.register_dataclass
    ... @dataclasses.dataclass
    ... class Layer:
    ...     weight: object
    ...     activation: object = dataclasses.field(metadata={"static": True}, default=ko.tanh)
    >>> ko.jit(lambda layer, x: layer.activation(layer.weight * x))(Layer(0.0), 1.0).item()
    0.0

    A dataclass is a pytree without it too, its fields marked `static` left out; then both lists may be missing. Values are put
    back without `__init__`, but with it where some fields of a dataclass are in no list. Gives the class. Throws
    `[bad-pytree-type]` where fields are missing, or named twice.
    """
    if nodetype is None:
        return lambda cls: register_dataclass(cls, data_fields, meta_fields, drop_fields)
    function = "register_dataclass"
    if not isinstance(nodetype, type):
        raise _bad(function, f"expected a class, but got {nodetype!r}", KolamTypeError)
    data, meta = _fields_of(function, nodetype, data_fields, meta_fields, drop_fields)

    def take_apart(value):
        return [getattr(value, name) for name in data], tuple(getattr(value, name) for name in meta)

    known = {field.name for field in dataclasses.fields(nodetype)} if dataclasses.is_dataclass(nodetype) else None
    is_whole = known == {*data, *meta}

    def put_back(static, parts):
        given = dict(zip(data, parts, strict=True)) | dict(zip(meta, static, strict=True))
        if not is_whole:
            return nodetype(**given)
        value = object.__new__(nodetype)
        for name, part in given.items():
            object.__setattr__(value, name, part)
        return value

    _register(function, nodetype, Node(nodetype, take_apart, put_back, data))
    return nodetype


def register_static(cls):
    """Makes values of a class static wherever they stand in a pytree: hashable, without leaves, another trace for each.

    >>> import kolam as ko
    >>> @ko.pytree.register_static
    ... class Mode(str):
    ...     pass
    >>> ko.jit(lambda x, mode: x + 1 if mode == "up" else x - 1)(1, Mode("up")).item()
    2
    """
    if not isinstance(cls, type):
        raise _bad("register_static", f"expected a class, but got {cls!r}", KolamTypeError)
    _register("register_static", cls, Node(cls, lambda value: ((), value), lambda value, _: value))
    return cls


def _fields_of(function, cls, data, meta, drop):
    """(data fields, meta fields) as tuples."""
    if data is None and meta is None:
        if not dataclasses.is_dataclass(cls):
            message = f"expected data_fields and meta_fields, as {cls.__name__} is no dataclass, but got neither"
            raise _bad(function, message, KolamTypeError)
        fields = [field for field in dataclasses.fields(cls) if field.init and field.name not in drop]
        meta = [field.name for field in fields if field.metadata.get("static", False)]
        data = [field.name for field in fields if field.name not in meta]
    data, meta = tuple(data or ()), tuple(meta or ())
    if len({*data, *meta}) != len(data) + len(meta):
        raise _bad(function, f"expected each field of {cls.__name__} once, but got {data} and {meta}")
    if dataclasses.is_dataclass(cls):
        known = {field.name for field in dataclasses.fields(cls)}
        needed = {field.name for field in dataclasses.fields(cls) if field.init} - set(drop)
        if not needed <= {*data, *meta} <= known:
            raise _bad(function, f"expected the fields {sorted(needed)} of {cls.__name__}, but got {sorted({*data, *meta})}")
    return data, meta


def _register(function, cls, node):
    if cls in _nodes:
        raise _bad(function, f"expected a class that is not registered yet, but got {cls.__name__}")
    if cls in _OWN or cls in (_kolam.Array, _kolam.Tensor):
        raise _bad(function, f"expected a class of your own, but got {cls.__name__}")
    _nodes[cls] = node
    _kolam._note_pytree_type(cls)


def _bad(function, message, kind=KolamValueError):
    return kind.make(function, "bad-pytree-type", message)
