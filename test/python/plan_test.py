"""Plans: found, proved, simulated and run, from Python."""

import json

import numpy as np
import pytest
from plan_programs import BLOCK, LAYER, block, expect_same, floats, layer

import kolam as ko
from kolam._plan import _random_plan


def attention(x, w, o):
    q, k, v = (ko.permute_dims(ko.reshape(part, (2, 10, 4, 8)), (0, 2, 1, 3)) for part in ko.split(x @ w, 3, axis=-1))
    return ko.reshape(ko.permute_dims(ko.attention(q, k, v), (0, 2, 1, 3)), (2, 10, 32)) @ o


def stencils(x):
    for _ in range(3):
        p = ko.pad(x, 1)
        x = 0.2 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] + x)
    return x


def training_step(x, y, w, v):
    h = x @ w
    a = ko.relu(h)
    d = (a @ v - y) / x.shape[0]
    return w - 0.1 * (x.T @ ((d @ v.T) * (h > 0))), v - 0.1 * (a.T @ d)


PROGRAMS = {
    "layer": (layer, LAYER),
    "block": (block, BLOCK),
    "attention": (attention, (floats(2, 10, 32), floats(32, 96), floats(32, 32))),
    "stencils": (stencils, (floats(19, 23),)),
    "training step": (training_step, (floats(40, 12), floats(40, 5), floats(12, 30), floats(30, 5))),
    "random": (lambda x: x + ko.random.normal(ko.random.key(3), (30, 7)), (floats(30, 7),)),
    "nothing": (lambda x: (x[:, :0] * 2, ko.sum(x[:0], axis=0), ko.concat([x[:, :0], x], axis=1)), (floats(37, 11),)),
    "long sums": (lambda x, y: x @ y, (floats(6, 8192), floats(8192, 5))),
    "tree": (lambda p: {"s": ko.sum(p["a"], axis=0), "t": (p["b"] * 2, p["a"])}, ({"a": floats(9, 4), "b": floats(3)},)),
}


@pytest.mark.parametrize("workers", [1, 2, 3, 4])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_plan_gives_the_bits_of_the_program(name, workers):
    f, args = PROGRAMS[name]
    plan = ko.plan(f, *args, workers=workers, steps=2)
    assert plan.check() == []
    expect_same(plan.run(*args), ko.jit(f)(*args))


@pytest.mark.parametrize("name", PROGRAMS)
def test_cut_at_random(name):
    f, args = PROGRAMS[name]
    expected = ko.jit(f)(*args)
    for seed in range(5):
        plan = _random_plan(f, *args, workers=3, seed=seed)
        assert plan.check() == []
        expect_same(plan.run(*args), expected)


def test_stages_that_are_alike_share_what_their_pieces_are():
    machine = ko.Machine(2, flops=1e9, memory_bandwidth=1e10, memory=2**30, levels=[ko.Level(2, 1e9, 1e-6)])
    f, args = lambda x, y: (ko.exp(x) * 2 + 1, ko.exp(y) * 2 + 1), (floats(103, 25), floats(103, 25))
    plan = ko.plan(f, *args, workers=2, machine=machine, steps=0, limits={"peak_memory": 2080})  # some pieces a worker
    assert plan.check(f, *args) == []
    expect_same(plan.run(*args), ko.jit(f)(*args))


def test_json_round_trip(tmp_path):
    f, args = layer, LAYER
    plan = ko.plan(f, *args, workers=2, steps=0)
    again = ko.Plan.from_json(plan.as_json())
    assert again.as_json() == plan.as_json()
    assert again.cost == plan.cost
    plan.save(tmp_path / "plan.json")
    expect_same(ko.Plan.load(tmp_path / "plan.json").run(*args), ko.jit(f)(*args))


def test_the_same_seed_gives_the_same_plan():
    f, args = block, BLOCK
    one, other = (ko.plan(f, *args, workers=4, steps=4, seed=9) for _ in range(2))
    assert one.as_json() == other.as_json()


def test_files_are_read_and_written_by_box(tmp_path):
    f, args = PROGRAMS["long sums"]
    paths = []
    for number, array in enumerate(args):
        paths.append(tmp_path / f"{number}.npy")
        np.save(paths[-1], array)
    sources = [ko.source(path) for path in paths]
    plan = ko.plan(f, *sources, workers=3, steps=0)
    out = tmp_path / "y.npy"
    assert plan.run(*sources, out={0: out}) is None
    expect_same(np.load(out), ko.jit(f)(*args))


def test_a_task_is_an_argument_of_another_plan():
    x, w = floats(8, 8), floats(8, 8)
    plan = ko.plan(lambda x, w: x @ w, x, w, workers=2, steps=0)
    first = plan.start(x, w)
    second = plan.start(first, w)
    expect_same(second.result(timeout=60), ko.jit(lambda x, w: (x @ w) @ w)(x, w))
    assert first.done()


