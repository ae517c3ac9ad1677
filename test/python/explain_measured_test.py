"""What `explain` says to people: arguments by path, refusals by reason, and, measured, the steps by time."""

import inspect
import pathlib
import re

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops

X = np.linspace(-1, 1, 300 * 200, dtype=np.float32).reshape(300, 200)
PARAMS = [{"w1": np.ones((200, 40), np.float32), "b1": np.ones(40, np.float32)}]


def here():
    return inspect.currentframe().f_back.f_lineno


@ko.jit
def layer(params, x):
    hidden = ko.tanh(x @ params[0]["w1"] + params[0]["b1"])
    return hidden, hidden.sum(axis=0)


def table_of(text):
    """The rows of the first table, each as (ms, share, rest of the row); the sum of all; what is behind it."""
    head, _, table = text.partition("measured on ")
    rows = []
    for line in table.splitlines()[2:]:
        cells = line.split()
        if not re.fullmatch(r"[\d.]+", cells[0]):
            break
        rows.append((float(cells[0]), float(cells[1].rstrip("%")), " ".join(cells[2:])))
    return rows[:-1], rows[-1], head


def test_arguments_have_paths():
    text = layer.explain(PARAMS, X)
    for path in ('params[0]["w1"]', 'params[0]["b1"]', "x"):
        assert f"argument '{path}'\n" in text
    program = layer.lower(PARAMS, X).as_text()
    assert '{kolam.name = "params[0][\\22w1\\22]"}' in program
    assert ko.parse_program(program).as_text() == program
    assert "argument 'params[0]" in layer.as_dot(PARAMS, X)


def test_paths_of_every_kind_of_argument():
    def f(first, *rest, scale, **more):
        return first + rest[0] + rest[1][0] + scale + more["shift"] + more["parts"][1]

    x = np.ones(3, np.float32)
    text = ko.jit(f).explain(x, x, (x,), scale=x, shift=x, parts=(x, x))
    for path in ("first", "rest[0]", "rest[1][0]", "scale", "shift", "parts[1]"):
        assert f"argument '{path}'\n" in text


def test_captured_arrays_and_lists():
    weights = ko.asarray(X)
    assert "argument 'captured[0]'" in ko.jit(lambda x: x + weights).explain(X)
    text = ko.jit(lambda rows: ops.map(lambda row: ops.fold(ko.add, row, initializer=np.float32(0)), rows)).explain(
        ops.FractalTensor([[np.float32(1)], [np.float32(2)]])
    )
    assert "reads b0.0[i0][i1 - 1], rows[i0][i1]\n" in text
    assert "length of rows" in text and "argument 'rows.offsets(1)'" in text


def test_errors_name_the_path():
    same = ko.jit(lambda pair, x: x + pair["b"], dynamic={"x": {0: "n"}, "pair": {0: "n"}})
    with pytest.raises(ValueError, match=r"argument 'pair\[\"b\"\]': expected extent n = 3 in dim 0, but got 4"):
        same({"a": np.ones(3), "b": np.ones(4)}, np.ones(3))
    with pytest.raises(TypeError, match=r"argument 'params\[0\]\[\"w1\"\]'.*static_argnames='params'"):
        layer([{"w1": object(), "b1": X}], X)


def test_refusals_by_reason():
    def f(x, y):
        halves = x * 0.5
        sums = halves.sum(axis=1)
        return halves, sums, ko.sort(y)

    line = here() - 4
    text = ko.jit(f).explain(X, X[:, 0])
    summary = text.partition("refused, by reason:\n")[2]
    assert f"not fused: it is a result (explain_measured_test.py:{line}" in summary
    assert "one thread: it is less than 200000 operations" in summary
    counts = [int(found) for found in re.findall(r"^  (\d+) times? ", summary, re.MULTILINE)]
    assert counts and counts == sorted(counts, reverse=True)


