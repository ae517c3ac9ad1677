"""checkify: errors as values, through every transformation; check without it."""

import functools
import math

import numpy as np
import pytest

import kolam as ko
from kolam import pallas as pl

AROUND = pytest.mark.parametrize("around", [lambda f: f, ko.jit, functools.partial(ko.jit, backend="interpret")])


def array(x):
    return np.asarray(x)


def positive(x, note=""):
    ko.check(x > 0, "expected a positive x" + note + ", but got {}", x)
    return ko.sqrt(x)


def text(error):
    """The first line of what an error says."""
    found = error.get()
    return None if found is None else found.splitlines()[0]


@AROUND
def test_straight_line(around):
    f = around(ko.checkify(positive))
    error, y = f(ko.asarray(4.0))
    assert error.get() is None and y.item() == 2 and error.throw() is None
    error, y = f(ko.asarray(-4.0))
    assert text(error) == "[check-failed] expected a positive x, but got -4.0" and math.isnan(y.item())
    assert "checkify_test.py:" in error.get()
    with pytest.raises(ko.KolamError, match=r"\[check-failed\] expected a positive x, but got -4.0\n.*checkify_test.py"):
        error.throw()
    error, _ = f(np.array([[1, 2], [3, -0.5]], np.float32))
    assert text(error) == "[check-failed] expected a positive x, but got -0.5 (at [1][1])"


def test_the_first_in_program_order_counts():
    def f(x, n):
        ko.check(n < 5, "n is {} of {}", n, x)
        positive(x)
        ko.check(x > 1, "never first")
        return x

    g = ko.checkify(f)
    assert text(g(np.float32(2), 3)[0]) is None
    assert text(g(np.float32(-2), 3)[0]) == "[check-failed] expected a positive x, but got -2.0"
    assert text(g(np.float32(-2), np.int64(7))[0]) == "[check-failed] n is 7 of -2.0"
    assert text(g(np.float32(0.5), 3)[0]) == "[check-failed] never first"
    big = np.uint8(255)
    assert text(ko.checkify(lambda x: ko.check(x < 9, "{} and {{}}", x))(big)[0]) == "[check-failed] 255 and {}"
    many = ko.checkify(lambda x: ko.check(ko.asarray(False), "{} {} {}", x, x > 0, ko.astype(x, ko.bfloat16)))(np.float64(0.1))[0]
    assert text(many) == "[check-failed] 0.1 True 0.1001" or text(many).startswith("[check-failed] 0.1 ")


@AROUND
def test_branches_and_loops(around):
    chosen = around(ko.checkify(lambda x: ko.cond(x > -2, positive, lambda x: x, x)))
    assert text(chosen(ko.asarray(-1.0))[0]).endswith("but got -1.0") and chosen(ko.asarray(-3.0))[0].get() is None

    def counted(x, n):
        return ko.fori_loop(0, n, lambda i, s: positive(s, " in a turn") - 0.5, x)

    f = around(ko.checkify(counted))
    assert f(ko.asarray(4.0), 2)[0].get() is None
    assert text(f(ko.asarray(0.25), 5)[0]) == "[check-failed] expected a positive x in a turn, but got 0.0"  # not what came later

    def scanned(xs):
        return ko.scan(lambda s, x: (s + positive(x), x), 0.0, xs)

    error, (total, ys) = around(ko.checkify(scanned))(np.array([4, -9, -16, 1], np.float32))
    assert text(error).endswith("but got -9.0") and array(ys).tolist() == [4, -9, -16, 1]

    def until(x):
        def more(s):
            ko.check(s < 100, "too large: {}", s)
            return s < 50

        return ko.while_loop(more, lambda s: s * positive(s) * 4, x)

    f = around(ko.checkify(until))
    assert f(ko.asarray(60.0))[0].get() is None and abs(f(ko.asarray(4.0))[1].item() - 724.0773) < 0.001
    assert text(f(ko.asarray(4.0))[0]).startswith("[check-failed] too large: 724.")
    assert text(f(ko.asarray(-1.0))[0]).endswith("but got -1.0")
    assert text(f(ko.asarray(500.0))[0]) == "[check-failed] too large: 500.0"


