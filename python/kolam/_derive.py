"""Derivatives: grad, value_and_grad, vjp, jvp, linearize, linear_transpose."""

import functools
import operator

from kolam import _kolam
from kolam._pytree import flatten, leaf_paths, unflatten
from kolam._shapes import is_described, spec_of
from kolam._tangents import alongside, beside, described, joined
from kolam._transformed import (
    Calls, Transformed, as_array, is_array, is_dynamic, is_float, is_list, is_result, require_function, split, transformed,
)  # fmt: skip
from kolam.errors import KolamTypeError, KolamValueError


def grad(fun, argnums=0, has_aux=False, memory_limit=None):
    """The gradient of a function of one scalar result, to its argument number `argnums`.

    >>> import kolam as ko
    >>> ko.grad(lambda x: ko.sum(x * x))(ko.asarray([1.0, 2.0])).tolist()
    [2.0, 4.0]

    g[i] = d fun / d x[i]. The gradient has the argument's structure; a tuple of `argnums` gives a tuple. Leaves of integers
    and booleans have the gradient None, in a list of tuples zeros of their dtype. With `has_aux` the function gives (value, other),
    and grad gives (gradient, other).
    Source: reverse mode, Griewank and Walther, "Evaluating Derivatives", 2008. Throws `[not-scalar]` where the result is no
    scalar of floats, `[not-differentiable]` where an argument has no floats or reaches an op that has no derivative.

    `memory_limit`, bytes or text as "2GiB", bounds what the derivative plans to keep beside arguments and results: parts are
    computed again, loops keep every k-th state. It changes no bit. Where it cannot be met: `[memory-limit]`, with the least.
    """
    pair = value_and_grad(fun, argnums, has_aux, memory_limit, _name="grad")

    def inline(*args, **named):
        value, gradient = pair(*args, **named)
        return (gradient, value[1]) if has_aux else gradient

    return transformed(fun, ("grad", _key(argnums), has_aux, memory_limit), lambda: Transformed(fun, inline))


def value_and_grad(fun, argnums=0, has_aux=False, memory_limit=None, *, _name="value_and_grad"):
    """The value of a function of one scalar result, and its gradient, as a pair; `grad` says of what.

    >>> import kolam as ko
    >>> value, g = ko.value_and_grad(lambda x: ko.sum(x * x))(ko.asarray([1.0, 2.0]))
    >>> value.item(), g.tolist()
    (5.0, [2.0, 4.0])

    With `has_aux` the first is (value, other).
    """
    require_function(fun, _name)
    numbers = _numbers(argnums, _name)
    limit = _limit(memory_limit, _name)

    def inline(*args, **named):
        chosen = _chosen(args, numbers, _name)
        structure = flatten(chosen, leaves := [])
        floats = [as_array(leaf) for leaf in leaves if is_float(leaf)]
        _require_floats(chosen, argnums, numbers, _name)
        kept = []

        def body(values):
            whole = list(args)
            values = iter(values)
            parts = unflatten(structure, iter([next(values) if is_float(leaf) else leaf for leaf in leaves]))
            for number, part in zip(numbers, parts, strict=True):
                whole[number] = part
            value, aux = _with_aux(fun(*whole, **named), has_aux, _name)
            arrays, rebuild = split(aux)
            kept.append(rebuild)
            return [_scalar(value, has_aux, _name), *arrays]

        results, gradients = _kolam._gradients(_name, body, floats, limit)
        gradient = beside(structure, leaves, gradients)
        gradient = gradient if isinstance(argnums, tuple | list) else gradient[0]
        value = results[0]
        return ((value, kept[-1](results[1:])) if has_aux else value), gradient

    key = (_name, "value_and_grad", _key(argnums), has_aux, limit)
    return transformed(fun, key, lambda: Transformed(fun, inline))


def vjp(fun, *primals, has_aux=False):
    """The value of a function, and its pullback, which takes a cotangent of the result to those of the arguments, as a tuple.

    >>> import kolam as ko
    >>> y, pullback = ko.vjp(lambda x: x * x, ko.asarray([1.0, 2.0]))
    >>> pullback(ko.asarray([1.0, 10.0]))[0].tolist()
    [2.0, 40.0]

    x~ = J(x)^T y~. The pullback may be called any number of times; None among cotangents is zero. With `has_aux` the function
    gives (value, other), and vjp (value, pullback, other). Throws `[tangent-mismatch]` where a cotangent is not like the
    value, and what `grad` throws.
    """
    require_function(fun, "vjp")
    value, linear, arguments, aux = _linearised(fun, primals, has_aux, "vjp")
    structure = flatten(value, values := [])

    def pullback(*cotangents):
        leaves, names = _cotangents(_only(cotangents, "vjp"), structure, values, "vjp")
        return arguments.of(linear.transposed([*leaves, *([None] * aux.count)], names))

    return (value, pullback, aux.value) if has_aux else (value, pullback)


