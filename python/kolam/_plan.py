"""Plans: a program cut into tasks for many workers, found, proved, simulated and run (docs/plans.md)."""

import dataclasses
import json
import re
import threading
from collections.abc import Sequence

from kolam import _creation, _kolam
from kolam._jit import Jitted, jit
from kolam._pytree import flatten
from kolam._shapes import ShapeDtypeStruct
from kolam.errors import KolamTypeError, KolamValueError

_UNITS = {"": 1, "b": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12}


class source(ShapeDtypeStruct):
    """An array in a `.npy` file, which the tasks of a plan read box by box.

    >>> import kolam as ko, numpy as np, tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "x.npy")
    >>> np.save(path, np.ones((4, 6), np.float32))
    >>> ko.source(path).shape
    (4, 6)

    Raises `[io-read]` where there is no such file, and `[bad-npy]` where it holds no array.
    """

    __slots__ = ("path",)

    def __init__(self, path):
        if not isinstance(path, str) and not hasattr(path, "__fspath__"):
            raise KolamTypeError.make("source", "argument-type", f"argument 'path': expected a path, but got {path!r}")
        self.path = path if isinstance(path, str) else path.__fspath__()
        dtype, shape = _kolam._npy_spec(self.path)
        super().__init__(shape, dtype)

    def __repr__(self):
        return f"kolam.source({self.path!r})"


@dataclasses.dataclass(frozen=True)
class Level:
    """Workers by groups of `group` neighbours reach one another over links of `bandwidth` (bytes a second) and `latency` (s)."""

    group: int
    bandwidth: float
    latency: float


@dataclasses.dataclass(frozen=True)
class Machine:
    """What plans run on: equal workers, and the links between them.

    `flops` and `memory_bandwidth` (bytes) are those of one worker in a second, `memory` its bytes, `task_overhead` the
    seconds that each task costs. `levels` go from the smallest groups to the largest; two workers are joined by the first
    whose groups hold both.

    >>> import kolam as ko
    >>> m = ko.Machine(8, flops=1e12, memory_bandwidth=1e11, memory=2**34, levels=[ko.Level(8, 1e10, 1e-6)])
    >>> ko.Machine.from_json(m.as_json()) == m
    True

    Raises `[bad-machine]` for numbers that are none, or not positive.
    """

    workers: int
    flops: float
    memory_bandwidth: float
    memory: int
    levels: Sequence  # of Level
    task_overhead: float = 0.0

    def __post_init__(self):
        object.__setattr__(self, "levels", tuple(self.levels))
        _kolam._check_machine(self.as_json())

    @classmethod
    def local(cls):
        """This machine: its threads are the workers. Measured once, then read from the cache on disk."""
        return cls.from_json(_kolam._local_machine(1))

    @classmethod
    def load(cls, path):
        """From a file that `save` wrote, or one by hand. Raises `[bad-machine]`, naming the place in it."""
        with open(path, encoding="utf-8") as file:
            return cls.from_json(file.read())

    @classmethod
    def from_json(cls, text):
        """From what `as_json` gave."""
        facts = json.loads(_kolam._check_machine(text))
        del facts["format"]
        facts["levels"] = [Level(**level) for level in facts["levels"]]
        return cls(**facts)

    def as_json(self):
        """The machine as a JSON object."""
        return json.dumps({"format": 1} | dataclasses.asdict(self))

    def save(self, path):
        """Writes `as_json()` to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.as_json())


@dataclasses.dataclass(frozen=True)
class Simulated:
    """What a run of a plan takes on a machine, event by event.

    `time` is in seconds; `busy` (s), `bytes_in` and `peak_memory` have an entry for each worker. `timeline` holds
    (worker, start, end, family, is_move) of each task and transfer.
    """

    time: float
    busy: list
    bytes_in: list
    peak_memory: list
    timeline: list


@dataclasses.dataclass(frozen=True)
class Alternative:
    """A plan that was looked at, its cost, and why another one is better (empty of the one that was chosen)."""

    what: str
    cost: dict
    why_not: str


class Task:
    """A run that has been started; `result` waits for it. It may be an argument of another plan's run."""

    def __init__(self, run):
        self._outcome = self._error = None
        self._done = threading.Event()

        def work():
            try:
                self._outcome = run()
            except BaseException as error:  # for whoever asks for the result
                self._error = error
            self._done.set()

        threading.Thread(target=work, name="kolam-plan", daemon=True).start()

    def done(self):
        """Whether the run has ended."""
        return self._done.is_set()

    def result(self, timeout=None):
        """What the run gave, or its error. Raises TimeoutError where it takes more than `timeout` seconds."""
        if not self._done.wait(timeout):
            raise TimeoutError(f"the plan's run has not ended after {timeout} s")
        if self._error is not None:
            raise self._error
        return self._outcome


