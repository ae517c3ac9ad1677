"""What derivatives keep: checkpoint and its policies, memory_limit. No bit changes; planned memory shrinks."""

import numpy as np
import pytest
from derivatives.checks import assert_same_bits

import kolam as ko
from kolam import fractal
from kolam.errors import KolamError, KolamTypeError, KolamValueError

POLICIES = ko.checkpoint_policies


def planned(function, *args):
    return ko.jit(function).lower(*args).cost()["arena_bytes"]


def flops(function, *args):
    return ko.jit(function).lower(*args).cost()["flops"]


def normal(*shape, seed=0, dtype=ko.float32):
    return ko.asarray(np.random.default_rng(seed).standard_normal(shape), dtype=dtype)


def sorted_layers(count, wrap=lambda f: f):
    """Sorts are dear to compute again, and no fusion does."""

    def loss(x):
        for _ in range(count):
            x = wrap(lambda y: ko.tanh(ko.sort(y) * 1.1))(x)
        return ko.sum(x * x)

    return loss


def test_checkpoint_keeps_less_outside_loops():
    x = normal(64, 128)
    kept, again = ko.grad(sorted_layers(8)), ko.grad(sorted_layers(8, ko.checkpoint))
    assert planned(again, x) < 0.7 * planned(kept, x)
    assert_same_bits(again(x), kept(x), "checkpoint")


def test_checkpoint_keeps_less_under_vmap():
    x = normal(3, 16, 128)
    kept, again = ko.vmap(ko.grad(sorted_layers(8))), ko.vmap(ko.grad(sorted_layers(8, ko.checkpoint)))
    assert planned(again, x) < 0.7 * planned(kept, x)
    assert_same_bits(again(x), kept(x), "vmap")


def test_checkpoint_in_checkpoint():
    x = normal(16, 32)

    def nested(f):
        return ko.checkpoint(lambda x: ko.checkpoint(f)(f(x)))

    assert_same_bits(ko.grad(sorted_layers(4, nested))(x), ko.grad(sorted_layers(4, lambda f: lambda x: f(f(x))))(x), "nested")


def layers(policy, *, calls):
    def inner(x, ws):
        for w in ws:
            x = ko.checkpoint_name(ko.tanh(ko.sin(x @ w)), "out")
        return x

    wrapped = ko.checkpoint(inner, policy=policy) if calls else inner
    return lambda x, ws: ko.sum(wrapped(x, ws) ** 2)


@pytest.mark.parametrize(
    "policy",
    [
        None,
        POLICIES.nothing_saveable,
        POLICIES.everything_saveable,
        POLICIES.dots_saveable,
        POLICIES.dots_with_no_batch_dims_saveable,
        POLICIES.save_only_these_names("out"),
        POLICIES.save_anything_except_these_names("out"),
    ],
    ids=repr,
)
def test_policies_change_no_bit(policy):
    x, ws = normal(8, 32), [normal(32, 32, seed=seed) for seed in range(4)]
    expected = ko.grad(layers(None, calls=False), argnums=(0, 1))(x, ws)
    assert_same_bits(ko.grad(layers(policy, calls=True), argnums=(0, 1))(x, ws), expected, repr(policy))


def test_policies_keep_what_they_name():
    x, ws = normal(32, 32), [normal(32, 32, seed=seed) for seed in range(4)]
    product = 2 * 32**3
    least = flops(ko.grad(layers(None, calls=False), argnums=(0, 1)), x, ws)

    def more(policy):
        return flops(ko.grad(layers(policy, calls=True), argnums=(0, 1)), x, ws) - least

    assert more(POLICIES.nothing_saveable) - more(POLICIES.dots_saveable) > 2.9 * product  # three products run again
    assert more(POLICIES.dots_with_no_batch_dims_saveable) == more(POLICIES.dots_saveable)
    assert more(POLICIES.everything_saveable) == 0