def test_captured_arrays_are_arguments():
    table = floats(40, 30)
    f = lambda x: x @ table
    x = floats(6, 40)
    expect_same(ko.plan(f, x, workers=2, steps=0).run(x), ko.jit(f)(x))


def test_simulated_on_a_machine():
    f, args = layer, LAYER
    machine = ko.Machine(4, flops=1e9, memory_bandwidth=1e9, memory=2**30, levels=[ko.Level(4, 1e8, 1e-6)], task_overhead=1e-6)
    plan = ko.plan(f, *args, workers=4, machine=machine, steps=0)
    simulated = plan.simulate(machine)
    assert max(simulated.bytes_in) == plan.cost["bytes_in"]
    assert max(simulated.peak_memory) <= plan.cost["peak_memory"]
    assert 0 < simulated.time and len(simulated.busy) == 4


def test_memory_limits_hold():
    x, w = floats(64, 512), floats(512, 64)
    free = ko.plan(lambda x, w: x @ w, x, w, workers=4, steps=0)
    limit = int(free.cost["peak_memory"] * 0.8)
    plan = ko.plan(lambda x, w: x @ w, x, w, workers=4, steps=0, memory_per_worker=limit)
    assert plan.cost["peak_memory"] <= limit
    assert plan.check() == []


def test_what_lost_is_explained():
    f, args = layer, LAYER
    plan = ko.plan(f, *args, workers=4, steps=6)
    assert sum(not one.why_not for one in plan.alternatives) == 1
    assert all(one.why_not or one.cost == plan.cost for one in plan.alternatives)
    assert "not " in plan.explain() or len(plan.alternatives) == 1
    assert plan.front


ERRORS = {
    "no workers": (lambda: ko.plan(layer, *LAYER, workers=0), "[plan-option] option 'workers': expected at least 1, but got 0"),
    "objective": (
        lambda: ko.plan(layer, *LAYER, objective="speed"),
        "[plan-option] option 'objective': expected one of bytes_in, peak_memory, time, wasted, work, workers, but got 'speed'",
    ),
    "allow": (lambda: ko.plan(layer, *LAYER, allow="all"), "[plan-option] option 'allow': expected 'exact' or 'reassociate'"),
    "memory": (lambda: ko.plan(layer, *LAYER, memory_per_worker="2 pints"), "[plan-option] option 'memory_per_worker': expected bytes"),
    "limit": (lambda: ko.plan(layer, *LAYER, memory_per_worker=10, steps=0), "[plan-limit] expected a plan within the limits"),
    "symbols": (
        lambda: ko.plan(lambda x: ko.nonzero(x)[0], floats(5)),
        "[not-cut] expected a program that can be cut, but extents of its arguments and results are symbols",
    ),
    "machine": (lambda: ko.Machine(0, 1e9, 1e9, 0, [ko.Level(1, 1e9, 0)]), "[bad-machine]"),
    "arguments": (lambda: ko.plan(layer, *LAYER, steps=0).run(floats(24, 16)), "[call-mismatch]"),
    "shape": (
        lambda: ko.plan(layer, *LAYER, steps=0).run(floats(25, 16), *LAYER[1:]),
        "[argument-mismatch] argument x: expected float32[24, 16], but got float32[25, 16]",
    ),
    "engine": (lambda: ko.plan(layer, *LAYER, steps=0).run(*LAYER, engine="spark"), "[unknown-engine]"),
    "file": (lambda: ko.source("is_not_there.npy"), "[io-read]"),
    "json": (lambda: ko.Plan.from_json("{}"), "[bad-plan]"),
    "text": (lambda: ko.Plan.from_json("[" * 100000), "[bad-plan]"),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors(name):
    call, words = ERRORS[name]
    with pytest.raises(ko.KolamError) as caught:
        call()
    assert words in str(caught.value)


def test_an_edited_plan_is_refused():
    f, args = layer, LAYER
    document = json.loads(ko.plan(f, *args, workers=2, steps=0).as_json())
    for task in document["tasks"]:
        if task["reads"]:
            task["index"]["extent"] = [1, 1]
    with pytest.raises(ko.KolamError, match="plan-broken"):
        ko.Plan.from_json(json.dumps(document)).run(*args)


def test_a_plan_of_another_program_is_told_apart():
    f, args = layer, LAYER
    plan = ko.plan(f, *args, workers=2, steps=0)
    assert plan.check(f, *args) == []
    other = plan.check(lambda x, w, b: ko.tanh(x @ w + b), *args)
    assert other and "[plan-trace]" in other[0]


def test_numbers_of_python_are_arguments():
    f = lambda x, s, n: x * s + n
    x = floats(5, 4)
    plan = ko.plan(f, x, 2.5, 3, workers=2, steps=0)
    expect_same(plan.run(x, 2.5, 3), ko.jit(f)(x, 2.5, 3))
