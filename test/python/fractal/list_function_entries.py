"""Entries of random list programs: the parallel functions."""

from dataclasses import replace

from list_types import List, Tensor, Tuple, elements_of, fresh, list_of, size
from list_values import Value

INT64 = Tensor("int64")


def unary(g, x):
    """A function of a tensor of its own type."""
    if x.of.dtype == "bool":
        return Value(f"(~{x.text})", x.of)
    c = g.constant(Tensor(x.of.dtype))
    return Value(g.pick(["(-{0})", "({0} * {1})", "({0} + {1})", "ko.maximum({0}, {1})", "ko.abs({0})"]).format(x.text, c), x.of)


def binary(g, a, b):
    """A function of two tensors of one type, as text."""
    if a.of.dtype == "bool":
        return g.pick(["({} ^ {})", "({} | {})", "({} & {})"]).format(a.text, b.text)
    return g.pick(["({} + {})", "({} - {})", "({} * {})", "ko.maximum({}, {})", "ko.minimum({}, {})"]).format(a.text, b.text)


def tensor_of(g, x, room):
    """A tensor computed from a value: what a state can be made of."""
    if isinstance(x.of, Tensor):
        return g.pick([x, x, unary(g, x)])
    if isinstance(x.of, Tuple):
        which = g.integer(0, len(x.of.parts) - 1)
        return tensor_of(g, Value(f"{x.text}[{which}]", x.of.parts[which]), room)
    if x.of.least and g.chance(0.4):
        return tensor_of(g, Value(f"{x.text}[{g.pick([0, -1])}]", x.of.element), room)
    return tensor_of(g, fold(g, x, room), room) if g.chance(0.6) else Value(f"ops.len({x.text})", INT64)


def map_(g, x, room):
    """A body of one result or two."""
    room //= max(x.of.most, 1)

    def make(a):
        one = g.chain(a, room)
        if not g.chance(0.25):
            return one
        one = component(g, one)
        two = tensor_of(g, a, room)
        return Value(f"({one.text}, {two.text})", Tuple((one.of, two.of)))

    names, result = g.body([x.of.element], make)
    return results(g, f"ops.map(lambda {names}: {result.text}, {x.text})", x.of, result.of)


def map_keyword(g, x, room):
    """A body that takes what is outside by keyword."""
    given = tensor_of(g, g.other(lambda of: True, x), room)
    name = g.name()

    def make(a):
        one = tensor_of(g, a, room)
        if one.of == given.of:
            return Value(binary(g, one, Value(name, given.of)), one.of)
        return Value(f"({one.text}, {name})", Tuple((one.of, given.of)))

    names, result = g.body([x.of.element], make)
    return results(g, f"ops.map(lambda {names}, {name}: {result.text}, {x.text}, {name}={given.text})", x.of, result.of)


def component(g, x):
    """One of the lists that were zipped, if x is of such."""
    if not isinstance(x.of, List) or not x.of.is_zip:
        return x
    which = g.integer(0, len(x.of.element.parts) - 1)
    return component(g, Value(f"component({x.text}, {which})", replace(x.of, element=x.of.element.parts[which])))


def results(g, text, xs, of):
    """What a call gives for each element of xs: of a tuple, or of what was zipped, one of the lists, or all zipped."""
    if isinstance(of, Tuple):
        text, parts = f"results({len(of.parts)}, {text})", of.parts
    elif isinstance(of, List) and of.is_zip:
        text = f"unzipped({len(of.element.parts)}, {text})"
        parts = [replace(of, element=part, comes_from_zip=False) for part in of.element.parts]
    else:
        return Value(text, replace(xs, element=of))
    if g.chance(0.5):
        return Value(f"ops.zip(*{text})", replace(xs, element=Tuple(tuple(parts)), comes_from_zip=True))
    which = g.integer(0, len(parts) - 1)
    return Value(f"{text}[{which}]", replace(xs, element=parts[which]))


def forall(g, x, room):
    of, levels = x.of, []
    while isinstance(of, List):
        of, levels = of.element, [*levels, of]
    names, result = g.body([of], lambda a: tensor_of(g, a, room))
    of = result.of
    for level in reversed(levels):
        of = replace(level, element=of)
    return Value(f"ops.forall(lambda {names}: {result.text}, {x.text})", of)


