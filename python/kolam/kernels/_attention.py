"""Attention by blocks of queries, with a running maximum and sum over blocks of keys."""

import functools
import math

import kolam
from kolam import pallas as pl
from kolam._callables import check_callable
from kolam.errors import KolamTypeError, KolamValueError
from kolam.kernels._arguments import INTEGERS, describe, is_empty, is_integer, require_count, sums_of

BLOCK_KEYS = 128  # meaning: the running maximum and sum go on from one block of keys to the next
FAR = 2**62  # keys in any direction


def _fail(slug, words, kind=KolamValueError):
    raise kind.make("attention", slug, words)


# Operands: blocks of arrays of one rank, of which some repeat along leading dims.


def _require_equal(name, dim, one, other):
    """Raises `[shape-mismatch]` for two extents that differ; the run compares those that only it knows."""
    if one == other:
        return
    if isinstance(one, int) and isinstance(other, int):
        _fail("shape-mismatch", f"argument '{name}': expected extent {one} in dim {dim}, but got {other}")
    kolam.zeros((one,), dtype=kolam.bool) | kolam.zeros((other,), dtype=kolam.bool)


class _Operand:
    """An array, and where along its leading dims a point of the grid reads it: at its own index, at one that neighbours share, or at 0."""

    def __init__(self, name, x, leading, shares_heads=False):
        self.x, self.at = x, []
        for dim, (extent, own) in enumerate(zip(leading, x.shape, strict=False)):
            divides = shares_heads and dim + 1 == len(leading) and isinstance(extent, int) and isinstance(own, int) and own and extent % own == 0
            if own == 1:
                self.at.append(lambda i: 0)
            elif divides:
                self.at.append(lambda i, neighbours=extent // own: i // neighbours)
            else:
                _require_equal(name, dim - x.ndim, extent, own)
                self.at.append(lambda i: i)

    def spec(self, *block, by_rows=False):
        """Of the other dims the first goes by blocks of rows, or all are whole."""

        def place(*point):
            rest = [0] * len(block)
            if by_rows:
                rest[0] = point[-1]
            return *(at(i) for at, i in zip(self.at, point, strict=False)), *rest

        return pl.BlockSpec((*[None] * len(self.at), *block), place)


def _of_rank(x, rank, at=0):
    """x with dims of extent 1 in front of dim `at`."""
    return kolam.reshape(x, (*x.shape[:at], *[1] * (rank - x.ndim), *x.shape[at:]))


def _leading_of(arrays):
    """The leading dims that arrays have in common; heads, the last, are those of the first, unless it has one for all."""
    return [next((x.shape[dim] for x in arrays if x.shape[dim] != 1), 1) for dim in range(arrays[0].ndim - 2)]


def _mask_of(mask, leading, queries, keys, dtype):
    """Booleans, or numbers of the sums' dtype."""
    mask, rank = kolam.asarray(mask), len(leading) + 2
    if mask.dtype.kind in INTEGERS:
        _fail("dtype-mismatch", f"argument 'mask': expected booleans or floats, but got {describe(mask)}", KolamTypeError)
    if mask.ndim > rank:
        _fail("rank-mismatch", f"argument 'mask': expected rank {rank} or less, but got {describe(mask)}")
    mask = _of_rank(mask, rank)
    for dim, extent in ((-2, queries), (-1, keys)):
        if mask.shape[dim] != 1:
            _require_equal("mask", dim, extent, mask.shape[dim])
    return _Operand("mask", mask if mask.dtype == kolam.bool else mask.astype(dtype), leading)


def _segments_of(segments, leading, length):
    """Segments [batch..., s], with a dim of extent 1 for the heads."""
    most = max(1, len(leading))
    if not 1 <= segments.ndim <= most:
        words = "rank 1" if most == 1 else f"rank from 1 to {most}, without a dim of heads"
        _fail("rank-mismatch", f"argument 'segment_ids': expected {words}, but got {describe(segments)}")
    _require_equal("segment_ids", -1, length, segments.shape[-1])
    return _Operand("segment_ids", _of_rank(_of_rank(segments, most), len(leading) + 1, at=most - 1), leading)


def _pair_of_segments(segment_ids):
    if not isinstance(segment_ids, tuple):
        segment_ids = (segment_ids, segment_ids)
    if len(segment_ids) != 2:
        _fail("argument-type", f"argument 'segment_ids': expected an array or a pair (queries, keys), but got {segment_ids!r}", KolamTypeError)
    both = [kolam.asarray(x) for x in segment_ids]
    for x in both:
        if x.dtype.kind not in INTEGERS:
            _fail("dtype-mismatch", f"argument 'segment_ids': expected integers, but got {describe(x)}", KolamTypeError)
    dtype = kolam.result_type(*both)
    return [x.astype(dtype) for x in both]


def _sides_of(window, causal):
    """How many keys a query sees on its left and on its right; None for all of them."""
    if window is None or is_integer(window):
        window = (window, window)
    if not (isinstance(window, list | tuple) and len(window) == 2):
        _fail("argument-type", f"argument 'window': expected an integer or a pair, but got {window!r}", KolamTypeError)
    for side in window:
        if side is not None and not is_integer(side):
            _fail("argument-type", f"argument 'window': expected an integer, but got {side!r}", KolamTypeError)
        if side is not None and side < 0:
            _fail("bad-window", f"argument 'window': expected numbers of keys >= 0, but got {side}")
    left, right = (side if side is None else min(int(side), FAR) for side in window)
    return left, 0 if causal else right


# The kernel.


class _Walk:
    """The blocks of keys that a block of rows sees, from row `first` on."""

    def __init__(self, first, rows, keys, size, sides):
        self.first, self.rows, self.keys, self.size = first, rows, keys, size
        self.left, self.right = sides
        self.row = first + kolam.arange(rows, dtype=first.dtype)
        self.is_whole = isinstance(keys, int) and keys % size == 0

    def key(self, start):
        return start + kolam.arange(self.size, dtype=self.first.dtype)

    def bounds(self):
        """start, inner, inner_stop, stop: each row sees all keys of blocks inner to inner_stop, and none before start and from stop on."""
        size, last = self.size, self.first + (self.rows - 1)
        start, inner, inner_stop, stop = 0, 0, self.keys // size, pl.cdiv(self.keys, size)
        if self.right is not None:
            stop = kolam.clip(pl.cdiv(last + self.right + 1, size), 0, stop)
            inner_stop = kolam.minimum((self.first + self.right + 1) // size, inner_stop)
        if self.left is not None:
            start = kolam.minimum(kolam.maximum(self.first - self.left, 0) // size, stop)
            inner = kolam.clip(pl.cdiv(last - self.left, size), start, stop)
            inner_stop = kolam.maximum(inner_stop, inner)
        return start, inner, inner_stop, stop

    def conditions(self, start):
        """By which row sees key, of [keys, rows]."""
        key, row = self.key(start)[:, None], self.row[None, :]
        if self.left is not None:
            yield row - key <= self.left
        if self.right is not None:
            yield key - row <= self.right
        if not self.is_whole:
            yield key < self.keys

    def sees_some(self, start):
        """Which row sees a key at all, by these conditions."""
        first, last = start, start + (self.size - 1)
        if not self.is_whole:
            last = kolam.minimum(last, self.keys - 1)
        if self.left is not None:
            first = kolam.maximum(self.row - self.left, first)
        if self.right is not None:
            last = kolam.minimum(self.row + self.right, last)
        return kolam.broadcast_to(first <= last, (self.rows,))


def _of_places(visible, heads, leading, row, key):
    """The user's function of one place, for all of [keys, rows]."""
    batch, head = kolam.zeros((), dtype=row.dtype), kolam.zeros((), dtype=row.dtype)
    for dim, at in enumerate(heads):
        if dim + 1 == len(heads):
            head = at
        else:
            batch = batch * leading[dim] + at

    def one(row, key):
        seen = kolam.asarray(visible(batch, head, row, key))
        if seen.dtype != kolam.bool or seen.ndim:
            _fail("dtype-mismatch", f"argument 'mask': expected a function that gives a boolean, but got {describe(seen)}", KolamTypeError)
        return seen

    return kolam.vmap(kolam.vmap(one, in_axes=(0, None)), in_axes=(None, 0))(row, key)


def _step(queries, keys, values, scale, state, added=None, seen=None, some=None):
    """The running maxima [rows], sums [rows] and values [e, rows] of queries [rows, d], after keys [n, d] and values [n, e] more."""
    most, total, found = state
    # Of 16 columns and more products are chains anyway, of 512 terms each as the op's.
    order = "chain" if queries.shape[0] < 16 else None
    scores = kolam.matmul(keys, queries.T, accumulate=order) * scale
    if added is not None:
        scores = scores + added
    if seen is not None:
        seen = kolam.broadcast_to(seen, scores.shape)
        scores = kolam.where(seen, scores, -math.inf)
    higher = kolam.maximum(most, kolam.max(scores, axis=0))
    shift = kolam.where(kolam.isfinite(higher), higher, 0)
    powers, kept = kolam.exp(scores - shift), kolam.exp(most - shift)
    more = kolam.matmul(values.T, powers, where=None if seen is None else seen.T, accumulate=order)
    after = found * kept + more
    if some is not None:  # a row that sees none of the keys keeps what it has, to the bit
        after = kolam.where(some, after, found)
    return higher, total * kept + kolam.sum(powers.T, axis=-1), after


def _kernel(q_ref, k_ref, v_ref, *more, has_mask, keys, size, sides, scale, visible, leading, dtype, number):
    """Scores lie with rows side by side, [keys, rows], and so do maxima, sums and what is found."""
    *masks, o_ref = more
    mask_ref = masks.pop(0) if has_mask else None
    rows, width = o_ref.shape
    *heads, own = [pl.program_id(axis).astype(number) for axis in range(len(leading) + 1)]
    walk = _Walk(own * rows, rows, keys, size, sides)
    is_masked = has_mask or bool(masks) or visible is not None
    queries = q_ref[...].astype(dtype)

    def seen_from(start):
        """Which row sees which key, and what is added to scores."""
        conditions, added, part = list(walk.conditions(start)), None, pl.ds(start, size)
        if mask_ref is not None:
            block = (mask_ref[...] if mask_ref.shape[1] == 1 else mask_ref[:, part]).T
            if block.dtype != kolam.bool:
                block, added = block != -math.inf, block
            conditions.append(block)
        if masks:
            own_segments, segments = masks
            conditions.append(segments[part][:, None] == own_segments[...][None, :])
        if visible is not None:
            conditions.append(_of_places(visible, heads, leading, walk.row, walk.key(start)))
        return functools.reduce(kolam.logical_and, conditions), added

    def step(start, state, *masked):
        part = pl.ds(start, size)
        return _step(queries, k_ref[part, :].astype(dtype), v_ref[part, :].astype(dtype), scale, state, *masked)

    def in_window(j, state):
        seen, _ = seen_from(j * size)
        return step(j * size, state, None, seen, walk.sees_some(j * size))

    def masked(j, state):
        start = j * size
        seen, added = seen_from(start)
        some, all_of = kolam.any(seen, axis=0), kolam.all(seen, axis=0)
        which = kolam.any(some).astype(kolam.int32) + kolam.all(all_of).astype(kolam.int32)
        return kolam.switch(which, [lambda state: state, lambda state: step(start, state, added, seen, some), lambda state: step(start, state, added)], state)

    start, inner, inner_stop, stop = [kolam.asarray(bound, dtype=number) for bound in walk.bounds()]
    zeros = kolam.zeros(rows, dtype=dtype)
    state = zeros - math.inf, zeros, kolam.zeros((width, rows), dtype=dtype)
    if is_masked:
        state = kolam.fori_loop(start, stop, masked, state)
    else:
        if walk.left is not None:
            state = kolam.fori_loop(start, inner, in_window, state)
        state = kolam.fori_loop(inner, inner_stop, lambda j, state: step(j * size, state), state)
        if walk.right is not None or not walk.is_whole:
            state = kolam.fori_loop(inner_stop, stop, in_window, state)
    _, total, found = state
    o_ref[...] = kolam.where(total == 0, 0, found / total).T.astype(o_ref.dtype)


def attention(q, k, v, mask=None, causal=False, window=None, segment_ids=None, scale=None, *, block_q=None, interpret=False):
    """What queries find among keys:

        attention(q, k, v) = softmax(q k^T scale + mask) v

    >>> import kolam as ko
    >>> q = k = v = ko.reshape(ko.arange(6.0), (3, 2))
    >>> ko.kernels.attention(q, k, v, causal=True)[0].tolist()
    [0.0, 1.0]

    Arguments are those of `kolam.attention`, and so are bits, but for fewer than 16 queries of more than 512 elements. What each
    query has found goes on block by block of 128 keys:

        m' = max(m, s),   c = exp(m - m'),   p = exp(s - m'),   total' = c total + sum(p),   found' = c found + p v

    for scores s of its keys; found / total is the result, and 0 where it saw no key. A point of the grid has `block_q` queries
    of a head: 128 unless given, or 64 under a window with a left side, as it visits the keys that any of them sees. Blocks that a
    window hides are not visited, blocks that other masks hide are skipped, and those of which all is seen go without masks.
    Derivatives are those of `kolam.attention`. Raises what `kolam.attention` raises, and `[bad-block]`. Sources: Milakov and Gimelshein, "Online normalizer calculation for
    softmax", 2018; Dao and others, "FlashAttention", 2022.
    """
    arrays, more = [kolam.asarray(x) for x in (q, k, v)], {"causal": causal, "window": window, "segment_ids": segment_ids, "scale": scale}
    if mask is not None and not callable(mask) and (given := kolam.asarray(mask)).dtype.kind == "float":
        arrays.append(given)  # which has a derivative
    else:
        more["mask"] = mask
    kernel = kolam.custom_jvp(functools.partial(_attention, block_q=block_q, interpret=interpret, **more))
    # The op gives the same bits, and its derivatives are fast.
    kernel.defjvp(lambda primals, tangents: kolam.jvp(functools.partial(kolam.attention, **more), primals, tangents))
    return kernel(*arrays)


def _attention(q, k, v, mask=None, *, causal, window, segment_ids, scale, block_q, interpret):
    for name, x in (("q", q), ("k", k), ("v", v)):
        if x.ndim < 2:
            _fail("rank-mismatch", f"argument '{name}': expected rank 2 or more, but got {describe(x)}")
    sides = _sides_of(window, causal)
    if block_q is None:
        block_q = 128 if sides[0] is None else 64
    require_count("attention", block_q=block_q)
    dtype = kolam.result_type(q, k, v)
    if dtype.kind != "float":
        dtype = kolam.float32
    wide, rank = sums_of(dtype), max(q.ndim, k.ndim, v.ndim)
    arrays = [_of_rank(x.astype(dtype), rank) for x in (q, k, v)]
    leading = _leading_of(arrays)
    q, k, v = (_Operand(name, x, leading, shares_heads=name != "q") for name, x in zip("qkv", arrays, strict=True))
    (queries, depth), (keys, width) = q.x.shape[-2:], v.x.shape[-2:]
    _require_equal("k", -1, depth, k.x.shape[-1])
    _require_equal("v", -2, k.x.shape[-2], keys)
    operands, visible = [q, k, v], None
    rows = block_q if not isinstance(queries, int) else max(1, min(block_q, queries))
    specs = [q.spec(rows, depth, by_rows=True), k.spec(*k.x.shape[-2:]), v.spec(*v.x.shape[-2:])]
    if callable(mask):
        check_callable("attention", "mask", mask, 4)
        visible = mask
    elif mask is not None:
        operands.append(given := _mask_of(mask, leading, queries, keys, wide))
        of_rows, of_keys = given.x.shape[-2:]
        specs.append(given.spec(1 if of_rows == 1 else rows, of_keys, by_rows=of_rows != 1))
    if segment_ids is not None:
        own, theirs = _pair_of_segments(segment_ids)
        own, theirs = _segments_of(own, leading, queries), _segments_of(theirs, leading, keys)
        operands += [own, theirs]
        specs += [own.spec(rows, by_rows=True), theirs.spec(theirs.x.shape[-1])]
    shape = (*leading, queries, width)
    if is_empty(*shape, keys):
        return kolam.zeros(shape, dtype=dtype)
    if scale is None:
        scale = 1 / kolam.sqrt(kolam.asarray(depth).astype(wide))
    known = all(isinstance(extent, int) for extent in (*shape, keys))
    is_near = known and max(math.prod(leading), queries + keys) + sum(side or 0 for side in sides) < 2**30
    size = min(BLOCK_KEYS, keys) if isinstance(keys, int) else BLOCK_KEYS
    return pl.pallas_call(
        functools.partial(
            _kernel, has_mask=visible is None and mask is not None, keys=keys, size=size, sides=sides, scale=scale, visible=visible, leading=leading,
            dtype=wide, number=kolam.int32 if is_near else kolam.int64,
        ),
        kolam.ShapeDtypeStruct(shape, dtype),
        grid=(*leading, pl.cdiv(queries, rows)),
        in_specs=specs,
        out_specs=pl.BlockSpec((*[None] * len(leading), rows, width), lambda *point: (*point, 0)),
        name="attention",
        interpret=interpret,
    )(*(operand.x for operand in operands))
