"""Entries with loops, branches and scans, nested at random. The text of a step is its own reference (twin.py), bit by bit."""

from dataclasses import dataclass, replace

from random_programs import reference as ref
from random_programs.extents import is_known, most_cells
from random_programs.steps import Entry, Step, require
from random_programs.twin import evaluate
from random_programs.values import INTEGERS, NUMBERS


@dataclass
class Scope:
    """What formulas may name: arrays of one dtype and one rank, and integer scalars."""

    g: object
    arrays: list
    integers: list
    rank: int
    level: int = 0

    def array(self):
        return self.g.pick(self.arrays)

    def inside(self, arrays, integers=(), rank=None):
        """The scope of a body whose parameters those are; outer integers stay."""
        rank = self.rank if rank is None else rank
        outer = self.arrays if rank == self.rank else []
        return replace(self, arrays=[*arrays * 2, *outer], integers=[*integers, *self.integers], rank=rank, level=self.level + 1)


def _number(scope):
    return str(scope.g.pick([0, 1, 2, 3]))


def _term(scope):
    kind = scope.g.pick(["array", "array", "number", "integer"])
    if kind == "integer" and scope.integers:
        return f"ko.astype({scope.g.pick(scope.integers)}, {scope.arrays[0]}.dtype)"
    return scope.array() if kind != "number" else _number(scope)


def _arithmetic(scope, depth):
    left = formula(scope, depth - 1)
    if scope.g.chance(0.3):
        return f"ko.{scope.g.pick(['maximum', 'minimum'])}({left}, {_term(scope)})"
    return f"({left} {scope.g.pick(['+', '-', '*'])} {_term(scope)})"


def _choice(scope, depth):
    return f"ko.where({scope.array()} > {_term(scope)}, {formula(scope, depth - 1)}, {_term(scope)})"


def _move(scope, depth):
    x = formula(scope, depth - 1)
    if scope.rank == 0:
        return x
    return scope.g.pick([f"({x})[::-1]", f"ko.flip({x})", f"ko.sort({x}, axis=0)"])


def _test(scope):
    """A bool scalar."""
    if scope.integers and scope.g.chance(0.4):
        return f"({scope.g.pick(scope.integers)} {scope.g.pick(['>', '==', '<='])} {_number(scope)})"
    return f"ko.{scope.g.pick(['any', 'all'])}({scope.array()} > {_term(scope)})"


def _bound(scope):
    if scope.integers and scope.g.chance(0.4):
        return f"ko.clip({scope.g.pick(scope.integers)}, 0, 4)"
    return str(scope.g.pick([-1, 0, 1, 2, 3, 5]))


def _fori_loop(scope, depth):
    i, s = f"i{scope.level}", f"s{scope.level}"
    if scope.g.chance(0.25):  # a pair, handed on crosswise
        body = formula(scope.inside([f"{s}[0]", f"{s}[1]"], [i]), depth - 1)
        return f"ko.fori_loop(0, {_bound(scope)}, lambda {i}, {s}: ({s}[1], {body}), ({scope.array()}, {scope.array()}))[{scope.g.pick([0, 1])}]"
    body = formula(scope.inside([s], [i]), depth - 1)
    return f"ko.fori_loop({scope.g.pick([0, 0, 1, -2])}, {_bound(scope)}, lambda {i}, {s}: {body}, {scope.array()})"


def _while_loop(scope, depth):
    t = f"t{scope.level}"
    inner = scope.inside([f"{t}[1]"], [f"{t}[0]"])
    also = f" & {_test(inner)}" if scope.g.chance(0.4) else ""
    return (
        f"ko.while_loop(lambda {t}: ({t}[0] < {_number(scope)}){also}, lambda {t}: ({t}[0] + 1, {formula(inner, depth - 1)}), "
        f"(ko.asarray(0, 'int32'), {scope.array()}))[1]"
    )


def _cond(scope, depth):
    a = f"a{scope.level}"
    yes, no = (formula(scope.inside([a]), depth - 1) for _ in range(2))
    return f"ko.cond({_test(scope)}, lambda {a}: {yes}, lambda {a}: {no}, {scope.array()})"


