"""Steps of random programs, by the path that computes them. Each family gives the text of an expression over `x`, or None where it has
no meaning there; `need` makes an argument and gives its name."""

from random_edges.values import FLOATS, INTEGERS

MODES = ("constant", "edge", "reflect", "wrap")


class Place:
    """Where a step stands: the value before it, and random choices."""

    def __init__(self, rng, dtype, shape, need):
        self.rng, self.dtype, self.shape, self.need = rng, dtype, shape, need
        self.rank = len(shape)

    def one(self, *choices):
        return choices[int(self.rng.integers(len(choices)))]

    def int(self, low, high):
        return int(self.rng.integers(low, high + 1))

    @property
    def axis(self):
        return self.int(0, self.rank - 1)

    @property
    def is_float(self):
        return self.dtype in FLOATS


def pads(p):
    widths = [(p.one(0, 1, 2, 5, 17, 33), p.one(0, 1, 3, 16, 40)) for _ in range(p.rank)]
    mode = p.one(*MODES)
    text = f"ko.pad(x, {widths}, mode={mode!r})"
    return text if mode != "constant" or p.dtype == "bool" else f"ko.pad(x, {widths}, constant_values={p.one(0, 1, 7)})"


def stencils(p):
    if not p.rank or p.dtype == "bool":
        return None
    axis, mode, a = p.axis, p.one(*MODES), p.int(1, 3)
    at = lambda text: ", ".join(text if i == axis else ":" for i in range(p.rank))  # noqa: E731
    padded = f"ko.pad(x, {[(a, a) if i == axis else (0, 0) for i in range(p.rank)]}, mode={mode!r})"
    return p.one(
        f"(lambda y: y[{at(f'{2 * a}:')}] {p.one('+', '-', '*')} y[{at(f':-{2 * a}')}])({padded})",
        f"(lambda y: ko.maximum(y[{at(f'{2 * a}:')}], ko.minimum(y[{at(f':-{2 * a}')}], x)))({padded})",
        f"x + ko.roll(x, {p.int(-5, 5)}, {axis}) * x",
        f"ko.fori_loop(0, 3, lambda i, x: (lambda y: y[{at(f'{2 * a}:')}] + y[{at(f':-{2 * a}')}])({padded}), x)",
    )


def updates(p):
    if not p.rank:
        return None
    at = ", ".join(p.one(":", "1:-1", "2:", ":-3", "::2", "::-1", "1::3", "-1:", "5:5") for _ in range(p.rank))
    starts = p.need("int32", (p.rank,), places=max(p.shape, default=1))
    sizes = tuple(p.int(0, n) for n in p.shape)
    block = p.need(p.dtype, sizes)
    options = [f"x.at[{at}].set(x[{at}][..., ::-1])", f"ko.dynamic_update_slice(x, {block}, [{starts}[i] for i in range({p.rank})])",
               f"ko.dynamic_slice(x, [{starts}[i] for i in range({p.rank})], {sizes})"]  # fmt: skip
    if p.dtype != "bool":
        options += [f"x.at[{at}].add(x[{at}])", f"x.at[{at}].set(x[{at}] * 2)", f"x.at[{at}].max(0)"]
    return p.one(*options)


def scatters(p):
    if not p.rank:
        return None
    count = p.one(0, 1, 3, 16, 33, 100, 256, 300, 5000, 40000)
    count = min(count, 300) if p.rank > 1 else count
    dims = p.int(1, p.rank)
    dtype = p.one("int32", "int64", "int8", "uint8")
    names = [p.need(dtype, (count,), places=n) for n in p.shape[:dims]]
    value = p.one(p.need(p.dtype, (count, *p.shape[dims:])), p.need(p.dtype, ()))
    how = p.one("set", "add", "max", "min", "multiply") if p.dtype != "bool" else "set"
    before = p.one("x", "x", "ko.zeros_like(x)", "ko.flip(x)", "(x * x)" if p.dtype != "bool" else "x")
    promised = ", ".join(f"ko.clip({name}, 0, {max(n - 1, 0)})" for name, n in zip(names, p.shape, strict=False))
    changed = f"{before}.at[{promised}].{how}({value}, mode='promise')" if 0 not in p.shape and p.int(0, 2) == 0 else f"{before}.at[{', '.join(names)}].{how}({value}, mode={p.one('drop', 'clip')!r})"
    other = "x * x - x" if p.dtype != "bool" else "~x"
    return p.one(changed, changed, f"ko.concat([{other}, {changed}], axis=0)", f"ko.stack([{changed}, {other}])", f"{changed} | x" if p.dtype not in FLOATS else f"{changed} + x")