def test_products_with_batch_dims():
    x, w = normal(4, 16, 16), normal(4, 16, 16, seed=1)

    def loss(policy):
        return ko.value_and_grad(lambda x: ko.sum(ko.checkpoint(lambda x: ko.sin(ko.sin(x @ w) @ w), policy=policy)(x)))

    dots, without = POLICIES.dots_saveable, POLICIES.dots_with_no_batch_dims_saveable
    assert flops(loss(without), x) > flops(loss(dots), x)
    assert_same_bits(loss(without)(x)[1], loss(dots)(x)[1], "batch dims")


def test_names_of_policies():
    with pytest.raises(KolamTypeError, match=r"option 'policy': expected one of kolam.checkpoint_policies, but got 'dots'"):
        ko.checkpoint(ko.sin, policy="dots")
    with pytest.raises(KolamValueError, match=r"\[bad-option\].*argument 'name': expected a name"):
        ko.checkpoint_name(ko.ones(3), "")


# memory_limit


def chain(w, h, length=5000):
    return ko.sum(ko.scan(lambda s, _: (ko.tanh(s @ w + s), None), h, None, length=length)[0])


def lstm(length, reverse=False):
    def loss(xs, w, u, bias):
        n, hidden = xs.shape[1], xs.shape[2]

        def step(state, x):
            h, c = state
            gates = x @ w + h @ u + bias
            i, f, o, z = (gates[:, k * hidden : (k + 1) * hidden] for k in range(4))
            c = ko.sigmoid(f) * c + ko.sigmoid(i) * ko.tanh(z)
            h = ko.sigmoid(o) * ko.tanh(c)
            return (h, c), h

        (h, c), ys = ko.scan(step, (ko.zeros((n, hidden)), ko.zeros((n, hidden))), xs, reverse=reverse)
        return ko.sum(ys * ys) + ko.sum(h * c)

    args = (normal(length, 2, 16), normal(16, 64, seed=1) * 0.3, normal(16, 64, seed=2) * 0.3, normal(64, seed=3))
    return loss, args


def windows(x, table, places):
    """Each step adds to one row of a captured table, and reads one of its state."""

    def step(state, i):
        row = ko.dynamic_slice(table, (i, 0), (1, 8))[0]
        state = ko.tanh(state * row + x)
        return state, state * row

    state, ys = ko.scan(step, ko.zeros(8), places)
    return ko.sum(ys) + ko.sum(state)


def in_place(x):
    return ko.sum(ko.fori_loop(1, 3000, lambda i, p: p.at[i % 8].set(ko.tanh(p[(i - 1) % 8] * 1.01 + p[i % 8])), x))


def narrow(xs, w):
    return ko.astype(ko.sum(ko.scan(lambda h, x: (ko.tanh(h @ w + x), None), ko.zeros((2, 16), dtype=ko.bfloat16), xs)[0]), ko.float32)


def scaled(xs, a):
    """Captured scalars: sums over all elements of all steps."""
    return ko.sum(ko.scan(lambda h, x: (ko.sin(h * a + x), h * a), ko.zeros(64), xs)[1])


CASES = {
    "chain": (chain, (normal(16, 16) * 0.2, normal(1, 16, seed=1)), 150_000),
    "lstm": (*lstm(700), 720_000),
    "lstm reversed": (*lstm(700, reverse=True), 720_000),
    "windows": (windows, (normal(8), normal(40, 8, seed=1), ko.asarray(np.random.default_rng(2).integers(0, 40, 1000), dtype=ko.int32)), 70_000),
    "in place": (in_place, (normal(8, 32),), 150_000),
    "bfloat16": (narrow, (normal(900, 2, 16, dtype=ko.bfloat16), normal(16, 16, seed=1, dtype=ko.bfloat16)), 130_000),
    "scalars": (scaled, (normal(3000, 64), ko.asarray(0.9)), 1_700_000),
}


@pytest.mark.parametrize("name", CASES)
def test_limits_change_no_bit(name):
    loss, args, limit = CASES[name]
    numbers = tuple(n for n, arg in enumerate(args) if arg.dtype != ko.int32)
    free = ko.value_and_grad(loss, argnums=numbers)
    limited = ko.value_and_grad(loss, argnums=numbers, memory_limit=limit)
    assert planned(free, *args) > limit  # else nothing is tested
    assert planned(limited, *args) <= limit
    value, expected = free(*args)
    for how, function in [("native", limited), ("interpreter", ko.jit(limited, backend="interpret"))]:
        if how == "native" or name in ("windows", "bfloat16"):  # others take long
            own, found = function(*args)
            assert_same_bits(own, value, name)
            for gradient, other in zip(found, expected, strict=True):
                assert_same_bits(gradient, other, f"{name}, {how}")


