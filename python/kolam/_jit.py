"""jit: a Python function of arrays, traced once per shapes and dtypes, compiled and cached."""

import functools
import itertools
import threading

from kolam import _kolam
from kolam.errors import KolamTypeError, KolamValueError
from kolam._parameters import Parameters
from kolam.pytree import LEAF, flatten, unflatten
from kolam._static_list import check_length, static_lists
from kolam._statics import identity


_MISSING = object()


class Jitted:
    """A function that `jit` made. Calls with known dtypes, shapes and statics run the compiled program."""

    def __init__(self, function, backend, static_argnames, donate_argnames, dynamic, checks, order):
        functools.update_wrapper(self, function)
        self._function = function
        self._name = getattr(function, "__name__", "jit")
        self._backend = backend
        self._statics = frozenset(_names(static_argnames))
        self._parameters = Parameters(function, self._name, self._statics)
        self._donated = frozenset(_names(donate_argnames))
        self._checks = _checked(checks)
        self._order = _known_order(order)
        if not isinstance(dynamic or {}, dict):
            raise _bad_dynamic(f"expected a dict from names to dims, but got {dynamic!r}")
        self._dynamic = {name: _symbols(name, dims) for name, dims in (dynamic or {}).items()}
        self._entries = {}
        self._lock = threading.RLock()
        _check_options(self._parameters.signature, backend, self._statics, self._donated, self._dynamic)
        # Finds the entries of usual calls without a detour through Python.
        self._static_lists = static_lists(function)
        looks = self._donated or self._static_lists
        self._table = None if looks else self._call_table()
        # Where no option names arguments, a call needs no matching of names.
        self._is_plain = not (self._statics or self._donated or self._dynamic)

    def __call__(self, *positional, **named):
        if self._table is not None:
            result = self._table.call(positional, named, _MISSING)
            if result is not _MISSING:
                return result
        call = self._match(positional, named)
        if call.described is None:  # inside another trace: a call, inlined
            return self._inline(positional, named)
        entry = self._entry(call)
        arrays = call.described[0]
        if self._donated:
            # Where a check may fail the arrays are given back, so their memory stays theirs.
            reuses_memory = self._backend == "cpu" and not self._checks
            given = self._given_away(positional, named)
            results = entry.program._run_donating(arrays, self._backend, given, reuses_memory)
        else:
            results = entry.program._run_described(arrays, self._backend)
            if self._table is not None:
                self._table.keep(positional, named, entry.program, entry.assemble)
        return results[0] if entry.assemble is None else entry.assemble(results)

    def _call_table(self):
        """None where arguments that options name have no places."""
        options = {name: None for name in self._statics} | {name: list(dims) for name, dims in self._dynamic.items()}
        placed = self._parameters.by_place_and_name(options)
        return None if placed is None else _kolam._CallTable(self._backend, placed)

    def _inline(self, positional, named):
        if not self._checks:
            return self._function(*positional, **named)
        results = []
        _kolam._trace_checked(lambda: results.append(self._function(*positional, **named)), **self._checks)
        return results[0]

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def lower(self, *positional, **named):
        """The program that a call with these arguments runs: as_text(stage), explain(), cost(), as_dot()."""
        call = self._match(positional, named)
        if call.described is None:
            raise KolamTypeError.make("lower", "traced-value", "expected arrays, but got a traced value")
        return self._entry(call).program

    def explain(self, *positional, **named):
        """The loop nests of that program: what is fused, what is not and why, bytes and flops."""
        return self.lower(*positional, **named).explain()

    def cost(self, *positional, **named):
        """Flops, bytes, arena bytes and nests of that program, by name."""
        return self.lower(*positional, **named).cost()

    def picture(self, kind, /, *positional, **named):
        """A picture, as text, of the program on lists that a call with these arguments runs.

        "cells": what each cell computes, as trees; "structure": the parallel functions as boxes in one another; "blocks":
        the dataflow graph with its access maps; "domain": in which step each cell of a nest of scans may run. Throws
        `[unknown-picture]`.
        """
        program, arrays = self._drawn("picture", positional, named)
        return program.picture(kind, arrays)

    def picture_as_dot(self, kind, /, *positional, **named):
        """The same in graphviz's language."""
        program, arrays = self._drawn("picture_as_dot", positional, named)
        return program.as_dot(kind, arrays)

    def _drawn(self, function, positional, named):
        call = self._match(positional, named)
        if call.described is None:
            raise KolamTypeError.make(function, "traced-value", "expected arrays, but got a traced value")
        return self._entry(call).program, call.described[0]

    def as_dot(self, *positional, **named):
        """The graph of that program's ops in graphviz's language."""
        return self.lower(*positional, **named).as_dot()

    def _tune(self, positional, named, budget):
        if self._backend != "cpu":
            raise KolamValueError.make(
                "tune", "bad-option", "expected a function for the backend 'cpu', but got one that is interpreted"
            )
        call = self._match(positional, named)
        if call.described is None:
            raise KolamTypeError.make("tune", "traced-value", "expected arrays, but got a traced value")
        return self._entry(call).program._tune(call.described[0], budget)

    @property
    def cache_size(self):
        """How many programs have been traced."""
        return len(self._entries)

    def clear_cache(self):
        """Forgets the traced programs."""
        self._entries.clear()
        if self._table is not None:
            self._table.clear()

    def _given_away(self, positional, named):
        """The donated arrays, each once."""
        arguments = self._parameters.bind(positional, named)
        flatten([arguments[name] for name in self._donated if name in arguments], leaves := [])
        return list({id(leaf): leaf for leaf in leaves if isinstance(leaf, _kolam.Array)}.values())

    def _match(self, positional, named):
        known = self._check_static_lists(positional, named) if self._static_lists else ()
        statics = {}
        if not self._is_plain:
            positional, named, statics = self._parameters.take_statics(positional, named)
        leaves = []
        structure = flatten((positional, named), leaves)
        depths = _depths(leaves)
        if depths is not None:
            return self._match_lists(structure, leaves, depths, statics, known)
        described = _kolam._describe_leaves(leaves, lambda place: self._parameters.owner(structure, place), self._name)
        specs = None
        if self._dynamic and described is not None:
            specs = self._symbolic_specs(structure, described[0])
        return _Call(structure, described, specs, statics)

    def _check_static_lists(self, positional, named):
        """The names of arguments that are FractalTensors of known lengths."""
        arguments = self._parameters.bind(positional, named)
        given = {name: annotation for name, annotation in self._static_lists.items() if name in arguments}
        return [name for name, annotation in given.items() if check_length(self._name, name, annotation, arguments[name])]

    def _match_lists(self, structure, leaves, depths, statics, known):
        """A call with lists: each is its leaves and offsets, whose numbers are symbols, but for the outermost length of the
        arguments `known`."""
        if any(isinstance(leaf, _kolam.TracedList) for leaf in leaves):
            return _Call(structure, None, None, statics)
        arrays, owners, counted = [], [], set()
        for place, (leaf, depth) in enumerate(zip(leaves, depths, strict=True)):
            parts = [leaf]
            if depth:
                parts = [leaf.leaves(), *(leaf.offsets(level) for level in range(1, depth))]
                counted.update(range(len(arrays), len(arrays) + depth))
                if known and self._parameters.owner(structure, place) in known:
                    counted.discard(len(arrays) + (depth > 1))
            arrays += parts
            owners += [place] * len(parts)
        described = _kolam._describe_leaves(arrays, lambda place: self._parameters.owner(structure, owners[place]), self._name)
        if described is None:
            return _Call(structure, None, None, statics)
        if self._dynamic:
            raise _bad_dynamic("expected no dynamic dims beside lists, whose lengths always are, but got some")
        specs = tuple(
            (array.dtype, (_kolam.Extent(f"n{place}"), *array.shape[1:]) if place in counted else tuple(array.shape))
            for place, array in enumerate(described[0])
        )
        return _Call(structure, described, specs, statics, depths)

    def _invoke(self, positional, named, statics):
        if self._is_plain:
            return self._function(*positional, **named)
        positional, named = self._parameters.with_statics(positional, named, statics)
        return self._function(*positional, **named)

    def _symbolic_specs(self, structure, arrays):
        """(dtype, shape) by leaf; the extents of dynamic dims are symbols."""
        arguments = self._parameters.by_name(*unflatten(structure, itertools.count()))
        shapes = [list(array.shape) for array in arrays]
        for name, symbols in self._dynamic.items():
            if name not in arguments:
                continue
            leaves = []
            flatten(arguments[name], leaves)
            for position, leaf in enumerate(leaves):
                for dim, (symbol, is_given) in symbols.items():
                    rank = len(shapes[leaf])
                    if not -rank <= dim < rank:
                        raise KolamValueError.make(
                            self._name, "axis-out-of-range",
                            f"argument '{name}': expected a rank that has the dynamic dim {dim}, "
                            f"but got rank {rank}",
                        )
                    # Leaves of one argument have extents of their own.
                    own = symbol if position == 0 or is_given else f"{symbol}_{position}"
                    shapes[leaf][dim] = _kolam.Extent(own)
        return tuple((array.dtype, tuple(shape)) for array, shape in zip(arrays, shapes, strict=True))

    def _entry(self, call):
        statics = frozenset((name, identity(value)) for name, value in call.statics.items())
        key = (call.structure, call.depths, statics, call.described[1] if call.specs is None else call.key_of_specs())
        entry = self._entries.get(key)
        if entry is None:
            with self._lock:
                entry = self._entries.get(key)
                if entry is None:
                    entry = self._entries[key] = self._trace(call)
        return entry

    def _trace(self, call):
        results = []

        def traced(values):
            positional, named = unflatten(call.structure, _packed(values, call.depths))
            leaves = []
            result = self._invoke(positional, named, call.statics)
            _check_zips(result)
            results.append(flatten(result, leaves))
            results.append(_depths(leaves))
            return _unpacked(leaves) if results[1] else leaves

        arrays, _, scalars = call.described
        specs = call.specs
        if specs is None:
            specs = [(array.dtype, array.shape) for array in arrays]
        program = _kolam._trace(specs, scalars, traced)
        if self._checks:
            program = program.with_checks(**self._checks)
        if self._order != "auto":
            program = program._in_order(self._order)
        return _Entry(program, *results)