def gathers(p):
    if not p.rank:
        return None
    axis = p.axis
    count = p.one(0, 1, 5, 17, 64, 3000 if p.rank == 1 else 100)
    name = p.need("int32", (count,), places=p.shape[axis])
    return p.one(f"ko.take(x, {name}, axis={axis})", f"x.at[{name}].get(mode={p.one('clip', 'fill', 'drop')!r})", f"x[ko.clip({name}, 0, {max(p.shape[0] - 1, 0)})]")


def sorts(p):
    if not p.rank:
        return None
    axis, down = p.axis, p.one(True, False)
    k = p.int(0, p.shape[axis])
    return p.one(
        f"ko.sort(x, axis={axis}, descending={down})", f"ko.argsort(x, axis={axis}, descending={down})",
        f"ko.top_k(x, {k}, axis={axis}, largest={down})[0]", f"ko.top_k(x, {k}, axis={axis}, largest={down})[1]",
        f"(lambda s: s[0] + s[1].astype(s[0].dtype))(ko.top_k(x, {k}, axis={axis}, largest={down}))" if p.dtype != "bool" else None,
    )  # fmt: skip


def searches(p):
    if p.rank != 1 or p.dtype == "bool":
        return None
    values = p.need(p.dtype, (p.one(0, 1, 7, 40, 130, 5000),))
    return p.one(
        f"ko.searchsorted(ko.sort(x), {values}, side={p.one('left', 'right')!r})",
        f"ko.digitize(x, ko.sort({values}))",
        f"ko.histogram(x, {p.one(1, 3, 10, 100)}, range=({p.one(-3, 0)}, {p.one(0, 2, 7)}))[{p.int(0, 1)}]",
    )


def segments(p):
    if not p.rank or p.dtype == "bool":
        return None
    count = p.one(0, 1, 3, 20, 37)
    ids = p.need(p.one("int32", "int64"), (p.shape[0],), places=count, is_sorted=p.one(True, False))
    return f"ko.segment_{p.one('sum', 'prod', 'min', 'max')}(x, {ids}, {count})"


def reductions(p):
    axis = p.one(None, p.axis) if p.rank else None
    names = ["any", "all", "count_nonzero"] + (["sum", "prod", "max", "min", "argmax", "argmin"] if p.dtype != "bool" else [])
    rows = [f"x - ko.max(x, axis={axis}, keepdims=True)", f"ko.softmax(x, axis={-1 if axis is None else axis})", f"ko.mean(x, axis={axis})", f"ko.var(x, axis={axis})"]
    reduced = f"ko.{p.one(*names)}(x, axis={axis}, keepdims={p.one(True, False)})"
    return p.one(reduced, reduced, p.one(*rows) if p.is_float and p.rank else f"ko.median(x, axis={axis})" if p.dtype != "bool" else reduced)


def products(p):
    if p.rank != 2 or p.dtype == "bool" or p.shape[0] * p.shape[0] * p.shape[1] > 10**6:
        return None
    y = p.need(p.dtype, (p.shape[1], p.one(1, 2, 3, 4, 7, 16, 17, 33)))
    return p.one("x @ x.T", f"x @ {y}", f"{y}.T @ x.T", f"x @ {y} + 1", f"ko.vmap(lambda x: x @ {y})(x)", f"ko.maximum(x @ {y}, 0)")