def test_segments_in_segments():
    w, h = normal(16, 16) * 0.2, normal(64, 16, seed=1)

    def loss(w, h):
        return ko.sum(ko.scan(lambda s, _: (ko.tanh(s @ w) + s * s, None), h, None, length=8192)[0])

    free = ko.grad(loss)
    least = 800_000  # of one level at least 90 states of 4096 bytes, twice
    limited = ko.grad(loss, memory_limit=least)
    assert planned(limited, w, h) <= least
    assert_same_bits(limited(w, h), free(w, h), "segments in segments")


def test_a_hundred_thousand_steps_within_a_mebibyte():
    w, h = normal(16, 16) * 0.2, normal(1, 16, seed=1)
    free, limited = (ko.value_and_grad(lambda w, h: chain(w, h, 100_000), argnums=(0, 1), **o) for o in ({}, {"memory_limit": "1MiB"}))
    assert planned(free, w, h) > 6 * 2**20  # the states
    assert planned(limited, w, h) <= 2**20
    (value, expected), (own, found) = free(w, h), limited(w, h)
    assert_same_bits((own, *found), (value, *expected), "a hundred thousand steps")


def test_limit_without_loops():
    x = normal(64, 128)
    free = ko.grad(sorted_layers(16))
    limited = ko.grad(sorted_layers(16), memory_limit=int(0.5 * planned(free, x)))
    assert planned(limited, x) <= 0.5 * planned(free, x)
    assert_same_bits(limited(x), free(x), "groups")


def test_limit_that_is_no_limit():
    x = normal(8, 8)
    free, limited = ko.grad(sorted_layers(2)), ko.grad(sorted_layers(2), memory_limit="1 GiB")
    assert planned(limited, x) == planned(free, x)
    assert flops(limited, x) == flops(free, x)


def chain_of_products(xs, w, h):
    def step(h, x):
        h = ko.tanh(h @ w + x)
        return h, ko.sum(h * h)

    h, ys = ko.scan(step, h, xs)
    return ko.sum(ys) + ko.sum(h)


def test_lengths_that_are_no_numbers():
    w, h = normal(16, 16) * 0.2, normal(4, 16)
    both = {"argnums": (0, 1, 2)}
    limited = ko.jit(ko.grad(chain_of_products, memory_limit="512KiB", **both), dynamic={"xs": [0]})
    for length in (4096, 3000, 129, 128, 127, 1, 0, 4095):
        xs = normal(length, 4, 16, seed=length)
        assert_same_bits(limited(xs, w, h), ko.grad(chain_of_products, **both)(xs, w, h), f"{length} steps")
    assert limited.cache_size == 1
    assert "of 524288 that it may: loops in segments of" in limited.explain(normal(4096, 4, 16), w, h)
    with pytest.raises(KolamValueError, match=r"\[memory-limit\].*expected sizes at which 512.0 KiB are enough as they are for xs.0 = 4096"):
        limited(normal(400_000, 4, 16), w, h)


def test_lists_count_as_in_the_call_that_is_traced():
    w = normal(16, 16) * 0.2

    def rows(length):
        return fractal.FractalTensor([normal(16, seed=number) for number in range(length)])

    def loss(w, xs):
        return ko.sum(fractal.fold(lambda h, x: ko.tanh(h @ w + x), xs, ko.zeros(16)))

    limited = ko.jit(ko.grad(loss, memory_limit="64KiB"))
    for length in (100, 7, 101):
        assert_same_bits(limited(w, rows(length)), ko.grad(loss)(w, rows(length)), f"{length} rows")
    text = limited.explain(w, rows(100))
    assert "of 65536 that it may" in text
    assert "only the run knows" not in text
    with pytest.raises(KolamValueError, match=r"\[memory-limit\].*expected sizes at which 64.0 KiB are enough as they are for"):
        limited(w, rows(1000))
    with pytest.raises(KolamValueError, match=r"\[memory-limit\].*expected a limit that can be met"):
        ko.grad(loss, memory_limit="64KiB")(w, rows(1000))