def _check_zips(result):
    """Lists of tuples leave a program with parts of one length."""
    from kolam.fractal._parts import ListOf
    from kolam.fractal._values import list_parts  # which is made of jitted programs

    found = []
    flatten(result, found, lambda part: isinstance(part, ListOf))
    for part in found:
        if isinstance(part, ListOf):
            _kolam._list_require_one_length(list_parts(part))


class _Call:
    """The arguments of a call: their structure, what describes the leaves (None inside a trace), (dtype, shape) by leaf
    where extents are symbols, statics by name, and the depths of leaves where lists are among them."""

    __slots__ = ("structure", "described", "specs", "statics", "depths")

    def __init__(self, structure, described, specs, statics, depths=None):
        self.structure, self.described, self.specs, self.statics = structure, described, specs, statics
        self.depths = depths

    def key_of_specs(self):
        """The specs, and of Python's numbers what the text of dtypes and shapes says of them."""
        return self.specs, _kolam._fitting_dtypes(self.described[2]) if self.described[2] else ""


class _Entry:
    """A traced program, and what makes the function's result of a list of arrays; None: the only array is the result."""

    __slots__ = ("program", "assemble")

    def __init__(self, program, structure, depths=None):
        self.program = program
        if depths is not None:
            self.assemble = lambda arrays: unflatten(structure, _packed(arrays, depths))
        elif structure is LEAF:
            self.assemble = None
        elif structure.kind == "tuple" and all(part is LEAF for part in structure.parts):
            self.assemble = tuple
        else:
            self.assemble = lambda arrays: unflatten(structure, iter(arrays))


