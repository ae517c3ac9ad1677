"""A stream beside its whole function: step by step, in chunks, from kept states."""

import numpy as np

import kolam as ko
from kolam import layout

T = 24
rng = np.random.default_rng(7)


def array(*shape, dtype=np.float32):
    return ko.asarray(rng.standard_normal(shape).astype(dtype))


def bits(x):
    x = np.asarray(x)
    return x.view(f"u{x.dtype.itemsize}") if x.dtype.kind == "f" else x


def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    assert a.shape == b.shape and a.dtype == b.dtype
    both_nan = np.isnan(a) & np.isnan(b) if a.dtype.kind == "f" else np.zeros(a.shape, bool)
    assert np.array_equal(np.where(both_nan, 0, bits(a)), np.where(both_nan, 0, bits(b)))


def element(x, axis, t):
    return ko.asarray(np.array(np.take(np.asarray(x), t, axis)))


def check(f, *args, axis=0, steps=None, backend="cpu"):
    """Step by step, in chunks, from kept states: against the whole."""
    f = ko.jit(f, backend=backend)
    whole = f(*args)
    whole = whole if isinstance(whole, tuple) else (whole,)
    s = layout.stream(f, *args, axis=axis)
    names = list(f._parameters.signature.parameters)[: len(args)]
    axes = dict.fromkeys(names, axis) if isinstance(axis, int) else axis
    given = [(arg, axes[name]) for name, arg in zip(names, args, strict=True) if name in axes]
    steps = steps or np.asarray(given[0][0]).shape[given[0][1]]

    def compare(results, t):
        results = results if isinstance(results, tuple) else (results,)
        for result, all_of_it, dim in zip(results, whole, s.axes, strict=True):
            same(result, all_of_it if dim is None else np.take(np.asarray(all_of_it), t, dim))

    state = s.initial
    for t in range(steps):
        x = [element(arg, dim, t) for arg, dim in given]
        compare(s(*x), t)
        state, results = s.step(state, *x)
        compare(results, t)
    for name, value in s.state.items():
        same(value, state[name])
    s.reset()
    done = 0
    for size in (1, 0, 5, steps):
        part = slice(done, min(done + size, steps))
        results = s.run(*(ko.asarray(np.ascontiguousarray(np.take(np.asarray(arg), range(steps)[part], dim))) for arg, dim in given))
        for result, all_of_it, dim in zip(results if isinstance(results, tuple) else (results,), whole, s.axes, strict=True):
            same(result, all_of_it if dim is None else np.take(np.asarray(all_of_it), range(steps)[part], dim))
        done = part.stop
    return s


def ema(x):
    def step(state, x):
        state = 0.9 * state + 0.1 * x
        return state, state

    return ko.scan(step, ko.zeros(x.shape[1:]), x)[1]