class Plan:
    """A program cut into tasks: what `kolam.plan` found, or a file holds."""

    __slots__ = ("_plan", "_assemble", "_structure")

    def __init__(self, plan, assemble=None, structure=None):
        self._plan, self._assemble, self._structure = plan, assemble, structure

    @classmethod
    def load(cls, path):
        """From a file that `save` wrote. Its `run` takes arrays in the program's order and gives the result, or a tuple of them.

        Raises `[io-read]`, and `[bad-plan]`, naming the place in the file.
        """
        return cls(_kolam._Plan.load(str(path)))

    @classmethod
    def from_json(cls, text):
        """From what `as_json` gave. Raises `[bad-plan]`, naming the place in the text."""
        return cls(_kolam._Plan.from_json(text))

    @property
    def cost(self):
        """What the planner predicts: time, work, bytes_in, peak_memory, wasted, workers."""
        return self._plan.cost()

    @property
    def front(self):
        """Costs of plans that were looked at, none of which another is below in all entries."""
        return self._plan.front()

    @property
    def alternatives(self):
        """The plans that were looked at."""
        return [Alternative(*one) for one in self._plan.alternatives()]

    def __str__(self):
        return self._plan.to_string()

    def __repr__(self):
        cost = self.cost
        return f"<kolam.Plan for {cost.get('workers', 1):.0f} workers, {cost.get('time', 0):.3g} s>"

    def explain(self):
        """The cost, how each stage is cut, and the alternatives and why they lost."""
        return self._plan.explain()

    def check(self, f=None, *args):
        """Every rule that the plan breaks, as texts, by a checker of its own; an empty list where it is sound.

        With a function and its arguments also what differs from the plan that the trace gives for that program.
        """
        return self._plan.check() if f is None else self._plan.check_program(_program(f, args)[0])

    def as_json(self):
        """The plan as a JSON document."""
        return self._plan.as_json()

    def save(self, path):
        """Writes `as_json()` to a file, whole or not at all."""
        self._plan.save(str(path))

    def simulate(self, machine=None):
        """What a run takes on a `Machine`, this one where none is given."""
        if machine is None:
            machine = Machine.from_json(_kolam._local_machine(self._plan.workers()))
        if not isinstance(machine, Machine):
            raise KolamTypeError.make("Plan.simulate", "argument-type", f"argument 'machine': expected a Machine, but got {machine!r}")
        return Simulated(**self._plan.simulate(machine.as_json()))

    def as_dot(self):
        """The plan as a graph for Graphviz: stages, and tensors with their shards, coloured by the worker that makes them.

        Edges bear the rows of projections, `[A | b | S]`: point c of a stage's index space has [A c + b, A c + b + S).
        """
        from kolam import _plan_pictures

        return _plan_pictures.as_dot(json.loads(self.as_json()))

    def as_html(self, machine=None):
        """A page that loads nothing: the graph, when each worker does what on a `Machine`, and what each one holds."""
        from kolam import _plan_page

        return _plan_page.as_html(json.loads(self.as_json()), self.simulate(machine), self.explain())

    def run(self, *args, engine="local", out=None, backend="cpu", **options):
        """The program's results, bit by bit, by the plan's tasks.

        `args` are arrays, `kolam.source` files, of which each task reads the box it needs, or tasks of `start`. `engine` is
        "local", threads of this process, "ray" or "dask". With `out={0: "y.npy"}` result 0 goes to that file box by box,
        and None stands in its place. The file appears when all is computed.

        Raises `[plan-broken]` where `check` finds anything, `[argument-mismatch]`, and the error of the task that fails
        first, with its stage and piece.
        """
        leaves = self._leaves(args)
        files = {} if out is None else {_number("out", number): str(path) for number, path in out.items()}
        if engine == "local":
            if options:
                raise KolamTypeError.make("Plan.run", "call-mismatch", f"engine 'local' takes no options, but got {sorted(options)}")
            results = self._plan.run(leaves, files, backend)
        else:
            from kolam import engines

            results = engines.run(engine, self._plan, leaves, files, options)
        if self._assemble is not None:
            return self._assemble(results)
        return results[0] if len(results) == 1 else tuple(results)

    def start(self, *args, **options):
        """`run` on a thread of its own: a `Task`, whose `result()` waits."""
        return Task(lambda: self.run(*args, **options))

    def _leaves(self, args):
        leaves = []
        structure = flatten((tuple(_awaited(arg) for arg in args), {}), leaves)
        if self._structure is not None and structure != self._structure:
            raise KolamTypeError.make(
                "Plan.run", "call-mismatch", f"expected arguments of the structure {self._structure!r}, but got {structure!r}"
            )
        specs = self._plan.parameters() + [(None, ())] * len(leaves)
        return [_leaf(leaf, dtype) for leaf, (dtype, _) in zip(leaves, specs, strict=False)]