def running(p):
    if not p.rank or p.dtype == "bool":
        return None
    axis, back = p.axis, p.one(True, False)
    return p.one(
        f"ko.cumulative_sum(x, axis={axis})", f"ko.cumulative_prod(x, axis={axis})", f"ko.cumulative_max(x, {axis}, reverse={back})",
        f"ko.cumulative_min(x, {axis}, reverse={back})", f"ko.cumulative_sum(ko.flip(x, axis={axis}), axis={axis}, include_initial={back})",
    )  # fmt: skip


def pools(p):
    if not p.rank or p.dtype == "bool":
        return None
    dims = p.int(1, min(2, p.rank))
    window = tuple(p.int(1, max(1, min(n, 9))) for n in p.shape[p.rank - dims :])
    strides, padding = tuple(p.int(1, 3) for _ in window), [(p.int(0, w - 1), p.int(0, w - 1)) for w in window]
    return f"ko.reduce_window(x, {window}, {p.one('max', 'min', 'sum', 'prod')!r}, strides={strides}, padding={padding})"


def short_rows(p):
    if not p.rank:
        return None
    y = p.need(p.dtype, p.shape)
    if p.dtype == "bool":
        return p.one(f"ko.stack([x, {y}], axis=-1)", f"ko.concat([x, {y}], axis=-1)")
    parts = [p.one("x", y, f"x * {y}", f"x + {y}", f"ko.maximum(x, {y})") for _ in range(p.int(1, 5))]
    stack = f"ko.stack([{', '.join(parts)}], axis={p.one(-1, -1, -1, 0)})"
    m = p.need(p.dtype, (len(parts),))
    return p.one(stack, f"ko.reshape({stack}, (-1,))", f"ko.stack([{', '.join(parts)}], axis=-1) + {m}", f"ko.sum({stack}, axis=-1)",
                 f"ko.max({stack}, axis=-1)", f"ko.flip({stack}, axis=-1) * {m}", f"{stack}[..., ::2]", f"x[..., :{len(parts)}]")  # fmt: skip


def narrow(p):
    if p.dtype not in INTEGERS:
        return f"x.astype({p.one(*INTEGERS)!r})"
    wide, y = p.one("int32", "int64", "uint32"), p.need(p.dtype, p.shape)
    a, b, shift = p.one(0, 1, 2, 3, 77, 127, -1, -128), p.one(0, 1, 5, 255, -100), p.one(0, 1, 2, 7, 8, 15, 16, 31)
    a, b = (abs(a), abs(b)) if wide[0] == "u" else (a, b)
    x, y = f"x.astype({wide!r})", f"{y}.astype({wide!r})"
    tree = p.one(
        f"({x} * {a} + {y} * {b}) >> {shift}", f"({x} + {y} + 1) >> 1", f"{x} * {y} >> {shift}", f"ko.clip({x} * {a} - {y}, {p.one(0, 3)}, {p.one(127, 255)})",
        f"ko.maximum({x}, {y}) - ko.minimum({x}, {y})", f"ko.abs({x} - {y})" if wide[0] != "u" else f"{x} - {y}", f"({x} >> 3) * {a} + {b}", f"ko.sum({x}, axis=0, keepdims=True) + {y}" if p.rank else x,
    )  # fmt: skip
    return f"({tree}).astype({p.one('uint8', 'int8', 'int16', 'uint16', p.dtype)!r})"


