"""Functions with rules of their own: custom_jvp, custom_vjp, custom_vmap; check_grads."""

import functools
import inspect

from kolam import _kolam
from kolam._callables import check_callable
from kolam._derive import _numbers as _argument_numbers, _require_places
from kolam._pytree import flatten, unflatten
from kolam._tangents import in_tuples, joined, leaves_like
from kolam._vmap import parts_like as split_like
from kolam._transformed import as_array, is_array, is_float, is_list, is_result, require_function, split
from kolam.errors import KolamTypeError, KolamValueError


class _Call:
    """The arguments of a call: arrays and lists; the rest are what they are."""

    def __init__(self, args):
        self._structure = flatten(args, leaves := [])
        self._leaves = leaves
        self._places = [place for place, leaf in enumerate(leaves) if is_array(leaf) or is_list(leaf) or is_float(leaf)]
        self.has_floats = any(map(is_float, leaves))
        self.arrays = [as_array(leaves[place]) for place in self._places]

    def args(self, arrays):
        whole = list(self._leaves)
        for place, array in zip(self._places, arrays, strict=True):
            whole[place] = array
        return unflatten(self._structure, iter(whole))

    def tangents(self, given, arrays):
        """In the structure of the arguments, None for what has none; `arrays` are those of `args`."""
        tangents, values = [None] * len(self._leaves), list(self._leaves)
        for place, tangent, array in zip(self._places, given, arrays, strict=True):
            tangents[place], values[place] = tangent, array
        return joined(self._structure, values, tangents)

    def cotangents(self, given, rule):
        """One for each array, None for zero."""
        if given is None:
            raise _wrong_rule(rule, f"bwd: expected a tuple of {len(self._structure.parts)}, a cotangent for each argument, but got None: does it return?")
        if not isinstance(given, tuple | list):
            given = (given,)
        if len(given) != len(self._structure.parts):
            raise _wrong_rule(rule, f"bwd: expected a tuple of {len(self._structure.parts)}, a cotangent for each argument, but got {len(given)}")
        found = leaves_like(tuple(given), self._structure, self._leaves, "cotangents", _refusal(rule, "bwd"))
        return [found[place] for place in self._places]


def _refusal(name, rule):
    return lambda path, message: _wrong_rule(name, f"{rule}, {path}: {message}")


class _Result:
    """What the function gave, beside which its rules give values and tangents."""

    def __init__(self, name):
        self._name = name

    def split(self, tree):
        """The arrays of the function's own result."""
        self._structure = flatten(tree, leaves := [])
        self._leaves = leaves
        results, self.rebuild = split(tree)
        return results

    def values(self, tree, rule):
        """Those of a result of a rule, which has the same structure."""
        structure = flatten(tree, leaves := [])
        if structure != self._structure or list(map(is_result, leaves)) != list(map(is_result, self._leaves)):
            raise _wrong_rule(self._name, f"{rule}, value: expected the structure {self._structure}, but got {structure}")
        return [as_array(leaf) for leaf in leaves if is_result(leaf)]

    def kept(self, tree):
        """What `cotangents` needs of the value that a rule gives: the lists of integers in lists of tuples."""
        structure = flatten(tree, leaves := [])
        return [leaf for leaf, is_one in zip(leaves, in_tuples(structure), strict=True) if is_one and not is_float(leaf)]

    def cotangents(self, given, kept):
        """Those of arrays in the structure of the result, None for zero."""
        given, kept = iter(given), iter(kept)
        values = [next(kept) if is_one and not is_float(leaf) else leaf for leaf, is_one in zip(self._leaves, in_tuples(self._structure), strict=True)]
        return joined(self._structure, values, [next(given) if is_result(leaf) else None for leaf in self._leaves])

    def tangents(self, tree, rule):
        """One for each array, None for zero."""
        found = leaves_like(tree, self._structure, self._leaves, "tangent", _refusal(self._name, rule))
        return [leaf for leaf, own in zip(found, self._leaves, strict=True) if is_result(own)]


