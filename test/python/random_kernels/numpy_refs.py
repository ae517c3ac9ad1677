"""Refs of NumPy: an array, and for each element of a view its place in it, -1 where it has none. What kernels do to Refs, one
element after the other, as docs/kernels.md says it."""

import itertools

import numpy as np


class Window:
    def __init__(self, start, size, stride=1):
        self.start, self.size, self.stride = start, size, stride


class NumpyRef:
    def __init__(self, memory, places, pad=0):
        self.memory, self.places, self.pad = memory, places, pad

    @property
    def shape(self):
        return self.places.shape

    def _with(self, places):
        return NumpyRef(self.memory, places, self.pad)

    def reshape(self, shape):
        return self._with(self.places.reshape(shape))

    def transpose(self, axes):
        return self._with(self.places.transpose(axes))

    def at(self, items):
        items = list(items) if isinstance(items, tuple) else [items]
        if ... in [item if item is ... else 0 for item in items]:
            where = next(n for n, item in enumerate(items) if item is ...)
            items[where : where + 1] = [slice(None)] * (len(self.shape) - len(items) + 1)
        items += [slice(None)] * (len(self.shape) - len(items))
        places = self.places
        for dim, item in enumerate(items):
            extent = self.shape[dim]
            if isinstance(item, Window):
                own = int(item.start) + item.stride * np.arange(item.size)
                own = np.where((own >= 0) & (own < extent), own, extent)
                places, items[dim] = np.take(with_outside(places, dim), own, dim), slice(None)
            elif not isinstance(item, slice):
                own = np.asarray(item, np.int64)
                own = np.where(own < 0, own + extent, own)
                places, items[dim] = with_outside(places, dim), np.where((own >= 0) & (own < extent), own, extent)
        return self._with(places[tuple(items)])

    def load(self, mask=None, other=None):
        holds = self.places >= 0
        mask = np.broadcast_to(True if mask is None else mask, self.shape)
        pad = self.memory.dtype.type(self.pad)
        read = np.where(holds, self.memory[np.maximum(self.places, 0)] if self.memory.size else pad, pad)
        return np.where(mask, read, pad if other is None else other).astype(self.memory.dtype)

    def store(self, value, mask=None):
        self.update(lambda old, new: new, value, mask)

    def update(self, function, value, mask=None, compare=None):
        """Gives the elements before; the pad value where nothing is done."""
        value, mask = np.broadcast_to(value, self.shape), np.broadcast_to(True if mask is None else mask, self.shape)
        compare = None if compare is None else np.broadcast_to(compare, self.shape)
        old = np.full(self.shape, self.pad, self.memory.dtype)
        for index in itertools.product(*map(range, self.shape)):
            place = self.places[index]
            if place < 0 or not mask[index]:
                continue
            old[index] = self.memory[place]
            if compare is None or old[index] == compare[index]:
                self.memory[place] = function(self.memory[place], value[index])
        return old


def with_outside(places, dim):
    """One more place along a dim, which is none."""
    return np.concatenate([places, np.full([1 if d == dim else n for d, n in enumerate(places.shape)], -1)], dim)


def whole(memory, shape):
    return NumpyRef(memory, np.arange(memory.size).reshape(shape))
