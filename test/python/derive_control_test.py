"""Derivatives through loops, branches and patterns: differences, adjoints, second order, bits; orders that a loop's length keeps."""

import numpy as np
import pytest
from derivatives import checks
from derivatives.checks import assert_near, assert_same_bits
from derivatives.cases import constant

import kolam as ko

F64 = {"dtype": ko.float64}


def rnn(x, w):
    def step(h, row):
        h = ko.tanh(w @ h + row)
        return h, h * row

    return ko.scan(step, ko.zeros(4, **F64), x)


def reversed_scan(x, w):
    return ko.scan(lambda h, row: (ko.sin(h * w) + row, h), ko.ones(4, **F64), x, reverse=True)


def nested(x, w):
    def outer(h, row):
        def inner(g, _):
            g = ko.tanh(w @ g + row)
            return g, g

        h, rows = ko.scan(inner, h, None, length=3)
        return h, ko.sum(rows)

    return ko.scan(outer, ko.zeros(4, **F64), x)


def two_states(x):
    def step(state, row):
        a, b = state
        return (a * b + row, ko.sin(a) + b), (a, b * row)

    (a, b), (rows, others) = ko.scan(step, (ko.ones(4, **F64), ko.ones(4, **F64) * 0.5), x)
    return a, b, rows, others


def counted(x):
    return ko.scan(lambda s, row: ((s[0] + 1, s[1] * ko.astype(s[0], row.dtype) + row), s[0]), (ko.asarray(1), ko.zeros(4, **F64)), x)[0][1]


def rows_in_place(x):
    return ko.fori_loop(1, 3, lambda i, p: p.at[i].set(ko.tanh(p[i - 1] * p[i])), x)


def shared_window(x):
    """Each step reads a window of a captured array, and adds to one of its state."""

    def step(i, total):
        return total.at[i].add(ko.sum(ko.dynamic_slice(x, (i, 0), (2, 4)) ** 2))

    return ko.fori_loop(0, 2, step, ko.zeros(3, **F64))


def doubling(x):
    return ko.while_loop(lambda h: ko.sum(h * h) < 100, lambda h: h * 1.5 * ko.cos(h * 0.1) + 0.1, x)


def two_loops(x):
    return ko.while_loop(lambda s: s[0] < 4, lambda s: (s[0] + 1, ko.fori_loop(0, s[0], lambda i, h: ko.sin(h) * x, s[1])), (ko.asarray(0), x))[1]


def products_until(most):
    """A loop whose steps cost more than appending what they keep."""

    def program(x, w):
        return ko.while_loop(lambda h: ko.sum(h * h) < most, lambda h: ko.tanh(h @ w) + h * 1.1, x)

    return program


def chosen_until(x, w):
    w = w * 0.2

    def step(s):
        count, h = s
        return count + 1, ko.cond(ko.sum(h) > 0, lambda: ko.sin(h @ w @ w), lambda: h * h + x @ w @ w @ w)

    return ko.while_loop(lambda s: s[0] < 3, step, (ko.asarray(0), x))


def until_in_scan(x, w):
    step = products_until(90.0)
    return ko.scan(lambda h, row: (step(h * 0.3 + row, w), None), ko.ones((8, 40), **F64), ko.stack([x, x * 0.5]))[0]


def chosen(x):
    return ko.cond(ko.sum(x) > 0, lambda: ko.sin(x) * x, lambda: x**3)


def chosen_in_scan(x):
    def step(h, row):
        h = ko.cond(ko.sum(row) > 0, lambda: ko.sin(h) * row, lambda: h * h + row)
        return h, h

    return ko.scan(step, ko.ones(4, **F64) * 0.5, x)


def one_of(x):
    return ko.switch(ko.asarray(1), [lambda: x, lambda: x**3, lambda: ko.exp(x)])


def running(x):
    return ko.associative_scan(lambda a, b: a * b + ko.sin(a), x)


def pattern(x, y):
    return ko.zip_map_reduce(lambda a, b: a * ko.sin(b), (x, y))


