"""The data dimension of every value of a program (docs/data_dimension.md), and programs one step at a time (docs/streams.md)."""

import dataclasses

from kolam import _kolam
from kolam._jit import Jitted, jit
from kolam._stream import Stream, stream
from kolam.errors import KolamTypeError, KolamValueError

__all__ = ["ConflictingCall", "Inferred", "InferredOp", "InferredRelayout", "Stream", "explain", "infer", "pin", "stream"]

_OPTIONS = ("profile", "mode", "allow_dynamic_weights", "constants", "inputs", "outputs", "costs")


@dataclasses.dataclass(frozen=True)
class InferredOp:
    """What one op does: `contract [16! 8] -> [4! 8]`, dims by name where they have one, your line, and what it costs.

    `cost` is "free", "close to free", "compute" or "slower"; `variant` of a product "dot", "axpy" or "outer".
    """

    text: str
    where: tuple | None
    cost: str
    time: int
    memory: int
    variant: str | None


@dataclasses.dataclass(frozen=True)
class InferredRelayout:
    """A value that is moved from the data dimension `source` to `target`, once for all its readers."""

    text: str
    where: tuple | None
    source: int
    target: int
    time: int


@dataclasses.dataclass(frozen=True)
class ConflictingCall:
    """A member of the `core` of a `[data-dimension]` error: a call of yours, or a pin.

    `kind` is "op", "input", "output", or "pin" of one in the program; `name` that of the op, or of the argument or result
    that is pinned.
    """

    kind: str
    name: str
    where: tuple | None
    text: str


@dataclasses.dataclass(frozen=True)
class Inferred:
    """What `infer` found. `inputs` and `outputs` hold a dim for each argument and result, or None of constants and rank 0.

    `total` is the least sum of times where `exact` is true; else it lies between `bound` and `total`. `str` shows the ops
    in order, each shape with a `!` behind its data dimension.
    """

    inputs: list
    outputs: list
    ops: list
    relayouts: list
    total: int
    bound: int
    exact: bool
    _text: str = dataclasses.field(repr=False)
    _program: str = dataclasses.field(repr=False)
    _dot: str = dataclasses.field(repr=False)
    _json: str = dataclasses.field(repr=False)

    def __str__(self):
        return self._text

    def as_program(self):
        """The program's text, each line with the data dimension of its operands and results and what it costs."""
        return self._program

    def as_dot(self):
        """The graph of ops and values in graphviz's language."""
        return self._dot

    def as_json(self):
        """Values, ops with all rows, the choice and the total: enough for another program to check both."""
        return self._json


def infer(
    f, /, *args, profile="seed", mode="strict", allow_dynamic_weights=False, constants=(), inputs=None, outputs=None, costs="blocks", **named
):  # fmt: skip
    """The data dimension of every value that `f(*args)` computes, by the rules of a profile, whose total cost is least.

    Each value of rank 1 or more has one dim, its data dimension, that lies in vectors; each op takes and gives it by the
    rules of the profile, "seed", "vollo27" or "relaxed", at a cost. `constants` are the names of arguments that are known
    when the program is compiled, as captured arrays always are. `inputs` and `outputs` say where data dimensions are given:
    a dim, or a word for each dim with a `!` behind one; inputs by the argument's name or number. Words are names, which
    travel to all dims that are the same and stand in what is shown. With `mode="repair"`
    values are moved where that is cheapest, and nothing is refused. `costs` are "blocks", half blocks of 32 elements, or
    "cpu", nanoseconds of the cost model. A kolam.ShapeDtypeStruct may stand for an array.

    >>> import kolam as ko
    >>> r = ko.layout.infer(lambda w, x: w @ x, ko.ones((4, 16)), ko.ones((16, 8)), constants=["w"])
    >>> r.inputs, r.outputs, r.ops[0].variant
    ([None, 0], [0], 'dot')

    Raises `[data-dimension]` where no choice fits: its `core` holds the calls and pins that contradict one another, each of
    which is needed for that, and its text what would help, each tried. Raises `[layout-option]` for an unknown profile,
    mode or cost, `[layout-pin]` for a pin of what is not there, of a constant, or out of range, and `[layout-names]` where
    pins give two names to dims that are one.
    """
    program = _jitted("layout.infer", f).lower(*args, **named)
    options = {
        "profile": _text("profile", profile),
        "mode": _text("mode", mode),
        "costs": _text("costs", costs),
        "allow_dynamic_weights": bool(allow_dynamic_weights),
        "constants": [_text("constants", str(name) if isinstance(name, int) else name) for name in _names(constants)],
        "inputs": {_name("inputs", name): pin for name, pin in _pins("inputs", inputs).items()},
        "outputs": {_number(number): pin for number, pin in _pins("outputs", outputs).items()},
    }
    found = _kolam._infer_layout(program, options)
    if "core" in found:
        error = KolamValueError.make("layout.infer", "data-dimension", found["message"])
        error.core = [ConflictingCall(**call) for call in found["core"]]
        raise error
    return Inferred(
        found["inputs"], found["outputs"],
        [InferredOp(**op) for op in found["ops"]], [InferredRelayout(**relayout) for relayout in found["relayouts"]],
        found["total"], found["bound"], found["exact"], found["text"], found["program"], found["dot"], found["json"],
    )  # fmt: skip


