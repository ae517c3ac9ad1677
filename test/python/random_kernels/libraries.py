"""The words of kernels, as Kolam traces them and as NumPy runs them."""

import kolam as ko
import numpy as np
from kolam import pallas as pl

from random_kernels.numpy_refs import Window, whole

UPDATES = {
    "atomic_add": lambda old, new: old + new,
    "atomic_max": max,
    "atomic_min": min,
    "atomic_and": lambda old, new: old & new,
    "atomic_or": lambda old, new: old | new,
    "atomic_xor": lambda old, new: old ^ new,
    "atomic_xchg": lambda old, new: new,
    "swap": lambda old, new: new,
}


class Kolam:
    xp = ko
    ds, when = staticmethod(pl.ds), staticmethod(pl.when)
    fori_loop, while_loop = staticmethod(ko.fori_loop), staticmethod(ko.while_loop)
    program_id, select = staticmethod(pl.program_id), staticmethod(pl.select_ref)

    def __init__(self, dtype):
        self.dtype, self.is_float = getattr(ko, np.dtype(dtype).name), np.dtype(dtype).kind == "f"

    def array(self, elements):
        return ko.asarray(elements)

    def at(self, ref, items):
        return ref.at[items]

    def load(self, ref, mask=None, other=None):
        return pl.load(ref, ..., mask=mask, other=other)

    def store(self, ref, value, mask=None):
        pl.store(ref, ..., value, mask=mask)

    def update(self, kind, ref, value, mask=None):
        return getattr(pl, kind)(ref, ..., value, mask=mask)

    def exchange(self, ref, compare, value, mask=None):
        return pl.atomic_cas(ref, compare, value, mask=mask)

    def loop(self, lower, upper, body):
        pl.loop(lower, upper)(body)

    def cond(self, holds, yes, no, *values):
        return ko.cond(holds, yes, no, *values)

    def scan(self, body, init, xs):
        return ko.scan(body, init, xs)

    def scoped(self, shape, body):
        return pl.run_scoped(body, ko.ShapeDtypeStruct(shape, self.dtype))


class NumPy:
    xp, ds = np, Window

    def __init__(self, dtype, point):
        self.dtype, self.is_float, self.point = np.dtype(dtype), np.dtype(dtype).kind == "f", point

    def program_id(self, axis):
        return np.int32(self.point[axis])

    def array(self, elements):
        return elements

    def at(self, ref, items):
        return ref.at(items)

    def load(self, ref, mask=None, other=None):
        return ref.load(mask, other)

    def store(self, ref, value, mask=None):
        ref.store(value, mask)

    def update(self, kind, ref, value, mask=None):
        old = ref.update(UPDATES[kind], value, mask)
        return np.where(mask, old, np.broadcast_to(value, old.shape)) if kind == "swap" and mask is not None else old

    def exchange(self, ref, compare, value, mask=None):
        return ref.update(UPDATES["swap"], value, mask, compare)

    def select(self, number, *refs):
        return refs[min(max(int(number), 0), len(refs) - 1)]

    def when(self, holds):
        return lambda body: body() if holds else None

    def loop(self, lower, upper, body):
        for i in range(int(lower), int(upper)):
            body(np.int32(i))

    def fori_loop(self, lower, upper, body, state):
        for i in range(int(lower), int(upper)):
            state = body(np.int32(i), state)
        return state

    def while_loop(self, condition, body, state):
        while condition(state):
            state = body(state)
        return state

    def cond(self, holds, yes, no, *values):
        return yes(*values) if holds else no(*values)

    def scan(self, body, state, xs):
        results = []
        for x in xs:
            state, result = body(state, x)
            results.append(result)
        return state, np.stack(results)

    def scoped(self, shape, body):
        return body(whole(np.zeros(int(np.prod(shape)), self.dtype), shape))