def test_numbers_of_reasons_are_left_out_where_they_differ():
    def f(x, w, i, j):
        y, z = ko.exp(x), ko.exp(ko.exp(ko.tanh(w)))
        return y[i] + 1, z[j] * 2

    text = ko.jit(f).explain(X[0], X[1], np.zeros(90_000, np.int32), np.zeros(190_000, np.int32))
    assert re.search(r"2 times not fused: each element is read n times and costs n operations", text), text


def test_measured_steps_are_sorted_and_add_up():
    text = layer.explain(PARAMS, X, measure=True)
    rows, total, head = table_of(text)
    assert head.startswith(layer.explain(PARAMS, X).partition("compiled before")[0])
    steps, (rest, _, name) = rows[:-1], rows[-1]
    assert name.startswith("between steps")
    times = [row[0] for row in steps]
    assert times == sorted(times, reverse=True) and all(time >= 0 for time in times)
    assert abs(sum(times) + rest - total[0]) < 0.001 * (len(rows) + 1)
    assert total[1] == 100.0 and abs(sum(row[1] for row in rows) - 100) < 0.1 * (len(rows) + 1)
    line = inspect.getsourcelines(layer.__wrapped__)[1] + 2
    assert any(f"(explain_measured_test.py:{line})" in row[2] for row in steps)
    assert re.search(r"^limits, measured now on these threads: .*GB/s of ", text, re.MULTILINE)


def test_measuring_changes_nothing():
    x, w = ko.asarray(X), [{name: ko.asarray(value) for name, value in PARAMS[0].items()}]
    before = [np.array(result) for result in layer(w, x)]
    donating = ko.jit(lambda x: x + 1, donate_argnames="x")
    donating.explain(x, measure=True)
    layer.explain(w, x, measure=True)
    np.testing.assert_array_equal(x, X)
    for result, old in zip(layer(w, x), before, strict=True):
        np.testing.assert_array_equal(result, old)


def test_steps_of_loops_are_added_up():
    loop = ko.jit(lambda x: ko.fori_loop(0, 7, lambda i, s: ko.sort(s) * 0.5, x))
    rows, _, _ = table_of(loop.explain(X[0], measure=True))
    assert any(row[2].startswith("7 ") and row[2].endswith("sort") for row in rows)
    whiles = ko.jit(lambda x: ko.while_loop(lambda s: s.max() > 0.01, lambda s: s * 0.5, x))
    rows, _, _ = table_of(whiles.explain(np.full(2000, 2, np.float32), measure=True))
    assert any(row[2].startswith("8 ") for row in rows)  # 2 / 2 ** 8 is the first below


def test_host_functions_are_steps():
    calls = []

    @ko.jit
    def f(x):
        ko.debug.callback(lambda x: calls.append(x.shape), x)
        return x + 1

    rows, _, _ = table_of(f.explain(X, measure=True))
    assert calls and set(calls) == {(300, 200)}
    assert any("call " in row[2] for row in rows)


def test_sizes_that_only_a_call_knows():
    f = ko.jit(lambda x: x * 2, dynamic={"x": [0]})
    rows, _, _ = table_of(f.explain(np.ones(500_000, np.float32), measure=True))
    assert rows[0][2].split()[1] == "4.000"  # MB, read and written
    found = ko.jit(lambda x: ko.nonzero(x)[0] * 2)
    rows, _, _ = table_of(found.explain(np.ones(1000, np.float32), measure=True))
    assert len(rows) > 1


def test_lists():
    rows = ops.FractalTensor([[np.float32(1)] * 3, [np.float32(2)] * 5])
    f = ko.jit(lambda rows: ops.map(lambda row: ops.scan(ops.add, row, initializer=np.float32(0)), rows))
    steps, total, _ = table_of(f.explain(rows, measure=True))
    assert len(steps) > 1 and total[2] == "in all"


def test_what_is_computed_once_is_apart():
    weights = ko.asarray(np.ones((200, 64), np.float32))
    text = ko.jit(lambda x: ko.tanh(x @ weights)).explain(X, measure=True)
    assert "computed once, before the first run:\n" in text