def halved(x):
    """A loop that an instance leaves when it is small; what a stopped one has would fail."""

    def turn(s):
        ko.check(s > 1, "{} is too small", s)
        return s / 2

    return ko.while_loop(lambda s: s > 1, turn, x)


@AROUND
def test_instances(around):
    x = np.array([4, -9, 1, -1], np.float32)
    error, y = around(ko.checkify(ko.vmap(positive)))(x)
    assert text(error) == "[check-failed] expected a positive x, but got -9.0 (at [1])"
    error, y = around(ko.vmap(ko.checkify(positive)))(x)
    assert text(error) == "[check-failed] expected a positive x, but got -9.0 (at [1])"
    sizes = np.array([2, 8, 0.5, 64], np.float32)
    for f in (ko.checkify(ko.vmap(halved)), ko.vmap(ko.checkify(halved))):
        error, y = around(f)(sizes)
        assert error.get() is None and array(y).tolist() == [1, 1, 0.5, 1]
    chosen = lambda x: ko.cond(x > -2, positive, lambda x: x, x)
    for f in (ko.checkify(ko.vmap(chosen)), ko.vmap(ko.checkify(chosen))):
        assert text(around(f)(x)[0]) == "[check-failed] expected a positive x, but got -1.0 (at [3])"
    pairs = around(ko.checkify(ko.vmap(ko.vmap(positive))))(x.reshape(2, 2))[0]
    assert text(pairs) == "[check-failed] expected a positive x, but got -9.0 (at [0][1])"
    rows = around(ko.vmap(ko.checkify(positive)))(x.reshape(2, 2))[0]
    assert text(rows) == "[check-failed] expected a positive x, but got -9.0 (at [0][1])"
    # Program order comes before the order of instances.
    two = lambda x: (ko.check(x != 4, "four"), ko.check(x != -1, "minus one"), x)[2]
    assert text(around(ko.checkify(ko.vmap(two)))(x[::-1])[0]) == "[check-failed] four (at [3])"


@AROUND
def test_derivatives(around):
    def loss(x):
        return ko.sum(positive(x))

    def flipped(x):
        error, value = ko.checkify(loss)(x)
        return value, error

    g, error = around(ko.grad(flipped, has_aux=True))(np.array([4.0, 16.0]))
    np.testing.assert_allclose(array(g), [0.25, 0.125])
    assert error.get() is None
    _, error = around(ko.grad(flipped, has_aux=True))(np.array([4.0, -16.0]))
    assert text(error) == "[check-failed] expected a positive x, but got -16.0 (at [1])"
    error, g = around(ko.checkify(ko.grad(loss)))(np.array([4.0, -16.0]))
    assert text(error).endswith("(at [1])")
    scanned = lambda x: ko.scan(lambda s, x: (s * positive(x), None), ko.asarray(1.0, dtype=ko.float64), x)[0]
    for f in (ko.checkify(ko.grad(scanned)), lambda x: (lambda g, e: (e, g))(*ko.grad(lambda x: ko.checkify(scanned)(x)[::-1], has_aux=True)(x))):
        error, g = around(f)(np.array([4.0, 9.0]))
        np.testing.assert_allclose(array(g), [0.75, 1 / 3])
        assert error.get() is None
        assert text(around(f)(np.array([4.0, -9.0]))[0]).endswith("but got -9.0")
    error, (y, t) = around(ko.checkify(lambda x: ko.jvp(positive, (x,), (x,))))(np.float64(-1))
    assert text(error).endswith("but got -1.0")
    again = around(ko.checkify(ko.grad(lambda x: ko.checkpoint(loss)(x))))
    assert text(again(np.array([-1.0]))[0]).endswith("(at [0])")


