"""What people from NumPy reach for: sorts, searches, histograms, segments, medians, pooling."""

import numpy as np
from case import Case, floats, named, places
from sizes import size

COUNT, DIFFERENT, SEGMENTS = size((1_000_000, 50_000, 10_000), (500, 40, 20))
BINS = 100


def by_numpy(function):
    """NumPy as a peer: a function of the inputs as they are."""
    return {"NumPy": ("numba", lambda numba, *inputs: lambda: function(*inputs))}


def sort(ko, name):
    return Case(
        name, [floats(1, COUNT)], goal=1.0, tolerance=0, ours=lambda x: ko.sort(x), reference=np.sort, more=by_numpy(np.sort),
        torch=lambda torch, x: torch.sort(x).values, jax=lambda jax, x: jax.numpy.sort(x), compiled=False,
        numba=lambda numba, x: compiled(numba, np.sort, x),
    )


def compiled(numba, function, *inputs):
    run = numba.njit(lambda *values: function(*values))
    return lambda: run(*inputs)


def unique(ko, name):
    x = places(1, DIFFERENT, COUNT).astype(np.float32)
    return Case(
        name, [x], goal=1.0, tolerance=0, ours=lambda x: ko.unique_values(x), reference=np.unique, more=by_numpy(np.unique),
        torch=lambda torch, x: torch.unique(x), jax=lambda jax, x: jax.numpy.unique(x, size=DIFFERENT), compiled=False,
        numba=lambda numba, x: compiled(numba, np.unique, x),
    )


def searchsorted(ko, name):
    sorted_values = np.sort(floats(2, size(65_536, 50)))
    return Case(
        name, [floats(1, COUNT)], weights=[sorted_values], goal=1.0, tolerance=0, ours=lambda v, x: ko.searchsorted(x, v),
        reference=lambda v, x: np.searchsorted(x, v), more=by_numpy(lambda v, x: np.searchsorted(x, v)),
        torch=lambda torch, v, x: torch.searchsorted(x, v), jax=lambda jax, v, x: jax.numpy.searchsorted(x, v),
        numba=lambda numba, v, x: compiled(numba, numba.njit(lambda v, x: np.searchsorted(x, v)), v, x),
    )


def histogram(ko, name):
    limits = (-1.0, 1.0)

    def by_numba(numba, x):
        def count(x):
            return np.histogram(x, BINS, (-1.0, 1.0))[0]

        return compiled(numba, numba.njit(count), x)

    return Case(
        name, [floats(1, COUNT)], goal=1.0, tolerance=1e-3, ours=lambda x: ko.histogram(x, BINS, range=limits)[0],
        reference=lambda x: np.histogram(x, BINS, limits)[0], more=by_numpy(lambda x: np.histogram(x, BINS, limits)[0]),
        torch=lambda torch, x: torch.histc(x, BINS, *limits), jax=lambda jax, x: jax.numpy.histogram(x, BINS, limits)[0],
        numba=by_numba,
    )


def segment_sum(ko, name):
    def added(x, i):
        return np.bincount(i, x, SEGMENTS)

    def by_numba(numba, x, i):
        @numba.njit
        def run(x, i):
            result = np.zeros(SEGMENTS, np.float32)
            for k in range(x.shape[0]):
                result[i[k]] += x[k]
            return result

        return lambda: run(x, i)

    return Case(
        name, [floats(1, COUNT), places(2, SEGMENTS, COUNT)], goal=1.0, tolerance=1e-4,
        ours=lambda x, i: ko.segment_sum(x, i, SEGMENTS), reference=added, more=by_numpy(added), numba=by_numba,
        torch=lambda torch, x, i: torch.zeros(SEGMENTS).index_add(0, i, x),
        jax=lambda jax, x, i: jax.ops.segment_sum(x, i, SEGMENTS),
    )


def median(ko, name):
    return Case(
        name, [floats(1, COUNT)], goal=1.0, ours=lambda x: ko.median(x), reference=np.median, more=by_numpy(np.median),
        torch=lambda torch, x: torch.quantile(x, 0.5) if x.numel() <= 16_000_000 else None,
        jax=lambda jax, x: jax.numpy.median(x), numba=lambda numba, x: compiled(numba, np.median, x), compiled=False,
    )


def top_k(ko, name):
    def greatest(x):
        return np.sort(x)[:-11:-1]

    return Case(
        name, [floats(1, size(40_000, 90))], goal=1.0, tolerance=0, ours=lambda x: ko.top_k(x, 10)[0], reference=greatest,
        more=by_numpy(lambda x: np.sort(np.partition(x, -10)[-10:])[::-1]),
        torch=lambda torch, x: torch.topk(x, 10).values, jax=lambda jax, x: jax.lax.top_k(x, 10)[0],
    )