def _depths(leaves):
    """How deep the lists among leaves are, 0 for the others; None where there are none."""
    lists = (_kolam.List, _kolam.TracedList)
    depths = tuple(leaf.depth if isinstance(leaf, lists) else 0 for leaf in leaves)
    return depths if any(depths) else None


def _packed(values, depths):
    """The leaves of arrays and tensors, where lists are their leaves and offsets."""
    values = iter(values)
    if depths is None:
        yield from values
        return
    for depth in depths:
        value = next(values)
        yield _kolam._list_pack(value, [next(values) for _ in range(depth - 1)]) if depth else value


def _unpacked(leaves):
    parts = []
    for leaf in leaves:
        parts += _kolam._list_unpack(leaf) if isinstance(leaf, _kolam.List | _kolam.TracedList) else [leaf]
    return parts


def _names(given):
    return (given,) if isinstance(given, str) else tuple(given or ())


def _symbols(name, dims):
    """{dim: (symbol, whether it was given)}; else it is made of the argument's name."""
    if isinstance(dims, int):
        dims = [dims]
    if not isinstance(dims, list | tuple | set | dict) or not all(type(dim) is int for dim in dims):
        raise _bad_dynamic(f"expected dims of '{name}' as in [0] or {{0: 'n'}}, but got {dims!r}")
    if isinstance(dims, dict):
        for symbol in dims.values():
            if not isinstance(symbol, str):
                raise _bad_dynamic(f"expected names for the extents of '{name}', but got {symbol!r}")
        return {dim: (symbol, True) for dim, symbol in dims.items()}
    return {dim: (f"{name}.{dim}" if dim >= 0 else f"{name}.last{-dim}", False) for dim in dims}


def _bad_dynamic(message):
    return KolamTypeError.make("jit", "bad-option", f"argument 'dynamic': {message}")


def _checked(checks):
    """The kinds of checks as keyword arguments of with_checks; empty for none."""
    kinds = {"nan", "bounds"} if checks is True else set(_names(checks or ()))
    for kind in kinds - {"nan", "bounds", "overflow"}:
        raise KolamValueError.make(
            "jit", "bad-option", f"argument 'checks': expected True or some of 'nan', 'bounds', 'overflow', but got {kind!r}"
        )  # fmt: skip
    return {kind: kind in kinds for kind in ("nan", "bounds", "overflow")} if kinds else {}


