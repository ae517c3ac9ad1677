"""Functions on tensors that the document calls in its own way."""

from kolam import _kolam


def cat(*tensors, axis=0):
    """Tensors one after the other along an axis: cat(x, y, axis=1), or cat([x, y], axis=1).

    >>> from kolam import fractal as ops
    >>> ops.cat(ops.zeros(1, 2), ops.ones(1, 2), axis=1).tolist()
    [[0.0, 0.0, 1.0, 1.0]]
    """
    if len(tensors) == 1 and isinstance(tensors[0], list | tuple):
        tensors = tuple(tensors[0])
    return _kolam.concat(list(tensors), axis=axis)


def _shape(extents):
    return tuple(extents[0]) if len(extents) == 1 and isinstance(extents[0], list | tuple) else extents


def zeros(*extents, dtype=None):
    """Zeros of a shape: zeros(1, 64), or zeros((1, 64)); float32 unless `dtype` says otherwise.

    >>> from kolam import fractal as ops
    >>> ops.zeros(1, 3).tolist()
    [[0.0, 0.0, 0.0]]
    """
    return _kolam.zeros(_shape(extents), dtype=dtype)


def ones(*extents, dtype=None):
    """Ones, as `zeros`.

    >>> from kolam import fractal as ops
    >>> ops.ones((1, 3)).tolist()
    [[1.0, 1.0, 1.0]]
    """
    return _kolam.ones(_shape(extents), dtype=dtype)


def full(*extents, value, dtype=None):
    """One value everywhere, as `zeros`.

    >>> from kolam import fractal as ops
    >>> ops.full(1, 3, value=2.5).tolist()
    [[2.5, 2.5, 2.5]]
    """
    return _kolam.full(_shape(extents), value, dtype=dtype)


def rand(*extents, key, dtype=None):
    """Uniform numbers in [0, 1) of a key of kolam.random, as `zeros`.

    >>> from kolam import fractal as ops
    >>> import kolam as ko
    >>> ops.rand(1, 3, key=ko.random.key(0)).shape
    (1, 3)
    """
    return _kolam.random.uniform(key, _shape(extents), **({} if dtype is None else {"dtype": dtype}))