def sorted_rows(ko, name, width, how="sort"):
    """Rows of so many elements, each sorted by itself; how: sort, or argsort."""
    x = floats(1, COUNT // width, width)
    options = {"kind": "stable"} if how == "argsort" else {}
    return Case(
        name, [x], goal=1.0, tolerance=0, ours=lambda x: getattr(ko, how)(x), reference=lambda x: getattr(np, how)(x, **options),
        more=by_numpy(lambda x: getattr(np, how)(x, **options)), torch=lambda torch, x: getattr(torch, how)(x) if how == "argsort" else torch.sort(x).values,
        jax=lambda jax, x: getattr(jax.numpy, how)(x), compiled=False,
    )


def is_in(ko, name):
    x, values = places(1, 2**30, COUNT), places(2, 2**30, size(1000, 10))
    return Case(
        name, [x, values], goal=1.0, tolerance=0, ours=lambda x, v: ko.isin(x, v), reference=np.isin, more=by_numpy(np.isin),
        torch=lambda torch, x, v: torch.isin(x, v), jax=lambda jax, x, v: jax.numpy.isin(x, v), compiled=False,
    )


def greatest_of_rows(ko, name):
    x = floats(1, COUNT // 100, 100)
    return Case(
        name, [x], goal=1.0, tolerance=0, ours=lambda x: ko.top_k(x, 5)[0], reference=lambda x: np.sort(x)[:, :-6:-1],
        more=by_numpy(lambda x: np.sort(np.partition(x, -5)[:, -5:])[:, ::-1]), torch=lambda torch, x: torch.topk(x, 5).values,
        jax=lambda jax, x: jax.lax.top_k(x, 5)[0],
    )


def mean_pool(ko, name):
    """Windows that do not overlap."""

    def means(x):
        n, c, h, w = x.shape
        return x.reshape(n, c, h // 2, 2, w // 2, 2).mean((3, 5))

    return Case(
        name, [floats(1, 1, *size((64, 112, 112), (2, 8, 8)))], goal=1.0, ours=lambda x: ko.avg_pool(x, 2, strides=2), reference=means,
        more=by_numpy(means), torch=lambda torch, x: torch.nn.functional.avg_pool2d(x, 2),
        jax=lambda jax, x: jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID") / 4,
    )


def pooled(x):
    n = x.shape[2] - 2
    parts = [x[:, :, i : i + n, j : j + n] for i in range(3) for j in range(3)]
    return np.maximum.reduce(parts)


def pool(ko, name):
    def by_numba(numba, x):
        @numba.njit
        def run(x):
            channels, n = x.shape[1], x.shape[2] - 2
            y = np.empty((1, channels, n, n), np.float32)
            for c in range(channels):
                for i in range(n):
                    for j in range(n):
                        most = x[0, c, i, j]
                        for k in range(3):
                            for m in range(3):
                                most = max(most, x[0, c, i + k, j + m])
                        y[0, c, i, j] = most
            return y

        return lambda: run(x)

    return Case(
        name, [floats(1, 1, *size((64, 112, 112), (2, 9, 9)))], goal=1.0, tolerance=0, ours=lambda x: ko.max_pool(x, 3, strides=1), reference=pooled,
        more=by_numpy(pooled), numba=by_numba, torch=lambda torch, x: torch.nn.functional.max_pool2d(x, 3, 1),
        jax=lambda jax, x: jax.lax.reduce_window(x, -np.inf, jax.lax.max, (1, 1, 3, 3), (1, 1, 1, 1), "VALID"),
    )


def cases(ko):
    """See `named`."""
    rows = {
        "sort 1000000": sort, "unique 1000000 of 50000": unique, "searchsorted 1000000 in 65536": searchsorted,
        "histogram 1000000 to 100 bins": histogram, "segment sum 1000000 to 10000": segment_sum, "median 1000000": median,
        "top_k 10 of 40000": top_k, "top_k 5 of rows of 100": greatest_of_rows, "isin 1000000 in 1000": is_in,
        "mean pool 2x2 of 64x112x112": mean_pool, "max pool 3x3 of 64x112x112": pool,
    }  # fmt: skip
    for width in size((8, 16, 64, 1000), (4, 20)):
        rows[f"sort {COUNT // width} rows of {width}"] = lambda ko, name, width=width: sorted_rows(ko, name, width)
    rows["argsort 1000000"] = lambda ko, name: sorted_rows(ko, name, COUNT, "argsort")
    return named(ko, rows)
