"""Entries of random list programs: access. Each takes a generator and a list and gives a value, or None where it does not fit.

An entry gives a text that means the same for Kolam and for the model, and the type of the result with what follows for
lengths, found by trying all that the list may have.
"""

from dataclasses import replace

from list_types import List, Tensor, Tuple, elements_of, fresh, key, list_of, merged
from list_values import Value

INT64 = Tensor("int64")


def _lengths_after(x, length):
    """(least, most) of what a length becomes."""
    found = [max(length(n), 0) for n in range(x.of.least, x.of.most + 1)]
    return min(found), max(found)


def part(g, x):
    bounds = [None, *range(-4, 5), 70, -70]
    start, stop, step = g.pick(bounds), g.pick(bounds), g.pick([None, 1, 2, 3, -1, -2, 5])
    cut = slice(start, stop, step)
    least, most = _lengths_after(x, lambda n: len(range(n)[cut]))
    text = ":".join("" if bound is None else str(bound) for bound in (start, stop, step))
    return Value(f"({x.text})[{text}]", elements_of(x.of, least, most))


def reverse(g, x):
    return Value(f"ops.reverse({x.text})", fresh(x.of))


def gather(g, x):
    count = g.pick([0, 1, 2, 5]) if x.of.least else 0
    places = [g.integer(-x.of.least, x.of.least - 1) for _ in range(count)]
    return Value(f"ops.gather({x.text}, {places})", elements_of(x.of, count))


def gather_by_list(g, x):
    """Places that are data: within the least length."""
    if not x.of.least:
        return None
    places = g.places(x.of.least)
    return places and Value(f"ops.gather({x.text}, {places.text})", elements_of(x.of, places.of.least, places.of.most))


def index(g, x):
    if not x.of.least:
        return None
    i = g.integer(-x.of.least, x.of.least - 1)
    text = g.pick([f"ops.index({x.text}, {i})", f"({x.text})[{i}]"])
    return Value(text, fresh(x.of.element))


def index_by_data(g, x):
    return Value(f"ops.index({x.text}, {g.place(x.of.least)})", fresh(x.of.element)) if x.of.least else None


def first(g, x):
    return Value(f"ops.first({x.text})", fresh(x.of.element)) if x.of.least else None


def last(g, x):
    return Value(f"ops.last({x.text})", fresh(x.of.element)) if x.of.least else None


