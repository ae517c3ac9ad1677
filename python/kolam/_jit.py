"""jit: a Python function of arrays, traced once per shapes and dtypes, compiled and cached."""

import copy
import functools
import itertools
import threading
import types

from kolam import _kolam
from kolam._bound import BoundJitted
from kolam._jit_options import (
    bad_dynamic, check_backend, check_names, dynamic_dims, kinds_of_checks, known_order, known_schedules, names_of, places_of,
)  # fmt: skip
from kolam._list_leaves import depths_of, packed, unpacked
from kolam._parameters import Parameters
from kolam._jit_pickling import reduce_jitted
from kolam._pytree import LEAF, flatten, unflatten
from kolam._refs import KERNELS
from kolam._static_list import check_length, static_lists
from kolam._shapes import ShapeDtypeStruct, eval_shape
from kolam._statics import identity
from kolam.errors import KolamTypeError, KolamValueError


class Jitted(_kolam._Callable):
    """A function that `jit` made. Calls with known dtypes, shapes and statics run the compiled program."""

    def __init__(self, function, options):
        self._options = options
        self._is_method = not isinstance(function, staticmethod)
        function = getattr(function, "__func__", function) if not self._is_method else function
        # Of other callables the attributes are theirs alone.
        updated = functools.WRAPPER_UPDATES if isinstance(function, types.FunctionType) else ()
        functools.update_wrapper(self, function, updated=updated)
        self._function = function
        self._name = getattr(function, "__name__", None) or getattr(getattr(function, "func", None), "__name__", "jit")
        self._backend = options["backend"]
        check_backend(self._backend)
        self._parameters = Parameters(function, self._name)
        statics, static_places = places_of("static_argnums", options["static_argnums"], self._parameters)
        donated, self._donated_places = places_of("donate_argnums", options["donate_argnums"], self._parameters)
        self._statics = frozenset(names_of(options["static_argnames"])) | frozenset(statics)
        self._donated = frozenset(names_of(options["donate_argnames"])) | frozenset(donated)
        self._parameters.make_static(self._statics, static_places)
        self._checks = kinds_of_checks(options["checks"])
        self._order = known_order(options["order"])
        self._schedules = known_schedules(options["schedules"])
        self._dynamic = dynamic_dims(options["dynamic"])
        check_names(self._parameters, self._statics, self._donated, self._dynamic)
        self._donates = bool(self._donated or self._donated_places)
        self._entries = {}
        self._is_called_singly = False
        self._lock = threading.RLock()
        # Finds the entries of usual calls without a detour through Python.
        self._static_lists = static_lists(function)
        looks = self._donates or self._static_lists
        self._table = None if looks else self._call_table()
        # Where no option names arguments, a call needs no matching of names.
        self._is_plain = not (self._statics or static_places or self._donates or self._dynamic)

    def _call_anew(self, *positional, **named):
        """A call whose program `_table` does not know."""
        call = self._match(positional, named)
        if call.described is None:  # inside another trace: a call, inlined
            return self._inline(positional, named, call.statics)
        entry = self._entry(call)
        arrays = call.described[0]
        if self._donates:
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

    def _inline(self, positional, named, statics):
        if not self._is_plain:
            positional, named, _ = self._parameters.take_statics(positional, named)
        structure = flatten((positional, named), leaves := [])
        if any(map(_is_foreign, leaves)):  # arrays of ours, as in a trace of its own
            leaves = [_kolam._asarray(leaf) if _is_foreign(leaf) else leaf for leaf in leaves]
            positional, named = unflatten(structure, iter(leaves))
        if not self._checks:
            return self._invoke(positional, named, statics)
        results = []
        _kolam._trace_checked(lambda: results.append(self._invoke(positional, named, statics)), **self._checks)
        return results[0]

    def __get__(self, instance, owner=None):
        return self if instance is None or not self._is_method else BoundJitted(self, instance)

    def __repr__(self):
        return f"<kolam.jit of {self._function!r}>"

    def __reduce__(self):
        return reduce_jitted(self, Jitted)

    def __setstate__(self, state):
        if not isinstance(state, tuple) or len(state) != 2 or not callable(state[0]) or state[1].keys() != _DEFAULTS.keys():
            raise KolamTypeError.make("jit", "argument-type", f"expected a function and its options, but got {state!r}")
        self.__init__(*state)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        if not isinstance(self._function, types.MethodType):
            return self  # as of functions
        memo[id(self)] = copied = Jitted.__new__(Jitted)
        copied.__init__(copy.deepcopy(self._function, memo), self._options)
        return copied

    def lower(self, *positional, **named):
        """The program that a call with these arguments runs: as_text(stage), explain(), cost(), as_dot().

        A kolam.ShapeDtypeStruct may stand for an array.
        """
        call = self._match(positional, named, takes_shapes=True)
        if call.described is None:
            raise KolamTypeError.make("lower", "traced-value", "expected arrays, but got a traced value")
        return self._entry(call).program

    def explain(self, *positional, **named):
        """The loop nests of that program: what is fused, what is not and why, bytes and flops, and a summary of reasons.

        With `measure=True` the program runs on the arguments, again and again for about half a second, with its host
        functions: then also what each step takes, the longest first, its share of the run and of what this machine can do.
        A function with a parameter `measure` of its own takes that itself: `f.lower(...).explain(measure=[...])`.
        `ko.layout.explain` adds the data dimension of every value.
        """
        if "measure" in self._parameters.signature.parameters or not named.pop("measure", False):
            return self.lower(*positional, **named).explain()
        self._require_native("explain")
        call = self._match(positional, named)
        if call.described is None:
            raise KolamTypeError.make("explain", "traced-value", "expected arrays, but got a traced value")
        return self._entry(call).program.explain(call.described[0])

    def cost(self, *positional, **named):
        """Flops, bytes, arena bytes and nests of that program, by name."""
        return self.lower(*positional, **named).cost()

    def picture(self, kind, /, *positional, **named):
        """A picture, as text, of the program on lists that a call with these arguments runs.

        "cells": what each cell computes, as trees; "structure": the parallel functions as boxes in one another; "blocks":
        the dataflow graph with its access maps; "domain": in which step each element of a nest of scans may run. Throws
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

    def _require_native(self, function):
        if self._backend != "cpu":
            raise KolamValueError.make(
                function, "bad-option", "expected a function for the backend 'cpu', but got one that is interpreted"
            )

    def _tune(self, positional, named, budget):
        self._require_native("tune")
        call = self._match(positional, named)
        if call.described is None:
            raise KolamTypeError.make("tune", "traced-value", "expected arrays, but got a traced value")
        return self._entry(call).program._tune(call.described[0], budget)

    @property
    def cache_size(self):
        """How many programs have been traced."""
        return len(self._entries)

    def _expect_single_calls(self):
        """Says that nobody asked for code: small programs are interpreted for the first calls, as array functions are."""
        self._is_called_singly = True

    def clear_cache(self):
        """Forgets the traced programs."""
        self._entries.clear()
        if self._table is not None:
            self._table.clear()

    def _given_away(self, positional, named):
        """The donated arrays, each once."""
        arguments = self._parameters.with_rest(self._parameters.bind(positional, named))
        given = [arguments[name] for name in self._donated if name in arguments]
        given += [positional[place] for place in self._donated_places if place < len(positional)]
        flatten(given, leaves := [])
        return list({id(leaf): leaf for leaf in leaves if isinstance(leaf, _kolam.Array)}.values())

    def eval_shape(self, *positional, **named):
        """As kolam.eval_shape of the function."""
        return eval_shape(self, *positional, **named)

    def _match(self, positional, named, takes_shapes=False):
        known = self._check_static_lists(positional, named) if self._static_lists else ()
        statics = {}
        if not self._is_plain:
            positional, named, statics = self._parameters.take_statics(positional, named)
        leaves = []
        structure = flatten((positional, named), leaves)
        if KERNELS.axes:  # in a kernel, whose Refs it may use
            return _Call(structure, None, None, statics)
        depths = depths_of(leaves)
        if depths is not None:
            return self._match_lists(structure, leaves, depths, statics, known)
        if any(isinstance(leaf, ShapeDtypeStruct) for leaf in leaves):
            if not takes_shapes:
                raise KolamTypeError.make(
                    self._name, "not-an-array",
                    "expected arrays, but got a ShapeDtypeStruct, which has no elements; "
                    "lower, explain, cost and eval_shape take it",
                )  # fmt: skip
            return self._match_shapes(structure, leaves, statics)
        described = _kolam._describe_leaves(leaves, lambda place: self._parameters.paths(structure)[place], self._name)
        specs = None
        if self._dynamic and described is not None:
            specs = self._symbolic_specs(structure, described[0])
        return _Call(structure, described, specs, statics)

    def _match_shapes(self, structure, leaves, statics):
        """A call in which ShapeDtypeStructs stand for some arrays."""
        specs, scalars, key = [], {}, []
        for place, leaf in enumerate(leaves):
            if isinstance(leaf, ShapeDtypeStruct):
                specs.append((leaf.dtype, leaf.shape))
                key.append(specs[-1])
                continue
            path = lambda _, place=place: self._parameters.paths(structure)[place]
            described = _kolam._describe_leaves([leaf], path, self._name)
            if described is None:
                return _Call(structure, None, None, statics)
            specs += [(array.dtype, array.shape) for array in described[0]]
            scalars |= {place: number for number in described[2].values()}
            key.append(described[1])
        if self._dynamic:
            specs = self._symbolic_specs(structure, [ShapeDtypeStruct(shape, dtype) for dtype, shape in specs])
        return _Call(structure, ([], ("shapes", *key), scalars), tuple(specs), statics)

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
        path = lambda place: self._parameters.paths(structure)[owners[place]]
        described = _kolam._describe_leaves(arrays, path, self._name)
        if described is None:
            return _Call(structure, None, None, statics)
        if self._dynamic:
            raise bad_dynamic("expected no dynamic dims beside lists, whose lengths always are, but got some")
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
        arguments = self._parameters.with_rest(self._parameters.by_name(*unflatten(structure, itertools.count())))
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
            positional, named = unflatten(call.structure, packed(values, call.depths))
            leaves = []
            result = self._invoke(positional, named, call.statics)
            _check_zips(result)
            results.append(flatten(result, leaves))
            results.append(depths_of(leaves))
            return unpacked(leaves) if results[1] else leaves

        arrays, _, scalars = call.described
        specs, sizes = call.specs, [array.shape for array in arrays]
        if specs is None:
            specs = [(array.dtype, array.shape) for array in arrays]
        program = _kolam._trace(specs, scalars, traced, self._names(call), sizes)
        if self._checks:
            program = program.with_checks(**self._checks)
        if self._schedules:
            program = program._with_schedules(self._schedules)
        if self._order != "auto":
            program = program._in_order(self._order)
        if self._is_called_singly:
            program._expect_single_calls()
        return _Entry(program, *results)

    def _names(self, call):
        """Of the parameters of a call's program: of a list its leaves, then its offsets."""
        paths = self._parameters.paths(call.structure)
        if call.depths is None:
            return paths
        return [
            f"{path}.offsets({level})" if level else path
            for path, depth in zip(paths, call.depths, strict=True)
            for level in range(max(1, depth))
        ]


