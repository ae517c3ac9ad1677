"""vmap: equal to a Python loop to the bit, for random programs too; axes, nesting, errors."""

import functools

import numpy as np
import pytest

import kolam as ko

RNG = np.random.default_rng(7)
X = RNG.standard_normal((5, 3, 4)).astype(np.float32)
V = RNG.standard_normal((5, 4)).astype(np.float32)
W = RNG.standard_normal((4, 6)).astype(np.float32)


def same(a, b):
    a, b = np.asarray(a), np.asarray(b)
    assert (a.dtype, a.shape) == (b.dtype, b.shape)
    assert a.tobytes() == b.tobytes() or np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


def by_loop(f, *args, axes=None):
    """What vmap(f) gives, by a loop over slices along axis 0; None in `axes` for whole arguments."""
    axes = axes or (0,) * len(args)
    count = next(len(x) for x, axis in zip(args, axes) if axis == 0)
    rows = [f(*[ko.asarray(x[i]) if axis == 0 else x for x, axis in zip(args, axes)]) for i in range(count)]
    if isinstance(rows[0], tuple):
        return tuple(np.stack([np.asarray(row[k]) for row in rows]) for k in range(len(rows[0])))
    return np.stack([np.asarray(row) for row in rows])


def unrolled(x):
    return ko.scan(lambda s, row: (s + row, s @ row), ko.zeros(4, dtype=ko.float32), x)


def halving(v):
    return ko.while_loop(lambda s: ko.max(s) > 0.1, lambda s: s * 0.5, ko.abs(v))