def changes(p):
    """Functions of single elements, with operands of the same shape or of a part of it."""
    if p.dtype == "bool":
        return p.one("ko.logical_not(x)", f"x & {p.need('bool', p.shape)}", "x.astype('float32')", "x.astype('int8')")
    y = p.one(p.need(p.dtype, p.shape), p.need(p.dtype, p.shape[1:]) if p.rank else "x", p.need(p.dtype, ()))
    options = [f"x + {y}", f"x - {y}", f"x * {y}", f"ko.maximum(x, {y})", f"ko.minimum({y}, x)", f"x > {y}", f"x == {y}", f"ko.where(x < {y}, x, {y})",
               f"ko.where({p.need('bool', p.shape)}, x, {y})", "ko.abs(x)" if p.dtype[0] != "u" else "x", "ko.sign(x)", f"ko.clip(x, 1, {y})"]  # fmt: skip
    if p.is_float:
        options += ["-x", "ko.round(x)", "ko.floor(x)", "ko.sqrt(x)", "ko.exp(x)", "ko.isnan(x)", "ko.signbit(x)", f"ko.copysign(x, {y})", "1 / x"]
    else:
        options += [f"x // {y}", f"x % {y}", f"x & {y}", f"x ^ {y}", "~x", "x >> 1", "x << 3"]
    return p.one(*options, f"x.astype({p.one(*FLOATS, *INTEGERS)!r})", f"x.astype({p.one(*FLOATS, *INTEGERS)!r})")


def moves(p):
    if not p.rank:
        return "ko.stack([x, x])"
    axis = p.axis
    at = ", ".join(p.one(":", "::-1", "::-3", "1:", "::2", ":-1") for _ in range(p.rank))
    return p.one(f"x[{at}]", "ko.permute_dims(x, tuple(range(x.ndim))[::-1])", "ko.reshape(x, (-1,))", f"ko.concat([x, x, x], axis={axis})", f"ko.roll(x, {p.int(-9, 9)}, {axis})",
                 f"ko.repeat(x, {p.int(1, 3)}, axis={axis})", f"ko.tile(x, {(2,) * p.rank})", "ko.flip(x)", f"ko.concat([x[{at}], ko.flip(x[{at}])], axis=0)", f"x[{p.int(0, p.shape[0] - 1)}]" if p.shape[0] else None)  # fmt: skip


def halves(p):
    """Of rows of even length both halves, or every other element, put together again."""
    if not p.rank or p.shape[-1] % 2 or p.dtype == "bool":
        return None
    n = p.shape[-1] // 2
    even, odd, first, second = "x[..., ::2]", "x[..., 1::2]", f"x[..., :{n}]", f"x[..., {n}:]"
    a, b = p.one((even, odd), (first, second), (odd, even))
    one, other = p.one(a, f"{a} + {b}", f"{a} * {b}"), p.one(b, f"{a} - {b}")
    return p.one(
        f"ko.concat([{one}, {other}], axis=-1)", f"ko.reshape(ko.stack([{one}, {other}], axis=-1), x.shape)",
        f"ko.reshape(ko.stack([{one}, {other}], axis=-2), x.shape) + x", f"x.at[..., ::2].set({other})", f"x.at[..., {n}:].add({one})",
        f"ko.reshape(ko.permute_dims(ko.reshape(x, (-1, {max(n, 1)}, 2)), (0, 2, 1)), x.shape)", f"ko.max(ko.reshape(x, (-1, 2)), axis=-1)",
    )  # fmt: skip


def batches(p):
    """The same for each row, at places of its own."""
    if p.rank < 2 or p.dtype == "bool":
        return None
    places = p.need("int32", (p.shape[0], p.one(1, 5, 17)), places=p.shape[1])
    inside = f"ko.clip(i, 0, {max(p.shape[1] - 1, 0)})"
    body = p.one(f"x[{inside}]", "x.at[i].set(1, mode='drop')", f"x.at[i].add(x[{inside}], mode='clip')", "ko.segment_sum(x, ko.sort(ko.argsort(x, axis=0).reshape(-1)[:x.shape[0]]), 5)",
                 "ko.dynamic_slice(x, [i[0]] + [0] * (x.ndim - 1), (1,) + x.shape[1:])", "ko.top_k(x, 1, axis=0)[1]", "ko.sort(x, axis=0) + x[0]", "x[::-1] * x[0]")  # fmt: skip
    return f"ko.vmap(lambda x, i: {body})(x, {places})"


