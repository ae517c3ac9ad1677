"""Random list programs: texts that Kolam and the model run alike, with arguments of many lengths."""

import contextlib
from dataclasses import dataclass, replace
from types import SimpleNamespace

import control_model
import list_access_entries
import list_control_entries
import list_function_entries
import model
import numpy as np
from list_function_entries import tensor_of
from list_types import List, Tensor, Tuple, depth, draw, like, list_of, size, to_kolam
from list_values import Value

import kolam as ko
from kolam import fractal as ops

LEAVES = [Tensor(dtype, shape) for dtype in ("float32", "float64", "int32", "bool") for shape in ((), (3,), (1, 4))]
LENGTHS = {1: [0, 1, 2, 3, 5, 7, 13, 64, 67, 131], 2: [0, 1, 2, 3, 5, 7, 11], 3: [0, 1, 2, 3, 5], 4: [0, 1, 2, 3]}
#: Leaves that a value may have.
ROOM = 30000
RESULTS = 10
#: An entry lies in 0 to 3 maps.
LEVELS = 4
#: Each program has the next ones, in as many maps as its number says.
ENTRIES = [*list_access_entries.ENTRIES, *list_function_entries.ENTRIES, *list_control_entries.ENTRIES]


@dataclass
class Program:
    number: int
    arguments: list  # of values, whose text is a name
    results: list
    entries: list = ()  # the names of those that were asked for and fit

    @property
    def text(self):
        lines = "".join(f"        {result.text},\n" for result in self.results)
        return f"def program({', '.join(value.text for value in self.arguments)}):\n    return (\n{lines}    )\n"

    def alone(self, place):
        """The program of one result."""
        return Program(self.number, self.arguments, [self.results[place]])

    def function(self, namespace):
        scope = dict(namespace)
        exec(compile(self.text, f"<program {self.number}>", "exec"), scope)
        return scope["program"]


KOLAM = {
    "ko": ko, "ops": ops, "c": lambda value, dtype, shape=(): ko.full(shape, value, dtype=dtype),
    "like": lambda leaf: {}, "outside": lambda value: {}, "results": lambda count, xs: xs,
    "unzipped": lambda count, xs: xs, "component": lambda xs, which: xs.components[which],
    "width": lambda xs, d: xs.width_by_depth(d), "numel": lambda xs: xs.numel,
}  # fmt: skip
MODEL = {
    "ko": SimpleNamespace(
        maximum=np.maximum, minimum=np.minimum, abs=np.abs, any=np.any, while_loop=control_model.while_loop,
        fori_loop=control_model.fori_loop, cond=control_model.cond,
    ),
    "ops": model,
    "c": lambda value, dtype, shape=(): np.full(shape, value, dtype),
    "like": lambda leaf: {"like": leaf}, "outside": lambda value: {"value": value}, "results": model.results,
    "unzipped": model.unzipped, "component": model.component,
    "width": model.width, "numel": model.numel,
}  # fmt: skip