class _Custom:
    """What custom_jvp and custom_vjp share."""

    def __init__(self, fun, nondiff_argnums=()):
        require_function(fun, self._name)
        functools.update_wrapper(self, fun, updated=())
        self._fun = fun
        self._nondiff = _argument_numbers(nondiff_argnums, self._name, "nondiff_argnums")
        self._rule = None

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def _parted(self, args):
        """(arguments without derivatives, the others)."""
        numbers = {number % len(args) if args else number for number in self._nondiff}
        return [arg for place, arg in enumerate(args) if place in numbers], tuple(arg for place, arg in enumerate(args) if place not in numbers)

    def _joined(self, fixed, given):
        count = len(fixed) + len(given)
        fixed, given = iter(fixed), iter(given)
        numbers = {number % count for number in self._nondiff}
        return [next(fixed) if place in numbers else next(given) for place in range(count)]

    def __call__(self, *args, **named):
        if named:
            args = (*args, *_by_place(self._fun, args, named))
        _require_places(args, self._nondiff, self._name, "nondiff_argnums")
        if self._rule is None:
            raise _wrong_rule(self._name, f"expected a rule of {_name_of(self._fun)} before it is called; {self._how}")
        fixed, given = self._parted(args)
        call, result = _Call(given), _Result(self._name)
        if not call.has_floats:
            return self._fun(*args)

        def body(arrays):
            return result.split(self._fun(*self._joined(fixed, call.args(arrays))))

        try:
            results = _kolam._composite(self._name, _name_of(self._fun), call.arrays, body, self._bodies(fixed, call, result))
        except KolamValueError as error:
            self._say_whose(error)
            raise
        return result.rebuild(results)

    def _say_whose(self, error):
        """Adds to an error of a rule whose it is, and the rule's line."""
        text = str(error)
        for what, rule in self._rules().items():
            if text.startswith(f"{self._name}: [custom-rule] {what}") and "\n  in " not in text:
                error.args = (f"{text}\n  in {what} of {_name_of(self._fun)}{_line_of(rule)}",)


class custom_jvp(_Custom):
    """A function whose derivative is given by a rule: tangents of its arguments to that of its result.

    >>> import kolam as ko
    >>> @ko.custom_jvp
    ... def f(x):
    ...     return ko.sin(x)
    >>> @f.defjvp
    ... def f_jvp(primals, tangents):
    ...     return f(*primals), 10 * tangents[0]
    >>> ko.grad(f)(0.5).item()
    10.0

    rule(primals, tangents) gives (value, tangent), linear in the tangents; reverse mode is its transpose. Arguments of
    `nondiff_argnums` come first and have no tangents; tangents of integers are None. Throws `[custom-rule]` where the rule
    gives other dtypes, shapes or numbers.
    """

    _name = "custom_jvp"
    _how = "f.defjvp(rule)"
    _parts = None  # the rules of defjvps

    def defjvp(self, rule):
        """Sets the rule, and gives it back."""
        require_function(rule, "defjvp")
        self._rule, self._parts = rule, None
        return rule

    def _rules(self):
        if self._parts is None:
            return {"the rule": self._rule}
        parts = {f"defjvps[{place}]": rule for place, rule in enumerate(self._parts) if rule is not None}
        return {**parts, "the rule": self._fun}

    def defjvps(self, *rules):
        """A rule for each argument: rule(tangent, value, *args) gives its part of the result's tangent; None for no part.

        >>> import kolam as ko
        >>> f = ko.custom_jvp(lambda x, y: {"product": x * y, "sum": x + y})
        >>> f.defjvps(lambda t, value, x, y: {"product": t * y, "sum": t}, lambda t, value, x, y: {"product": t * x, "sum": t})
        >>> ko.grad(lambda x: f(x, 3.0)["product"])(2.0).item()
        3.0

        Parts are added leaf by leaf, the first argument's first; None in one is zero. A rule whose argument has no tangent is
        not called. Arguments of `nondiff_argnums` have no rule, and stand at their places among `args` (JAX refuses them here).
        Throws `[custom-rule]`, when a derivative is taken, where there are more or fewer rules than arguments that have one.
        """
        for rule in rules:
            if rule is not None:
                require_function(rule, "defjvps")

        def rule(*given):
            *fixed, primals, tangents = given
            if len(rules) != (count := len(primals)):
                what = "argument" + (" that is not among 'nondiff_argnums'" if fixed else "")
                message = f"the rule, defjvps: expected {count} rule{'s'[: count != 1]}, one for each {what}, but got {len(rules)}"
                raise _wrong_rule(self._name, message)
            args = self._joined(fixed, primals)
            value = self(*args)
            structure = flatten(value, leaves := [])
            total = [None] * len(leaves)
            for place, (one, tangent) in enumerate(zip(rules, tangents, strict=True)):
                if one is None or not _leaves_of(tangent):
                    continue
                part = leaves_like(one(tangent, value, *args), structure, leaves, "tangent", _refusal(self._name, f"defjvps[{place}]"))
                total = [_sum_of(*both) for both in zip(total, part, strict=True)]
            return value, unflatten(structure, iter(total))

        self._rule, self._parts = rule, rules

    def _bodies(self, fixed, call, result):
        def rule(own, arrays):
            given = self._rule(*fixed, call.args(arrays), call.tangents(own, arrays))
            if not isinstance(given, tuple | list) or len(given) != 2:
                raise _wrong_rule(self._name, f"the rule: expected a pair, the value and its tangent, but got {given!r}")
            return [*result.values(given[0], "the rule"), *result.tangents(given[1], "the rule")]

        return [rule]


