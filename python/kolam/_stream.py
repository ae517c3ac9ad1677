"""A function of whole sequences, one step at a time (docs/streams.md)."""

import inspect

from kolam import _kolam
from kolam._jit import Jitted, jit
from kolam._pytree import flatten, unflatten
from kolam._words import with_article
from kolam.errors import KolamTypeError, KolamValueError

_NAME = "layout.stream"


class Stream:
    """What `kolam.layout.stream` makes: a step, and the state that it carries to the next.

    Not for several threads at once.
    """

    __slots__ = ("_stream", "_structure", "_assemble", "_names")

    def __init__(self, stream, structure, assemble):
        self._stream, self._structure, self._assemble = stream, structure, assemble
        self._names = [f"{number}: {name}" for number, name in enumerate(stream.state_names())]

    def __repr__(self):
        return f"<kolam.layout.Stream of {', '.join(self._structure.names)}>"

    def __call__(self, *elements, out=None, **named):
        """The results for the next element of each sequence: arrays without the axis, in the order of the arguments.

        With `out` (a NumPy array, or a list of them, one for each result) they are written there, and None is returned.
        An error leaves the state as it was, and `out` unspecified.
        """
        leaves = self._leaves(elements, named)
        if out is None:
            return self._assemble(self._stream.step(leaves))
        self._stream.step_into(list(out) if isinstance(out, list | tuple) else [out], leaves)
        return None

    def run(self, *sequences, **named):
        """Several steps: sequences with the axis, of one length. The results have it too."""
        return self._assemble(self._stream.run(self._leaves(sequences, named)))

    def step(self, state, *elements, **named):
        """(the state behind a step from `state`, its results). Neither `state` nor that of the stream changes."""
        next_state, results = self._stream.step_from(self._arrays(state), self._leaves(elements, named))
        return dict(zip(self._names, next_state, strict=True)), self._assemble(results)

    def reset(self):
        """Back to the state before the first step."""
        self._stream.reset()

    @property
    def initial(self):
        """The state before the first step: arrays by what they are, as `kolam.save_npz(file, state)` keeps them."""
        return dict(zip(self._names, self._stream.initial(), strict=True))

    @property
    def state(self):
        """The state behind the last step. May be set to another one, as `initial` or `kolam.load_npz(file)` give it."""
        return dict(zip(self._names, self._stream.state(), strict=True))

    @state.setter
    def state(self, state):
        self._stream.set_state(self._arrays(state))

    @property
    def axes(self):
        """The dim of each result of the whole function that a step leaves out; None of one that is always the same."""
        return self._stream.result_axes()

    def lower(self):
        """The program of a step: as_text(stage), explain(), cost()."""
        return self._stream.program()

    def explain(self):
        """The loop nests of a step, what each state is, and where the stream ends, if it does."""
        return self._stream.explain()

    def _arrays(self, state):
        if not hasattr(state, "keys") or set(state.keys()) != set(self._names):
            given = sorted(state.keys()) if hasattr(state, "keys") else with_article(type(state).__name__)
            raise KolamValueError.make(_NAME, "stream-state", f"expected a dict of the arrays {self._names}, but got {given}")
        return [state[name] for name in self._names]

    def _leaves(self, positional, named):
        names = self._structure.names
        given = dict(zip(names, positional, strict=False))
        wrong = len(positional) > len(names) or set(given) & set(named) or set(given) | set(named) != set(names)
        if wrong:
            raise KolamTypeError.make(
                _NAME, "call-mismatch", f"expected an element for each of {', '.join(names)}, but got {len(positional)} by place and "
                f"{sorted(named)} by name",
            )  # fmt: skip
        given |= named
        leaves = []
        for name, structure in zip(names, self._structure.structures, strict=True):
            if (found := flatten(given[name], leaves)) != structure:
                raise KolamTypeError.make(
                    _NAME, "call-mismatch", f"argument '{name}': expected the structure {structure!r}, but got {found!r}"
                )
        return leaves


