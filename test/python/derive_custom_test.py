"""Functions with rules of their own: every transformation calls the rule, and only it."""

import numpy as np
import pytest

import kolam as ko
from kolam import fractal

X = np.linspace(0.2, 1.4, 6).reshape(2, 3)


def array(x):
    return np.asarray(x)


def with_jvp():
    """The sine, with twice its derivative."""

    @ko.custom_jvp
    def f(x):
        return ko.sin(x)

    @f.defjvp
    def rule(primals, tangents):
        (x,), (t,) = primals, tangents
        return f(x), 2 * ko.cos(x) * t

    return f


def with_vjp():
    @ko.custom_vjp
    def f(x):
        return ko.sin(x)

    f.defvjp(lambda x: (f(x), x), lambda x, v: (2 * ko.cos(x) * v,))
    return f


BOTH = pytest.mark.parametrize("make", [with_jvp, with_vjp])


@BOTH
def test_modes(make):
    f = make()
    slope = 2 * np.cos(X)
    np.testing.assert_array_equal(array(f(X)), np.asarray(ko.sin(X)))
    np.testing.assert_allclose(array(ko.grad(lambda x: ko.sum(f(x)))(X)), slope)
    np.testing.assert_allclose(array(ko.jvp(f, (X,), (X,))[1]), slope * X)
    np.testing.assert_allclose(array(ko.vjp(f, X)[1](X)[0]), slope * X)
    np.testing.assert_allclose(array(ko.linearize(f, X)[1](X)), slope * X)
    for jacobian in (ko.jacfwd, ko.jacrev):
        np.testing.assert_allclose(array(jacobian(f)(X[0])), np.diag(slope[0]), atol=1e-15)


@BOTH
def test_second_order_differentiates_the_rule(make):
    f = make()
    once = ko.grad(lambda x: ko.sum(f(x)))
    np.testing.assert_allclose(array(ko.grad(lambda x: ko.sum(once(x)))(X)), -2 * np.sin(X))
    np.testing.assert_allclose(array(ko.jvp(once, (X,), (X,))[1]), -2 * np.sin(X) * X)


@BOTH
def test_in_other_transformations(make):
    f = make()
    slope = 2 * np.cos(X)
    total = lambda x: ko.sum(f(x))  # noqa: E731
    np.testing.assert_allclose(array(ko.jit(ko.grad(total))(X)), slope)
    np.testing.assert_allclose(array(ko.vmap(ko.grad(total))(X)), slope)
    np.testing.assert_allclose(array(ko.grad(lambda x: ko.sum(ko.vmap(f)(x)))(X)), slope)
    np.testing.assert_allclose(array(ko.grad(ko.checkpoint(total))(X)), slope)
    np.testing.assert_allclose(array(ko.vmap(ko.vmap(ko.grad(f)))(X)), slope)


@BOTH
def test_instances_share_arguments(make):
    f = make()
    both = lambda x, y: f(x * ko.ones(3)) * y  # noqa: E731
    shared = lambda x, y: ko.sum(ko.vmap(both, in_axes=(None, 0))(x, y))  # noqa: E731
    x, y = X[0], ko.asarray(X)
    np.testing.assert_allclose(array(ko.grad(shared)(x, y)), 2 * np.cos(x) * X.sum(0), rtol=1e-12)


def test_a_rule_of_several_arguments_of_which_instances_share_some():
    @ko.custom_jvp
    def f(x, y):
        return ko.sin(x) * y

    f.defjvp(lambda primals, t: (f(*primals), 2 * ko.cos(primals[0]) * t[0] * primals[1] + 3 * ko.sin(primals[0]) * t[1]))
    shared = ko.vmap(f, in_axes=(None, 0))
    of_x, of_y = ko.grad(lambda x, y: ko.sum(shared(x, y)), argnums=(0, 1))(X[0], X)
    np.testing.assert_allclose(array(of_x), 2 * np.cos(X[0]) * X.sum(0), rtol=1e-12)
    np.testing.assert_allclose(array(of_y), 3 * np.sin(X[0]) + 0 * X, rtol=1e-12)
    tangent = ko.jvp(lambda x: shared(x, X), (X[0],), (X[1],))[1]
    np.testing.assert_allclose(array(tangent), 2 * np.cos(X[0]) * X[1] * X, rtol=1e-12)


LOOPS = {
    "fori_loop": lambda body, s: ko.fori_loop(0, 3, lambda i, s: body(s), s),
    "scan": lambda body, s: ko.scan(lambda s, _: (body(s), None), s, length=3)[0],
    "while_loop": lambda body, s: ko.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, body(s[1])), (0, s))[1],
    "fold": lambda body, s: fractal.fold(lambda s, _: body(s), fractal.FractalTensor([1.0, 2.0, 3.0]), s),
}