def _leaf(leaf, dtype):
    """A file's path, a number of Python as an array of the parameter's dtype, or the array."""
    if isinstance(leaf, source):
        return leaf.path
    if isinstance(leaf, bool | int | float) and dtype is not None:
        return _creation.asarray(leaf, dtype=dtype)
    return leaf


def _awaited(arg):
    return arg.result() if isinstance(arg, Task) else arg


def _number(argument, given):
    if isinstance(given, int) and not isinstance(given, bool):
        return given
    raise KolamTypeError.make("Plan.run", "argument-type", f"argument '{argument}': expected numbers of results, but got {given!r}")


def _bytes(argument, given):
    """A number of bytes: an int, or a text such as "2GiB"."""
    if given is None:
        return 0
    if isinstance(given, int) and not isinstance(given, bool):
        return given
    if isinstance(given, str) and (match := re.fullmatch(r"\s*([0-9.]+)\s*([A-Za-z]*)\s*", given)):
        number, unit = match.groups()
        if unit.lower() in _UNITS and number.count(".") <= 1 and number != ".":
            return int(float(number) * _UNITS[unit.lower()])
    raise KolamValueError.make("plan", "plan-option", f"option '{argument}': expected bytes, as 1000000 or \"2GiB\", but got {given!r}")


def plan(
    f,
    /,
    *args,
    workers=2,
    memory_per_worker=None,
    objective="time",
    limits=None,
    machine=None,
    allow="exact",
    seed=0,
    seconds=10,
    steps=None,
    keeps_results=False,
    choices="search",
):
    """The best plan that is found for running `f(*args)` on `workers` workers.

    Values are cut into boxes along the indices of the ops that make them; what a box needs follows from the ops'
    signatures. `args` are arrays, `kolam.ShapeDtypeStruct`, or `kolam.source` files. `objective` and the keys of `limits`
    are "time" (s), "work" (s), "bytes_in" (of the busiest worker), "peak_memory" (bytes, of one), "wasted" (elements
    computed more than once) and "workers". `memory_per_worker` is the limit of "peak_memory", as bytes or `"2GiB"`. With
    `allow="reassociate"` sums may be taken in any groups; else every bit is that of `f`. The same `seed` and `steps` give
    the same plan. `choices` are equations by which the program is rewritten before it is cut: texts that
    `kolam.rewritten` takes, and "search" for all that makes the plan better.

    >>> import kolam as ko
    >>> x, w = ko.ones((8, 4)), ko.ones((4, 6))
    >>> p = ko.plan(lambda x, w: ko.relu(x @ w), x, w, workers=2, steps=0)
    >>> p.check()
    []
    >>> p.run(x, w).shape
    (8, 6)

    Raises `[plan-option]`, `[plan-choice]` where a choice does not apply, `[plan-limit]` where no plan is within the
    limits, naming the nearest one, `[not-cut]` for programs that take or give lists, or arrays whose extents are symbols,
    and `[bad-partitioning]`.
    """
    if not callable(f):
        raise KolamTypeError.make("plan", "argument-type", f"argument 'f': expected a function, but got {f!r}")
    if machine is not None and not isinstance(machine, Machine):
        raise KolamTypeError.make("plan", "argument-type", f"argument 'machine': expected a Machine, but got {machine!r}")
    program, assemble, structure = _program(f, args)
    options = {
        "workers": _integer("workers", workers),
        "memory_per_worker": _bytes("memory_per_worker", memory_per_worker),
        "objective": _text("objective", objective),
        "limits": {_text("limits", name): float(limit) for name, limit in (limits or {}).items()},
        "machine": None if machine is None else machine.as_json(),
        "allow": _text("allow", allow),
        "seed": _integer("seed", seed),
        "seconds": float(seconds),
        "steps": -1 if steps is None else _integer("steps", steps),
        "keeps_results": bool(keeps_results),
        "choices": _texts("plan", "choices", choices),
    }
    return Plan(_kolam._Plan.make(program, options), assemble, structure)