def test_an_error_is_a_tree():
    f = ko.checkify(positive)
    error, _ = f(np.float32(-1))
    passed = ko.jit(lambda error, x: (error, x + 1))(error, np.float32(1))[0]
    assert passed.get() == error.get()
    chosen = ko.jit(lambda x: ko.cond(x > 2, f, lambda x: f(x - 2), x))  # alike, as the same checks make them
    assert text(chosen(np.float32(1))[0]).endswith("but got -1.0") and chosen(np.float32(4))[0].get() is None
    carried = ko.jit(lambda x: ko.fori_loop(0, 2, lambda i, s: f(s[1] - 1), f(x)))
    assert carried(np.float32(16))[0].get() is None and text(carried(np.float32(1))[0]).endswith("but got -1.0")
    errors, _ = ko.jit(lambda xs: ko.scan(lambda s, x: (s, f(x)), 0, xs)[1])(np.array([1, -2], np.float32))
    assert text(errors).endswith("but got -2.0 (at [1])")
    leaves, structure = ko.pytree.tree_flatten(error)
    assert len(leaves) == 1 and structure.unflatten(leaves).get() == error.get()


def test_custom_rules():
    @ko.custom_vjp
    def f(x):
        return positive(x)

    f.defvjp(lambda x: (positive(x), x), lambda x, v: (v * 10,))

    @ko.custom_jvp
    def g(x):
        return positive(x)

    g.defjvp(lambda primals, tangents: (positive(primals[0]), tangents[0] * 10))
    for h in (f, g):
        aux = lambda x: ko.checkify(h)(x)[::-1]
        for value in (4.0, -4.0):
            slope, error = ko.grad(aux, has_aux=True)(value)
            assert slope.item() == 10 and (error.get() is None) == (value > 0)
            error, slope = ko.checkify(ko.grad(h))(value)
            assert slope.item() == 10 and (error.get() is None) == (value > 0)
        assert text(ko.vmap(ko.checkify(h))(np.array([1.0, -1.0]))[0]).endswith("(at [1])")


@AROUND
def test_what_is_put_in(around):
    x = np.arange(3, dtype=np.float32)
    bounds = around(ko.checkify(lambda x, i: x[i], errors="bounds"))
    error, y = bounds(x, np.int32(1))
    assert error.get() is None and y.item() == 1
    error, y = bounds(x, np.int32(5))
    assert "[index-out-of-range]" in text(error) and y.item() == 2
    nan = around(ko.checkify(lambda x: ko.log(x) + 1, errors={"nan"}))
    assert nan(x)[0].get() is None
    assert "[nan-created]" in text(nan(x - 1)[0]) and text(nan(x - 1)[0]).endswith("(at [0])")
    wraps = around(ko.checkify(lambda n: n * n, errors="overflow"))
    assert wraps(np.int32(9))[0].get() is None and "[integer-overflow]" in text(wraps(np.int32(100000))[0])
    both = around(ko.checkify(lambda x: positive(x), errors="all"))
    assert "[check-failed]" in text(both(np.float32(-1))[0])
    looped = around(ko.checkify(lambda x: ko.fori_loop(0, 3, lambda i, s: ko.log(s), x), errors="nan"))
    assert "[nan-created]" in text(looped(np.float32(1.5))[0])


def test_others_stop_the_program():
    with pytest.raises(ko.KolamError, match=r"\[check-failed\]"):
        ko.checkify(positive, errors="nan")(np.float32(-1))
    inner = ko.checkify(lambda x: ko.checkify(positive)(x))
    outer, (error, _) = inner(np.float32(-1))
    assert outer.get() is None and text(error).endswith("but got -1.0")


@AROUND
def test_check_alone_stops(around):
    f = around(lambda x: positive(x) + 1)
    assert f(np.float32(4)).item() == 3
    with pytest.raises(ko.KolamError, match=r"\[check-failed\] expected a positive x, but got -4.0\n.*checkify_test.py"):
        f(np.float32(-4))
    with pytest.raises(ko.KolamError, match=r"\[check-failed\] expected a positive x, but got -2.0 \(at \[1\]\)"):
        f(np.array([1, -2], np.float32))
    with pytest.raises(ko.KolamError, match=r"\[check-failed\].*but got -2.0 \(at \[1\]\)"):
        around(ko.vmap(positive))(np.array([1, -2], np.float32))
    assert array(around(ko.vmap(halved))(np.array([2, 8, 0.5], np.float32))).tolist() == [1, 1, 0.5]
    with pytest.raises(ko.KolamError, match=r"\[check-failed\] must be so"):
        around(lambda x: ko.check(ko.all(x > 0), "must be so"))(np.array([1, -2], np.float32))
    np.testing.assert_allclose(array(around(ko.grad(lambda x: ko.sum(positive(x))))(np.array([4.0]))), [0.25])
    with pytest.raises(ko.KolamError, match=r"\[check-failed\].*but got -4.0"):
        around(ko.grad(lambda x: ko.sum(positive(x))))(np.array([-4.0]))