def looping(name, tangent):
    """2 sin, three times, with a loop as its rule that carries the tangent, of which a step makes `tangent`."""
    f = ko.custom_jvp(lambda x: LOOPS[name](lambda c: 2 * ko.sin(c), x))
    f.defjvp(lambda primals, tangents: LOOPS[name](lambda s: (2 * ko.sin(s[0]), tangent(*s)), (primals[0], tangents[0])))
    return f


@pytest.mark.parametrize("name", LOOPS)
def test_loops_in_rules_carry_values_and_tangents(name):
    """A tangent is linear though the loop that computes it computes what it is multiplied by, too."""
    f, start = looping(name, lambda x, t: 4 * ko.cos(x) * t), np.float64(0.3)
    x, expected = start, 1.0
    for _ in range(3):
        expected, x = expected * 4 * np.cos(x), 2 * np.sin(x)
    assert ko.grad(f)(start).item() == pytest.approx(expected, rel=1e-12)
    assert ko.jvp(f, (start,), (np.float64(1),))[1].item() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", LOOPS)
def test_loops_in_rules_that_are_not_linear(name):
    for tangent in (lambda x, t: t * t, lambda x, t: ko.where(t > 0, t, 2 * t)):
        with pytest.raises(ko.KolamError, match=r"\[not-linear\]"):
            ko.grad(looping(name, tangent))(np.float64(0.3))


@BOTH
def test_in_loops_and_branches(make):
    f = make()

    def loop(g):
        return lambda x: ko.sum(ko.scan(lambda h, row: (g(h) + row, None), ko.zeros(3, dtype=ko.float64), x)[0])

    doubled = np.array(2 * np.cos(X[0]))
    np.testing.assert_allclose(array(ko.grad(loop(f))(X)), [doubled, np.ones(3)])
    np.testing.assert_allclose(array(ko.grad(lambda x: ko.sum(ko.cond(ko.sum(x) > 0, lambda: f(x), lambda: x)))(X)), 2 * np.cos(X))
    np.testing.assert_allclose(array(ko.grad(lambda x: ko.sum(ko.fori_loop(0, 1, lambda i, h: f(h), x)))(X)), 2 * np.cos(X))


def test_rules_may_capture_traced_values():
    def outer(x, scale):
        @ko.custom_vjp
        def f(x):
            return x * x

        f.defvjp(lambda x: (x * x, x), lambda x, v: (v * x * ko.stop_gradient(scale),))
        return ko.sum(f(x))

    np.testing.assert_allclose(array(ko.jit(ko.grad(outer))(X, np.float64(5))), 5 * X)


def test_integers_get_none():
    @ko.custom_vjp
    def pick(x, i):
        return x[i]

    seen = []

    def bwd(kept, v):
        x, i = kept
        return ko.zeros(x.shape, dtype=x.dtype).at[i].add(v), None

    pick.defvjp(lambda x, i: (x[i], (x, i)), bwd)
    found = ko.grad(lambda x: ko.sum(pick(x, ko.asarray([1, 1]))))(X[0])
    assert found.tolist() == [0, 2, 0] and not seen

    @ko.custom_jvp
    def scaled(x, n):
        return x * ko.astype(n, x.dtype)

    @scaled.defjvp
    def rule(primals, tangents):
        assert tangents[1] is None
        return scaled(*primals), tangents[0] * 7

    assert ko.grad(lambda x: ko.sum(scaled(x, ko.asarray(3))))(X[0]).tolist() == [7, 7, 7]


def test_arguments_without_derivatives():
    def power(x, n):
        return x**n

    f = ko.custom_vjp(power, nondiff_argnums=(1,))
    f.defvjp(lambda x, n: (x**n, x), lambda n, x, v: (v * n * 100,))
    np.testing.assert_allclose(array(ko.grad(lambda x: ko.sum(f(x, 3)))(X)), np.full(X.shape, 300))
    g = ko.custom_jvp(lambda n, x: x**n, nondiff_argnums=(0,))
    g.defjvp(lambda n, primals, tangents: (primals[0] ** n, tangents[0] * n))
    np.testing.assert_allclose(array(ko.grad(lambda x: ko.sum(g(3, x)))(X)), np.full(X.shape, 3))


def test_trees():
    @ko.custom_vjp
    def f(tree):
        return {"sum": tree["a"] + tree["b"][0], "twice": 2 * tree["a"]}

    def bwd(kept, v):
        return ({"a": v["sum"] + 10 * v["twice"], "b": [v["sum"] * 3]},)

    f.defvjp(lambda tree: (f(tree), None), bwd)

    def loss(tree):
        out = f(tree)
        return ko.sum(out["sum"]) + ko.sum(out["twice"])

    found = ko.grad(loss)({"a": X, "b": [X]})
    assert np.all(array(found["a"]) == 11) and np.all(array(found["b"][0]) == 3)


