"""Functions of NumPy's main module that are a few lines over others here."""

import builtins
import math
import sys

import kolam
from kolam.errors import KolamTypeError, KolamValueError


def _axis(function, axis, rank):
    """An axis counted from the front. Throws `[axis-out-of-range]`."""
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise KolamValueError.make(
            function, "axis-out-of-range", f"argument 'axis': expected a dim of rank {rank}, but got {axis!r}"
        )
    return axis % rank


def _require_rank(function, argument, x, least, most=None):
    if not least <= x.ndim <= (x.ndim if most is None else most):
        expected = f"rank {least}" if least == most else f"rank {least} or more" if most is None else f"rank {least} to {most}"
        raise KolamValueError.make(
            function, "rank-mismatch", f"argument '{argument}': expected {expected}, but got shape {tuple(x.shape)}"
        )


def isclose(x, y, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Where |x - y| <= atol + rtol |y|; infinities are close to themselves, NaN to NaN if `equal_nan`.

    >>> import kolam as ko
    >>> ko.isclose(ko.asarray([1.0, 2.0]), ko.asarray([1.000001, 2.1])).tolist()
    [True, False]
    """
    x, y = kolam.asarray(x), kolam.asarray(y)
    near = kolam.less_equal(kolam.abs(x - y), atol + rtol * kolam.abs(y))
    close = kolam.logical_or(kolam.equal(x, y), kolam.logical_and(near, kolam.isfinite(y)))
    return kolam.logical_or(close, kolam.logical_and(kolam.isnan(x), kolam.isnan(y))) if equal_nan else close


def allclose(x, y, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Whether `isclose` holds everywhere.

    >>> import kolam as ko
    >>> bool(ko.allclose(ko.asarray([1.0, 2.0]), ko.asarray([1.0, 2.0])))
    True
    """
    return kolam.all(isclose(x, y, rtol, atol, equal_nan))


def array_equal(x, y, equal_nan=False):
    """Whether shapes and elements are equal; NaN equals NaN if `equal_nan`.

    >>> import kolam as ko
    >>> bool(ko.array_equal(ko.asarray([1, 2]), ko.asarray([1, 2, 3])))
    False
    """
    x, y = kolam.asarray(x), kolam.asarray(y)
    if x.shape != y.shape:
        return kolam.asarray(False)
    equal = kolam.equal(x, y)
    return kolam.all(kolam.logical_or(equal, kolam.logical_and(kolam.isnan(x), kolam.isnan(y))) if equal_nan else equal)


def atleast_3d(x):
    """`x` with dims of extent 1 up to rank 3: (n,) becomes (1, n, 1), (n, m) becomes (n, m, 1).

    >>> import kolam as ko
    >>> ko.atleast_3d(ko.zeros(4)).shape
    (1, 4, 1)
    """
    x = kolam.asarray(x)
    return x if x.ndim > 2 else kolam.expand_dims(kolam.atleast_2d(x), 2)


def _window(function, n, of_places):
    """`of_places` of 0, 1, ... n - 1, and of n - 1; a window of one element is 1."""
    if not isinstance(n, int) or isinstance(n, bool):
        raise KolamTypeError.make(function, "argument-type", f"argument 'n': expected an int, but got {n!r}")
    if n < 2:
        return kolam.ones((builtins.max(n, 0),))
    return of_places(kolam.arange(n, dtype=kolam.float32), n - 1)


def bartlett(n):
    """A triangle of n elements: 1 - |2 i / (n - 1) - 1|.

    >>> import kolam as ko
    >>> ko.bartlett(5).tolist()
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    return _window("bartlett", n, lambda i, last: 1 - kolam.abs(2 * i / last - 1))


def blackman(n):
    """A window of n elements: 0.42 - 0.5 cos(2 pi i / (n - 1)) + 0.08 cos(4 pi i / (n - 1)).

    >>> import kolam as ko
    >>> ko.round(ko.blackman(5) * 100).tolist()
    [-0.0, 34.0, 100.0, 34.0, -0.0]
    """
    return _window(
        "blackman", n,
        lambda i, last: 0.42 - 0.5 * kolam.cos(2 * math.pi * i / last) + 0.08 * kolam.cos(4 * math.pi * i / last),
    )  # fmt: skip


def hamming(n):
    """A window of n elements: 0.54 - 0.46 cos(2 pi i / (n - 1)).

    >>> import kolam as ko
    >>> ko.round(ko.hamming(5) * 100).tolist()
    [8.0, 54.0, 100.0, 54.0, 8.0]
    """
    return _window("hamming", n, lambda i, last: 0.54 - 0.46 * kolam.cos(2 * math.pi * i / last))


def hanning(n):
    """A window of n elements: 0.5 - 0.5 cos(2 pi i / (n - 1)).

    >>> import kolam as ko
    >>> ko.round(ko.hanning(5) * 100).tolist()
    [0.0, 50.0, 100.0, 50.0, 0.0]
    """
    return _window("hanning", n, lambda i, last: 0.5 - 0.5 * kolam.cos(2 * math.pi * i / last))


def _window_product(function, x, y, mode, is_reversed):
    x, y = kolam.asarray(x), kolam.asarray(y)
    _require_rank(function, "x", x, 1, 1)
    _require_rank(function, "y", y, 1, 1)
    if mode not in ("full", "same", "valid"):
        raise KolamValueError.make(
            function, "bad-option", f'argument \'mode\': expected "full", "same" or "valid", but got {mode!r}'
        )
    n, m = x.shape[0], y.shape[0]
    if n == 0 or m == 0:
        raise KolamValueError.make(function, "empty-dim", "expected elements in both arguments, but got none")
    is_exchanged = n < m
    if is_exchanged:
        x, y, n, m = y, x, m, n
    # Of two that are exchanged a correlation is the same, back to front.
    kernel = kolam.flip(y) if is_reversed else y
    before, after = {"full": (m - 1, m - 1), "same": (m // 2, m - 1 - m // 2), "valid": (0, 0)}[mode]
    padded = kolam.pad(x, ((before, after),))
    length = n + before + after - m + 1
    places = kolam.arange(length)[:, None] + kolam.arange(m)[None, :]
    result = kolam.matmul(kolam.take(padded, places, 0), kernel)
    return kolam.flip(result) if is_exchanged and not is_reversed else result


def clip(x, min=None, max=None):
    """min(max(x, lower), upper) of the bounds that are given; `max` wins where it is below `min`, NaN stays NaN.

    Bounds broadcast and promote with x: a float bound of integers gives float32. An integer outside of the range of x's
    dtype stands for the end of that range, and so binds no element.

    >>> import kolam as ko
    >>> ko.clip(ko.asarray([1, 2, 3]), 1.5, 2.5).tolist(), ko.clip(ko.asarray([1, 200], "u8"), -5, 300).tolist()
    ([1.5, 2.0, 2.5], [1, 200])
    """
    return kolam._kolam.clip(x, min, max)


def convolve(x, y, mode="full"):
    """The sums x[i] y[k - i]: all n + m - 1 of them, the middle ones ("same") or those of whole overlaps ("valid").

    >>> import kolam as ko
    >>> ko.convolve(ko.asarray([1.0, 2.0, 3.0]), ko.asarray([0.0, 1.0, 0.5])).tolist()
    [0.0, 1.0, 2.5, 4.0, 1.5]
    """
    return _window_product("convolve", x, y, mode, True)


def correlate(x, y, mode="valid"):
    """The sums x[i + k] y[i]; `mode` as in `convolve`.

    >>> import kolam as ko
    >>> ko.correlate(ko.asarray([1.0, 2.0, 3.0]), ko.asarray([0.0, 1.0, 0.5])).tolist()
    [3.5]
    """
    return _window_product("correlate", x, y, mode, False)


def cross(x, y, axis=-1):
    """The vectors at right angles to pairs of vectors of 3 elements along `axis`.

    >>> import kolam as ko
    >>> ko.cross(ko.asarray([1, 0, 0]), ko.asarray([0, 1, 0])).tolist()
    [0, 0, 1]
    """
    x, y = kolam.broadcast_arrays(kolam.asarray(x), kolam.asarray(y))
    _require_rank("cross", "x", x, 1)
    x, y = kolam.moveaxis(x, _axis("cross", axis, x.ndim), -1), kolam.moveaxis(y, _axis("cross", axis, y.ndim), -1)
    if x.shape[-1] != 3:
        raise KolamValueError.make("cross", "shape-mismatch", f"expected 3 elements along axis {axis}, but got {x.shape[-1]}")
    (a, b, c), (d, e, f) = ([v[..., i] for i in range(3)] for v in (x, y))
    return kolam.stack([b * f - c * e, c * d - a * f, a * e - b * d], axis)


def divmod(x, y):
    """The pair (x // y, x % y).

    >>> import kolam as ko
    >>> [part.tolist() for part in ko.divmod(ko.asarray([7, -7]), 3)]
    [[2, -3], [1, 2]]
    """
    return kolam.floor_divide(x, y), kolam.remainder(x, y)


def gradient(x, *spacing, axis=None):
    """Differences of neighbours: (x[i + 1] - x[i - 1]) / 2 h inside, (x[1] - x[0]) / h at the borders.

    `spacing` is one number h for all axes, or one for each. Gives an array for one axis, else a tuple of them.

    >>> import kolam as ko
    >>> ko.gradient(ko.asarray([1.0, 2.0, 4.0, 7.0])).tolist()
    [1.0, 1.5, 2.5, 3.0]
    """
    x = kolam.asarray(x)
    x = x if x.dtype.kind == "float" else kolam.astype(x, kolam.float32)
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple | list) else (axis,)
    axes = [_axis("gradient", one, x.ndim) for one in axes]
    if len(spacing) not in (0, 1, len(axes)) or not all(isinstance(h, int | float) for h in spacing):
        raise KolamValueError.make(
            "gradient", "bad-option", f"argument 'spacing': expected one number or {len(axes)}, but got {spacing!r}"
        )
    spacing = spacing or (1.0,)
    steps = spacing * len(axes) if len(spacing) == 1 else spacing
    results = []
    for one, h in zip(axes, steps, strict=True):
        if x.shape[one] < 2:
            raise KolamValueError.make(
                "gradient", "empty-dim", f"expected 2 elements or more along axis {one}, but got {x.shape[one]}"
            )
        v = kolam.moveaxis(x, one, 0)
        parts = [(v[1:2] - v[:1]) / h, (v[2:] - v[:-2]) / (2 * h), (v[-1:] - v[-2:-1]) / h]
        results.append(kolam.moveaxis(kolam.concat(parts, 0), 0, one))
    return results[0] if len(results) == 1 else tuple(results)


def kron(x, y):
    """The block matrix of all products x[i] y: kron(x, y)[i p + k, j q + l] = x[i, j] y[k, l].

    >>> import kolam as ko
    >>> ko.kron(ko.asarray([1, 10]), ko.asarray([1, 2, 3])).tolist()
    [1, 2, 3, 10, 20, 30]
    """
    x, y = kolam.asarray(x), kolam.asarray(y)
    rank = builtins.max(x.ndim, y.ndim)
    x, y = (kolam.reshape(v, (1,) * (rank - v.ndim) + tuple(v.shape)) for v in (x, y))
    shape = tuple(n * m for n, m in zip(x.shape, y.shape, strict=True))
    for place in range(rank):
        x, y = kolam.expand_dims(x, 2 * place + 1), kolam.expand_dims(y, 2 * place)
    return kolam.reshape(x * y, shape)


def polyval(p, x):
    """The polynomial with coefficients p, the highest power first, at each x.

    >>> import kolam as ko
    >>> ko.polyval([1.0, 0.0, 2.0], ko.asarray([3.0, 4.0])).tolist()
    [11.0, 18.0]
    """
    p, x = kolam.asarray(p), kolam.asarray(x)
    _require_rank("polyval", "p", p, 1, 1)
    if p.shape[0] == 0:
        return kolam.zeros_like(x)
    result = kolam.zeros_like(x) + p[0]
    for i in range(1, p.shape[0]):
        result = result * x + p[i]
    return result


def ravel(x):
    """The elements in row-major order, rank 1.

    >>> import kolam as ko
    >>> ko.ravel(ko.asarray([[1, 2], [3, 4]])).tolist()
    [1, 2, 3, 4]
    """
    return kolam.reshape(x, (-1,))


def rot90(x, k=1, axes=(0, 1)):
    """Turned by k quarters from the first of `axes` to the second.

    >>> import kolam as ko
    >>> ko.rot90(ko.asarray([[1, 2], [3, 4]])).tolist()
    [[2, 4], [1, 3]]
    """
    x = kolam.asarray(x)
    _require_rank("rot90", "x", x, 2)
    first, second = (_axis("rot90", axis, x.ndim) for axis in axes)
    if first == second:
        raise KolamValueError.make("rot90", "duplicate-axis", f"argument 'axes': expected two dims, but got {axes!r}")
    if k % 4 == 2:
        return kolam.flip(x, (first, second))
    if k % 4 == 1:
        return kolam.swapaxes(kolam.flip(x, second), first, second)
    return kolam.flip(kolam.swapaxes(x, first, second), second) if k % 4 == 3 else x


def swapaxes(x, axis1, axis2):
    """Two dims exchanged.

    >>> import kolam as ko
    >>> ko.swapaxes(ko.zeros((2, 3, 4)), 0, 2).shape
    (4, 3, 2)
    """
    axes = list(range(kolam.ndim(x)))
    first, second = (_axis("swapaxes", axis, len(axes)) for axis in (axis1, axis2))
    axes[first], axes[second] = second, first
    return kolam.permute_dims(x, axes)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The area below the lines between neighbours: the sum of (y[i] + y[i + 1]) / 2 times x[i + 1] - x[i], or dx.

    >>> import kolam as ko
    >>> ko.trapezoid(ko.asarray([1.0, 2.0, 3.0])).item()
    4.0
    """
    y = kolam.asarray(y)
    _require_rank("trapezoid", "y", y, 1)
    axis = _axis("trapezoid", axis, y.ndim)
    if x is not None:
        x = kolam.asarray(x)
        dx = kolam.moveaxis(kolam.diff(x, axis=axis if x.ndim > 1 else 0), axis if x.ndim > 1 else 0, -1)
    v = kolam.moveaxis(y, axis, -1)
    return kolam.sum((v[..., 1:] + v[..., :-1]) * dx, -1) / 2


def tri(n, m=None, k=0, dtype=None):
    """n x m, one where j <= i + k, else zero; float32 unless `dtype` says otherwise.

    >>> import kolam as ko
    >>> ko.tri(2, 3).tolist()
    [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]
    """
    below = kolam.less_equal(kolam.arange(n if m is None else m)[None, :], kolam.arange(n)[:, None] + k)
    return kolam.astype(below, kolam.float32 if dtype is None else dtype)


def unravel_index(indices, shape):
    """The index of each dim that places in row-major order stand for; -1 is the last place.

    >>> import kolam as ko
    >>> [index.tolist() for index in ko.unravel_index(ko.asarray([5, -1]), (2, 3))]
    [[1, 1], [2, 2]]
    """
    indices = kolam.asarray(indices)
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    total = math.prod(shape)
    # Negative places count from the end; what lies outside is brought to the border.
    indices = kolam.clip(kolam.where(indices < 0, indices + total, indices), 0, builtins.max(total - 1, 0))
    parts = []
    for extent in reversed(shape):
        parts.append(kolam.remainder(indices, extent))
        indices = kolam.floor_divide(indices, extent)
    return tuple(reversed(parts))


def vander(x, n=None, increasing=False):
    """The powers of x, a row for each: x^(n-1) ... x, 1, or the other way about if `increasing`.

    >>> import kolam as ko
    >>> ko.vander(ko.asarray([1, 2, 3]), 3).tolist()
    [[1, 1, 1], [4, 2, 1], [9, 3, 1]]
    """
    x = kolam.asarray(x)
    _require_rank("vander", "x", x, 1, 1)
    n = x.shape[0] if n is None else n
    powers = [kolam.ones_like(x)]
    for _ in range(n - 1):
        powers.append(powers[-1] * x)
    powers = powers[:n]
    if not powers:
        return kolam.zeros((x.shape[0], 0), x.dtype)
    return kolam.stack(powers if increasing else powers[::-1], -1)


def ndim(x):
    """The number of dims.

    >>> import kolam as ko
    >>> ko.ndim([[1, 2], [3, 4]])
    2
    """
    return kolam.asarray(x).ndim


def shape(x):
    """The extent of each dim.

    >>> import kolam as ko
    >>> ko.shape([[1, 2, 3], [4, 5, 6]])
    (2, 3)
    """
    return tuple(kolam.asarray(x).shape)


def size(x, axis=None):
    """The number of elements, or the extent of one dim.

    >>> import kolam as ko
    >>> ko.size(ko.zeros((2, 3))), ko.size(ko.zeros((2, 3)), 1)
    (6, 3)
    """
    x = kolam.asarray(x)
    return x.size if axis is None else x.shape[_axis("size", axis, x.ndim)]


__all__ = [
    name for name, thing in vars(sys.modules[__name__]).items() if getattr(thing, "__module__", "") == __name__ and name[0] != "_"
]