def attentions(p):
    """Of the rows of the last two dims to keys of their own, or to all rows."""
    if p.rank < 2 or not p.is_float:
        return None
    keys, width = p.one(1, 2, 5, 16, 17, 33, 70, 130), p.one(1, 3, 8, 16, 17)
    k, v = p.one(("x[None]", "x[None]"), tuple(f"{p.need(p.dtype, (*p.shape[:-2], keys, n))}[None]" for n in (p.shape[-1], width)))
    if p.rank == 2:
        k, v, x = f"{k}[None]", f"{v}[None]", "x[None][None]"
    else:
        x = "x[None]"
    count = p.shape[-2] if k.startswith("x") else keys
    mask = p.need(p.one("bool", p.dtype), (p.one(1, p.shape[-2]), count))
    options = p.one("", "causal=True", f"window={p.int(0, 20)}", f"causal=True, window={p.int(1, 40)}", f"mask={mask}", "scale=0", "scale=0.5, causal=True")
    return f"ko.attention({x}, {k}, {v}, {options})[0]" + ("[0]" if p.rank == 2 else "")


def convolutions(p):
    """Over the last dim or the last two, the one before them being channels."""
    if not p.rank or p.dtype == "bool":
        return None
    x = "x[None]" if p.rank > 1 else "x[None, None]"
    channels, dims = (p.shape[0], p.rank - 1) if p.rank > 1 else (1, 1)
    groups = p.one(1, 1, 2, channels) if channels else 1
    if groups == 0 or channels % groups:
        return None
    window = tuple(p.one(1, 2, 3, 5) for _ in range(dims))
    w = p.need(p.dtype, (groups * p.one(1, 2, 3, 8), channels // groups, *window))
    options = f"strides={p.int(1, 3)}, dilation={p.int(1, 2)}, padding={[(p.int(0, 2), p.int(0, 2)) for _ in window]}, groups={groups}"
    return f"ko.conv({x}, {w}, {options})[0]"


def pairs(p):
    """Sums of products with an array of the same shape, along any dims."""
    if not p.rank or p.dtype == "bool":
        return None
    letters = "abc"[: p.rank]
    kept = [letter for letter in letters if p.int(0, 1)]
    p.rng.shuffle(kept)
    others = [letter for letter in letters if letter in kept or p.int(0, 2)]
    y = p.need(p.dtype, tuple(p.shape[letters.index(letter)] for letter in others))
    return f"ko.einsum('{letters},{''.join(others)}->{''.join(kept)}', x, {y})"


def element_loops(p):
    """Loops that change rows or elements in place, reading others."""
    if not p.rank or p.dtype == "bool" or not p.shape[0]:
        return None
    n = min(p.shape[0], 40)
    other = p.one("ko.maximum(i - 1, 0)", f"{n - 1} - i", "i", f"(i * 3) % {n}", f"{p.int(0, n - 1)}")
    value = p.one(f"x[{other}]", f"x[i] + x[{other}]", f"x[{other}] * 2 - x[i]", f"ko.maximum(x[i], x[{other}])", f"ko.where(x[i] > x[{other}], x[i], x[{other}])")
    change = p.one(f"x.at[i].set({value})", f"x.at[i].add(x[{other}])", f"x.at[{other}].max(x[i])", f"x.at[{other}].set({value})")
    if p.rank > 1 and p.shape[1] and p.int(0, 1):
        m = min(p.shape[1], 20)
        inner = p.one("x.at[i, j].set(x[i, ko.maximum(j - 1, 0)] + x[ko.maximum(i - 1, 0), j])", "x.at[i, j].add(x[j % {0}, i % {1}])", "x.at[i, j].set(ko.minimum(x[i, j], x[i, 0] + x[0, j]))")
        change = f"ko.fori_loop(0, {m}, lambda j, x: {inner.format(n, m)}, x)"
    return f"ko.fori_loop(0, {n}, lambda i, x: {change}, x)"


def small_states(p):
    """Scans of rows with a state of a few elements, and of stages that each read the one before."""
    if p.rank != 2 or p.dtype == "bool" or not p.shape[1]:
        return None
    k = p.one(*[n for n in (1, 2, 3, 4) if n <= p.shape[1]])
    m, start = p.need(p.dtype, (k, k)), p.need(p.dtype, (k,))
    step = p.one(
        f"s @ {m} + r[:{k}]", f"ko.maximum(s, r[:{k}])", f"ko.where(r[0] > s[0], s, r[:{k}])", f"ko.min(s[:, None] + {m}, axis=0) + r[:{k}]",
        f"ko.roll(s, 1) * r[0] - r[:{k}]", f"s.at[0].add(r[{k - 1}])", f"{m} @ s",
    )  # fmt: skip
    given = p.one("s", "ko.sum(s)", "s[0]", "ko.argmin(s)", f"ko.max(s + r[:{k}])")
    return f"ko.scan(lambda s, r: ((lambda t: (t, (lambda s: {given})(t)))({step})), {start}, x)[{p.int(0, 1)}]"


def grid_states(p):
    """Scans over arrays of the state's shape, element by element or nearly so."""
    if p.rank < 2 or p.dtype == "bool" or not p.shape[0]:
        return None
    rows, shape = p.shape[0], p.shape[1:]
    row, column, whole = p.need(p.dtype, shape[-1:]), p.need(p.dtype, (*shape[:-1], 1)), p.need(p.dtype, shape)
    step = p.one(
        "s + r", "ko.maximum(s, r)", f"s * {row} + r", f"s - r * {column}", f"ko.where(r > s, s, {whole})", f"s + ko.flip({whole}) + {whole}",
        f"s + ko.sum({whole}) + r", f"s * ko.arange({shape[-1]}).astype(s.dtype) + r", "ko.minimum(s, ko.flip(r, axis=-1))", f"ko.abs(s - {row})",
        f"s + ko.max(r, axis=-1, keepdims=True) * {column}" if shape[-1] else "s", f"s.astype('float32').astype(s.dtype) + r[..., ::-1] * {row}",
    )  # fmt: skip
    if p.int(0, 1):
        step = f"(lambda s: {p.one('s + r', f'ko.maximum(s, {row})', 's * s - r')})({step})"
    loop = f"ko.fori_loop(0, {min(rows, 70)}, lambda k, s: (lambda r: {step})(x[k]), {whole})" if p.int(0, 4) == 0 else None
    return loop or f"ko.scan(lambda s, r: ((lambda t: (t, {p.one('t', 't * r', 'ko.sum(t)', 'r')}))({step})), {whole}, x, reverse={p.one(True, False)})[{p.int(0, 1)}]"


#: Whose extents only the data says: instances of a vmap differ in them, so none are drawn there.
OPEN = ("ko.unique_values(x)", "ko.nonzero(ko.reshape(x, (-1,)))[0]", "x[x != 0]")


def sets(p):
    """Whose results have as many elements as the data says, or that look for each element among others."""
    values = p.need(p.dtype, (p.one(0, 1, 3, 17, 70),))
    row = "ko.reshape(x, (-1,))"
    return p.one(
        f"ko.isin(x, {values})", f"ko.isin({values}, x)", OPEN[0], OPEN[1], OPEN[2] if p.rank else None,
        f"ko.unique_values(x, size={p.int(1, 20)})", f"ko.nonzero({row}, size={p.int(0, 20)}, fill_value=-1)[0]", f"ko.searchsorted(ko.sort({row}), {values})",
    )  # fmt: skip


FAMILIES = (attentions, convolutions, pairs, element_loops, small_states, grid_states, sets, pads, stencils, updates, scatters, gathers, sorts, searches, segments, reductions, running, pools, short_rows, narrow, changes, changes, moves, batches, products, halves)


#: Whose elements are those that came.
MOVING = (pads, gathers, moves)


def step(rng, dtype, shape, need):
    """The text of a step, or None, and whether it only moves elements."""
    family = FAMILIES[int(rng.integers(len(FAMILIES)))]
    return family(Place(rng, dtype, shape, need)), family in MOVING