class custom_vjp(_Custom):
    """A function whose gradient is given by two rules: what is kept of its arguments, and cotangents from it.

    >>> import kolam as ko
    >>> @ko.custom_vjp
    ... def f(x):
    ...     return ko.sin(x)
    >>> f.defvjp(lambda x: (f(x), x), lambda x, v: (v * 10,))
    >>> ko.grad(f)(0.5).item()
    10.0

    fwd(*args) gives (value, kept); bwd(kept, cotangent) a tuple of cotangents, one for each argument, None for integers and
    zero. bwd comes with the arguments of `nondiff_argnums` in front. `jvp` is the transpose of bwd, which must be linear.
    Throws `[custom-rule]` where a rule gives other dtypes, shapes or numbers.
    """

    _name = "custom_vjp"
    _how = "f.defvjp(fwd, bwd)"

    def defvjp(self, fwd, bwd):
        """Sets both rules."""
        require_function(fwd, "defvjp")
        require_function(bwd, "defvjp")
        self._rule = (fwd, bwd)

    def _rules(self):
        return dict(zip(("fwd", "bwd"), self._rule, strict=True))

    def _bodies(self, fixed, call, result):
        fwd, bwd = self._rule
        kept = []

        def forward(own, arrays):
            args = self._joined(fixed, call.args(arrays))
            check_callable(self._name, "fwd", fwd, len(args))
            given = fwd(*args)
            if not isinstance(given, tuple | list) or len(given) != 2:
                raise _wrong_rule(self._name, f"fwd: expected a pair, the value and what bwd needs, but got {given!r}")
            residuals, rebuild = split((given[1], result.kept(given[0])))
            kept.append(rebuild)
            return [*result.values(given[0], "fwd"), *residuals]

        def backward(residuals, cotangents):
            given, lists = kept[-1](residuals)
            check_callable(self._name, "bwd", bwd, len(fixed) + 2)
            return call.cotangents(bwd(*fixed, given, result.cotangents(cotangents, lists)), self._name)

        return [forward, backward]


class custom_vmap:
    """A function with a rule of its own for `vmap`: what it gives for all instances at once.

    >>> import kolam as ko
    >>> @ko.custom_vmap
    ... def f(x, y):
    ...     return ko.sin(x) * y
    >>> @f.def_vmap
    ... def rule(axis_size, in_batched, xs, y):
    ...     return ko.sin(xs) * (y if not in_batched[1] else y[:]), True
    >>> ko.vmap(f, in_axes=(0, None))(ko.zeros(3), 2.0).shape
    (3,)

    rule(axis_size, in_batched, *args) gives (result, out_batched). `in_batched` is a tuple of trees of booleans, one for each
    argument; what is batched has the instances along axis 0. `out_batched` is such a tree for the result, or a prefix of one.
    Elsewhere, where derivatives of it are taken, where instances run one after the other and in its own rule, the function is
    its own ops. The rule may use arrays from around the vmap, but not those of one instance. Throws `[custom-rule]` where the
    rule gives other numbers, dtypes, shapes or structures, and where the function captures what differs between instances.
    Source: jax.custom_batching.custom_vmap.
    """

    def __init__(self, fun):
        require_function(fun, "custom_vmap")
        functools.update_wrapper(self, fun, updated=())
        self._fun = fun
        self._rule = None

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)

    def def_vmap(self, rule):
        """Sets the rule, and gives it back."""
        require_function(rule, "def_vmap")
        self._rule = rule
        return rule

    def __call__(self, *args, **named):
        if named:
            args = (*args, *_by_place(self._fun, args, named))
        if self._rule is None:
            raise _wrong_rule("custom_vmap", f"expected a rule of {getattr(self._fun, '__name__', 'the function')} before it is called; f.def_vmap(rule)")
        structure = flatten(args, leaves := [])
        places = [place for place, leaf in enumerate(leaves) if is_array(leaf)]
        kept = []

        def filled(arrays, others):
            whole = list(others)
            for place, array in zip(places, arrays, strict=True):
                whole[place] = array
            return unflatten(structure, iter(whole))

        def body(arrays):
            results, rebuild = split(self._fun(*filled(arrays, leaves)))
            kept.append((results, rebuild))
            return results

        def rule(axis_size, in_batched, arrays):
            flags = filled(in_batched, [False] * len(leaves))
            given = self._rule(axis_size, flags, *filled(arrays, leaves))
            if not isinstance(given, tuple | list) or len(given) != 2:
                raise _wrong_rule("custom_vmap", f"the rule: expected a pair, the result and which of it is batched, but got {given!r}")
            results, rebuild = split(given[0])
            expected = flatten(kept[0][1]([None] * len(kept[0][0])), [])
            found = flatten(rebuild([None] * len(results)), [])
            if found != expected:
                raise _wrong_rule("custom_vmap", f"the rule: expected a result of the structure {expected}, but got {found}")
            return results, _prefix(given[1], flatten(given[0], []), [is_result(leaf) for leaf in _leaves_of(given[0])])

        results = _kolam._custom_vmap(self, [as_array(leaves[place]) for place in places], body, rule)
        return kept[0][1](results)