def test_bounds_that_only_the_run_knows():
    x = normal(1024)

    def counted(x, n):
        return ko.sum(ko.fori_loop(0, n, lambda i, h: ko.tanh(h * 1.01 + 0.1 * x), x))

    def asked(x, n):
        return ko.sum(ko.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, ko.tanh(s[1] * 1.01 + 0.1 * x)), (np.int32(0), x))[1])

    for loss in (counted, asked):
        limited = ko.jit(ko.grad(loss, memory_limit="1MiB"))
        for steps in (1000, 64, 33, 1, 0):
            assert_same_bits(limited(x, np.int32(steps)), ko.grad(loss)(x, np.int32(steps)), f"{steps} steps")
        text = limited.explain(x, np.int32(3))
        assert "loops in segments of" in text and "a size that only the run knows counts as 1000 elements" in text


def sines(x):
    """A loop whose steps compute cheap values again, of a length that leaves a head before segments."""
    return ko.sum(ko.scan(lambda s, _: (ko.sin(s * x + 0.3 * x) * 0.9, None), x, None, length=67)[0])


AROUND = {
    "in reverse": lambda f, x: ko.grad(lambda x: ko.sum(f(x) ** 2))(x),
    "forward": lambda f, x: ko.jvp(f, (x,), (x,))[1],
    "of instances": lambda f, x: ko.grad(lambda x: ko.sum(ko.vmap(f)(ko.stack([x, 0.5 * x])) ** 2))(x),
    "three times": lambda f, x: ko.grad(lambda x: ko.sum(ko.grad(lambda x: ko.sum(f(x) ** 2))(x)))(x),
    "in a loop": lambda f, x: ko.grad(lambda x: ko.sum(ko.fori_loop(0, 3, lambda _, x: x - 0.1 * f(x), x)))(x),
}


@pytest.mark.parametrize("name", AROUND)
def test_derivatives_of_derivatives_within_a_limit(name):
    x = normal(16, dtype=ko.float64)
    around = AROUND[name]
    free, limited = (ko.jit(lambda x, o=options: around(ko.grad(sines, **o), x)) for options in ({}, {"memory_limit": 4_000}))
    assert planned(ko.grad(sines), x) > 4_000
    assert_same_bits(limited(x), free(x), name)
    if name != "three times":  # notes of the middle derivative are not all heard by the outer one
        assert "memory_limit of a derivative that is differentiated again does not count, that of the outer one does (derive_memory_test.py:" in limited.explain(x)


def test_a_limit_of_a_derivative_that_is_constant_to_another_holds():
    x = normal(16, dtype=ko.float64)
    g = ko.grad(lambda x: ko.sum(ko.stop_gradient(ko.grad(sines, memory_limit=4_000)(ko.stop_gradient(x))) * x))
    assert planned(g, x) <= 4_000 + 2 * 16 * 8
    assert_same_bits(g(x), ko.grad(sines)(x), "constant")


@pytest.mark.parametrize("inner", [{}, {"memory_limit": 4_000}])
def test_a_limit_around_a_derivative_of_a_derivative(inner):
    x = normal(16, dtype=ko.float64)
    loss = lambda x: ko.sum(ko.grad(sines, **inner)(x) ** 2)  # noqa: E731
    free = ko.grad(lambda x: ko.sum(ko.grad(sines)(x) ** 2))
    limited = ko.grad(loss, memory_limit=int(0.6 * planned(free, x)))
    assert planned(limited, x) <= 0.6 * planned(free, x)
    assert_same_bits(limited(x), free(x), "around")


def test_limit_that_cannot_be_met():
    x = normal(64, 64)
    with pytest.raises(KolamValueError, match=r"\[memory-limit\].*at least .* are needed beside arguments and results; most are held by float32\[64, 64\]"):
        ko.grad(sorted_layers(4), memory_limit=100)(x)