def _known_order(order):
    if order not in ("auto", "sequential", "waves"):
        raise KolamValueError.make(
            "jit", "bad-option", f"argument 'order': expected 'auto', 'sequential' or 'waves', but got {order!r}"
        )
    return order


def _check_options(signature, backend, statics, donated, dynamic):
    if backend not in ("cpu", "interpret"):
        raise KolamValueError.make(
            "jit", "unknown-backend", f"argument 'backend': expected 'cpu' or 'interpret', but got {backend!r}"
        )
    for option, names in (("static_argnames", statics), ("donate_argnames", donated), ("dynamic", dynamic)):
        for name in names:
            if name not in signature.parameters:
                raise KolamValueError.make(
                    "jit", "bad-option",
                    f"argument '{option}': expected names of {signature}, but got '{name}'",
                )


def jit(f=None, *, backend="cpu", static_argnames=(), donate_argnames=(), dynamic=None, checks=False, order="auto"):
    """Makes a function of arrays fast: it is called once per shapes, dtypes and statics on traced values; what it did
    runs as compiled code.

    >>> import kolam as ko
    >>> @ko.jit
    ... def twice(x):
    ...     return x + x
    >>> twice(ko.asarray([1, 2, 3])).tolist()
    [2, 4, 6]

    Arguments and results are arrays inside tuples, lists, dicts, named tuples and dataclasses. The function sees the keys
    of a dict in sorted order, as with JAX, where they have one; an OrderedDict keeps its own. A Python int or float
    among them is an argument too, with no trace of its own, and takes the dtype of the arrays beside it, as outside of
    jit: in each function int stays within the kind, a function of numbers alone gives int32 or float32. Numbers that
    other dtypes hold, as 200 and -1, have traces of their own, since one that does not fit is an error. A Python `if`
    or `for` runs at trace time: the program holds what it chose. `backend` is "cpu" or "interpret" (the meaning, slowly).
    Arguments in `static_argnames` are plain Python values, hashable; each value has its own trace. Dims in `dynamic`,
    as in `{"x": [0]}` or, to say that extents are equal, `{"x": {0: "n"}, "y": {0: "n"}}`, may change without one.
    Arrays passed for `donate_argnames` are used up and must not be used again: a result of the same dtype and shape
    takes their memory over where the program allows that and nobody else holds it; else it is released. A call that
    raises gives them back, unless the run had started (a check of `gather`, Ctrl-C) and a result of their dtype and
    shape may have overwritten them; with `checks` and on "interpret" no memory is taken over, so all come back. Lists
    stay as they are. With `checks` (True, or some of "nan", "bounds", "overflow") the run raises where an index is out
    of bounds, a promise is broken, a NaN appears or an integer overflows (elementwise functions, narrowing casts, sums,
    products, contractions, scatter; not inside user-defined monoids and combiners), naming the line.
    `order="sequential"` runs scans of lists (kolam.fractal) step by step as they are written, "waves" nests of them in
    waves of independent elements wherever that is legal, and "auto" as costs say, with the same bits; `explain` says how
    and why.
    """
    if f is None:
        return lambda function: jit(
            function, backend=backend, static_argnames=static_argnames, donate_argnames=donate_argnames,
            dynamic=dynamic, checks=checks, order=order,
        )  # fmt: skip
    if isinstance(f, Jitted) and backend == "cpu" and not (
        static_argnames or donate_argnames or dynamic or checks or order != "auto"
    ):
        return f
    if not callable(f):
        raise KolamTypeError.make("jit", "argument-type", f"argument 'f': expected a function, but got {f!r}")
    return Jitted(f, backend, static_argnames, donate_argnames, dynamic, checks, order)


def tune(f, *args, budget=10, **named):
    """Measures, for about `budget` seconds, how the loop nests that `f(*args, **named)` runs are best cut into tiles.

    >>> import kolam as ko
    >>> figures = ko.tune(lambda x: x + 1, ko.arange(8), budget=0.01)
    >>> sorted(figures[0])
    ['best', 'by_rule', 'measured', 'name', 'possible', 'schedule']

    Every figure is kept at once, on disk where that is possible (docs/environment.md). Calls of `f`, if `jit` made it,
    and later compiles of equal nests in any process on such a processor follow the fastest; a further call measures
    what is left. No result changes by a bit. The program runs many times, with its host functions; arguments are not
    used up. Gives for each nest its name, as in `explain`, how many of the possible schedules are measured, the seconds
    of a run by Kolam's rules and by the best schedule, and that schedule, in which zeros stand for rules.
    """
    if not isinstance(budget, int | float) or isinstance(budget, bool):
        raise KolamTypeError.make("tune", "argument-type", f"argument 'budget': expected a number of seconds, but got {budget!r}")
    return jit(f)._tune(args, named, float(budget))