def _is_foreign(leaf):
    """Whether a leaf is an array of another library."""
    ours = _kolam.Array | _kolam.Tensor | _kolam.List | _kolam.TracedList
    return not isinstance(leaf, ours) and (hasattr(leaf, "__array__") or hasattr(leaf, "__dlpack__"))


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
            self.assemble = lambda arrays: unflatten(structure, packed(arrays, depths))
        elif structure is LEAF:
            self.assemble = None
        elif structure.kind == "tuple" and all(part is LEAF for part in structure.parts):
            self.assemble = tuple
        else:
            self.assemble = lambda arrays: unflatten(structure, iter(arrays))


def jit(
    f=None, *, backend="cpu", static_argnums=None, static_argnames=(), donate_argnums=None, donate_argnames=(), dynamic=None,
    checks=False, order="auto", schedules=None,
):  # fmt: skip
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
    or `for` runs at trace time: the program holds what it chose. `backend` is "cpu", "interpret" (the meaning, slowly), or "schedule" (the loops that `explain` shows, run without code).
    Arguments in `static_argnames`, or at the places `static_argnums`, are plain Python values, hashable; each value has its
    own trace. Dims in `dynamic`,
    as in `{"x": [0]}` or, to say that extents are equal, `{"x": {0: "n"}, "y": {0: "n"}}`, may change without one.
    Arrays passed for `donate_argnames`, or at the places `donate_argnums`, are used up and must not be used again: a result of the same dtype and shape
    takes their memory over where the program allows that and nobody else holds it; else it is released. A call that
    raises gives them back, unless the run had started (a check of `gather`, Ctrl-C) and a result of their dtype and
    shape may have overwritten them; with `checks` and on "interpret" no memory is taken over, so all come back. Lists
    stay as they are. With `checks` (True, or some of "nan", "bounds", "overflow") the run raises where an index is out
    of bounds, a promise is broken, a NaN appears or an integer overflows (elementwise functions, narrowing casts, sums,
    products, contractions, scatter; not inside user-defined monoids and combiners), naming the line.
    `order="sequential"` runs scans of lists (kolam.fractal) step by step as they are written, "waves" nests of them in
    waves of independent elements wherever that is legal, and "auto" as costs say, with the same bits; `explain` says how
    and why. `schedules` gives the loops of nests by hand: the texts that `explain` shows, changed, by the nest's name; a
    text that does not compute its nest is refused, the bits never change.
    """
    options = {
        "backend": backend, "static_argnums": static_argnums, "static_argnames": static_argnames,
        "donate_argnums": donate_argnums, "donate_argnames": donate_argnames, "dynamic": dynamic, "checks": checks,
        "order": order, "schedules": schedules,
    }  # fmt: skip
    if f is None:
        return lambda function: jit(function, **options)
    if isinstance(f, Jitted) and options == _DEFAULTS:
        return f
    if not callable(f):
        hint = "; write @classmethod above @jit" if isinstance(f, classmethod) else ""
        hint = "; options of jit have names, as in jit(static_argnums=0)" if isinstance(f, int | str | list | tuple) else hint
        raise KolamTypeError.make("jit", "argument-type", f"argument 'f': expected a function, but got {f!r}{hint}")
    return Jitted(f, options)


_DEFAULTS = jit.__kwdefaults__


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