@dataclasses.dataclass(frozen=True)
class ChoiceRow:
    """A row of the table of choices: an equation, read from left to right, the condition, and what it leaves open.

    Rows that are not `exact` take sums and roundings in another order. `plan` tries those that are `searched`; the others
    do what it does by cutting.
    """

    name: str
    equation: str
    condition: str
    parameters: str
    exact: bool
    searched: bool


@dataclasses.dataclass(frozen=True)
class PossibleChoice:
    """A choice at a place of a program: the text that `rewritten` takes, the op and the user's line."""

    text: str
    what: str
    exact: bool


def choice_rows():
    """The table of choices: what `possible_choices`, `rewritten` and the option `choices` of `plan` name.

    >>> import kolam as ko
    >>> next(row.equation for row in ko.choice_rows() if row.name == "sum_of_scaled")
    'sum(x c) = sum(x) c'
    """
    return [ChoiceRow(*row) for row in _kolam._choice_rows()]


def possible_choices(f, /, *args, names=(), workers=2, allow="exact"):
    """The places of the program of `f(*args)` where choices apply, with parameters for that many workers.

    Of the rows in `names`, or of those that `plan` tries; other parameters may be given by hand. With `allow="exact"` only
    those that keep every bit.

    >>> import kolam as ko
    >>> x, y, z = ko.ones((9, 4)), ko.ones((4, 5)), ko.ones((5, 1))
    >>> [c.text for c in ko.possible_choices(lambda x, y, z: x @ y @ z, x, y, z, allow="reassociate")][0]
    'associate_products 1 factor=1 side=0'

    Raises `[plan-choice]` for a name of no row, `[plan-option]`, and `[not-cut]` as `plan` does.
    """
    names = _texts("possible_choices", "names", names)
    workers = _integer("workers", workers)
    return [PossibleChoice(*one) for one in _kolam._possible_choices(_program(f, args)[0], names, workers, _text("allow", allow))]


def rewritten(f, /, *args, choices, workers=2, allow="exact"):
    """The program of `f(*args)` after choices, one after the other.

    Each is a text of `possible_choices`, whose numbers count the ops of the program as it then is, or a name alone, which
    applies wherever it can. Gives a `Program`, as `f.lower` does.

    >>> import kolam as ko
    >>> x, y, z = ko.ones((9, 4)), ko.ones((4, 5)), ko.ones((5, 1))
    >>> p = ko.rewritten(lambda x, y, z: x @ y @ z, x, y, z, choices="associate_products", allow="reassociate")
    >>> p.run([x, y, z])[0].shape
    (9, 1)

    Raises `[plan-choice]` where one does not apply, or keeps less than `allow` says; and as `possible_choices` does.
    """
    choices = _texts("rewritten", "choices", choices)
    return _kolam._rewritten(_program(f, args)[0], choices, _integer("workers", workers), _text("allow", allow))


def _texts(function, option, given):
    """A text, or several, as a list."""
    if isinstance(given, str):
        return [given]
    if given is None:
        return []
    if isinstance(given, Sequence) and all(isinstance(one, str) for one in given):
        return list(given)
    raise KolamTypeError.make(function, "argument-type", f"option '{option}': expected a text or a list of texts, but got {given!r}")


def _program(f, args):
    """The program of a call, what makes its result of arrays, and the structure of its arguments."""
    jitted = f if isinstance(f, Jitted) else jit(f)
    args = tuple(_awaited(arg) for arg in args)
    call = jitted._match(args, {}, takes_shapes=True)
    if call.described is None:
        raise KolamTypeError.make("plan", "traced-value", "expected arrays, but got a traced value")
    if call.depths is not None:
        raise KolamTypeError.make("plan", "argument-type", "expected arrays, but got a list of kolam.fractal")
    entry = jitted._entry(call)
    structure = None if call.statics else flatten((args, {}), [])
    return entry.program, entry.assemble or (lambda arrays: arrays[0]), structure


def _random_plan(f, *args, workers, seed):
    """A plan whose stages are cut at random, for tests."""
    program, assemble, structure = _program(f, args)
    return Plan(_kolam._Plan.random(program, workers, seed), assemble, structure)


def _text(option, given):
    if isinstance(given, str):
        return given
    raise KolamTypeError.make("plan", "argument-type", f"option '{option}': expected a text, but got {given!r}")


def _integer(option, given):
    if isinstance(given, int) and not isinstance(given, bool):
        return given
    raise KolamTypeError.make("plan", "argument-type", f"option '{option}': expected an integer, but got {given!r}")