#: (function, shapes)
PROGRAMS = {
    "scan": (rnn, [(3, 4), (4, 4)]),
    "reversed scan": (reversed_scan, [(3, 4), (4,)]),
    "scan of scans": (nested, [(2, 4), (4, 4)]),
    "two states": (two_states, [(3, 4)]),
    "integers among states": (counted, [(3, 4)]),
    "scan without steps": (rnn, [(0, 4), (4, 4)]),
    "one step": (rnn, [(1, 4), (4, 4)]),
    "fori_loop": (lambda x: ko.fori_loop(0, 5, lambda i, h: ko.sin(h) * x, x), [(3, 4)]),
    "fori_loop of counts": (lambda x: ko.fori_loop(2, 5, lambda i, h: h * ko.astype(i, h.dtype) * 0.3 + x, x), [(3, 4)]),
    "no turns": (lambda x: ko.fori_loop(3, 3, lambda i, h: ko.sin(h), x) * 2, [(3, 4)]),
    "rows in place": (rows_in_place, [(3, 4)]),
    "windows of what is captured": (shared_window, [(3, 4)]),
    "while_loop": (doubling, [(3, 4)]),
    "while_loop without turns": (lambda x: ko.while_loop(lambda h: ko.sum(h) > 1e9, lambda h: h * 2, x) * x, [(3, 4)]),
    "loops in a while_loop": (two_loops, [(3,)]),
    "while_loop of products": (products_until(9000.0), [(8, 40), (40, 40)]),
    "while_loop of products without turns": (products_until(0.0), [(8, 40), (40, 40)]),
    "while_loop of branches": (chosen_until, [(8, 40), (40, 40)]),
    "while_loop in scan": (until_in_scan, [(8, 40), (40, 40)]),
    "cond": (chosen, [(3, 4)]),
    "cond in scan": (chosen_in_scan, [(3, 4)]),
    "switch": (one_of, [(3, 4)]),
    "associative_scan": (running, [(3, 4)]),
    "zip_map_reduce": (pattern, [(3, 4), (3, 4)]),
    "map": (lambda x: ko.map(lambda row: ko.sum(ko.sin(row)) * row, x), [(3, 4)]),
    "vmap": (lambda x, w: ko.vmap(lambda row: ko.tanh(w @ row))(x), [(3, 4), (4, 4)]),
    "grad inside": (lambda x: ko.grad(lambda y: ko.sum(ko.sin(y) * y))(x) * x, [(3, 4)]),
    "jit inside": (lambda x: ko.jit(lambda y: ko.tanh(y) * y)(x) + x, [(3, 4)]),
}
EVERY = pytest.mark.parametrize("name", PROGRAMS)


def arrays_of(name, seed=0):
    rng = np.random.default_rng(seed)
    return tuple(rng.uniform(-0.8, 0.8, shape) for shape in PROGRAMS[name][1])


def weights_of(function, arrays):
    return checks.directions(checks.arrays_of(flat(function)(*map(ko.asarray, arrays))), 2)


def flat(function):
    """The function's float results as one tuple."""

    def flattened(*args):
        leaves, _ = ko.tree.flatten(function(*args))
        return tuple(leaf for leaf in leaves if leaf.dtype == ko.float64)

    return flattened


@EVERY
def test_agrees_with_differences_and_is_adjoint(name):
    function, arrays = flat(PROGRAMS[name][0]), arrays_of(name)
    checks.check_adjoint(function, arrays, checks.check_forward(function, arrays))


@EVERY
def test_second_order(name):
    function, arrays = flat(PROGRAMS[name][0]), arrays_of(name)
    checks.check_second(function, arrays, weights_of(function, arrays))


@EVERY
def test_native_code_gives_the_interpreters_bits(name):
    function, arrays = flat(PROGRAMS[name][0]), arrays_of(name)
    weights, along = weights_of(function, arrays), checks.directions(arrays)
    gradient, second = checks.gradient_of(function, arrays, weights), checks.product_with_hessian(function, arrays, weights)

    def both(*given):
        args = given[: len(arrays)]
        return (*ko.jvp(function, args, given[len(arrays) :])[1], *gradient(*args), *second(*given))

    assert_same_bits(ko.jit(both)(*arrays, *along), checks.interpreted(both)(*arrays, *along), name)