def _predicate(g, x, room):
    """A bool scalar of a value."""
    tensor = tensor_of(g, x, room)
    if tensor.of.dtype == "bool":
        return Value(f"ko.any({tensor.text})", Tensor("bool"))
    return Value(f"ko.any({tensor.text} > {g.constant(Tensor(tensor.of.dtype))})", Tensor("bool"))


def filter_(g, x, room):
    names, result = g.body([x.of.element], lambda a: _predicate(g, a, room))
    return Value(f"ops.filter(lambda {names}: {result.text}, {x.text})", elements_of(x.of, 0, x.of.most))


def filterall(g, x, room):
    of, levels = x.of, []
    while isinstance(of, List):
        of, levels = of.element, [*levels, of]
    names, result = g.body([of], lambda a: _predicate(g, a, room))
    of = elements_of(levels[-1], 0, levels[-1].most)
    for level in reversed(levels[:-1]):
        of = replace(level, element=of)
    return Value(f"ops.filterall(lambda {names}: {result.text}, {x.text})", of)


def _scanned(g, x, room):
    """(body, initial value, type of the state), the first two as text."""
    element = x.of.element
    if isinstance(element, Tensor) and x.of.least and g.chance(0.4):
        names, result = g.body([element, element], lambda s, a: Value(binary(g, s, a), element))
        return f"lambda {names}: {result.text}", "", element
    name, value = g.body([element], lambda a: tensor_of(g, a, room))
    kind = g.pick([_scanned_tensor, _scanned_tensor, _scanned_tuple, _scanned_list, _resized_list, _resized_rows, _resized_pair])
    return kind(g, x, name, value, room) or _scanned_tensor(g, x, name, value, room)


def _scanned_tensor(g, x, element, value, room):
    state = Value(g.name(), value.of)
    return f"lambda {state.text}, {element}: {binary(g, state, value)}", f", initializer={g.constant(value.of)}", value.of


def _scanned_tuple(g, x, element, value, room):
    state, of = g.name(), value.of
    first, second = Value(f"{state}[0]", of), Value(f"{state}[1]", of)
    text = f"lambda {state}, {element}: ({binary(g, first, value)}, {binary(g, second, first)})"
    return text, f", initializer=({g.constant(of)}, {g.constant(of)})", Tuple((of, of))


def _scanned_list(g, x, element, value, room):
    """A state that is a list: one in scope, changed element by element."""
    first = g.other(lambda of: of.element == value.of and size(of) <= room, None)
    if first is None:
        return None
    state, a, b = g.name(), g.name(), g.name()
    cell = binary(g, Value(a, value.of), Value(b, value.of))
    text = g.pick([
        f"ops.map(lambda {a}, {b}: {cell}, {state}, {b}={value.text})",
        f"ops.scan(lambda {a}, {b}: {cell}, {state}, initializer={value.text})",
        f"ops.scanr(lambda {a}, {b}: {cell}, {state}, initializer={value.text})",
    ])  # fmt: skip
    return f"lambda {state}, {element}: {text}", f", initializer={first.text}", fresh(first.of)


def _resized(g, x, of, value, state):
    """(a list of another length, its type): of a list of this type, called `state`."""
    text = g.pick([f"ops.join({state}, ops.repeat({value.text}, 1))", f"{state}[1:]", f"{state}[::2]"])
    return text, list_of(value.of, 0, of.most + x.of.most)


def _resized_list(g, x, element, value, room):
    """A state that is a list and changes its length."""
    first = g.other(lambda of: of.element == value.of and size(of) <= room, None)
    if first is None:
        return None
    state = g.name()
    text, of = _resized(g, x, first.of, value, state)
    return f"lambda {state}, {element}: {text}", f", initializer={first.text}", of


def _resized_rows(g, x, element, value, room):
    """A state that is a list of lists, which change their lengths."""
    first = g.other(lambda of: isinstance(of.element, List) and of.element.element == value.of and size(of) <= room, None)
    if first is None:
        return None
    state, row = g.name(), g.name()
    text, inner = _resized(g, x, first.of.element, value, row)
    of = list_of(inner, first.of.least, first.of.most)
    return f"lambda {state}, {element}: ops.map(lambda {row}: {text}, {state})", f", initializer={first.text}", of