PROGRAMS = {
    "elementwise": (lambda x: ko.tanh(x) * 2 + 1, (X,)),
    "reductions": (lambda x: (ko.sum(x), ko.max(x, axis=0), ko.mean(x, axis=-1), ko.argmax(x)), (X,)),
    "product": (lambda x: x @ W, (X,)),
    "products of each": (lambda x, v: (x @ v, ko.matmul(v, x.T), ko.einsum("ij,j->i", x, v)), (X, V)),
    "shape": (lambda x: (ko.reshape(x, (2, 6)), x.T, x[1], x[:, ::-1], ko.concat([x, x], axis=1), ko.expand_dims(x, 1)), (X,)),
    "sort": (lambda v: (ko.sort(v), ko.argsort(v), ko.cumulative_sum(v)), (V,)),
    "softmax": (lambda x: ko.softmax(x, axis=-1), (X,)),
    "places": (lambda v, i: (v[i], ko.take(v, ko.stack([i, i]))), (V, np.arange(5) % 4)),
    "scan": (unrolled, (X,)),
    "while": (halving, (V,)),
    "fori of each": (lambda v, n: ko.fori_loop(0, n, lambda i, s: s + i, v), (V, np.arange(5, dtype=np.int32))),
    "cond": (lambda v: ko.cond(ko.sum(v) > 0, lambda v: v + 1, lambda v: v * 2, v), (V,)),
    "where": (lambda v: ko.where(v > 0, v, 0.0), (V,)),
    "constant": (lambda v: (ko.arange(3), v), (V,)),
    "random": (lambda k: ko.random.uniform(ko.random.key(k), (3,)) if hasattr(ko.random, "key") else k, (np.arange(5, dtype=np.uint32),)),
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("around", [lambda f: f, ko.jit, functools.partial(ko.jit, backend="interpret")])
def test_programs_equal_a_loop(name, around):
    f, args = PROGRAMS[name]
    results, expected = around(ko.vmap(f))(*args), by_loop(f, *args)
    for a, b in zip(*[r if isinstance(r, tuple) else (r,) for r in (results, expected)], strict=True):
        same(a, b)


def test_axes():
    f = lambda x, v: x * v
    same(ko.vmap(f, (1, None))(X[0], V[:, 0][:3]), by_loop(f, X[0].T, V[:, 0][:3], axes=(0, None)))
    same(ko.vmap(lambda v: ko.stack([v, v]), out_axes=-1)(V), np.moveaxis(np.stack([V, V], 1), 0, -1))
    same(ko.vmap(lambda v: (v, v), out_axes=(0, 1))(V)[1], V.T)
    params = {"w": X, "b": [V, 3.0]}
    g = lambda p, s: p["w"] @ p["b"][0] + p["b"][1] * s
    mapped = ko.vmap(g, in_axes=({"w": 0, "b": [0, None]}, None))(params, 2)
    same(mapped, np.stack([np.asarray(g({"w": ko.asarray(X[i]), "b": [V[i], 3.0]}, 2)) for i in range(5)]))
    assert ko.vmap(lambda v, n: v[:n], (0, None))(V, 2).shape == (5, 2)  # comes as it is


def test_arguments_by_name_are_mapped_over_their_first_axis():
    same(ko.vmap(lambda x, *, v, flag=None: x @ v if flag is None else x)(X, v=V), by_loop(lambda x, v: x @ v, X, V))
    assert ko.vmap(lambda x, *, mode: x if mode == "same" else -x)(V, mode="same").shape == (5, 4)


def test_results_that_are_the_same_for_all():
    both = ko.vmap(lambda v: (ko.arange(2), v), out_axes=(None, 0))(V)
    assert both[0].shape == (2,) and both[1].shape == (5, 4)
    with pytest.raises(ko.KolamError, match=r"\[batch-axis\] result\[0\]: expected a value that is the same for all"):
        ko.vmap(lambda v: (v,), out_axes=None)(V)
    assert ko.vmap(lambda: ko.zeros(2), axis_size=3)().shape == (3, 2)


def test_nested_and_inside_jit():
    pairs = lambda a, b: ko.vmap(lambda x: ko.vmap(lambda y: ko.sum((x - y) ** 2))(b))(a)
    expected = np.stack([[np.asarray(ko.sum((x - y) ** 2)) for y in V] for x in V])
    same(pairs(V, V), expected)
    same(ko.jit(pairs)(V, V), expected)
    inner = ko.jit(lambda x, n: x * n, static_argnums=1)
    same(ko.vmap(lambda v: inner(v, 3))(V), V * 3)
    weights = ko.jit(lambda x: ko.vmap(lambda v: v @ W + ko.sum(x))(x))(V)
    assert weights.shape == (5, 6)
    assert ko.vmap(lambda x: ko.scan(lambda s, v: (s + v, ko.vmap(lambda e: e + s[0])(v)), ko.zeros(4), x))(X)[1].shape == (5, 3, 4)


def test_dynamic_extents_share_one_program():
    f = ko.jit(ko.vmap(lambda x, y: (x @ y, ko.sort(x))), dynamic={"x": [0], "y": [0]})
    for n in (0, 1, 5, 3):
        product, ordered = f(V[:n], V[:n])
        assert product.shape == (n,) and ordered.shape == (n, 4)
        if n:
            same(product, by_loop(lambda x, y: x @ y, V[:n], V[:n]))
    assert f.cache_size == 1
    with pytest.raises(ko.KolamError):
        f(V[:2], V[:3])


def test_what_cannot_run_for_all_at_once():
    seen = []

    def f(v):
        ko.debug.callback(lambda v: seen.append(v.tolist()), v[0])
        return ko.opaque_call(lambda x: np.asarray(x) * 2, [v], ((4,), ko.float32))

    for around in (lambda f: f, ko.jit):
        seen.clear()
        same(around(ko.vmap(f))(V), V * 2)
        assert seen == V[:, 0].tolist()
    from kolam import fractal

    rows = ko.vmap(lambda v: fractal.stack(fractal.scan(lambda s, x: s + x, fractal.unbind(v))))
    for around in (lambda f: f, ko.jit):
        same(around(rows)(V), by_loop(lambda v: ko.cumulative_sum(v), V))


@pytest.mark.parametrize(
    ("reason", "f"),
    [
        ("a function of the host is called once for each instance", lambda v: ko.opaque_call(lambda x: np.asarray(x) * 2, [v], ((4,), ko.float32))),
        ("a function of the host is called once for each instance", lambda v: (ko.debug.callback(lambda v: None, v[0]), v)[1]),
        ("its extents differ from instance to instance", lambda v: ko.sum(v[v > 0])),
        ("its extents differ from instance to instance", lambda v: ko.sum(ko.nonzero(v > 0)[0])),
    ],
)
def test_explain_says_why_instances_are_a_map_over_lists(reason, f):
    assert f"of a vmap, as a map over lists: {reason}" in ko.jit(ko.vmap(f)).explain(V)


def test_empty_batches():
    assert ko.vmap(lambda x: ko.sum(x))(X[:0]).shape == (0,)
    assert ko.jit(ko.vmap(lambda x: x @ W))(X[:0]).shape == (0, 3, 6)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: ko.vmap(lambda x, y: x)(V, X[:2]), r"expected as many instances of each argument, but args\[0\] has 5 along its axis 0, args\[1\] has 2 along its axis 0"),
        (lambda: ko.vmap(lambda x: x, in_axes=2)(V), r"args\[0\]: expected an axis of float32\[5, 4\], but got 2"),
        (lambda: ko.vmap(lambda x: x)(3.0), r"args\[0\]: expected an array with an axis 0 to map over, but got a number"),
        (lambda: ko.vmap(lambda x: x, in_axes=None)(V), "expected a mapped array among the arguments, or axis_size"),
        (lambda: ko.vmap(lambda x, y: x, in_axes=(0,))(V, V), "expected 2 entries"),
        (lambda: ko.vmap(lambda x: x, in_axes="a"), "argument 'in_axes': expected an int, None or a tuple"),
        (lambda: ko.vmap(lambda x: x["a"], in_axes=({"b": 0},))({"a": V}), r"expected an int, None or a container like \{'a': \*\}"),
        (lambda: ko.vmap(lambda x: x, out_axes=3)(V), r"result: expected an axis of a result of rank 2, instances included, but got 3"),
        (lambda: ko.vmap(lambda x: x, out_axes=(0, 1))(V), "argument 'out_axes': expected an int or None for result"),
        (lambda: ko.vmap(lambda x: x, axis_size=4)(V), "option axis_size says 4"),
    ],
)
def test_errors(call, words):
    with pytest.raises(ko.KolamError, match=rf"\[batch-axis\].*{words}") as info:
        call()
    assert info.value.where[0] == __file__


