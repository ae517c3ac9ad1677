"""Sums of lists: one long row, windows, rows of unequal lengths, running maxima."""

import numpy as np
from case import Case, floats, loops, named, places
from sizes import size

F = np.float32


def as_lists(ko, x, offsets):
    return ko.fractal.FractalTensor.from_offsets(x, offsets.astype(np.int64))


def long_sum(ko, name):
    """The sum of a list of a million numbers."""
    n = size(1_000_000, 500)
    x = floats(1, n)

    def nest(x):
        total = F(0)
        for i in range(len(x)):
            total += x[i]
        return total

    return Case(
        name, [x], tolerance=1e-3, reference=lambda x: np.sum(x, dtype=np.float64), numba=loops(nest),
        lists=[as_lists(ko, x, np.array([0, n]))[0]], ours=lambda x: ko.fractal.reduce(ko.add, x),
        torch=lambda torch, x: torch.sum(x), jax=lambda jax, x: jax.numpy.sum(x),
    )  # fmt: skip


def window_sums(ko, name):
    """The sum of each window of 8 of 100,000 numbers."""
    n = size(100_000, 60)
    x = floats(2, n)

    def nest(x):
        y = np.empty(len(x) - 7, x.dtype)
        for i in range(len(y)):
            total = F(0)
            for j in range(8):
                total += x[i + j]
            y[i] = total
        return y

    def ours(x):
        ops = ko.fractal
        return ops.map(lambda window: ops.reduce(ko.add, window), ops.slide(x, 8))

    return Case(
        name, [x], reference=nest, numba=loops(nest), lists=[as_lists(ko, x, np.array([0, n]))[0]], ours=ours,
        torch=lambda torch, x: x.unfold(0, 8, 1).sum(1),
        jax=lambda jax, x: jax.lax.reduce_window(x, F(0), jax.lax.add, (8,), (1,), "valid"),
    )


def sums_of_rows(ko, name):
    """The sums of 50,000 lists of up to 40 numbers."""
    rows, longest = size((50_000, 40), (30, 90))
    offsets = np.concatenate([[0], np.cumsum(1 + places(3, longest, rows))]).astype(np.int32)
    x = floats(4, offsets[-1])

    def nest(x, offsets):
        y = np.zeros(len(offsets) - 1, x.dtype)
        for i in range(len(y)):
            for e in range(offsets[i], offsets[i + 1]):
                y[i] += x[e]
        return y

    def by_jax(jax, x, offsets):
        rows = jax.numpy.repeat(jax.numpy.arange(len(offsets) - 1), offsets[1:] - offsets[:-1], total_repeat_length=len(x))
        return jax.ops.segment_sum(x, rows, len(offsets) - 1, indices_are_sorted=True)

    return Case(
        name, [x, offsets], lists=[as_lists(ko, x, offsets)], reference=nest, numba=loops(nest), jax=by_jax,
        ours=lambda rows: ko.fractal.map(lambda row: ko.fractal.reduce(ko.add, row), rows),
        torch=lambda torch, x, offsets: torch.segment_reduce(x, "sum", offsets=offsets.long()), compiled=False,
    )  # fmt: skip


def running_maxima(ko, name):
    """The greatest of 100,000 numbers up to each, by an associative scan."""
    n = size(100_000, 300)
    x = floats(5, n)

    def nest(x):
        y = np.empty_like(x)
        most = F(-np.inf)
        for i in range(len(x)):
            most = max(most, x[i])
            y[i] = most
        return y

    return Case(
        name, [x], tolerance=0, reference=nest, numba=loops(nest), ours=lambda x: ko.associative_scan(ko.maximum, x),
        torch=lambda torch, x: torch.cummax(x, 0).values, jax=lambda jax, x: jax.lax.associative_scan(jax.numpy.maximum, x),
    )


def cases(ko):
    """See `named`."""
    rows = {
        "sum of a list of 1000000": long_sum, "sums of windows of 8 of 100000": window_sums,
        "sums of 50000 ragged rows": sums_of_rows, "running maxima of 100000": running_maxima,
    }  # fmt: skip
    return named(ko, rows)