def _resized_pair(g, x, element, value, room):
    """Two lists that change places, of which one changes its length."""
    first, second = (g.other(lambda of: of.element == value.of and size(of) <= room, None) for _ in range(2))
    if first is None:
        return None
    state = g.name()
    most = max(first.of.most, second.of.most) + x.of.most
    text, _ = _resized(g, x, first.of, value, f"{state}[0]")
    of = Tuple((list_of(value.of, 0, most), list_of(value.of, 0, most)))
    return f"lambda {state}, {element}: ({state}[1], {text})", f", initializer=({first.text}, {second.text})", of


def _fold(name):
    def entry(g, x, room):
        body, initial, of = _scanned(g, x, room)
        return Value(f"ops.{name}({body}, {x.text}{initial})", of)

    entry.__name__ = name
    return entry


def _scan(name):
    def entry(g, x, room):
        body, initial, of = _scanned(g, x, room)
        if size(of) * max(x.of.most, 1) > room:
            return None
        return results(g, f"ops.{name}({body}, {x.text}{initial})", x.of, of)

    entry.__name__ = name
    return entry


def scan_associative(g, x, room):
    element = x.of.element
    if not isinstance(element, Tensor):
        return None
    names, result = g.body([element, element], lambda s, a: Value(binary(g, s, a), element))
    initial = f", initializer={g.constant(element)}"
    return Value(f"ops.scan(lambda {names}: {result.text}, {x.text}{initial}, associative=True)", x.of)


def reduce_(g, x, room):
    """Of tensors, of tuples of them, of rows of one length or of any."""
    element = x.of.element

    def merge(a, b):
        if isinstance(a.of, Tensor):
            return Value(binary(g, a, b), a.of)
        if isinstance(a.of, Tuple):
            parts = [merge(Value(f"{a.text}[{k}]", of), Value(f"{b.text}[{k}]", of)) for k, of in enumerate(a.of.parts)]
            return None if None in parts else Value(f"({', '.join(part.text for part in parts)})", Tuple(tuple(p.of for p in parts)))
        if isinstance(a.of.element, Tuple):
            return None
        if not a.of.is_even or g.chance(0.3):
            text = g.pick(["ops.join({}, {})", "ops.join({}[1:], {})", "ops.join({1}[::2], {0})"]).format(a.text, b.text)
            return Value(text, list_of(fresh(a.of.element), 0, (x.of.most + 1) * max(a.of.most, 2)))
        pair = g.name()
        inner = merge(Value(f"{pair}[0]", a.of.element), Value(f"{pair}[1]", a.of.element))
        if inner is None:
            return None
        return Value(f"ops.map(lambda {pair}: {inner.text}, ops.zip({a.text}, {b.text}))", replace(fresh(a.of), element=inner.of))

    names, result = g.body([element, element], merge)
    if result is None:
        return None
    initial = "" if x.of.least and g.chance(0.5) else g.initial(element)
    if initial is None and isinstance(element, List) and isinstance(element.element, Tensor):  # rows of any length
        initial = f", initializer=ops.repeat({g.constant(element.element)}, 2)"
    if initial is None:
        return None
    return Value(f"ops.reduce(lambda {names}: {result.text}, {x.text}{initial})", fresh(result.of))


def dilated_map(g, x, room):
    """Bodies that give as many elements as they take."""
    dilation = g.pick([1, 2, 3, 5])
    row = list_of(fresh(x.of.element), x.of.least // dilation, -(-x.of.most // dilation))

    def make(a):
        one = component(g, map_(g, a, room))
        if not g.chance(0.3):
            return one
        two = component(g, Value(f"ops.reverse({a.text})", a.of))
        return Value(f"({one.text}, {two.text})", Tuple((one.of, two.of)))

    def put_back(of):
        """As long as x; rows are lists of tuples where x is what was zipped, and so is what becomes of them."""
        return replace(x.of, element=fresh(of.element), comes_from_zip=False)

    names, result = g.body([row], make)
    text = f"ops.dilated_map(lambda {names}: {result.text}, {x.text}, {dilation})"
    if isinstance(result.of, Tuple):
        return Value(text, Tuple(tuple(put_back(part) for part in result.of.parts)))
    return Value(text, put_back(result.of))


fold, foldr = _fold("fold"), _fold("foldr")
ENTRIES = [
    map_, map_keyword, forall, filter_, filterall, fold, foldr, _scan("scan"), _scan("scanr"), scan_associative, reduce_,
    dilated_map,
]  # fmt: skip