@pytest.mark.parametrize("dtype", [ko.int32, ko.float16, ko.bfloat16, ko.float32, ko.float64])
@pytest.mark.parametrize("function", [lambda x, s: x * s, lambda x, s: x * (1 - s), lambda x, s: ko.where(x > s, x, s / 2), lambda x, s: ko.full(x.shape, s)])
def test_floats_of_python_come_as_they_are(function, dtype):
    """They are no arguments of the program, so that `1 - s` is Python's: it has no dtype, and keeps its precision."""
    x = ko.asarray([1, 2, 3], dtype=dtype)
    for number in (0.1, 0.3):
        same(ko.vmap(function, in_axes=(0, None))(x, number), function(x, number))
    assert ko.vmap(lambda v, s: v if s > 0 else -v, in_axes=(0, None))(x, -0.5).tolist() == [-1, -2, -3]


def test_branches_that_no_instance_takes():
    """Functions of the host are called for the instances that take their branch, checks are theirs."""
    called = []

    def doubled(x):
        called.append(x.item())
        return x * 2

    def taken(x):
        ko.check(x < 9, "expected less than 9")
        return ko.opaque_call(doubled, [x], ((), ko.float32))

    f = ko.vmap(lambda x: ko.cond(x > 0, taken, lambda x: ko.astype(x, ko.float32), x))
    for x, expected in (([1, -1, 2], [2, -1, 4]), ([-1, -2, -3], [-1, -2, -3])):
        called.clear()
        assert f(np.float32(x)).tolist() == expected and called == [v for v in x if v > 0]
    with pytest.raises(ko.KolamError, match="expected less than 9"):
        f(np.float32([-1, 9, 1]))