class Generator:
    """Draws the texts of one program. Entries ask it for what they need."""

    depth = staticmethod(depth)

    def __init__(self, seed, number):
        self.rng = np.random.default_rng([seed, number])
        self.number, self.names, self.level = number, 0, 0
        self.scope = []

    def pick(self, values):
        return values[int(self.rng.integers(len(values)))]

    def chance(self, probability):
        return self.rng.random() < probability

    def integer(self, low, high):
        return int(self.rng.integers(low, high + 1))

    def name(self):
        self.names += 1
        return f"a{self.names}"

    @property
    def is_outermost(self):
        return self.level == 0

    def constant(self, of):
        number = {"b": self.chance(0.5), "f": self.integer(-9, 9) / 4}.get(of.dtype[0], self.integer(-3, 3))
        return f"c({number}, '{of.dtype}'{f', {of.shape}' if of.shape else ''})"

    def zeros(self, of):
        return f"c(0, '{of.dtype}'{f', {of.shape}' if of.shape else ''})"

    def padding(self, element):
        """What lies outside, as an option; None for lists."""
        form = self.pick([", value={}", ", **outside({})"])
        text = self._of_leaves(element, self.constant if "value" in form else self.zeros)
        return text and form.format(text)

    def initial(self, element):
        """An initial value of a reduction."""
        text = self._of_leaves(element, self.constant)
        if isinstance(element, List) and isinstance(element.element, Tensor) and element.is_even:
            text = f"ops.repeat({self.constant(element.element)}, {element.least})"
        return text and f", initializer={text}"

    def _of_leaves(self, element, make):
        if isinstance(element, Tensor):
            return make(element)
        if isinstance(element, List):
            return None
        parts = [self._of_leaves(part, make) for part in element.parts]
        return None if None in parts else f"({', '.join(parts)})"

    def place(self, least):
        """An integer that is data, from -least to least - 1."""
        return "i3" if least >= 3 else "i1"

    def places(self, least):
        name = "p3" if least >= 3 else "p1"
        return next(value for value in self.arguments if value.text == name)

    def count(self):
        """(a number of times that is data, least, most)."""
        return "n", 0, 3

    def other(self, allowed, otherwise):
        found = [value for value in self.scope if isinstance(value.of, List) and allowed(value.of)]
        return self.pick(found) if found else otherwise

    @contextlib.contextmanager
    def inside(self, values):
        self.scope += values
        self.level += 1
        yield
        self.level -= 1
        del self.scope[len(self.scope) - len(values) :]

    def body(self, elements, make):
        """The parameters of a function of elements of these types, and the result that `make` gives for them."""
        parameters = [Value(self.name(), of) for of in elements]
        with self.inside(parameters):
            result = make(*parameters)
        return ", ".join(parameter.text for parameter in parameters), result

    def applied(self, entry, x, room):
        """An entry on a list; None where it does not fit, or grows too large."""
        if entry in list_access_entries.ENTRIES:
            value = entry(self, x)
        else:
            value = entry(self, x, room)
        return value if value and (not isinstance(value.of, List | Tuple) or size(value.of) <= room) else None

    def chain(self, x, room, entry=None):
        """Some entries one after the other, `entry` first, until a tensor is reached."""
        has_entry = entry is None
        for turn in range(self.pick([1, 2, 2, 3]) if entry is None else self.pick([1, 1, 2, 3])):
            x = self.part(x)
            if isinstance(x.of, Tensor):
                x = x if x.of.shape is None else tensor_of(self, x, room)
                break
            first = entry if turn == 0 else None
            for _ in range(6):
                if found := self.applied(first or self.pick(ENTRIES), x, room):
                    x, has_entry = found, True
                    break
            if not has_entry:
                break
        self.has_entry = has_entry
        return self.part(x)

    def part(self, x):
        """One of the values in a tuple."""
        while isinstance(x.of, Tuple):
            which = self.integer(0, len(x.of.parts) - 1)
            x = Value(f"{x.text}[{which}]", x.of.parts[which])
        return x

    def nested(self, x, levels, entry, room=ROOM):
        """An entry inside as many maps, over x, or x zipped with what is as long."""
        if levels == 0:
            return self.chain(x, room, entry)
        over, y = x, self.other(lambda of: of.number == x.of.number, x)
        if self.chance(0.4):
            over = Value(f"ops.zip({x.text}, {y.text})", replace(x.of, element=Tuple((x.of.element, y.of.element)), comes_from_zip=True))

        def make(a):
            if over is x:
                return self.nested(a, levels - 1, entry, room // max(x.of.most, 1))
            parts = [Value(f"{a.text}[{which}]", of) for which, of in enumerate(a.of.parts)]
            with self.inside(parts):
                return self.nested(parts[0], levels - 1, entry, room // max(x.of.most, 1))

        names, result = self.body([over.of.element], make)
        return list_function_entries.results(self, f"ops.map(lambda {names}: {result.text}, {over.text})", x.of, result.of)

    def program(self):
        levels = self.number % LEVELS
        x0 = self.list_argument("x0", self.integer(levels + 1, 4))
        leaf = self.pick(LEAVES)
        x1 = Value("x1", _with_leaf(x0.of, leaf))
        x2 = self.list_argument("x2", levels + 1, least=self.pick([1, 3]))  # fits what others may not
        self.lists = [x0, x1, x2]
        self.arguments = [
            *self.lists, Value("i1", Tensor("int64")), Value("i3", Tensor("int32")), Value("n", Tensor("int64")),
            Value("p1", list_of(Tensor("int32"), 0, 7)), Value("p3", list_of(Tensor("int64"), 0, 7)),
        ]  # fmt: skip
        self.scope = list(self.lists)
        first = self.number // LEVELS * RESULTS
        results, entries = [], []
        for turn in range(RESULTS):
            entry = ENTRIES[(first + turn) % len(ENTRIES)]
            for x in [self.pick(self.lists), x0, x1, *[x2] * 9]:  # until there is a list that the entry fits
                result = self.nested(x, levels, entry)
                if self.has_entry:
                    entries.append(entry.__name__)
                    break
            results.append(result)
        return Program(self.number, self.arguments, results, entries)

    def list_argument(self, name, levels, least=None):
        """A list as deep; its innermost lists have at least so many elements."""
        of, most = self.pick(LEAVES), max(LENGTHS[levels])
        for level in range(levels):
            of = list_of(of, self.pick([0, 0, 1, 3]) if level or least is None else least, most)
        return Value(name, of)


def _with_leaf(of, leaf):
    return replace(of, element=_with_leaf(of.element, leaf)) if isinstance(of, List) else leaf


def draw_arguments(program, seed, turn):
    """Values of the arguments, of the model. Turn 0 has as few elements as may be."""
    rng = np.random.default_rng([seed, program.number, turn])

    def length(of, levels):
        allowed = [n for n in LENGTHS[levels] if n >= of.least]
        return allowed[0] if turn == 0 else int(rng.choice(allowed))

    values = []
    for argument in program.arguments:
        name, of = argument
        if name == "x1":
            values.append(like(rng, of, values[0]))
        elif name[0] == "x":
            values.append(draw(rng, of, lambda rng, inner: length(inner, depth(of))))
        elif name[0] == "p":
            most = int(name[1])
            values.append([np.asarray(rng.integers(-most, most), of.element.dtype) for _ in range(length(of, 2) if turn else 0)])
        elif name == "n":
            values.append(np.int64(rng.integers(0, 4)))
        else:
            most = int(name[1])
            values.append(np.asarray(rng.integers(-most, most), of.dtype))
    return values


def arguments_for_kolam(program, values):
    return [to_kolam(argument.of, value) for argument, value in zip(program.arguments, values, strict=True)]


def make_program(seed, number):
    return Generator(seed, number).program()
