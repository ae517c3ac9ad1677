"""Wrong use of derivatives: each error names function, argument, what was expected and what came, and the user's line."""

import inspect
import pathlib

import numpy as np
import pytest

import kolam as ko
from kolam import fractal
from kolam.fractal import FractalTensor

HERE = pathlib.Path(__file__).name
X = np.ones((3, 4), np.float32)
V = np.ones(3, np.float32)
I = np.arange(3, dtype=np.int32)  # noqa: E741


def raised(call):
    with pytest.raises(ko.KolamError) as info:
        call()
    return info.value


def pullback_of(function, *args):
    return ko.vjp(function, *args)[1]


def rule_of_vjp(fwd, bwd):
    function = ko.custom_vjp(lambda x: x * 2)
    function.defvjp(fwd, bwd)
    return lambda: ko.grad(lambda x: ko.sum(function(x)))(V)


def rule_of_jvp(rule):
    function = ko.custom_jvp(lambda x: x * 2)
    function.defjvp(rule)
    return lambda: ko.grad(lambda x: ko.sum(function(x)))(V)


TREE = {"w": V, "b": V}
#: name: (call, Python's own error, slug, words)
REFUSED = {
    "grad of an array": (lambda: ko.grad(lambda x: x * 2)(V), ValueError, "not-scalar",
                         "expected a scalar of floats, but got float32[3]; vjp takes a cotangent, jacrev gives the Jacobian"),
    "grad of one element": (lambda: ko.grad(lambda x: x * 2)(np.ones(1, np.float32)), ValueError, "not-scalar", "but got float32[1]"),
    "grad of integers": (lambda: ko.grad(lambda x: ko.argmax(x))(V), ValueError, "not-scalar", "expected a scalar of floats, but got int32[]"),
    "grad of a value and more": (lambda: ko.grad(lambda x: (ko.sum(x), x))(V), ValueError, "not-scalar",
                                 "; has_aux=True takes a pair, the scalar and what else the function gives"),
    "grad of a pair without a scalar": (lambda: ko.grad(lambda x: (x, x))(V), ValueError, "not-scalar", "jacrev gives the Jacobian"),
    "jacrev of an argument of integers": (lambda: ko.jacrev(lambda x, i: x * i, argnums=1)(V, np.arange(3)), TypeError, "not-differentiable",
                                          "argument 1: expected floats, but got int64[3]; argnums says which argument is differentiated"),
    "grad of nothing": (lambda: ko.grad(lambda x: None)(V), ValueError, "not-scalar", "but got None"),
    "grad of a tuple": (lambda: ko.grad(lambda x: (ko.sum(x), x))(V), ValueError, "not-scalar", "but got ("),
    "has_aux without": (lambda: ko.grad(lambda x: ko.sum(x), has_aux=True)(V), TypeError, "argument-type", "option 'has_aux': expected a function that gives a pair, the value and what else, but got float32[]"),
    "grad to integers": (lambda: ko.grad(lambda x: ko.sum(x))(I), TypeError, "not-differentiable", "argument 0: expected floats, but got int32[3]"),
    "grad to no arrays": (lambda: ko.grad(lambda x, y: ko.sum(x), argnums=1)(V, "name"), TypeError, "not-differentiable", "argument 1: expected floats, but got 'name'"),
    "jvp of integers": (lambda: ko.jvp(lambda x: x, (I,), (None,)), TypeError, "not-differentiable", "expected floats among the arguments, but got int32[3] as args[0]"),
    "vjp of integers": (lambda: ko.vjp(lambda x: x, I), TypeError, "not-differentiable", "expected floats among the arguments, but got int32[3] as args[0]"),
    "vjp of integers in a tree": (lambda: ko.vjp(lambda t, n: t, {"i": I}, 3), TypeError, "not-differentiable", 'but got int32[3] as args[0]["i"], 3 as args[1]'),
    "linearize of integers": (lambda: ko.linearize(lambda x: x, I), TypeError, "not-differentiable", "but got int32[3] as args[0]"),
    "vjp of a result of integers": (lambda: ko.vjp(ko.argmax, V), TypeError, "not-differentiable", "result: expected floats, but got int32[]"),
    "jvp of a result of integers": (lambda: ko.jvp(ko.argmax, (V,), (V,)), TypeError, "not-differentiable", "result: expected floats, but got int32[]"),
    "vjp of nothing": (lambda: ko.vjp(lambda x: None, V), TypeError, "not-differentiable", "result: expected floats, but got none"),
    "jacrev of integers": (lambda: ko.jacrev(lambda x: ko.astype(x, ko.int32))(V), TypeError, "not-differentiable", "result: expected floats, but got int32[3]"),
    "jacfwd of integers": (lambda: ko.jacfwd(lambda x: {"i": ko.astype(x, ko.int32), "x": x})(V), TypeError, "not-differentiable", 'jacfwd: [not-differentiable] result["i"]: expected floats, but got int32[3]'),
    "jacfwd to integers": (lambda: ko.jacfwd(lambda x, t: x, argnums=1)(V, {"i": I}), TypeError, "not-differentiable",
                           "argument 1: expected floats, but got int32[3]; argnums says which argument is differentiated"),
    "jacfwd to lists": (lambda: ko.jacfwd(lambda xs: xs[0])(FractalTensor([1.0, 2.0])), TypeError, "not-differentiable", "argument: expected arrays of floats, as a list has no dims, but got a list<float32[]>"),
    "jacrev of lists": (lambda: ko.jacrev(lambda x: fractal.map(lambda v: v * x, FractalTensor([1.0, 2.0])))(1.0), TypeError, "not-differentiable", "result: expected arrays of floats, as a list has no dims"),
    "a function of the host": (lambda: ko.grad(lambda x: ko.sum(ko.opaque_call(lambda a: a, [x], ((3,), ko.float32))))(V),
                               ValueError, "not-differentiable", "opaque_call"),
    "no function": (lambda: ko.grad(3), TypeError, "argument-type", "argument 'fun': expected a function, but got 3"),
    "no argnums": (lambda: ko.grad(ko.sum, argnums="x")(V), TypeError, "argument-type", "option 'argnums': expected an int or a tuple of them, but got 'x'"),
    "no such argument": (lambda: ko.grad(ko.sum, argnums=3)(V), ValueError, "bad-option", "of which the call has 1, but got 3"),
    "the same argument twice": (lambda: ko.grad(ko.sum, argnums=(0, 0))(V), ValueError, "bad-option", "option 'argnums': expected different arguments"),
    "chunk": (lambda: ko.jacrev(ko.sin, chunk=0)(V), ValueError, "bad-option", "option 'chunk': expected a number from 1, or None, but got 0"),
    "a tangent's shape": (lambda: ko.jvp(lambda x: x * 2, (V,), (X,)), ValueError, "tangent-mismatch", "expected float32[3], but got float32[3, 4]"),
    "a tangent's dtype": (lambda: ko.jvp(lambda x: x * 2, (V,), (V.astype(np.float64),)), ValueError, "tangent-mismatch", "expected float32[3], but got float64[3]"),
    "a tangent's structure": (lambda: ko.jvp(lambda t: t["w"], (TREE,), ((V, V),)), ValueError, "tangent-mismatch", "tangents[0]: expected the structure {'b': *, 'w': *}, but got (*, *)"),
    "a tangent too many": (lambda: ko.jvp(lambda x: x * 2, (V,), (V, V)), ValueError, "tangent-mismatch", "expected 1 tangent, that of the argument, but got 2"),
    "a tangent's path": (lambda: ko.jvp(lambda t: t["w"] * t["b"], (TREE,), ({"w": V, "b": X},)), ValueError, "tangent-mismatch", 'tangents[0]["b"]: expected float32[3], but got float32[3, 4]'),
    "a tangent's path behind integers": (lambda: ko.jvp(lambda i, x: x * 2, (I, V), (None, X)), ValueError, "tangent-mismatch", "tangents[1]: expected float32[3], but got float32[3, 4]"),
    "a tangent of integers": (lambda: ko.jvp(lambda i, x: x * 2, (I, V), (I, V)), ValueError, "tangent-mismatch", "tangents[0]: expected None, as int32[3] has no derivative, but got int32[3]"),
    "a tangent of a list": (lambda: ko.jvp(lambda xs: xs[0], (FractalTensor([V, V]),), (FractalTensor([[V, V]]),)), ValueError, "tangent-mismatch", "tangents[0]: expected a list<float32[3]>, but got a list<list<float32[3]>>"),
    "primals": (lambda: ko.jvp(lambda x: x, V, V), TypeError, "argument-type", "argument 'primals': expected a tuple"),
    "a cotangent's shape": (lambda: pullback_of(lambda x: x * 2, V)(X), ValueError, "tangent-mismatch", "cotangent: expected float32[3], but got float32[3, 4]"),
    "a cotangent's structure": (lambda: pullback_of(lambda x: (x, x), V)(V), ValueError, "tangent-mismatch", "cotangent: expected the structure (*, *), but got *"),
    "a cotangent of another": (lambda: pullback_of(lambda x: {"a": x}, V)({"b": V}), ValueError, "tangent-mismatch", "cotangent: expected the structure {'a': *}, but got {'b': *}"),
    "a cotangent's part": (lambda: pullback_of(lambda x: {"a": (x, x)}, V)({"a": V}), ValueError, "tangent-mismatch", 'cotangent["a"]: expected the structure (*, *), but got *'),
    "a cotangent's path": (lambda: pullback_of(lambda x: {"a": (x, x)}, V)({"a": (V, X)}), ValueError, "tangent-mismatch", 'cotangent["a"][1]: expected float32[3], but got float32[3, 4]'),
    "a cotangent of integers": (lambda: pullback_of(lambda x: (x, ko.argmax(x)), V)((V, np.int32(1))), ValueError, "tangent-mismatch", "cotangent[1]: expected None, as int32[] has no derivative, but got int32[]"),
    "a push's tangent": (lambda: ko.linearize(lambda x, t: x * t["w"], V, TREE)[1](V, {"w": X, "b": None}), ValueError, "tangent-mismatch", 'tangents[1]["w"]: expected float32[3], but got float32[3, 4]'),
    "a transposed function's cotangent": (lambda: ko.linear_transpose(lambda x: {"y": x}, V)({"y": X}), ValueError, "tangent-mismatch", 'cotangent["y"]: expected float32[3], but got float32[3, 4]'),
    "a transposed function's structure": (lambda: ko.linear_transpose(lambda x: {"y": x}, V)({"z": V}), ValueError, "tangent-mismatch", "cotangent: expected the structure {'y': *}, but got {'z': *}"),
    "shapes of integers": (lambda: ko.linear_transpose(lambda x, i: x[i], V, ko.ShapeDtypeStruct((2,), "int32"))(V), TypeError, "argument-type", "argument 'like': expected the elements of integers"),
    "a square": (lambda: ko.linear_transpose(lambda x: x * x, V)(V), ValueError, "not-linear", "multiply: expected a function that is linear in its arguments, but its derivative depends on them"),
    "a sine": (lambda: ko.linear_transpose(ko.sin, V)(V), ValueError, "not-linear", "expected a function that is linear"),
    "a place of no argument without derivatives": (
        lambda: ko.custom_vjp(lambda x: x, nondiff_argnums=(4,))(V), ValueError, "bad-option", "option 'nondiff_argnums': expected a number of an argument by place, of which the call has 1, but got 4",
    ),
    "a place that is no number": (lambda: ko.custom_jvp(lambda x: x, nondiff_argnums="x"), TypeError, "argument-type", "option 'nondiff_argnums'"),
    "a static place of no argument": (lambda: ko.checkpoint(lambda x: x, static_argnums=(5,))(V), ValueError, "bad-option", "option 'static_argnums'"),
    "names that are no texts": (lambda: ko.checkpoint_policies.save_only_these_names(3), TypeError, "argument-type", "argument 'names': expected texts, but got 3"),
    "two cotangents": (lambda: ko.vjp(ko.sin, V)[1](V, V), TypeError, "tangent-mismatch", "vjp: [tangent-mismatch] expected 1 cotangent, that of the result, but got 2"),
    "no cotangent": (lambda: ko.linear_transpose(lambda x: x * 2, V)(), TypeError, "tangent-mismatch", "expected 1 cotangent, that of the result, but got 0"),
    "a tangent for two arguments": (lambda: ko.linearize(ko.add, V, V)[1](V), ValueError, "tangent-mismatch", "expected 2 tangents, one for each argument, but got 1"),
    "other modes": (lambda: ko.check_grads(ko.sin, (V,), modes=("sideways",)), ValueError, "bad-option", "option 'modes': expected 'fwd', 'rev' or both, but got ('sideways',)"),
    "no modes": (lambda: ko.check_grads(ko.sin, (V,), modes=()), ValueError, "bad-option", "option 'modes'"),
    "argnums of hessian": (lambda: ko.hessian(ko.sum, argnums="x"), TypeError, "argument-type", "hessian: [argument-type] option 'argnums'"),
    "a place of hessian": (lambda: ko.hessian(ko.sum, argnums=5)(V), ValueError, "bad-option", "hessian: [bad-option] option 'argnums'"),
    "no rule": (lambda: ko.custom_vjp(lambda x: x)(V), ValueError, "custom-rule", "f.defvjp(fwd, bwd)"),
    "no rule of jvp": (lambda: ko.custom_jvp(lambda x: x)(V), ValueError, "custom-rule", "f.defjvp(rule)"),
    "fwd gives no pair": (rule_of_vjp(lambda x: x * 2, lambda r, v: (v,)), ValueError, "custom-rule", "fwd: expected a pair"),
    "bwd gives too few": (rule_of_vjp(lambda x: (x * 2, None), lambda r, v: ()), ValueError, "custom-rule", "expected a tuple of 1, a cotangent for each argument, but got 0"),
    "bwd gives nothing": (rule_of_vjp(lambda x: (x * 2, None), lambda r, v: None), ValueError, "custom-rule", "bwd: expected a tuple of 1, a cotangent for each argument, but got None: does it return?"),
    "bwd takes too few": (rule_of_vjp(lambda x: (x * 2, None), lambda v: (v,)), TypeError, "call-mismatch", "argument 'bwd': expected a function of 2 arguments, but got one of (v)"),
    "fwd takes too many": (rule_of_vjp(lambda x, y: (x * 2, None), lambda r, v: (v,)), TypeError, "call-mismatch", "argument 'fwd': expected a function of 1 argument, but got one of (x, y)"),
    "bwd gives another shape": (rule_of_vjp(lambda x: (x * 2, None), lambda r, v: (ko.sum(v),)), ValueError, "custom-rule", "expected float32[3], but got float32[]"),
    "bwd gives another dtype": (rule_of_vjp(lambda x: (x * 2, None), lambda r, v: (ko.astype(v, ko.float64),)), ValueError, "custom-rule", "but got float64[3]"),
    "fwd gives another value": (rule_of_vjp(lambda x: (ko.sum(x), None), lambda r, v: (v,)), ValueError, "custom-rule", "expected float32[3], but got float32[]"),
    "a tangent too few": (rule_of_jvp(lambda p, t: (p[0] * 2, ())), ValueError, "custom-rule", "the rule, tangent: expected the structure *, but got ()"),
    "a tangent of another shape": (rule_of_jvp(lambda p, t: (p[0] * 2, ko.sum(t[0]))), ValueError, "custom-rule", "expected float32[3], but got float32[]"),
    "a value of another dtype": (rule_of_jvp(lambda p, t: (ko.astype(p[0], ko.float64), t[0])), ValueError, "custom-rule", "but got float64[3]"),
    "no pair of value and tangent": (rule_of_jvp(lambda p, t: t[0]), ValueError, "custom-rule", "expected a pair, the value and its tangent"),
    "a rule that is not linear": (rule_of_jvp(lambda p, t: (p[0] * 2, t[0] * t[0])), ValueError, "not-linear", "multiply: expected a function that is linear in its arguments, but its derivative depends on them"),
    "no function as a rule": (lambda: ko.custom_vjp(ko.sin).defvjp(1, 2), TypeError, "argument-type", "expected a function, but got 1"),
    "a limit": (lambda: ko.grad(ko.sum, memory_limit="1 parsec")(V), ValueError, "memory-limit", "memory_limit"),
    "a wrong gradient": (lambda: ko.check_grads(lambda x: ko.sum(x * ko.stop_gradient(x)), (V,)), ValueError, "wrong-gradient", "by finite differences, but got"),
    "check_grads of no tuple": (lambda: ko.check_grads(ko.sin, V), TypeError, "argument-type", "argument 'args': expected a tuple of f's arguments, (x,) of one, but got"),
    "check_grads of too many": (lambda: ko.check_grads(lambda x: x, (V, V)), TypeError, "call-mismatch", "argument 'f': expected a function of 2 arguments"),
    "no order": (lambda: ko.check_grads(ko.sin, (V,), order=0), ValueError, "bad-option", "option 'order': expected a number of derivatives, at least 1, but got 0"),
    "check_grads where it is NaN": (lambda: ko.check_grads(lambda x: ko.sum(ko.sqrt(x)), (-np.ones(1, np.float32),)), ValueError, "wrong-gradient", "expected a function that is finite around 'args'"),
    "a bool as argnums": (lambda: ko.grad(ko.sum, argnums=True)(V), TypeError, "argument-type", "option 'argnums': expected an int or a tuple of them, but got True"),
    "check_grads of integers": (lambda: ko.check_grads(ko.sin, (I,)), TypeError, "not-differentiable", "argument 'args': expected floats among them"),
    "instances of other extents": (lambda: ko.vmap(ko.grad(lambda x, y: ko.sum(x) * ko.sum(y)))(X, np.ones((2, 4), np.float32)), ValueError, "batch-axis", "expected as many instances"),
    "instances with extents of their own": (lambda: ko.vmap(lambda x: x[x > 0])(X), ValueError, "instance-extents", "result 0 of f: expected extents that all instances share"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_words(name):
    call, error, slug, words = REFUSED[name]
    found = raised(call)
    assert found.slug == slug and words in str(found), str(found)
    assert isinstance(found, error), type(found)
    assert HERE in str(found), f"no line of the user's: {found}"


def line_of_next():
    return inspect.currentframe().f_back.f_lineno + 1


def test_the_line_is_that_of_the_op():
    def f(x):
        nonlocal line
        y = ko.sin(x)
        line = line_of_next()
        z = ko.opaque_call(lambda a: a, [y], ((3,), ko.float32))
        return ko.sum(z)

    line = 0
    found = raised(lambda: ko.grad(f)(V))
    assert f"{HERE}:{line}" in str(found), str(found)


def test_the_line_of_what_is_not_linear():
    def f(x):
        nonlocal line
        line = line_of_next()
        return x * x

    line = 0
    found = raised(lambda: ko.linear_transpose(f, V)(V))
    assert f"{HERE}:{line}" in str(found), str(found)


def test_what_is_constant_reaches_any_op():
    """An op without a derivative refuses only what is differentiated."""

    def f(x):
        return ko.sum(x * ko.opaque_call(lambda a: np.asarray(a) * 3, [ko.stop_gradient(x)], ((3,), ko.float32)))

    assert ko.grad(f)(V).tolist() == [3, 3, 3]


def test_a_failed_derivative_leaves_nothing_behind():
    raised(lambda: ko.grad(lambda x: x)(V))
    assert ko.grad(lambda x: ko.sum(x * x))(V).tolist() == [2, 2, 2]


def test_errors_inside_jit_name_the_function_that_was_called():
    found = raised(lambda: ko.jit(ko.grad(lambda x: x * 2))(V))
    assert str(found).startswith("grad: [not-scalar]"), str(found)