def test_a_parameter_of_that_name_is_the_functions_own():
    scaled = ko.jit(lambda x, measure: x * measure)
    assert "measured on" not in scaled.explain(X, measure=X)
    assert "measured on" in scaled.lower(X, X).explain(measure=[X, X])


def test_what_cannot_be_measured():
    with pytest.raises(ValueError, match=r"\[bad-option\] expected a function for the backend 'cpu'"):
        ko.jit(lambda x: x, backend="interpret").explain(X, measure=True)
    with pytest.raises(TypeError, match=r"\[not-an-array\]"):
        layer.explain(PARAMS, ko.ShapeDtypeStruct((300, 200), "float32"), measure=True)
    with pytest.raises(TypeError, match=r"\[argument-type\] argument 'measure': expected a list of arrays, but got True"):
        layer.lower(PARAMS, X).explain(measure=True)
    with pytest.raises(ko.KolamError, match=r"\[nan-created\]"):
        ko.jit(ko.log, checks=True).explain(-1 - X, measure=True)
    with pytest.raises(TypeError, match=r"\[traced-value\]"):
        ko.jit(lambda x: layer.explain(PARAMS, x, measure=True))(X)


def test_a_program_from_text():
    program = ko.parse_program(ko.jit(lambda x: ko.exp(x)).lower(X).as_text())
    assert "measured on" in program.explain(measure=[X])
    with pytest.raises(TypeError, match=r"\[argument-mismatch\] argument 'x': expected dtype float32, but got int32"):
        program.explain(measure=[X.astype(np.int32)])


def test_measured_texts_say_what_compiling_takes():
    def layers(x, w):
        for i in range(4):
            x = ko.tanh(x @ w[i])
        return x

    text = ko.jit(layers).explain(np.ones((20, 24), np.float32), np.ones((4, 24, 24), np.float32), measure=True)
    number = r"\d+\.\d"
    phases = "rewrites", "forming nests", "schedules", "lowering", "LLVM's passes", "code generation", "linking"
    whole = f"compiled anew in {number} ms on one thread: " + ", ".join(f"{phase} {number}" for phase in phases) + "\n"
    assert re.search(whole, text)
    last = ", ".join(f"{phase} {number}" for phase in phases[3:])
    nests = re.findall(rf"nest\d+ compiled in {number} ms(?: for (\d+) nests)?: {last}\n", text)
    assert sum(int(equal or 1) for equal in nests) == 4 and len(nests) < 4


def test_what_is_measured_is_what_is_explained():
    """Nothing asks for another order of dims here, so that explain must not try one."""
    a = ko.asarray(np.ones((100, 2), np.float32))
    f = ko.jit(lambda a, b: ko.min(ko.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=-1), axis=1))
    f(a, a)
    text = f.explain(a, a, measure=True)
    nests = {line.split(":")[0] for line in text.splitlines() if re.match(r"nest\d+: ", line)}
    measured = text.partition("measured on")[2].partition("in all")[0]
    assert set(re.findall(r"nest\d+", measured)) == nests


def test_the_page_shows_what_is_said_of_derivatives():
    page = (pathlib.Path(__file__).parents[2] / "docs/explain.md").read_text().partition("## What derivatives keep")[2]
    program, said, how = (part.partition("```")[0] for part in re.split("```(?:python|text)\n", page)[1:4])
    scope = {"ko": ko}
    exec(compile("\n" * 3 + program, "model.py", "exec"), scope)
    w, xs = np.zeros((64, 64), np.float32), np.zeros((1000, 64), np.float32)
    assert ko.jit(ko.grad(scope["loss"])).explain(w, xs).startswith(said)
    limited = ko.jit(ko.grad(scope["loss"], memory_limit="600KiB")).explain(w, xs)
    same_on_all = re.sub(r"plans \d+", "plans n", how)  # what it plans depends on the machine's vectors
    assert re.sub(r"plans \d+", "plans n", limited).startswith(same_on_all)
