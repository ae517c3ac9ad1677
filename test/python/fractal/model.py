"""The functions of kolam.fractal on plain Python lists of NumPy arrays: what each means, one element at a time.

An element is an array, a list, or a tuple of elements; a list of tuples is a Python list of them. Where Kolam gives a tuple of
lists for the tuples that a body gives, a model's list holds the tuples: `results(count, xs)` takes it apart. What lies outside
of a list, or is joined of no leaves, is told by `value` and `like`, since an empty Python list has no type.
"""

import builtins

import numpy as np

CHUNK = 64


def results(count, xs):
    """A list of tuples of `count` as a tuple of lists."""
    return tuple(component(xs, which) for which in range(count))


def component(xs, which):
    """One of the lists that were zipped."""
    return [x[which] for x in xs]


def unzipped(count, xs):
    """A list of lists that were zipped as a tuple of lists of lists."""
    return tuple([component(x, which) for x in xs] for which in range(count))


# Parallel functions.


def map(f, xs, **named):
    return [f(x, **named) for x in xs]


def forall(f, xs, **named):
    return [forall(f, x, **named) if isinstance(x, list) else f(x, **named) for x in xs]


def filter(p, xs, **named):
    return [x for x in xs if p(x, **named)]


def filterall(p, xs, **named):
    """The rows of lists stay; leaves go."""
    rows = [filterall(p, x, **named) if isinstance(x, list) else x for x in xs]
    return [row for row in rows if isinstance(row, list) or p(row, **named)]


def scan(f, xs, initializer=None, associative=False, **named):
    if initializer is None:
        return [xs[0], *scan(f, xs[1:], xs[0], associative, **named)] if xs else []
    if associative:
        return _associative_scan(f, xs, initializer, named)
    state, states = initializer, []
    for x in xs:
        state = f(state, x, **named)
        states.append(state)
    return states


def _associative_scan(f, xs, initializer, named):
    """Chunks of 4096 start anew, and take the carry of those before from the left."""
    carry, states = initializer, []
    for start in range(0, builtins.len(xs), 4096):
        chunk = xs[start : start + 4096]
        states += [f(carry, x, **named) for x in scan(f, chunk, **named)]
        carry = states[-1]
    return states


def scanr(f, xs, initializer=None, **named):
    return scan(f, xs[::-1], initializer, **named)[::-1]


def fold(f, xs, initializer=None, **named):
    return scan(f, xs, initializer, **named)[-1] if xs else initializer


def foldr(f, xs, initializer=None, **named):
    return fold(f, xs[::-1], initializer, **named)


scanl, foldl = scan, fold


def _by_lanes(f, xs, named):
    """Of floats that a sum or a product combines, each lane of chunks of 4096; of others the order changes nothing, or is the plain one."""
    if named or not xs or isinstance(xs[0], (list, tuple)) or np.ndim(xs[0]) or np.asarray(xs[0]).dtype not in (np.float32, np.float64):
        return False
    pairs = [tuple(np.asarray(xs[0]).dtype.type(number) for number in pair) for pair in ((1.5, 2.25), (0.1, 0.7), (3e5, -7.125))]
    return any(builtins.all(f(a, b) == g(a, b) for a, b in pairs) for g in (np.add, np.multiply))


def _lanes(f, xs):
    """Element i in lane i mod 64, then lanes l and l + 32, l + 16, ... l + 1."""
    lanes = [xs[lane::CHUNK] for lane in range(CHUNK)]
    lanes = [fold(f, lane) if builtins.len(lane) else None for lane in lanes]
    half = CHUNK // 2
    while half:
        for lane in range(half):
            if lanes[lane + half] is not None:
                lanes[lane] = f(lanes[lane], lanes[lane + half])
        half //= 2
    return lanes[0]


def reduce(f, xs, initializer=None, **named):
    """Chunks, of 64 left to right or of 4096 by lanes, merged pairwise, an odd last one moves up; the initial value first."""
    chunk, combine = (4096, _lanes) if _by_lanes(f, xs, named) else (CHUNK, lambda f, part: fold(f, part, **named))
    parts = [combine(f, xs[start : start + chunk]) for start in range(0, builtins.len(xs), chunk)]
    while builtins.len(parts) > 1:
        pairs = [parts[i : i + 2] for i in range(0, builtins.len(parts), 2)]
        parts = [f(*pair, **named) if builtins.len(pair) == 2 else pair[0] for pair in pairs]
    if initializer is None or not parts:
        return parts[0] if parts else initializer
    return f(initializer, parts[0], **named)


