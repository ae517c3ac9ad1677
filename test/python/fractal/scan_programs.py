"""Random nests of scans, folds and maps, up to four scans deep: states are tensors, tuples and lists."""

from dataclasses import dataclass, replace

import numpy as np
from list_types import List, Tensor, draw, list_of, to_kolam
from list_values import Value

import kolam as ko
from kolam import fractal as ops

LENGTHS = [0, 1, 2, 3, 5]
NAMESPACE = {"ko": ko, "ops": ops, "c": lambda number, dtype, shape: ko.full(shape, number, dtype=dtype)}
#: At most so many scans and folds in one another.
SCANS = 4


@dataclass
class ScanProgram:
    number: int
    arguments: list  # of values, whose text is a name
    result: str

    @property
    def text(self):
        return f"def program({', '.join(value.text for value in self.arguments)}):\n    return {self.result}\n"

    def function(self):
        scope = dict(NAMESPACE)
        exec(compile(self.text, f"<scans {self.number}>", "exec"), scope)
        return scope["program"]


class Nest:
    """Draws the text of a function of lists that gives a value of the type of one that it takes, and so on inside."""

    def __init__(self, seed, number):
        self.rng = np.random.default_rng([seed, number, 4])
        self.number, self.names = number, 0
        self.scope, self.scans = [], 0
        self.is_wave = False  # states go from element to element of all scans, and nowhere else

    def pick(self, values):
        return values[int(self.rng.integers(len(values)))]

    def chance(self, probability):
        return self.rng.random() < probability

    def name(self):
        self.names += 1
        return f"a{self.names}"

    def scoped(self, values, make):
        """What `make` gives with more values in scope."""
        self.scope += values
        text = make()
        del self.scope[len(self.scope) - len(values) :]
        return text

    def cell(self, x):
        """A tensor of two in scope: of floats what a cell of a network does, of integers sums."""
        tensors = [value.text for value in self.scope if value.of == x.of]
        a, b = self.pick([x.text, *tensors]), self.pick(tensors)
        weights = [value.text for value in self.scope if value.of == self.matrix]
        if x.of.dtype == "int32":
            return self.pick(["({} - {})", "ko.maximum({}, {})", "({} * 3 + {})"]).format(a, b)
        if weights and self.chance(0.6):
            w, u = self.pick(weights), self.pick(weights)
            return self.pick([f"ko.tanh({a} @ {w} + {b} @ {u})", f"ko.tanh({a} @ {w}) * {b}", f"ko.sigmoid({a} @ {w} - {b})"])
        return self.pick(["({} * 0.5 + {})", "ko.maximum({}, -{})", "ko.tanh({} - {})", "({} - {} * 0.25)"]).format(a, b)

    def like(self, x):
        """A text of the type of x, computed from it and what is in scope."""
        if isinstance(x.of, Tensor):
            return self.cell(x)
        if self.parameters and self.scans < SCANS and (self.scans == 0 if self.is_wave else self.chance(0.3)):
            return self.layers(x)
        return self.scanned(x) or self.mapped(x)

    def layers(self, x):
        """A fold over parameters whose state is x, or the last of all states."""
        state, parameter = Value(self.name(), x.of), Value(self.name(), self.matrix)
        self.scans += 1
        body = self.scoped([state, parameter], lambda: self.like(state))
        self.scans -= 1
        fold = self.pick(["ops.fold({})", "ops.foldr({})"])
        return fold.format(f"lambda {state.text}, {parameter.text}: {body}, {self.parameters.text}, initializer={x.text}")

    def over(self, x):
        """(x, or what is as long zipped with it; the parts of an element)."""
        others = [v for v in self.scope if isinstance(v.of, List) and v.of.number == x.of.number and v.text != x.text]
        others = others[-2:] if self.is_wave else [v for v in others if self.chance(0.5)][:2]
        if not others:
            return x.text, lambda element: [Value(element, x.of.element)]
        lists = [x, *others]
        return f"ops.zip({', '.join(v.text for v in lists)})", lambda element: [
            Value(f"{element}[{place}]", v.of.element) for place, v in enumerate(lists)
        ]

    def mapped(self, x):
        element = self.name()
        lists, parts = self.over(x)
        body = self.scoped(parts(element), lambda: self.like(parts(element)[0]))
        return f"ops.map(lambda {element}: {body}, {lists})"

    def scanned(self, x):
        """A scan over x whose state is like an element; none where no value could start it."""
        start = self.start(x.of.element)
        if start is None or self.scans == SCANS or (not self.is_wave and self.chance(0.25)):
            return None
        element = self.name()
        lists, parts = self.over(x)
        scan = self.pick(["ops.scan", "ops.scan", "ops.scanr"])
        self.scans += 1
        if not self.is_wave and self.chance(0.3):
            text = self.of_two(scan, x, start, element, lists, parts)
        else:
            state = Value(self.name(), x.of.element)
            body = self.scoped([state, *parts(element)], lambda: self.like(state))
            text = f"{scan}(lambda {state.text}, {element}: {body}, {lists}, initializer={start})"
        self.scans -= 1
        return text

    def of_two(self, scan, x, start, element, lists, parts):
        """A state of two parts, of which one goes on."""
        state = self.name()
        states = [Value(f"{state}[0]", x.of.element), Value(f"{state}[1]", x.of.element)]
        bodies = self.scoped([*states, *parts(element)], lambda: [self.like(states[0]), self.like(states[1])])
        text = f"{scan}(lambda {state}, {element}: ({bodies[0]}, {bodies[1]}), {lists}, initializer=({start}, {start}))"
        return f"{text}[{self.pick([0, 1])}]"

    def start(self, of):
        """A value of a type as text: a number everywhere, or a list in scope of that length."""
        if isinstance(of, Tensor):
            return f"c({self.pick([0, 0, 0.5])}, '{of.dtype}', {of.shape})" if of.dtype != "int32" else f"c(1, 'int32', {of.shape})"
        lists = [value.text for value in self.scope if value.of == of]
        return self.pick(lists) if lists else None

    def program(self):
        width = self.pick([1, 2, 5])
        leaf = self.pick([Tensor("float32", (1, width)), Tensor("float64", (1, width)), Tensor("int32", ())])
        self.matrix = Tensor(leaf.dtype, (width, width))
        self.parameters = Value("ws", list_of(self.matrix, 0, 3)) if leaf.shape else None
        batch = list_of(list_of(leaf, 0, 5), 0, 5)
        pairs = [Value("ss", batch), Value("ts", replace(batch, element=list_of(leaf, 0, 5)))]
        single = [Value("xs", list_of(leaf, 0, 5)), Value("ys", list_of(leaf, 0, 5)), Value("zs", list_of(leaf, 0, 3))]
        arguments = [*pairs, *single, *([self.parameters] if self.parameters else [])]
        self.scope = [*pairs, *single]
        root = self.pick([self.of_batch, self.of_grids, self.of_grid, self.of_cube, self.of_wave, self.of_wave])
        return ScanProgram(self.number, arguments, root())

    def of_wave(self):
        self.is_wave = True
        return self.pick([self.of_grid, self.of_grids, self.of_cube, self.of_cube])()

    def of_batch(self):
        return self.like(self.scope[0])

    def of_grid(self, rows="xs", columns="ys"):
        """The product of two lists, each cell one of the two."""
        first, second = (next(v for v in self.scope if v.text == name) for name in (rows, columns))
        grid = List(first.of, second.of.least, second.of.most, second.of.number)
        xss, yss = Value(self.name(), grid), Value(self.name(), grid)
        body = self.scoped([xss, yss], lambda: self.like(self.pick([xss, yss])))
        return f"(lambda {xss.text}, {yss.text}: {body})(*ops.product({rows}, {columns}))"

    def of_grids(self):
        """A grid for each of a batch of pairs."""
        ss, ts = self.scope[:2]
        s, t = Value(self.name(), ss.of.element), Value(self.name(), ts.of.element)
        body = self.scoped([s, t], lambda: self.of_grid(s.text, t.text))
        return f"ops.map(lambda both: (lambda {s.text}, {t.text}: {body})(*both), ops.zip(ss, ts))"

    def of_cube(self):
        """Three dims, whose planes are products."""
        xs, ys, zs = self.scope[2:5]
        plane = List(xs.of, ys.of.least, ys.of.most, ys.of.number)
        p, cube = Value(self.name(), plane), Value(self.name(), List(plane, zs.of.least, zs.of.most, zs.of.number))
        body = self.scoped([p, cube], lambda: self.like(cube))
        z = self.name()
        return (
            f"(lambda {p.text}: (lambda {cube.text}: {body})(ops.map(lambda {z}: ops.map(lambda row: "
            f"ops.map(lambda x: x + {z}, row), {p.text}), zs)))(ops.product(xs, ys)[0])"
        )


def make_scans(seed, number):
    return Nest(seed, number).program()


def draw_lists(program, seed, turn):
    """Arguments; turn 0 has no elements."""
    rng = np.random.default_rng([seed, program.number, turn, 5])

    def length(rng, of):
        return 0 if turn == 0 else int(rng.choice([n for n in LENGTHS if of.least <= n <= of.most]))

    outer = length(rng, program.arguments[0].of)
    values = []
    for place, argument in enumerate(program.arguments):
        of = replace(argument.of, least=outer, most=outer) if place < 2 else argument.of
        values.append(to_kolam(of, draw(rng, of, lambda rng, inner: outer if inner.least and inner.is_even else length(rng, inner))))
    return values