def linearize(fun, *primals, has_aux=False):
    """The value of a function, and the linear function that takes tangents of the arguments to the tangent of the result.

    >>> import kolam as ko
    >>> y, push = ko.linearize(lambda x: x * x, ko.asarray([1.0, 2.0]))
    >>> push(ko.asarray([1.0, 10.0])).tolist()
    [2.0, 40.0]

    y' = J(x) x'. What `jvp` computes, with the primal values kept: tangents of integers are None, in a list of tuples zeros of their
    dtype. Throws as `jvp`.
    """
    require_function(fun, "linearize")
    value, linear, arguments, aux = _linearised(fun, primals, has_aux, "linearize")
    structure = flatten(value, values := [])

    def push(*tangents):
        found = linear.forward(arguments.tangents(tangents), arguments.tangent_paths)
        return beside(structure, values, _floats_of(found))

    return (value, push, aux.value) if has_aux else (value, push)


def jvp(fun, primals, tangents, has_aux=False):
    """The value of a function at `primals`, and its derivative along `tangents`.

    >>> import kolam as ko
    >>> y, dy = ko.jvp(lambda x: x * x, (ko.asarray([1.0, 2.0]),), (ko.asarray([1.0, 0.0]),))
    >>> y.tolist(), dy.tolist()
    ([1.0, 4.0], [2.0, 0.0])

    y' = J(x) x'. Both are tuples, an entry for each argument; tangents of integers are None, in a list of tuples, which has no
    place for None, zeros of their dtype, which are not read where they are given. The value has the bits of `fun`.
    With `has_aux` the function gives (value, other), and jvp (value, tangent, other). Throws `[tangent-mismatch]` where a
    tangent is not like its argument, `[not-differentiable]` as `grad`.
    """
    require_function(fun, "jvp")
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple | list):
            raise KolamTypeError.make("jvp", "argument-type", f"argument '{name}': expected a tuple, an entry for each argument, but got {given!r}")
    if not _kolam._is_tracing():
        _require_lengths(tuple(primals), tangents)
    inline = functools.partial(_pushed_forward, fun, has_aux)
    return transformed(fun, ("jvp", has_aux), lambda: Transformed(fun, inline))(tuple(primals), tuple(tangents))


def _require_lengths(primals, tangents):
    """Throws where tangents of lists have other lengths than these, before anything is traced."""
    structure = flatten(primals, leaves := [])
    if len(primals) == len(tangents) and any(map(is_list, leaves)):
        alongside(tangents, structure, leaves, "tangents", "jvp")


def _pushed_forward(fun, has_aux, primals, tangents):
    """`jvp`, in a trace or at once."""
    arguments = _Arguments(primals, "jvp")
    kept = []

    def body(values):
        value, aux = _with_aux(fun(*arguments.whole(values)), has_aux, "jvp")
        _require_float_result(value, "jvp")
        arrays, rebuild = split(value)
        others, rebuild_aux = split(aux)
        kept.append((len(arrays), rebuild, rebuild_aux))
        return [*arrays, *others]

    results, found = _kolam._push_forward(body, arguments.floats, arguments.tangents(tangents), arguments.tangent_paths)
    count, rebuild, rebuild_aux = kept[-1]
    value = rebuild(results[:count])
    tangent = beside(flatten(value, leaves := []), leaves, _floats_of(found))
    return (value, tangent, rebuild_aux(results[count:])) if has_aux else (value, tangent)


def _floats_of(found):
    """The tangents of the floats among results: each float has one, and only floats do."""
    return [tangent for tangent in found if tangent is not None]