class _Elements:
    """The arguments that are sequences: their names, and the structure of each."""

    def __init__(self, names, structures):
        self.names, self.structures = names, structures


def stream(f, /, *args, axis=0, **named):
    """`f`, a function of whole sequences, as a function of one element after the other, with a state.

        y[t] = f(x[t], x[t - 1], ..., the state before t)

    `args` are those of a call of `f` on whole sequences; of sequences only dtype and shape count. `axis` is the dim that
    steps go along, of every argument, or `{"x": 0}`, by the argument's name: the others keep the values given. What the
    i-th call gives is, bit by bit, element i along the axis of what `f` gives for the whole sequences.

    >>> import kolam as ko
    >>> def mean_of_two(x):
    ...     before = ko.concat([ko.zeros(1), x[:-1]])
    ...     return (x + before) / 2
    >>> s = ko.layout.stream(mean_of_two, ko.zeros(8))
    >>> [float(s(x)) for x in (1.0, 3.0, 5.0)]
    [0.5, 2.0, 4.0]
    >>> s.reset()
    >>> s.run(ko.asarray([1.0, 3.0, 5.0])).tolist()
    [0.5, 2.0, 4.0]

    Sequences may be read at t and before: element by element, by delays, windows and convolutions that are padded in
    front, running combinations, scans along the axis, and causal attention with a left window. `s.state` can be kept and
    set again, `s.step(state, x)` is a function without a state of its own, `s.run(xs)` takes several elements.

    Raises `[not-streamable]` at your line for what looks ahead, reduces, sorts, reshapes, strides or gathers along the
    axis; `[stream-axis]` for an axis that is not there or differs in length. Calls raise `[argument-mismatch]` for another
    dtype or shape, and `[stream-end]` behind the last row of a table that `f` reads along the axis; the state stays.
    """
    if not callable(f):
        raise KolamTypeError.make(_NAME, "argument-type", f"argument 'f': expected a function, but got {f!r}")
    axes = _axes(axis)
    jitted = f if isinstance(f, Jitted) else jit(f)
    call = jitted._match(args, named)
    if call.described is None:
        raise KolamTypeError.make(_NAME, "traced-value", "expected arrays, but got a traced value")
    if call.depths is not None:
        raise KolamTypeError.make(_NAME, "argument-type", "expected arrays, but got a list of kolam.fractal")
    entry = jitted._entry(call)
    one_axis = axis if not isinstance(axis, dict) else 0
    made = _kolam._Stream.make(entry.program, call.described[0], one_axis, axes, jitted._backend)
    elements = _elements(jitted, call, axes)
    return Stream(made, elements, entry.assemble or (lambda arrays: arrays[0]))


def _axes(axis):
    if isinstance(axis, int) and not isinstance(axis, bool):
        return {}
    is_right = isinstance(axis, dict) and axis and all(
        isinstance(name, str) and isinstance(dim, int) and not isinstance(dim, bool) for name, dim in axis.items()
    )  # fmt: skip
    if not is_right:
        raise KolamTypeError.make(
            _NAME, "argument-type", f"argument 'axis': expected a dim, or dims by the names of arguments, but got {axis!r}"
        )
    return dict(axis)


def _elements(jitted, call, axes):
    positional, named = unflatten(call.structure, iter(range(call.structure.num_leaves)))
    names, structures = [], []
    for name, value in _by_own_names(jitted._parameters.by_name(positional, named), jitted._parameters.signature):
        structure = flatten(value, leaves := [])
        if leaves and (not axes or name.partition("[")[0] in axes):
            names.append(name)
            structures.append(structure)
    return _Elements(names, structures)


def _by_own_names(arguments, signature):
    """(name, value) of each argument; those that a `*rest` takes are `rest[0]`, those of a `**rest` go by their own names."""
    for name, value in arguments.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            yield from ((f"{name}[{number}]", part) for number, part in enumerate(value))
        elif kind is inspect.Parameter.VAR_KEYWORD:
            yield from value.items()
        else:
            yield name, value