def slide(g, x):
    window, stride, dilation = g.pick([1, 2, 3, 4, 5]), g.pick([1, 1, 2, 3]), g.pick([1, 1, 2, 3])
    reach = dilation * (window - 1) + 1
    before, behind = g.pick([0, 0, 1, 2, 5]), g.pick([0, 0, 1, 2, 5])
    value = g.padding(x.of.element)
    if value is None:
        before = behind = 0
    least, most = _lengths_after(x, lambda n: max(0, (n + before + behind - reach) // stride + 1))
    padding = before if before == behind else (before, behind)
    options = f", stride={stride}, dilation={dilation}, padding={padding}{value}" if padding else f", {stride}, {dilation}"
    return Value(f"ops.slide({x.text}, {window}{options})", list_of(list_of(fresh(x.of.element), window), least, most))


def shifted_slide(g, x):
    window, dilation = g.pick([1, 3, 5]), g.pick([1, 1, 2, 4])
    text = f"ops.shifted_slide({x.text}, {window}, {dilation})"
    return Value(text, replace(x.of, element=list_of(fresh(x.of.element), window)))


def window(g, x):
    value = g.padding(x.of.element)
    if value is None:
        return None
    window, dilation = g.pick([1, 3, 5]), g.pick([1, 1, 2, 4])
    i = g.pick([g.integer(-3, 6), g.place(3)])
    return Value(f"ops.window({i}, {x.text}, {window}, {dilation}{value})", elements_of(x.of, window))


def shifted_window(g, x):
    if not x.of.least:
        return None
    window, dilation = g.pick([1, 3, 5]), g.pick([1, 1, 2, 4])
    i = g.pick([g.integer(-20, 20), g.place(3)])
    return Value(f"ops.shifted_window({i}, {x.text}, {window}, {dilation})", elements_of(x.of, window))


def dilate(g, x):
    rows = g.pick([1, 2, 3, 5])
    row = list_of(fresh(x.of.element), x.of.least // rows, -(-x.of.most // rows))
    return Value(f"ops.dilate({x.text}, {rows})", list_of(row, rows))


def split(g, x):
    if not x.of.least:
        return None
    n = g.integer(1, min(x.of.least, 4))
    row = list_of(fresh(x.of.element), x.of.least // n, x.of.most // n + n - 1)
    return Value(f"ops.split({x.text}, {n})", list_of(row, n))


def product(g, x):
    y = g.other(lambda of: g.depth(of) == g.depth(x.of), x)
    inner = list_of(fresh(x.of.element), x.of.least, x.of.most)
    columns = list_of(inner, y.of.least, y.of.most)
    rows = replace(columns, element=replace(inner, element=fresh(y.of.element)))
    text = f"ops.product({x.text}, {y.text})"
    which = g.pick([0, 1, 2])
    if which == 2:
        return Value(f"ops.zip(*{text})", replace(columns, element=Tuple((columns.element, rows.element)), comes_from_zip=True))
    return Value(f"{text}[{which}]", (columns, rows)[which])


def join(g, x):
    others = [g.other(lambda of: key(of) == key(x.of), x) for _ in range(g.pick([1, 1, 2]))]
    of = x.of
    for y in others:
        of = list_of(merged(of.element, y.of.element), of.least + y.of.least, of.most + y.of.most, x.of.comes_from_zip)
    return Value(f"ops.join({', '.join(y.text for y in [x, *others])})", of)


def repeat(g, x):
    count = g.pick([0, 1, 2, 3])
    text, least, most = g.pick([(f"{count}", count, count), g.count()])
    return Value(f"ops.repeat({x.text}, {text})", list_of(fresh(x.of), least, most))


def zip_(g, x):
    y = g.other(lambda of: of.number == x.of.number, x)
    parts = [x, y, g.other(lambda of: of.number == x.of.number, x)][: g.pick([2, 2, 3])]
    element = Tuple(tuple(part.of.element for part in parts))
    return Value(f"ops.zip({', '.join(part.text for part in parts)})", replace(x.of, element=element, comes_from_zip=True))


def enumerate_(g, x):
    parts = [x, g.other(lambda of: of.number == x.of.number, x)][: g.pick([1, 1, 2])]
    element = Tuple((INT64, *(part.of.element for part in parts)))
    return Value(f"ops.enumerate({', '.join(part.text for part in parts)})", replace(x.of, element=element, comes_from_zip=True))


def _leaf(of):
    """The leaf of a list of tensors; None for tuples."""
    while isinstance(of, List):
        of = of.element
    return of if isinstance(of, Tensor) and of.shape is not None else None


def _like(g, leaf):
    return f"**like({g.zeros(leaf)})"


def flatten(g, x):
    """A tensor, whose slices along that axis are a list again."""
    leaf = _leaf(x.of)
    if leaf is None:
        return None
    axis = g.integer(-max(len(leaf.shape), 1), max(len(leaf.shape), 1) - 1)
    text = f"ops.flatten({x.text}, {axis}, {_like(g, leaf)})"
    if g.is_outermost and g.chance(0.3):
        return Value(text, Tensor(leaf.dtype, None))
    shape, least, most = list(leaf.shape), 1, 1
    extent = shape.pop(axis) if shape else 1
    of = x.of
    while isinstance(of, List):
        least, most, of = least * of.least, most * of.most, of.element
    return Value(f"ops.unbind({text}, {axis})", list_of(Tensor(leaf.dtype, tuple(shape)), least * extent, most * extent))


def _stacked(g, x):
    """(text, axis) of the elements as one tensor."""
    leaf = x.of.element
    if not isinstance(leaf, Tensor) or leaf.shape is None:
        return None
    axis = g.integer(-len(leaf.shape) - 1, len(leaf.shape))
    return f"ops.stack({x.text}, {axis}, {_like(g, leaf)})", axis


def stack(g, x):
    stacked = _stacked(g, x) if g.is_outermost else None
    return stacked and Value(stacked[0], Tensor(x.of.element.dtype, None))


def unbind(g, x):
    """Of what was stacked, along that axis."""
    stacked = _stacked(g, x)
    return stacked and Value("ops.unbind({}, {})".format(*stacked), x.of)


def slices(g, x):
    stacked = _stacked(g, x)
    if stacked is None:
        return None
    leaf = x.of.element
    shape = list(leaf.shape)
    shape.insert(stacked[1] % (len(shape) + 1), 1)
    text = "ops.slices({}, {})".format(*stacked)
    return Value(text, replace(x.of, element=Tensor(leaf.dtype, tuple(shape))))


def length(g, x):
    return Value(f"ops.len({x.text})", INT64)


def width(g, x):
    d = g.integer(1, g.depth(x.of))
    if d == 2:
        return Value(f"width({x.text}, -2)", replace(x.of, element=INT64))
    level, least, most = x.of, 1, 1
    for _ in range(d - 1):
        least, most, level = least * level.least, most * level.most, level.element
    return Value(f"width({x.text}, {-d})", list_of(INT64, least, most))


def numel(g, x):
    return Value(f"numel({x.text})", INT64) if _leaf(x.of) is not None else None


ENTRIES = [
    part, reverse, gather, gather_by_list, index, index_by_data, first, last, slide, shifted_slide, window, shifted_window,
    dilate, split, product, join, repeat, zip_, enumerate_, flatten, stack, unbind, slices, length, width, numel,
]  # fmt: skip