@EVERY
@pytest.mark.parametrize("run", [checks.interpreted, ko.jit], ids=["interpreted", "native"])
def test_instances_have_the_bits_of_single_calls(name, run):
    function = flat(PROGRAMS[name][0])
    calls = [arrays_of(name, seed) for seed in range(3)]
    checks.check_instances(checks.gradient_of(function, calls[0], weights_of(function, calls[0])), calls, run)


@pytest.mark.parametrize("name", ["scan", "reversed scan", "two states", "map", "vmap", "associative_scan", "cond in scan"])
def test_open_lengths(name):
    function = flat(PROGRAMS[name][0])
    count = len(PROGRAMS[name][1])

    def total(x, *others):
        return sum((ko.sum(ko.sin(result)) for result in function(x, *others)), ko.zeros((), **F64))

    gradient = ko.grad(total, argnums=tuple(range(count)))
    if count == 1:
        named = lambda x: gradient(x)  # noqa: E731
    else:
        named = lambda x, w: gradient(x, w)  # noqa: E731
    native, oracle = ko.jit(named, dynamic={"x": [0]}), checks.interpreted(named, dynamic={"x": [0]})
    for length in (3, 1, 0, 9):
        x = np.random.default_rng(length).uniform(-0.8, 0.8, (length, 4))
        arrays = (x, *arrays_of(name)[1:])
        found = oracle(*arrays)
        assert_same_bits(native(*arrays), found, f"{name} {length}")
        for own, other in zip(found, checks.interpreted(gradient)(*arrays), strict=True):
            assert_near(own, other, f"{name} {length}", 1e-12)
    assert native.cache_size == 1


def test_bounds_that_the_run_knows():
    def total(x, count):
        return ko.sum(ko.fori_loop(0, count, lambda i, h: ko.sin(h) * x, x))

    x = arrays_of("fori_loop")[0]
    gradient = ko.jit(ko.grad(total))
    for count in (0, 1, 5, -2):
        known = ko.grad(lambda x, count=count: total(x, count))(x)
        assert_same_bits(gradient(x, ko.asarray(count)), known, str(count))


def test_a_pullback_of_a_loop_whose_turns_the_run_counts():
    x = np.full((3,), 0.5)
    value, pullback = ko.vjp(lambda x: ko.while_loop(lambda h: h[0] < 100, lambda h: h * 1.5, x), x)
    turns = round(np.log(value[0].item() / 0.5) / np.log(1.5))
    for _ in range(2):
        np.testing.assert_allclose(np.asarray(pullback(ko.ones(3, **F64))[0]), 1.5**turns)


def test_a_loop_that_the_run_counts_runs_once():
    """What its steps keep is appended; where that costs more than a step, the steps are counted before. The bits are those of a loop of as many."""
    x, w = arrays_of("while_loop of products")
    program = products_until(9000.0)
    gradient = ko.jit(ko.grad(lambda x, w: ko.sum(ko.sin(program(x, w))), argnums=(0, 1)))
    assert "appended" in gradient.lower(x, w).as_text("rewritten")
    turns = 0
    h = x
    while np.sum(h * h) < 9000:
        h, turns = np.tanh(h @ w) + h * 1.1, turns + 1
    known = lambda x, w: ko.fori_loop(0, turns, lambda i, h: ko.tanh(h @ w) + h * 1.1, x)  # noqa: E731
    assert turns > 3
    assert_same_bits(gradient(x, w), ko.grad(lambda x, w: ko.sum(ko.sin(known(x, w))), argnums=(0, 1))(x, w), "appended")
    cheap = ko.jit(ko.grad(lambda x: ko.sum(doubling(x))))
    assert "appended" not in cheap.lower(x).as_text("rewritten")