def test_lists():
    from kolam import fractal as ops

    xs = ops.FractalTensor([[1.0, 2.0], [3.0], [-4.0, 5.0]])
    f = lambda xs: ops.map(lambda row: ops.map(positive, row), xs)
    error, ys = ko.jit(ko.checkify(f))(xs)
    assert text(error) == "[check-failed] expected a positive x, but got -4.0 (at [2][0])"
    assert ys[1][0].item() == np.float32(math.sqrt(3))
    fine = ops.FractalTensor([[1.0], [2.0, 3.0]])
    assert ko.jit(ko.checkify(f))(fine)[0].get() is None
    assert ko.checkify(f)(xs)[0].get().startswith(text(error))
    run = lambda xs: ops.scan(lambda s, x: s + positive(x), xs, initializer=ko.asarray(0.0))
    row = ops.FractalTensor([1.0, -2.0, -3.0])
    assert text(ko.checkify(run)(row)[0]) == "[check-failed] expected a positive x, but got -2.0 (at [1])"
    total = lambda xs: ops.reduce(lambda a, b: (ko.check(a + b > 0, "sum {}", a + b), a + b)[1], xs)
    for around in (lambda f: f, ko.jit):
        error, sum_ = around(ko.checkify(total))(row)
        assert text(error) == "[check-failed] sum -1.0" and sum_.item() == -4
        assert around(ko.checkify(total))(ops.FractalTensor([1.0, 2.0]))[0].get() is None
    grown = lambda xs: ops.scan(lambda s, row: s + ops.reduce(lambda a, b: (ko.check(b > 0, "got {}", b), a + b)[1], row), xs, initializer=ko.asarray(0.0))
    assert text(ko.checkify(grown)(xs)[0]) is None
    assert text(ko.checkify(grown)(ops.FractalTensor([[1.0, 2.0], [3.0, -1.0]]))[0]) == "[check-failed] got -1.0 (at [1])"
    nan = ko.checkify(lambda xs: ops.map(lambda row: ops.map(ko.log, row), xs), errors="nan")
    assert text(nan(xs)[0]).endswith("(at [2][0])")


def test_kernels():
    from kolam import pallas as pl

    def kernel(x, o):
        pl.debug_check(ko.all(x[...] > 0), "a block is not positive")
        o[...] = x[...] * 2

    spec = pl.BlockSpec((2,), lambda i: (i,))
    call = functools.partial(pl.pallas_call, kernel, out_shape=ko.ShapeDtypeStruct((6,), ko.float32), grid=(3,), in_specs=[spec], out_specs=spec)
    x = np.array([1, 2, 3, 4, -5, 6], np.float32)
    for around in (lambda f: f, ko.jit, functools.partial(ko.jit, backend="interpret")):
        f = around(ko.checkify(lambda x: call(checks=True)(x)))
        error, y = f(x)
        np.testing.assert_array_equal(array(y), 2 * x)
        assert text(error).startswith("[debug-check] a block is not positive") and f(np.abs(x))[0].get() is None
        nan = around(ko.checkify(lambda x: pl.pallas_call(lambda x, o: o.set(ko.log(x[...])), **call.keywords)(x), errors="nan"))
        assert text(nan(x)[0]).startswith("[nan-created]") and nan(np.abs(x))[0].get() is None
        outside = around(ko.checkify(lambda x, i: pl.pallas_call(lambda i, x, o: o.set(x[pl.ds(i[0], 2)]), **{**call.keywords, "in_specs": [pl.BlockSpec((1,), lambda i: (0,)), pl.BlockSpec((6,), lambda i: (0,))]})(i, x), errors="bounds"))
        assert outside(x, np.array([4], np.int32))[0].get() is None
        assert text(outside(x, np.array([5], np.int32))[0]).startswith("[index-out-of-range]")