def dilated_map(f, xs, dilation, **named):
    rows = [f(row, **named) for row in dilate(xs, dilation)]
    if isinstance(rows[0], tuple):
        return tuple(_interleaved(column) for column in builtins.zip(*rows, strict=True))
    return _interleaved(rows)


def _interleaved(rows):
    count = sum(builtins.len(row) for row in rows)
    return [rows[i % builtins.len(rows)][i // builtins.len(rows)] for i in range(count)]


# Access.


def _at(xs, i):
    """xs[i] without Python's own counting from the end."""
    if not 0 <= i < builtins.len(xs):
        raise IndexError(i)
    return xs[i]


def len(xs):
    return np.int64(builtins.len(xs))


def index(xs, i):
    i = int(i)
    return _at(xs, i + builtins.len(xs) if i < 0 else i)


def first(xs):
    return _at(xs, 0)


def last(xs):
    return index(xs, -1)


def part(xs, start, stop, step):
    """xs[start:stop:step]."""
    return xs[start:stop:step]


def gather(xs, places):
    return [index(xs, place) for place in places]


def reverse(xs):
    return xs[::-1]


def slide(xs, window, stride=1, dilation=1, padding=0, value=None):
    length = builtins.len(xs)
    before, behind = padding if isinstance(padding, tuple) else (padding, padding)
    count = (length + before + behind - dilation * (window - 1) - 1) // stride + 1
    padded = [value] * before + xs + [value] * behind
    return [[_at(padded, i * stride + j * dilation) for j in range(window)] for i in range(count)]


def window(i, xs, window, dilation=1, value=None):
    places = _around(i, window, dilation)
    return [xs[place] if 0 <= place < builtins.len(xs) else value for place in places]


def shifted_window(i, xs, window, dilation=1):
    return [xs[place % builtins.len(xs)] for place in _around(i, window, dilation)]


def shifted_slide(xs, window, dilation=1):
    return [shifted_window(i, xs, window, dilation) for i in range(builtins.len(xs))]


def _around(i, window, dilation):
    return [int(i) + dilation * offset for offset in range(-(window // 2), window // 2 + 1)]


def dilate(xs, dilation):
    return [xs[row::dilation] for row in range(dilation)]


def split(xs, n):
    size = builtins.len(xs) // n
    starts = [size * k for k in range(n)]
    return [xs[start : start + size] for start in starts[:-1]] + [xs[starts[-1] :]]


# Several lists.


def zip(*lists):
    return list(builtins.zip(*lists, strict=True)) if builtins.len(lists) > 1 else lists[0]


def enumerate(*lists):
    return zip([np.int64(i) for i in range(builtins.len(lists[0]))], *lists)


def product(xs, ys):
    return [xs for _ in ys], [[y for _ in xs] for y in ys]


def join(*lists):
    return [x for xs in lists for x in xs]


def repeat(x, n):
    """Of a tuple the tuple of what is repeated."""
    if isinstance(x, tuple):
        return tuple(repeat(one, n) for one in x)
    return [x] * int(n)


# Conversion.


def _leaves(xs):
    return [leaf for x in xs for leaf in (_leaves(x) if isinstance(x, list) else [x])]


def flatten(xs, axis=0, like=None):
    """`like` is a leaf's type: an array of no leaves."""
    leaves = _leaves(xs)
    if np.ndim(like) == 0:
        return np.array(leaves, like.dtype)
    return np.concatenate([np.take(like, np.zeros(0, int), axis), *leaves], axis)


def stack(xs, axis=0, like=None):
    return np.moveaxis(np.array(xs, like.dtype).reshape(builtins.len(xs), *like.shape), 0, axis)


def unbind(x, axis=0):
    return list(np.moveaxis(x, axis, 0))


def slices(x, axis=0):
    return [np.expand_dims(row, axis if axis >= 0 else axis + x.ndim) for row in unbind(x, axis)]


# Queries.


def width(xs, d):
    """xs.width_by_depth(d) for a d below 0: -1 is the list itself."""
    lists = [xs]
    for _ in range(-1 - d):
        lists = join(*lists)
    return [len(x) for x in lists]


def numel(xs):
    return np.int64(builtins.len(_leaves(xs)))