def linear_transpose(fun, *like):
    """The transpose of a function that is linear: it takes a cotangent of the result to those of the arguments, as a tuple.

    >>> import kolam as ko
    >>> ko.linear_transpose(lambda x: x[1:], ko.ones(3))(ko.asarray([1.0, 2.0]))[0].tolist()
    [0.0, 1.0, 2.0]

    `like` are arrays, or kolam.ShapeDtypeStruct, of the arguments' shapes and dtypes; of integers and lists the values and
    lengths that `fun` gets. None among cotangents is zero; integers have the cotangent None. Throws `[not-linear]` at the line
    of an op that is not linear in them, or adds numbers of the program, `[tangent-mismatch]` where a cotangent is not like the result.
    """
    require_function(fun, "linear_transpose")
    structure = flatten(like, leaves := [])
    arguments = _Arguments(unflatten(structure, map(_of_shape, leaves)), "linear_transpose")

    def transposed(*cotangents):
        cotangent = _only(cotangents, "linear_transpose")
        flatten(cotangent, given := [])
        given = [leaf for leaf in given if is_float(leaf) or not is_list(leaf)]

        def body(values):
            value = fun(*arguments.whole(values))
            _require_float_result(value, "linear_transpose")
            expected = flatten(value, results := [])
            leaves, names = _cotangents(cotangent, expected, results, "linear_transpose")
            return [as_array(leaf) for leaf in results if is_result(leaf)], [leaf is not None for leaf in leaves], names

        return arguments.of(_kolam._transpose_linear(body, arguments.floats, [as_array(leaf) for leaf in given]))

    if _kolam._is_tracing() or not all(is_described(leaf) or is_array(leaf) and is_float(leaf) for leaf in leaves):
        return Transformed(transposed, transposed)
    shapes = tuple(spec_of(leaf) for leaf in leaves)
    return transformed(fun, ("linear_transpose", structure, shapes), lambda: Transformed(fun, transposed))


def _of_shape(leaf):
    """An argument of `linear_transpose`: what says a shape and a dtype of floats alone as zeros."""
    if not is_described(leaf):
        return leaf
    dtype, shape = spec_of(leaf)
    if dtype.kind != "float":
        raise KolamTypeError.make(
            "linear_transpose", "argument-type", f"argument 'like': expected the elements of integers, which 'fun' gets, but got {leaf!r}"
        )
    return _kolam.zeros(shape, dtype=dtype)


def stop_gradient(x):
    """`x`, an array or a pytree of them, which derivatives take as constant.

    >>> import kolam as ko
    >>> ko.grad(lambda x: x * ko.stop_gradient(x))(3.0).item()
    3.0
    """
    structure = flatten(x, leaves := [])
    return unflatten(structure, iter([_constant(as_array(leaf)) if is_float(leaf) else leaf for leaf in leaves]))


def _constant(x):
    return _kolam._composite("stop_gradient", "", [x], lambda values: values, [])[0]


class _Arguments:
    """The arguments of a call: floats have tangents, other leaves are what they are."""

    def __init__(self, args, name):
        self._structure = flatten(args, leaves := [])
        self._leaves, self._name = leaves, name
        self._is_float = [is_float(leaf) for leaf in leaves]
        self.floats = [as_array(leaf) for leaf in leaves if is_float(leaf)]
        if not self.floats:
            given = [f"{described(leaf)} as {path}" for leaf, path in zip(leaves, leaf_paths(self._structure, "args"), strict=True)]
            raise KolamTypeError.make(name, "not-differentiable", f"expected floats among the arguments, but got {', '.join(given) or 'none'}")

    @property
    def tangent_paths(self):
        """How the user reaches each tangent, of floats alone."""
        paths = leaf_paths(self._structure, "tangents")
        return [path for path, is_one in zip(paths, self._is_float, strict=True) if is_one]

    def whole(self, values):
        values = iter(values)
        return unflatten(self._structure, iter([next(values) if is_one else leaf for leaf, is_one in zip(self._leaves, self._is_float, strict=True)]))

    def of(self, values):
        """In the structure of the arguments, as `joined` has those without tangents."""
        values = iter(values)
        return joined(self._structure, self._leaves, [next(values) if is_one else None for is_one in self._is_float])

    def tangents(self, given):
        if len(given) != (count := len(self._structure.parts)):
            expected = "1 tangent, that of the argument" if count == 1 else f"{count} tangents, one for each argument"
            raise KolamValueError.make(self._name, "tangent-mismatch", f"expected {expected}, but got {len(given)}")
        leaves = alongside(given, self._structure, self._leaves, "tangents", self._name)
        return [leaf for leaf, is_one in zip(leaves, self._is_float, strict=True) if is_one]


class _Aux:
    """What a function gives beside its value."""

    def __init__(self, count, value):
        self.count, self.value = count, value


def _linearised(fun, primals, has_aux, name):
    """The value at `primals`, its linear part there, what arguments it has, and what stands beside the value."""
    arguments = _Arguments(primals, name)
    if _kolam._is_tracing():
        kept, results, linear = _linearised_here(fun, arguments, has_aux, name, outlives=False)
        if any(map(is_list, results)):  # offsets of tangents are those that the body's results have here
            linear = linear.at(linear.residuals(), arguments.floats, results)
    else:

        def trace(*args):
            kept, results, linear = _linearised_here(fun, _Arguments(args, name), has_aux, name, outlives=True)
            return (results, linear.residuals()), (kept, linear)

        calls = transformed(fun, ("linearised", name, has_aux), lambda: Calls(fun, trace, is_dynamic))
        (results, residuals), (kept, linear) = calls.run(primals, {})
        linear = linear.at(residuals, arguments.floats, results)
    count, rebuild, rebuild_aux = kept
    return rebuild(results[:count]), linear, arguments, _Aux(len(results) - count, rebuild_aux(results[count:]))