@AROUND
def test_the_place_in_a_grid(around):
    def kernel(x_ref, o_ref):
        pl.debug_check(x_ref[0, 0] < 5, "too large")
        o_ref[...] = x_ref[...]

    spec = pl.BlockSpec((2, 2), lambda i, j: (i, j))
    call = pl.pallas_call(kernel, ko.ShapeDtypeStruct((4, 6), ko.float32), grid=(2, 3), in_specs=[spec], out_specs=spec, checks=True)
    f = around(ko.checkify(lambda x: call(x)))
    x = np.zeros((4, 6), np.float32)
    assert f(x)[0].get() is None
    x[2, 4] = x[0, 4] = 7
    error, y = f(x)
    assert text(error).startswith("[debug-check] too large") and "grid point (0, 2)" in error.get()
    np.testing.assert_array_equal(array(y), x)


@AROUND
def test_the_place_in_a_grid_of_checks_with_values_and_of_nan(around):
    def kernel(x_ref, o_ref):
        ko.check(ko.max(x_ref[...]) < 5, "too large: {}", ko.max(x_ref[...]))
        ko.fori_loop(0, 2, lambda i, s: (ko.check(x_ref[i, 1] < 4, "row {}: {}", i, x_ref[i, 1]), s)[1], 0)
        o_ref[...] = ko.log(6 - x_ref[...])

    def checked(kernel, errors):
        spec = pl.BlockSpec((2, 2), lambda i, j: (i, j))
        call = pl.pallas_call(kernel, ko.ShapeDtypeStruct((4, 6), ko.float32), grid=(2, 3), in_specs=[spec], out_specs=spec)
        return around(ko.checkify(lambda x: call(x), errors=errors))

    x = np.zeros((4, 6), np.float32)
    user, nan = checked(kernel, {"user"}), checked(kernel, {"user", "nan"})
    assert user(x)[0].get() is None and nan(x)[0].get() is None
    x[3, 3] = 4.5
    assert text(user(x)[0]) == "[check-failed] row 1: 4.5 (grid point (1, 1))"
    x[2, 4] = x[0, 4] = 7
    assert text(user(x)[0]) == text(nan(x)[0]) == "[check-failed] too large: 7.0 (grid point (0, 2))"
    alone = text(checked(lambda x, o: o.set(ko.log(6 - x[...])), "nan")(x)[0])
    assert alone.startswith("[nan-created] log: ") and alone.endswith("(grid point (0, 2), element [0][0])")


@AROUND
def test_checks_of_kernels_beside_those_of_bounds(around):
    def kernel(x_ref, o_ref):
        ko.check(ko.max(x_ref[...]) < 5, "too large: {}", ko.max(x_ref[...]))
        o_ref[...] = x_ref[...]

    spec = pl.BlockSpec((2, 2), lambda i, j: (i, j))
    call = pl.pallas_call(kernel, ko.ShapeDtypeStruct((4, 6), ko.float32), grid=(2, 3), in_specs=[spec], out_specs=spec)
    x = np.zeros((4, 6), np.float32)
    x[0, 4] = 7
    for errors in ({"user", "bounds"}, "all"):
        f = around(ko.checkify(lambda x: call(x), errors=errors))
        error, y = f(x)
        assert text(error) == "[check-failed] too large: 7.0"
        np.testing.assert_array_equal(array(y), x)
        assert f(np.ones((4, 6), np.float32))[0].get() is None
    of_bounds = around(ko.checkify(lambda x: call(x), errors="bounds"))
    assert of_bounds(np.ones((4, 6), np.float32))[0].get() is None
    with pytest.raises(ko.KolamError, match=r"\[check-failed\] too large: 7.0"):
        of_bounds(x)


@AROUND
def test_in_associative_scans(around):
    def combine(a, b):
        ko.check(a + b < 100, "too much")
        return a + b

    f = around(ko.checkify(lambda x: ko.associative_scan(combine, x)))
    error, y = f(np.arange(5, dtype=np.float32))
    assert error.get() is None and y.tolist() == [0, 1, 3, 6, 10]
    error, y = f(np.full(5, 30, np.float32))
    assert text(error).startswith("[check-failed] too much") and y.tolist() == [30, 60, 90, 120, 150]