def _prefix(flags, structure, chosen):
    """One boolean for each chosen leaf of a structure that `flags` is a prefix of."""

    def spread(part, own):
        if isinstance(part, bool):
            return [part] * own.num_leaves
        parts = split_like(part, own)
        if parts is None:
            raise _wrong_rule("custom_vmap", f"the rule, out_batched: expected a boolean or a container like {structure}, but got {flags!r}")
        return [flag for inner, kind in zip(parts, own.parts, strict=True) for flag in spread(inner, kind)]

    return [flag for flag, is_one in zip(spread(flags, structure), chosen, strict=True) if is_one]


def _name_of(function):
    return getattr(function, "__name__", "the function")


def _line_of(function):
    """`, at FILE:LINE` of a function of Python's."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return f", at {code.co_filename}:{code.co_firstlineno}" if code else ""


def _wrong_rule(name, message):
    return KolamValueError.make(name, "custom-rule", message)


def _by_place(fun, args, named):
    bound = inspect.signature(fun).bind(*args, **named)
    bound.apply_defaults()
    return list(bound.args)[len(args) :]


def check_grads(f, args, order=1, modes=("fwd", "rev"), tolerance=None):
    """Throws `[wrong-gradient]`, with both numbers, where derivatives of `f` at `args` and finite differences disagree.

    >>> import kolam as ko
    >>> ko.check_grads(ko.sin, (ko.asarray([0.5], dtype=ko.float64),))

    Along one random direction for each order: (f(x + h d) - f(x - h d)) / 2h beside jvp ("fwd") and vjp ("rev"). `tolerance` is
    relative to the larger, and absolute below 1: 1e-5 for float64, 2e-2 for others. Throws `[bad-option]` for other modes and orders.
    """
    import numpy as np

    from kolam._derive import jvp, vjp

    modes = (modes,) if isinstance(modes, str) else tuple(modes)
    if not modes or not set(modes) <= {"fwd", "rev"}:
        raise KolamValueError.make("check_grads", "bad-option", f"option 'modes': expected 'fwd', 'rev' or both, but got {modes!r}")
    if not isinstance(args, tuple | list):
        message = f"argument 'args': expected a tuple of f's arguments, (x,) of one, but got {type(args).__name__}"
        raise KolamTypeError.make("check_grads", "argument-type", message)
    if isinstance(order, bool) or not isinstance(order, int) or order < 1:
        raise KolamValueError.make("check_grads", "bad-option", f"option 'order': expected a number of derivatives, at least 1, but got {order!r}")
    check_callable("check_grads", "f", f, len(args))
    structure = flatten(tuple(args), leaves := [])
    floats = [is_float(leaf) for leaf in leaves]
    if not any(floats):
        raise KolamTypeError.make("check_grads", "not-differentiable", "argument 'args': expected floats among them, but got none")
    random = np.random.default_rng(0)  # the same directions at each call
    arrays = [_numbers(leaf) if is_one else None for leaf, is_one in zip(leaves, floats, strict=True)]
    is_wide = all(array.dtype == np.float64 for array in arrays if array is not None)
    tolerance = tolerance or (1e-5 if is_wide else 2e-2)
    step = 1e-5 if is_wide else 1e-2
    directions = [None if array is None else random.standard_normal(array.shape).astype(array.dtype) for array in arrays]

    def at(distance):
        moved = [
            leaf if array is None else _with_numbers(leaf, array + np.asarray(distance * direction, array.dtype))
            for array, direction, leaf in zip(arrays, directions, leaves, strict=True)
        ]
        flatten(f(*unflatten(structure, iter(moved))), results := [])
        return [_numbers(result).astype(np.float64) for result in results if is_float(result)]

    expected = [(above - below) / (2 * step) for above, below in zip(at(step), at(-step), strict=True)]
    tangents = unflatten(
        structure, iter([None if direction is None else _with_numbers(leaf, direction) for leaf, direction in zip(leaves, directions, strict=True)])
    )

    def compare(mode, found, wanted):
        for number, (own, other) in enumerate(zip(found, wanted, strict=True)):
            scale = np.maximum(1, np.maximum(np.abs(own), np.abs(other)))
            if not np.all(np.isfinite(other)):
                raise KolamValueError.make(
                    "check_grads", "wrong-gradient",
                    f"{mode}, result {number}: expected a function that is finite around 'args', but finite differences of it are not",
                )  # fmt: skip
            if not np.all(np.abs(own - other) <= tolerance * scale):
                place = int(np.argmax(np.abs(own - other) / scale))
                raise KolamValueError.make(
                    "check_grads", "wrong-gradient",
                    f"{mode}, result {number}, element {place}: expected {other.ravel()[place]} by finite differences, but got {own.ravel()[place]}",
                )  # fmt: skip

    if "fwd" in modes:
        _, tangent = jvp(f, unflatten(structure, iter(leaves)), tangents)
        flatten(tangent, found := [])
        compare("fwd", [_numbers(leaf).astype(np.float64) for leaf in found if is_float(leaf)], expected)
    if "rev" in modes:
        value, pullback = vjp(f, *unflatten(structure, iter(leaves)))
        results = flatten(value, outputs := [])
        parts = [_numbers(output) if is_float(output) else None for output in outputs]
        weights = [None if part is None else random.standard_normal(part.shape).astype(part.dtype) for part in parts]
        cotangents = unflatten(
            results, iter([None if weight is None else _with_numbers(output, weight) for output, weight in zip(outputs, weights, strict=True)])
        )
        flatten(pullback(cotangents), found := [])
        own = sum(
            float(np.sum(_numbers(gradient).astype(np.float64) * direction))
            for gradient, direction in zip([leaf for leaf in found if is_float(leaf)], [d for d in directions if d is not None], strict=True)
        )
        other = sum(float(np.sum(weight * part)) for weight, part in zip([w for w in weights if w is not None], expected, strict=True))
        compare("rev", [np.asarray(own)], [np.asarray(other)])
    if order > 1:
        from kolam._derive import grad

        def slope(*given):
            flatten(f(*given), results := [])
            return sum((_kolam.sum(_unpacked(result)[0]) for result in results if is_float(result)), start=_kolam.zeros(()))

        numbers = [number for number, arg in enumerate(args) if any(map(is_float, _leaves_of(arg)))]
        check_grads(lambda *given: grad(slope, argnums=tuple(numbers))(*given), args, order - 1, modes, tolerance * 10)


def _sum_of(a, b):
    """Of two tangents of one leaf; None is zero."""
    if a is None or b is None:
        return b if a is None else a
    return _with_numbers(a, _unpacked(a)[0] + _unpacked(b)[0])


def _leaves_of(tree):
    flatten(tree, leaves := [])
    return leaves


def _unpacked(leaf):
    """The array of a leaf and, of a list, its offsets."""
    return _kolam._list_unpack(leaf) if is_list(leaf) else [leaf]


def _numbers(leaf):
    import numpy as np

    return np.asarray(as_array(_unpacked(leaf)[0]))


def _with_numbers(leaf, numbers):
    """A leaf, and of a list one with its offsets, that has these numbers."""
    return _kolam._list_pack(as_array(numbers), _unpacked(leaf)[1:]) if is_list(leaf) else as_array(numbers)
