"""Dtypes and shapes of results, without the results."""

from kolam import _kolam
from kolam._creation import asarray
from kolam._pytree import flatten, unflatten
from kolam.dtypes import as_dtype
from kolam.errors import KolamTypeError, KolamValueError


class ShapeDtypeStruct:
    """The shape and dtype of an array that need not exist: for `eval_shape`, and `lower` of jitted functions.

    >>> import kolam as ko
    >>> ko.ShapeDtypeStruct((2, 3), ko.float32)
    ShapeDtypeStruct(shape=(2, 3), dtype=float32)

    Extents are ints, or kolam.Extent where a dim is dynamic.
    """

    __slots__ = ("shape", "dtype", "__weakref__")

    def __init__(self, shape, dtype):
        extents = (shape,) if isinstance(shape, int | _kolam.Extent) else tuple(shape)
        self.shape = tuple(extent if isinstance(extent, _kolam.Extent) else _extent(extent) for extent in extents)
        self.dtype = as_dtype(dtype)

    @classmethod
    def like(cls, x):
        """The shape and dtype of `x`, an array or anything that has them."""
        return cls(x.shape, x.dtype)

    @property
    def ndim(self):
        """The number of dims."""
        return len(self.shape)

    @property
    def size(self):
        """The number of elements."""
        size = 1
        for extent in self.shape:
            size = size * extent
        return size

    def __len__(self):
        if not self.shape:
            raise TypeError("len() of a ShapeDtypeStruct of rank 0")
        return self.shape[0]

    def __eq__(self, other):
        return isinstance(other, ShapeDtypeStruct) and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self):
        return hash((self.shape, self.dtype))

    def __repr__(self):
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype.name})"


def _extent(extent):
    try:
        number = extent.__index__()
    except AttributeError:
        number = -1
    if number < 0:
        raise KolamValueError.make("ShapeDtypeStruct", "bad-shape", f"expected extents of at least 0, but got {extent!r}")
    return number


def is_described(leaf):
    """Whether a leaf says dtype and shape alone: a ShapeDtypeStruct, or another library's."""
    if isinstance(leaf, ShapeDtypeStruct):
        return True
    has_elements = hasattr(leaf, "__array__") or hasattr(leaf, "__dlpack__") or isinstance(leaf, _kolam.List | _kolam.TracedList)
    return hasattr(leaf, "shape") and hasattr(leaf, "dtype") and not has_elements


def spec_of(leaf):
    """(dtype, shape) of such a leaf."""
    described = leaf if isinstance(leaf, ShapeDtypeStruct) else ShapeDtypeStruct(leaf.shape, leaf.dtype)
    return described.dtype, described.shape


def eval_shape(fun, *args, **named):
    """What `fun(*args, **named)` gives, with a ShapeDtypeStruct in the place of each array; nothing is computed.

    >>> import kolam as ko
    >>> ko.eval_shape(lambda x: {"y": x @ x.T}, ko.ShapeDtypeStruct((2, 3), "float32"))
    {'y': ShapeDtypeStruct(shape=(2, 2), dtype=float32)}

    Arguments are pytrees of arrays, numbers, ShapeDtypeStructs, and of all that has a shape and a dtype. Inside a traced
    function it takes traced values too. Lists among the results are refused: they have no shape.
    """
    if not callable(fun):
        raise KolamTypeError.make("eval_shape", "argument-type", f"argument 'fun': expected a function, but got {fun!r}")
    leaves, results = [], []
    structure = flatten((args, named), leaves)
    specs, places = [], []
    for place, leaf in enumerate(leaves):
        if isinstance(leaf, _kolam.List | _kolam.TracedList):
            continue  # as it is
        if is_described(leaf):
            specs.append(spec_of(leaf))
        elif type(leaf) in (int, float, bool):
            continue
        else:
            array = leaf if isinstance(leaf, _kolam.Array | _kolam.Tensor) else asarray(leaf)
            specs.append((array.dtype, array.shape))
        places.append(place)

    def traced(values):
        given = list(leaves)
        for place, value in zip(places, values, strict=True):
            given[place] = value
        positional, keywords = unflatten(structure, iter(given))
        results.append(flatten(fun(*positional, **keywords), found := []))
        _refuse_lists(found)
        return found

    pairs = _kolam._eval_shape(specs, traced)
    return unflatten(results[0], iter([ShapeDtypeStruct(shape, dtype) for dtype, shape in pairs]))


def _refuse_lists(leaves):
    for leaf in leaves:
        if isinstance(leaf, _kolam.List | _kolam.TracedList):
            raise KolamTypeError.make(
                "eval_shape", "not-an-array", f"expected arrays as results, but got a {leaf.type}: a list has no shape, and only "
                "a run tells its lengths; return what has one, as fractal.flatten(x)",
            )  # fmt: skip