def _linearised_here(fun, arguments, has_aux, name, outlives):
    """How results are put together, the arrays among them, and their linear part."""
    kept = []

    def body(values):
        value, aux = _with_aux(fun(*arguments.whole(values)), has_aux, name)
        _require_float_result(value, name)
        arrays, rebuild = split(value)
        others, rebuild_aux = split(aux)
        kept.append((len(arrays), rebuild, rebuild_aux))
        return [*arrays, *others]

    results, linear = _kolam._linearise(name, body, arguments.floats, outlives)
    return kept[-1], results, linear


def _with_aux(result, has_aux, name):
    """(value, other) of what a function gave."""
    if not has_aux:
        return result, None
    if not isinstance(result, tuple | list) or len(result) != 2:
        raise KolamTypeError.make(
            name, "argument-type", f"option 'has_aux': expected a function that gives a pair, the value and what else, but got {described(result)}"
        )
    return result


def _cotangents(given, structure, values, name):
    """(a cotangent or None, how the user reaches it) of each array among the values of a result."""
    leaves = alongside(given, structure, values, "cotangent", name)
    pairs = [pair for *pair, value in zip(leaves, leaf_paths(structure, "cotangent"), values, strict=True) if is_result(value)]
    return [leaf for leaf, _ in pairs], [path for _, path in pairs]


def _only(cotangents, name):
    """The cotangent of the result that a pullback is called with."""
    if len(cotangents) != 1:
        raise KolamTypeError.make(name, "tangent-mismatch", f"expected 1 cotangent, that of the result, but got {len(cotangents)}")
    return cotangents[0]


def _require_float_result(value, name):
    flatten(value, leaves := [])
    if not any(map(is_float, leaves)):
        found = ", ".join(map(described, leaves)) or "none"
        raise KolamTypeError.make(name, "not-differentiable", f"result: expected floats, but got {found}")


def _scalar(value, has_aux, name):
    if _is_scalar(value):
        return as_array(value)
    hint = "vjp takes a cotangent, jacrev gives the Jacobian"
    if isinstance(value, tuple | list) and value and _is_scalar(value[0]) and not has_aux:
        hint = "has_aux=True takes a pair, the scalar and what else the function gives"
    raise KolamValueError.make(name, "not-scalar", f"result of the function: expected a scalar of floats, but got {described(value)}; {hint}")


def _is_scalar(value):
    if not hasattr(value, "shape"):
        return isinstance(value, float)
    return value.shape == () and as_array(value).dtype.kind == "float"


def _numbers(argnums, name, option="argnums"):
    given = argnums if isinstance(argnums, tuple | list) else (argnums,)
    try:
        if not any(isinstance(number, bool) for number in given):
            return [operator.index(number) for number in given]
    except TypeError:
        pass
    raise KolamTypeError.make(name, "argument-type", f"option '{option}': expected an int or a tuple of them, but got {argnums!r}")


def _limit(memory_limit, name):
    if memory_limit is None:
        return ""
    if isinstance(memory_limit, str) and memory_limit or isinstance(memory_limit, int) and not isinstance(memory_limit, bool):
        return str(memory_limit)
    raise KolamTypeError.make(name, "memory-limit", f"option 'memory_limit': expected bytes above 0, as 1000000 or '2GiB', but got {memory_limit!r}")


def _key(argnums):
    return tuple(argnums) if isinstance(argnums, list) else argnums


def _require_places(args, numbers, name, option="argnums"):
    """Throws unless the call has an argument, by place, of each of these numbers."""
    for number in numbers:
        if not -len(args) <= number < len(args):
            raise KolamValueError.make(
                name, "bad-option", f"option '{option}': expected a number of an argument by place, of which the call has {len(args)}, but got {number}"
            )


def _chosen(args, numbers, name):
    _require_places(args, numbers, name)
    if len({number % len(args) for number in numbers}) != len(numbers):
        raise KolamValueError.make(name, "bad-option", f"option 'argnums': expected different arguments, but got {tuple(numbers)}")
    return tuple(args[number] for number in numbers)


def _require_floats(chosen, argnums, numbers, name):
    for number, part in zip(numbers, chosen, strict=True):
        flatten(part, leaves := [])
        if not any(map(is_float, leaves)):
            what = ", ".join(map(described, leaves))
            raise KolamTypeError.make(
                name, "not-differentiable", f"argument {number}: expected floats, but got {what or 'no arrays'}; argnums says which argument is differentiated"
            )