@AROUND
def test_beside_a_memory_limit(around):
    def loss(x):
        last, _ = ko.scan(lambda s, row: (ko.tanh(ko.sin(s) + row), None), ko.zeros(64), x)
        ko.check(x[0, 0] > 0, "expected a positive x")
        return ko.sum(last * last)

    plain = ko.jit(ko.grad(loss))
    x = np.full((256, 64), 0.1, np.float32)
    limit = int(plain.lower(x).cost()["arena_bytes"]) // 2
    f = around(ko.checkify(lambda x: ko.grad(loss, memory_limit=limit)(x)))
    error, gradient = f(x)
    assert error.get() is None and gradient.tolist() == plain(x).tolist()
    x[0, 0] = -0.1
    error, gradient = f(x)
    assert text(error) == "[check-failed] expected a positive x"
    with pytest.raises(ko.KolamError, match="check-failed"):
        plain(x)


@AROUND
def test_in_functions_with_a_rule_for_vmap(around):
    f = ko.custom_vmap(positive)

    @f.def_vmap
    def rule(axis_size, in_batched, xs):
        ko.check(ko.sum(xs) < 9, "too much")
        return ko.sqrt(xs), True

    single = around(ko.checkify(f))
    assert text(single(np.float32(-4))[0]) == "[check-failed] expected a positive x, but got -4.0"
    mapped = around(ko.checkify(ko.vmap(f)))
    assert mapped(np.ones(3, np.float32))[0].get() is None
    assert text(mapped(np.full(3, 4, np.float32))[0]) == "[check-failed] too much"
    # Where checkify is inside each instance has an error of its own, that of the function's own ops.
    inside = around(ko.vmap(ko.checkify(f)))
    assert inside(np.full(3, 4, np.float32))[0].get() is None
    assert text(inside(np.array([1, -4, 1], np.float32))[0]) == "[check-failed] expected a positive x, but got -4.0 (at [1])"


def test_a_condition_that_gives_a_symbol_its_size():
    def more(s):
        places = ko.nonzero(s > 1)[0]
        ko.check(ko.sum(s) < 100, "too many")
        return places.shape[0] > 0 if isinstance(places.shape[0], int) else ko.sum(ko.ones_like(places)) > 0

    with pytest.raises(ko.KolamError, match=r"checkify: \[not-checkified\] expected checks in array functions, .* but got one in the condition of a loop that gives a symbol its size"):
        ko.checkify(lambda x: ko.while_loop(more, lambda s: s / 2, x))(np.array([4.0, 1.0], np.float32))


def test_errors_of_use():
    with pytest.raises(ko.KolamError, match=r"checkify: \[bad-option\] argument 'errors': expected 'user'"):
        ko.checkify(positive, errors="nans")
    with pytest.raises(ko.KolamError, match=r"check: \[bad-format\]"):
        ko.check(ko.asarray(True), "{} and {}", 1)
    with pytest.raises(ko.KolamError, match=r"check: \[dtype-mismatch\] argument 'pred': expected booleans, but got float32"):
        ko.check(ko.ones(2), "no")
    for around in (lambda f: f, ko.jit):
        for value, shown in ((ko.ones(3), r"float32\[3\]"), (ko.ones((2, 2)), r"float32\[2, 2\]"), (ko.ones((1, 1)), r"float32\[1, 1\]")):
            words = r"check: \[shape-mismatch\] argument 'values': expected values that broadcast to the shape \[2\] of 'pred'.*but got " + shown
            with pytest.raises(ko.KolamError, match=words + " as value 1; check an array of that shape"):
                around(lambda x, value: ko.check(x > 0, "{} {}", x, value))(ko.ones(2), value)
    with pytest.raises(ko.KolamError, match=r"ErrorValue.get: \[traced-value\]"):
        ko.jit(lambda x: ko.checkify(positive)(x)[0].get())(np.float32(1))
    with pytest.raises(ko.KolamError, match=r"\[pattern-body\]"):
        ko.zip_map_reduce(lambda a: positive(a), ko.ones(3))
