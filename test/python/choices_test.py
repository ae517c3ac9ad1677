"""Choices: equations by which plans rewrite programs, from Python."""

import numpy as np
import pytest

import kolam as ko

RANDOM = np.random.default_rng(11)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def products(x, y, z):
    return x @ y @ z


def statistics(x):
    return ko.var(x, axis=0), ko.mean(x, axis=0), ko.logsumexp(x, axis=0), ko.std(x, axis=0, correction=1)


def running(x):
    return ko.cumulative_sum(x, axis=0) * 2


PROGRAMS = {
    "products": (products, (floats(40, 30), floats(30, 50), floats(50, 2)), ["associate_products"]),
    "statistics": (statistics, (floats(300, 7) * 3 + 2,), ["variance_in_one_pass", "logsumexp_in_one_pass"]),
    "running": (running, (floats(1001),), ["cumulative_in_chunks"]),
    "shifted": (lambda x, c: ko.sum(x + c[:, None], axis=1), (floats(9, 100), floats(9)), ["sum_of_shifted"]),
    "scaled": (lambda x: ko.sum(x * 0.25), (floats(9, 100),), ["sum_of_scaled"]),
    "dilated": (
        lambda x, w: ko.conv(x, w, dilation=2, padding=[(1, 2)]),
        (floats(2, 3, 21), floats(4, 3, 3)),
        ["dilation_by_phases"],
    ),
    "strided": (lambda x, w: ko.conv(x, w, strides=3), (floats(2, 3, 21), floats(4, 3, 5)), ["stride_by_phases"]),
    "channels": (lambda x, w: ko.conv(x, w), (floats(2, 6, 21), floats(4, 6, 3)), ["channels_over_parts"]),
    "projections": (lambda x, q, k: (x @ q, x @ k), (floats(9, 8), floats(8, 20), floats(8, 24)), ["fuse_projections"]),
}


def arrays_of(result):
    return [np.asarray(array) for array in (result if isinstance(result, list | tuple) else [result])]


def assert_close(actual, expected):
    for x, y in zip(arrays_of(actual), arrays_of(expected), strict=True):
        np.testing.assert_allclose(x, y, rtol=2e-5, atol=2e-5)  # sums of some hundred terms in other groups


@pytest.mark.parametrize("name", PROGRAMS)
def test_choices_are_found_and_give_the_values_of_the_program(name):
    f, args, rows = PROGRAMS[name]
    found = ko.possible_choices(f, *args, workers=3, allow="reassociate")
    assert set(rows) <= {choice.text.split()[0] for choice in found}
    assert all("choices_test.py" in choice.what for choice in found)
    expected = ko.jit(f)(*args)
    program = ko.rewritten(f, *args, choices=rows, workers=3, allow="reassociate")
    assert program.as_text() != ko.jit(f).lower(*args).as_text()
    assert_close(program.run(list(args)), expected)
    for choice in found:
        same = arrays_of(ko.rewritten(f, *args, choices=choice.text, allow="reassociate").run(list(args)))
        assert_close(same, expected)
        if choice.exact:
            assert [x.tobytes() for x in same] == [x.tobytes() for x in arrays_of(expected)]


@pytest.mark.parametrize("name", PROGRAMS)
def test_plans_take_choices_and_replay(name, tmp_path):
    f, args, rows = PROGRAMS[name]
    plan = ko.plan(f, *args, workers=3, allow="reassociate", choices=rows, steps=0)
    taken = {row for row in rows if f"\n{row} " in "\n" + plan.explain()}
    assert taken == set(rows)
    plan.save(tmp_path / "plan.json")
    loaded = ko.Plan.load(tmp_path / "plan.json")
    assert loaded.check(f, *args) == []
    assert loaded.check(lambda *xs: f(*(x + 1 for x in xs)), *args)
    assert_close(plan.run(*args), ko.jit(f)(*args))


def test_the_search_takes_what_is_better():
    f, args, _ = PROGRAMS["products"]
    machine = ko.Machine(2, flops=1e9, memory_bandwidth=1e10, memory=2**30, levels=[ko.Level(2, 1e9, 1e-6)])
    kept = ko.plan(f, *args, workers=2, machine=machine, steps=0)
    other = ko.plan(f, *args, workers=2, machine=machine, steps=0, allow="reassociate")
    none = ko.plan(f, *args, workers=2, machine=machine, steps=0, allow="reassociate", choices=[])
    assert other.cost["time"] < kept.cost["time"]
    assert kept.cost["time"] >= none.cost["time"] > other.cost["time"]  # sums in parts are allowed too
    assert "associate_products" in other.explain() and "associate_products" not in none.explain()


def test_users_monoids_are_merged_by_trees():
    low, high = ko.asarray(1000, dtype="int32"), ko.asarray(-1000, dtype="int32")
    spread_of = ko.Monoid(
        zero=(high, low),
        wrap=lambda x: (x, x),
        merge=lambda a, b: (ko.maximum(a[0], b[0]), ko.minimum(a[1], b[1])),
        unwrap=lambda s: s[0] - s[1],
        name="spread",
    )

    def spread(x):
        return ko.reduce([x], spread_of, axis=0)

    x = RANDOM.integers(-50, 50, (100, 3)).astype(np.int32)
    expected = np.asarray(ko.jit(spread)(x))
    for text in ("reduce_in_parts 0 cuts=1,7,8,60 arity=2", "reduce_in_parts 0 cuts=10,20,30,40,50,60,70,80,90 arity=3"):
        program = ko.rewritten(spread, x, choices=text, allow="reassociate")
        assert (np.asarray(program.run([x])[0]) == expected).all()
        assert program.as_text().count("kolam.reduce") > 2