def pin(x, at):
    """`x`, with its data dimension given, and names for its dims.

    `at` is a dim, from the end where it is negative, or a word for each dim with a `!` behind that of the data dimension:
    a name, the dim's extent, or `_`; the last two name nothing. `infer` takes as given that the value has that data
    dimension there, and whatever has the same dims has their names. Inside `jit` the CPU stores the value with that dim
    last, or computes it in vectors along it. The value is that of `x`, and an array that is there already is given back
    as it is.

    >>> import kolam as ko
    >>> r = ko.layout.infer(lambda x: ko.tanh(ko.layout.pin(x, "batch feature!")), ko.ones((4, 8)))
    >>> r.ops[1].text
    'tanh [batch feature!] -> [batch feature!]'

    Raises `[layout-pin]` for dims out of range, rank 0, another number of words, a name twice, not one `!`, what is no name.
    """
    return _kolam._pin_layout(x, at)


def explain(f, /, *args, **options):
    """What `explain` says of the program that `f(*args)` runs, and behind it what `infer` finds: the data dimension of every
    value, what each op costs by the rules of a profile, and the total.

    Takes the options of `infer`, and raises as it does.

    >>> import kolam as ko
    >>> text = ko.layout.explain(lambda x: ko.tanh(x), ko.ones((4, 8)))
    >>> text.split("data dimensions: ")[1].splitlines()[:2]
    ['profile seed, costs blocks', '  argument x [4 8!]  free']
    """
    jitted = _jitted("layout.explain", f)
    found = infer(jitted, *args, **options)
    named = {name: given for name, given in options.items() if name not in _OPTIONS}
    return jitted.lower(*args, **named).explain() + "data dimensions: " + str(found)


def _jitted(function, f):
    if not callable(f):
        raise KolamTypeError.make(function, "argument-type", f"argument 'f': expected a function, but got {f!r}")
    return f if isinstance(f, Jitted) else jit(f)


def _refuse(argument, expected, given):
    raise KolamTypeError.make("layout.infer", "argument-type", f"argument '{argument}': expected {expected}, but got {given!r}")


def _text(argument, given):
    return given if isinstance(given, str) else _refuse(argument, "a text", given)


def _names(given):
    return [given] if isinstance(given, str) else list(given)


def _pins(argument, given):
    if given is None:
        return {}
    return given if isinstance(given, dict) else _refuse(argument, "a dict of dims", given)


def _name(argument, given):
    if isinstance(given, int) and not isinstance(given, bool):
        return str(given)
    return _text(argument, given)


def _number(given):
    is_number = isinstance(given, int) and not isinstance(given, bool)
    return given if is_number else _refuse("outputs", "the number of a result", given)