def test_what_a_loop_shares_leaves_it_as_one_product():
    """The gradient of a weight is one contraction over steps and rows, beside the loop."""
    x, w = arrays_of("scan")
    text = ko.jit(ko.grad(lambda w: ko.sum(rnn(ko.asarray(x), w)[0]))).lower(w).as_text("program")
    outside = [line for line in text.split("\n") if line.startswith("    %")]
    assert any("contract" in line for line in outside), text


def test_a_step_keeps_windows_alone():
    """A residual of a step is what it read, never the array: the program holds no stack of whole arrays."""
    x = np.ones((40, 4))

    def total(p):
        return ko.sum(ko.fori_loop(1, 40, lambda i, p: p.at[i].set(ko.tanh(p[i - 1])), p))

    text = ko.jit(ko.grad(total)).lower(x).as_text("program")
    assert "x40x4" not in text, text


def test_checkpoint_changes_no_bit():
    def program(keep):
        def step(h, row):
            return keep(lambda h: ko.tanh(ko.exp(h * 0.1) + row))(h), None

        return lambda x: ko.sum(ko.scan(step, ko.zeros(4, **F64), x)[0])

    x = arrays_of("scan")[0]
    kept, again = program(lambda f: f), program(ko.checkpoint)
    assert_same_bits(ko.grad(again)(x), ko.grad(kept)(x), "checkpoint")


def test_checkpoint_of_what_is_used_elsewhere_changes_no_bit():
    x = np.random.default_rng(0).uniform(0.3, 2, 50).astype(np.float32)

    def total(keep):
        def f(x):
            y = keep(lambda x: ko.sin(x) * ko.exp(x) / (x + 3))(x)
            return ko.sum(y * ko.log(x) + ko.tanh(x) * y)

        return f

    assert_same_bits(ko.grad(total(ko.checkpoint))(x), ko.grad(total(lambda f: f))(x), "checkpoint")


def test_grad_of_vmap_agrees_with_the_sum_of_gradients():
    w, rows = arrays_of("scan")[1], arrays_of("scan")[0]
    loss = lambda w, row: ko.sum(ko.tanh(w @ row) ** 2)  # noqa: E731
    whole = ko.grad(lambda w: ko.sum(ko.vmap(loss, in_axes=(None, 0))(w, ko.asarray(rows))))(w)
    parts = sum(np.asarray(ko.grad(loss)(w, row)) for row in rows)
    np.testing.assert_allclose(np.asarray(whole), parts, rtol=1e-12)


def test_branches_of_instances_keep_the_others_nan_out():
    def root(x):
        return ko.cond(x > 0, lambda: ko.sqrt(x), lambda: x * 2)

    assert ko.vmap(ko.grad(root))(np.array([4.0, 0.0, -1.0])).tolist() == [0.25, 2, 2]


def test_monoids_of_users():
    """Derivatives of a reduction by a monoid of the user's."""
    zero = (ko.asarray(0.0, **F64), ko.asarray(1.0, **F64))
    monoid = ko.Monoid(
        zero=zero, wrap=lambda x: (x, 1.0 + 0.1 * x), merge=lambda a, b: (a[0] + b[0] * a[1], a[1] * b[1]), unwrap=lambda s: s[0] + s[1]
    )
    function = lambda x: ko.reduce(x, monoid, axis=1)  # noqa: E731
    x = np.random.default_rng(0).standard_normal((3, 4))
    checks.check_adjoint(function, (x,), checks.check_forward(function, (x,)))
    checks.check_second(function, (x,), weights_of(function, (x,)))


def test_random_numbers_are_drawn_again():
    key = ko.random.key(3)

    def dropped(x):
        return ko.sum(ko.random.dropout(key, x, 0.5) ** 2)

    x = np.linspace(1, 2, 12)
    mask = np.asarray(ko.random.dropout(key, ko.ones(12, **F64), 0.5))
    np.testing.assert_allclose(np.asarray(ko.grad(dropped)(x)), 2 * x * mask * mask)
    assert constant((2,)).shape == (2,)