def test_plans_cut_reductions_by_users_monoids():
    widest = ko.Monoid(zero=ko.asarray(0), merge=lambda a, b: ko.where(a < b, b, a), name="widest")

    def f(x, y):
        return ko.zip_map_reduce(lambda a, b: ko.abs(a - b), [x, y], reduce=widest, axis=0)

    x, y = (RANDOM.integers(0, 1000, 60000).astype(np.int32) for _ in range(2))
    machine = ko.Machine(4, flops=1e9, memory_bandwidth=1e10, memory=2**30, levels=[ko.Level(4, 1e9, 1e-6)])
    plan = ko.plan(f, x, y, workers=4, machine=machine, steps=0, allow="reassociate")
    assert plan.cost["workers"] == 4 and "reduce_in_parts" in plan.explain()
    assert int(plan.run(x, y)) == abs(x - y).max()


# reference/index_projections.md, T5, T6 and P7
def test_worked_examples_of_the_reference():
    x = np.arange(1, 7, dtype=np.float32)
    one = ko.rewritten(lambda x: ko.var(x), x, choices=["variance_in_one_pass"], allow="reassociate")
    assert one.as_text().count("kolam.reduce") == 1
    assert np.asarray(one.run([x])[0]) == np.float32(35 / 12)
    ops = [line for line in one.as_text().splitlines() if line.startswith("    %")]
    op = next(number for number, line in enumerate(ops) if "kolam.reduce" in line)
    parts = ko.rewritten(
        lambda x: ko.std(x), x, choices=["variance_in_one_pass", f"reduce_in_parts {op} cuts=2 arity=2"], allow="reassociate"
    )
    np.testing.assert_allclose(parts.run([x])[0], 1.7078251, rtol=2e-7)  # an ulp

    total = ko.Monoid(zero=ko.asarray(0), merge=lambda a, b: a + b, name="total")
    ones = np.ones(1000, np.int32)
    for count, arity, levels in ((1000, 10, 3), (100, 8, 3), (7, 2, 3)):
        cuts = ",".join(map(str, range(1, count)))
        tree = ko.rewritten(
            lambda x: ko.reduce([x], total, axis=0), ones[:count], choices=f"reduce_in_parts 0 cuts={cuts} arity={arity}", allow="reassociate"
        )
        assert np.asarray(tree.run([ones[:count]])[0]) == count
        assert tree.as_text().count("= kolam.reduce") >= levels + 1  # the states of parts, and each level

    x, f = floats(1, 1, 10), floats(1, 1, 3)
    for options, size in (({"dilation": 2}, 6), ({"strides": 2}, 4)):
        name = "dilation_by_phases" if "dilation" in options else "stride_by_phases"
        program = ko.rewritten(lambda x, f, options=options: ko.conv(x, f, **options), x, f, choices=name, allow="reassociate")
        expected = np.array([sum(x[0, 0, options.get("strides", 1) * i + options.get("dilation", 1) * k] * f[0, 0, k] for k in range(3)) for i in range(size)])
        np.testing.assert_allclose(np.asarray(program.run([x, f])[0])[0, 0], expected, rtol=1e-5, atol=1e-6)


def test_random_numbers_are_the_same_however_they_are_cut():
    def draw(key):
        return ko.random.uniform(key, (30, 17)) * 2

    key = ko.random.key(3)
    expected = np.asarray(ko.jit(draw)(key)).tobytes()
    for cuts in ("3,4,19", "29", "1,2,3"):
        program = ko.rewritten(draw, key, choices=["split_op", f"split_op 0 dim=0 cuts={cuts}"][:1])
        assert np.asarray(program.run([key])[0]).tobytes() == expected


def test_the_table_says_what_rows_mean():
    rows = ko.choice_rows()
    assert {"split_op", "associate_products", "sum_in_parts"} <= {row.name for row in rows}
    for row in rows:
        assert "=" in row.equation and row.condition and row.parameters


ERRORS = {
    "name": (dict(choices="associate"), "[plan-choice] expected the name of a choice, one of "),
    "form": (dict(choices="split_op 0 cuts"), "[plan-choice] expected a choice as 'name', or 'name op parameter=1,2', but got 'split_op 0 cuts'"),
    "op": (dict(choices="split_op 9 dim=0 cuts=1"), "[plan-choice] choice 'split_op': expected an op below 2, but got 9"),
    "place": (dict(choices="split_op 1 dim=0 cuts=0"), "[plan-choice] choice 'split_op 1 cuts=0 dim=0': expected an op that can be cut"),
    "exact": (dict(choices="associate_products"), "[plan-choice] choice 'associate_products': expected an op with a product"),
    "workers": (dict(choices=[], workers=0), "[plan-option] option 'workers': expected at least 1, but got 0"),
    "allow": (dict(choices=[], allow="all"), "[plan-option] option 'allow': expected 'exact' or 'reassociate', but got 'all'"),
    "type": (dict(choices=[3]), "[argument-type] option 'choices': expected a text or a list of texts, but got [3]"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    options, words = ERRORS[name]
    with pytest.raises(ko.KolamError) as caught:
        ko.rewritten(products, *PROGRAMS["products"][1], **options)
    assert words in str(caught.value)


def test_programs_that_can_not_be_cut_are_refused():
    with pytest.raises(ko.KolamError, match="not-cut.* it holds lists, or extents that are symbols"):
        ko.possible_choices(lambda x: ko.sum(ko.nonzero(x)[0]), np.float32([1, 0, 2]))
    with pytest.raises(ko.KolamError, match="plan-choice"):
        ko.plan(products, *PROGRAMS["products"][1], choices="split_op 0")
