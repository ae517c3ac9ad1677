"""Functions on tensors that the document calls in its own way."""

from kolam import _kolam


def cat(*tensors, axis=0):
    """Tensors one after the other along an axis: cat(x, y, axis=1), or cat([x, y], axis=1)."""
    if len(tensors) == 1 and isinstance(tensors[0], list | tuple):
        tensors = tuple(tensors[0])
    return _kolam.concat(list(tensors), axis=axis)


def _shape(extents):
    return tuple(extents[0]) if len(extents) == 1 and isinstance(extents[0], list | tuple) else extents


def zeros(*extents, dtype=None):
    """Zeros of a shape: zeros(1, 64), or zeros((1, 64)); float32 unless `dtype` says otherwise."""
    return _kolam.zeros(_shape(extents), dtype=dtype)


def ones(*extents, dtype=None):
    """Ones, as `zeros`."""
    return _kolam.ones(_shape(extents), dtype=dtype)


def full(*extents, value, dtype=None):
    """One value everywhere, as `zeros`."""
    return _kolam.full(_shape(extents), value, dtype=dtype)


def rand(*extents, key, dtype=None):
    """Uniform numbers in [0, 1) of a key of kolam.random, as `zeros`."""
    return _kolam.random.uniform(key, _shape(extents), **({} if dtype is None else {"dtype": dtype}))