def test_no_cotangent_is_zero():
    @ko.custom_vjp
    def f(x, y):
        return x * y

    f.defvjp(lambda x, y: (x * y, y), lambda y, v: (v * y, None))
    gx, gy = ko.grad(lambda x, y: ko.sum(f(x, y)), argnums=(0, 1))(X, X)
    np.testing.assert_array_equal(array(gx), X)
    assert not array(gy).any()


def test_rules_of_single_arguments():
    f = ko.custom_jvp(lambda x, y: x * y)
    f.defjvps(lambda t, value, x, y: t * y * 2, None)
    gx, gy = ko.grad(lambda x, y: ko.sum(f(x, y)), argnums=(0, 1))(X, X)
    np.testing.assert_allclose(array(gx), 2 * X)
    assert not array(gy).any()


def test_rules_of_single_arguments_that_give_trees():
    """Their parts are added leaf by leaf; a part, or a leaf of one, may be None."""
    f = ko.custom_jvp(lambda x, y, n: {"product": x * y, "rest": (x + y, [y], n * 1)})
    f.defjvps(
        lambda t, value, x, y, n: {"product": 2 * t * y, "rest": (t, None, None)},
        lambda t, value, x, y, n: {"product": 3 * t * x, "rest": (5 * t, [7 * t], None)},
        None,
    )
    y, n = 2 * X, np.arange(3)
    for around in (lambda g: g, ko.jit):
        tangent = around(lambda x, y, n: ko.jvp(f, (x, y, n), (x, y, None))[1])(X, y, n)
        np.testing.assert_allclose(array(tangent["product"]), 5 * X * y, rtol=1e-6)
        np.testing.assert_allclose(array(tangent["rest"][0]), X + 5 * y, rtol=1e-6)
        np.testing.assert_allclose(array(tangent["rest"][1][0]), 7 * y, rtol=1e-6)
        gx, gy = around(ko.grad(lambda x, y: ko.sum(f(x, y, n)["product"]) + ko.sum(f(x, y, n)["rest"][0]), argnums=(0, 1)))(X, y)
        np.testing.assert_allclose(array(gx), 2 * y + 1, rtol=1e-6)
        np.testing.assert_allclose(array(gy), 3 * X + 5, rtol=1e-6)
    assert not array(ko.grad(lambda x: ko.sum(f(x, y, n)["rest"][1][0]))(X)).any()


def test_rules_of_single_arguments_of_which_one_is_a_tree():
    f = ko.custom_jvp(lambda x, tree: x * tree["w"])
    f.defjvps(None, lambda t, value, x, tree: 3 * x * t["w"])
    tree = {"w": 2 * X, "n": 1}
    gx, gtree = ko.grad(lambda x, tree: ko.sum(f(x, tree)), argnums=(0, 1))(X, tree)
    assert not array(gx).any() and gtree["n"] is None
    np.testing.assert_allclose(array(gtree["w"]), 3 * X, rtol=1e-6)
    assert not array(ko.grad(lambda x: ko.sum(f(x, tree)))(X)).any()  # a tree without tangents


@pytest.mark.parametrize("place", [0, 1, -1])
def test_rules_of_single_arguments_beside_fixed_ones(place):
    """All arguments come to a rule at their places; fixed ones have no rule."""
    args = [X, 2 * X]
    args.insert(place % 3, "twice")
    seen = []

    def function(*args):
        x, y = (arg for arg in args if not isinstance(arg, str))
        return x * y

    def rule(factor):
        def part(tangent, value, *args):
            seen.append(args)
            return factor * tangent * value

        return part

    f = ko.custom_jvp(function, nondiff_argnums=place)
    f.defjvps(rule(2), rule(3))
    numbers = tuple(number for number in range(3) if number != place % 3)
    gradients = ko.grad(lambda *args: ko.sum(f(*args)), argnums=numbers)(*args)
    for found, factor in zip(gradients, (2, 3), strict=True):
        np.testing.assert_allclose(array(found), factor * 2 * X * X, rtol=1e-6)
    assert seen and all(given[place % 3] == "twice" and len(given) == 3 for given in seen)


def test_by_name_and_as_methods():
    f = with_vjp()
    np.testing.assert_allclose(array(ko.grad(lambda x: ko.sum(f(x=x)))(X)), 2 * np.cos(X))

    class Layer:
        scale = 3.0

        @ko.custom_jvp
        def call(self, x):
            return x * self.scale

    Layer.__dict__["call"].defjvp(lambda primals, tangents: (primals[1] * 3.0, tangents[1] * 11))
    layer = Layer()
    assert ko.grad(lambda x: ko.sum(layer.call(x)))(X[0]).tolist() == [11, 11, 11]