def _switch(scope, depth):
    b = f"b{scope.level}"
    branches = ", ".join(f"lambda {b}: {formula(scope.inside([b]), depth - 1)}" for _ in range(scope.g.pick([1, 2, 3])))
    index = scope.g.pick(scope.integers) if scope.integers else f"ko.asarray({scope.g.pick([-1, 0, 1, 2, 9])}, 'int32')"
    return f"ko.switch({index}, [{branches}], {scope.array()})"


def _scan(scope, depth):
    c, r, x = f"c{scope.level}", f"r{scope.level}", scope.array()
    reverse = ", reverse=True" if scope.g.chance(0.4) else ""
    if scope.rank == 0 or scope.g.chance(0.2):  # without slices
        inner = scope.inside([c])
        return f"ko.scan(lambda {c}, {r}: ({formula(inner, depth - 1)}, {c}), {x}, length={scope.g.pick([0, 1, 3])}{reverse})[0]"
    kind = f"ko.{scope.g.pick(['zeros', 'ones'])}({x}.shape[1:], {x}.dtype)"
    several = scope.g.chance(0.3)
    inner = scope.inside([c, f"{r}[0]", f"{r}[1]"] if several else [c, r], rank=scope.rank - 1)
    state, y = formula(inner, depth - 1), formula(inner, depth - 1)
    call = f"ko.scan(lambda {c}, {r}: ({state}, {y}), {kind}, {f'({x}, {scope.array()})' if several else x}{reverse})"
    return f"{call}[1]" if scope.g.chance(0.6) else f"({x} + {call}[0])"


def _associative_scan(scope, depth):
    require(scope.rank)
    p, q = f"p{scope.level}", f"q{scope.level}"
    inner = replace(scope.inside([p, q], rank=scope.rank - 1), arrays=[p, q])
    options = f", axis={scope.g.axis(scope.rank)}" if scope.g.chance(0.5) else ""
    options += ", reverse=True" if scope.g.chance(0.4) else ""
    options += f", identity={_number(scope)}" if scope.g.chance(0.3) else ""
    body = scope.g.pick([f"({p} {scope.g.pick(['+', '*', '-'])} {q})", f"ko.maximum({p}, {q})", formula(inner, min(depth - 1, 1))])
    return f"ko.associative_scan(lambda {p}, {q}: {body}, {scope.array()}{options})"


SIMPLE = [_arithmetic, _arithmetic, _choice, _move]
CONTROL = [_fori_loop, _while_loop, _cond, _switch, _scan, _scan, _associative_scan]


def formula(scope, depth):
    """An expression with the type of the scope's arrays; `depth` constructs deep."""
    if depth <= 0:
        return scope.array()
    kind = scope.g.pick(CONTROL if scope.level == 0 and depth > 1 or scope.g.chance(0.4) else SIMPLE)
    if kind is _associative_scan and scope.rank == 0:
        kind = _arithmetic
    return kind(scope, depth)


def loops():
    def make(g):
        x = g.value(NUMBERS, lambda v: most_cells(v.dims) <= 400, most=3)
        operands = [x, *([g.like(x)] if g.chance(0.6) else [])]
        names = [v.name for v in operands]
        integers = []
        if g.chance(0.3):
            scalar = g.value(INTEGERS[:-1], most=0)
            operands.append(scalar), integers.append(scalar.name)
        text = formula(Scope(g, names, integers, x.rank), g.pick([2, 2, 3]))
        used = [v for v in operands if v.name in text]
        return Step(
            text, tuple(used), x.dtype, x.dims, lambda a: ref.widen(evaluate(text, [v.name for v in used], a))
        )

    return Entry("loops", make, 8.0)


def segmented_scan():
    def make(g):
        x = g.value(NUMBERS, lambda v: most_cells(v.dims) <= 400, least=1, most=3)
        axis = g.axis(x.rank)
        require(is_known(x.dims[axis]) or x.dims[axis].isidentifier())
        segments = g.input("bool", (x.dims[axis],))
        options = f"axis={axis}, segments={segments.name}" + (", reverse=True" if g.chance(0.5) else "")
        options += ", identity=1" if g.chance(0.5) else ""
        text = f"ko.associative_scan(lambda a, b: {g.pick(['a + b', 'a * b', 'ko.minimum(a, b)', 'b'])}, {x.name}, {options})"
        return Step(text, (x, segments), x.dtype, x.dims, lambda a: ref.widen(evaluate(text, [x.name, segments.name], a)))

    return Entry("segmented scan", make, 1.5)


LOOPS = [loops(), segmented_scan()]
