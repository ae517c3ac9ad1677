"""PyTorch's functions that count, order and measure, with PyTorch's parameters."""

import collections

import kolam
from kolam.errors import KolamValueError

Pair = collections.namedtuple("Pair", "values indices")


def median(input, dim=None, keepdim=False):
    """The lower of two middle elements; along a dim with its place."""
    if dim is None:
        return kolam.quantile(input, 0.5, method="lower")
    places = kolam.argsort(input, dim)
    middle = kolam.take(places, kolam.asarray([(places.shape[dim] - 1) // 2]), dim)
    values = kolam.take_along_axis(input, middle, dim)
    return Pair(*(x if keepdim else kolam.squeeze(x, dim) for x in (values, middle)))


def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    return kolam.quantile(input, q, dim, method=interpolation, keepdims=keepdim)


def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear"):
    return kolam.nanquantile(input, q, dim, method=interpolation, keepdims=keepdim)


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    if dim is not None:
        raise KolamValueError.make(
            "torch.unique", "bad-option", f"argument 'dim': expected None, but got {dim!r}; numpy.unique(x, axis=...) has one"
        )
    return kolam.unique(input, return_inverse=return_inverse, return_counts=return_counts)


def bincount(input, weights=None, minlength=0):
    return kolam.bincount(input, weights, minlength)


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """Of vectors, along all dims of `dim` at once: |x|_p = (sum |x|^p)^(1/p)."""
    input = input if dtype is None else kolam.astype(input, dtype)
    p = 2 if p in ("fro", None) else p
    if isinstance(dim, tuple | list) and len(dim) != 1:
        if p == float("inf"):
            return kolam.max(kolam.abs(input), tuple(dim), keepdims=keepdim)
        return kolam.sum(kolam.abs(input) ** p, tuple(dim), keepdims=keepdim) ** (1 / p)
    if dim is None:
        result = kolam.norm(kolam.ravel(input), p)
        return kolam.reshape(result, (1,) * kolam.ndim(input)) if keepdim else result
    return kolam.norm(input, p, dim if isinstance(dim, int) else dim[0], keepdims=keepdim)


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    return norm(x, ord, dim, keepdim, dtype=dtype)


def linalg_norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    return kolam.norm(A if dtype is None else kolam.astype(A, dtype), ord, dim, keepdims=keepdim)


def logsumexp(input, dim, keepdim=False):
    return kolam.logsumexp(input, dim, keepdims=keepdim)


def count_nonzero(input, dim=None):
    return kolam.count_nonzero(input, dim)


def diff(input, n=1, dim=-1, prepend=None, append=None):
    return kolam.diff(input, n, dim, prepend, append)


def cumprod(input, dim):
    return kolam.cumulative_prod(input, dim)


def searchsorted(sorted_sequence, input, *, right=False, side=None, sorter=None):
    return kolam.searchsorted(sorted_sequence, input, side or ("right" if right else "left"), sorter)


def bucketize(input, boundaries, *, right=False):
    return kolam.searchsorted(boundaries, input, "right" if right else "left")


#: By PyTorch's names.
FUNCTIONS = {
    "median": median, "quantile": quantile, "nanquantile": nanquantile, "unique": unique, "bincount": bincount, "norm": norm,
    "linalg_vector_norm": vector_norm, "linalg_norm": linalg_norm, "logsumexp": logsumexp, "count_nonzero": count_nonzero, "diff": diff, "cumprod": cumprod,
    "searchsorted": searchsorted, "bucketize": bucketize,
}  # fmt: skip