def growing(kind):
    """A function whose rule says that it grows by three times its value: so do its derivatives."""
    if kind == "vjp":
        f = ko.custom_vjp(lambda x: x * x)
        f.defvjp(lambda x: (f(x), x), lambda x, v: (3 * f(x) * v,))
        return f
    f = ko.custom_jvp(lambda x: x * x)
    if kind == "jvp":
        f.defjvp(lambda primals, tangents: (f(*primals), 3 * f(*primals) * tangents[0]))
    else:
        f.defjvps(lambda t, value, x: 3 * value * t)
    return f


@pytest.mark.parametrize("kind", ["vjp", "jvp", "jvps"])
def test_rules_hold_of_the_function_in_its_own_rule(kind):
    function, x = growing(kind), 1.5
    for order in range(1, 4):
        function = ko.grad(function)
        assert function(x).item() == 3**order * x * x, order
        assert ko.jit(function)(x).item() == 3**order * x * x, order
    twice = ko.jvp(lambda x: ko.jvp(growing(kind), (x,), (1.0,))[1], (x,), (1.0,))[1]
    assert twice.item() == 9 * x * x


def test_a_function_that_calls_itself_in_its_rule_on_several_threads():
    from concurrent.futures import ThreadPoolExecutor

    f = with_jvp()
    gradient = ko.grad(lambda x: ko.sum(f(x)))
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda k: array(gradient(X * k)), range(8)):
            assert np.isfinite(found).all()


def test_a_function_that_calls_itself_with_other_arguments():
    def power(n, *xs):
        return xs[0] if n == 0 else f(n - 1, *xs, xs[0]) * xs[0]

    f = ko.custom_vjp(power, nondiff_argnums=0)
    f.defvjp(lambda n, *xs: (power(n, *xs), xs), lambda n, xs, v: tuple(10 * v for _ in xs))
    assert ko.grad(lambda x: f(2, x))(3.0).item() == 10
    assert f(2, ko.asarray(3.0)).item() == 27
    assert ko.grad(lambda x: f(1, x, x))(3.0).item() == 20


def test_a_rule_that_clips_has_reverse_mode_alone():
    """Clipping what comes back is not linear: gradients are by the rule, and forward mode is refused."""

    @ko.custom_vjp
    def clipped(x):
        return x

    clipped.defvjp(lambda x: (x, None), lambda residual, g: (ko.clip(g, -0.5, 0.5),))
    x = np.linspace(0, 3, 7)
    f = lambda x: ko.sum(ko.sin(clipped(x)))
    np.testing.assert_allclose(np.asarray(ko.grad(f)(x)), np.clip(np.cos(x), -0.5, 0.5))
    np.testing.assert_allclose(np.asarray(ko.vmap(ko.grad(f))(np.stack([x, x + 1])))[1], np.clip(np.cos(x + 1), -0.5, 0.5))
    with pytest.raises(ko.errors.KolamError, match="not-linear"):
        ko.jvp(clipped, (x,), (x,))


def test_rules_that_call_a_host_function_have_reverse_mode_alone():
    """Reverse mode runs `bwd` and differentiates nothing of it; forward mode would need its transpose."""

    def twice(a):
        return ko.opaque_call(lambda a: np.asarray(a) * 2, [a], ((3,), ko.float64))

    f = ko.custom_vjp(twice)
    f.defvjp(lambda x: (twice(x), None), lambda residual, v: (twice(v),))
    x = np.array([1.0, 2.0, -1.0])
    assert ko.grad(lambda x: ko.sum(f(x)))(x).tolist() == [2, 2, 2]
    assert ko.jit(ko.grad(lambda x: ko.sum(f(x) * x)))(x).tolist() == [4, 8, -4]
    assert ko.vjp(f, x)[1](x)[0].tolist() == [2, 4, -2]
    with pytest.raises(ko.errors.KolamError, match="not-differentiable.*forward mode of the custom_vjp function 'twice': 'bwd' is transposed, but"):
        ko.jvp(f, (x,), (x,))


def test_forward_mode_names_the_function_whose_bwd_is_not_linear():
    @ko.custom_vjp
    def wave(x):
        return ko.sin(x)

    wave.defvjp(lambda x: (ko.sin(x), x), lambda x, v: (ko.exp(v) * ko.cos(x),))
    x = ko.ones(3)
    with pytest.raises(ko.errors.KolamError, match=r"\[not-linear\] forward mode of the custom_vjp function 'wave': 'bwd' is transposed, but exp: expected"):
        ko.jvp(wave, (x,), (x,))