@pytest.mark.parametrize("limit", [0, -5, "", "lots", "2 XiB", "-1GiB", "nan", 1.5, True, "1e400"])
def test_limits_that_say_nothing(limit):
    with pytest.raises(KolamError, match=r"\[memory-limit\].*expected bytes above 0"):
        ko.grad(sorted_layers(1), memory_limit=limit)(normal(4, 4))


@pytest.mark.parametrize("limit", [10**9, "1000000000", "1GB", "1 GiB", "0.5GiB", "900kB"])
def test_limits_as_people_write_them(limit):
    x = normal(4, 4)
    assert_same_bits(ko.grad(sorted_layers(1), memory_limit=limit)(x), ko.grad(sorted_layers(1))(x), str(limit))


# explain


def test_explain_says_what_is_kept_and_why():
    loss, args = lstm(64)
    text = ko.jit(ko.grad(loss, argnums=(1, 2))).explain(*args)
    assert "keeps float32[2, 16] of tanh (derive_memory_test.py:" in text
    assert "of each of 64 steps, 8192 bytes: computing it again costs more" in text
    assert "computes again float32[2, 16] of subtract" in text or "computes again float32[2, 16] of multiply" in text


def test_explain_says_how_a_limit_is_met():
    loss, args, limit = CASES["chain"]
    text = ko.jit(ko.grad(loss, memory_limit=limit)).explain(*args)
    assert f"bytes beside arguments and results, of {limit} that it may: loops in segments of 512 steps" in text


def test_lines_of_the_program_are_no_part_of_what_is_compiled():
    def traced(line):
        scope = {"ko": ko}
        exec(compile("\n" * line + "def f(x): return ko.sum(ko.tanh(x) * ko.exp(x))", "model.py", "exec"), scope)
        return ko.jit(ko.value_and_grad(scope["f"])).lower(normal(4))

    one, other = traced(1), traced(7)
    assert "model.py:2)" in one.explain() and "model.py:8)" in other.explain()
    assert one.as_text("rewritten") == other.as_text("rewritten")


def test_explain_says_how_a_while_runs_in_reverse():
    w = normal(64, 64) * 0.1

    def loss(x, n, step, asks):
        return ko.sum(ko.while_loop(lambda s: (s[0] < n) & asks(s[1]), lambda s: (s[0] + 1, step(s[1])), (np.int32(0), x))[1])

    def said(step, asks, **options):
        text = ko.jit(ko.grad(lambda x, n: loss(x, n, step, asks), **options)).explain(normal(64, 64), np.int32(9))
        return [line for line in text.split("\n") if line.startswith("while (derive_memory_test.py:")]

    product, small = (lambda h: ko.tanh(h @ w)), (lambda h: ko.max(h) < 9)
    (line,) = said(product, small)
    assert "runs once: each step appends the" in line, line
    (line,) = said(product, lambda h: True)
    assert "is counted, then run again as a loop of so many steps: counting takes no more than some of its states" in line, line
    (line,) = said(ko.sin, small)
    assert "its states stay in registers" in line or "a step costs less than appending" in line, line
    (line,) = said(product, small, memory_limit="2MiB")
    assert "is counted, then run again in segments: these end with its last step" in line, line


def test_signs_of_zeros_do_not_change_with_a_limit():
    """Nobody reads the scan's last state, so it has no cotangent, whose zeros would turn -0 into 0: with a limit as without."""
    x = np.asarray(normal(6, 12) * 0.02).astype(np.float16)  # products of twelve are 0 or -0

    def loss(x):
        step = lambda state, row: (row + 1, ko.associative_scan(ko.multiply, row, reverse=True))
        _, rows = ko.scan(step, ko.zeros(12, ko.float16), x)
        return ko.sum(rows.astype(ko.float64) * ko.asarray(np.random.default_rng(1).standard_normal(x.shape)))

    whole = np.asarray(ko.jit(ko.grad(loss))(x))
    assert (np.signbit(whole) & (whole == 0)).any()
    for limit in (600, 900, 2000):
        assert np.asarray(ko.jit(ko.grad(loss, memory_limit=limit))(x)).tobytes() == whole.tobytes()
