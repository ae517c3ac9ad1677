"""Plans beside what they are to cost: `scripts/bench_plans [--engine ray]`. Each row: figure, goal, share.

Minima of several runs. Ratios of speeds are of the same work in the same run.
"""

import argparse
import json
import sys
import time

import numpy as np

import plan_peers
import plan_predictions

import kolam as ko


def least(call, runs=5):
    """The least seconds of a call."""
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return min(taken)


def row(name, value, goal, is_most=True):
    share = goal / value if is_most else value / goal
    print(f"{name:62} {value:10.4g}  goal {goal:8.4g}  {share:6.2f}", flush=True)


def overhead_of_a_task(count=10_000):
    x = np.ones(count, np.float32)
    one = json.loads(ko.plan(ko.tanh, x, workers=1, steps=0).as_json())
    task = next(task for task in one["tasks"] if task["reads"])
    load = next(task for task in one["tasks"] if not task["reads"])
    piece = one["pieces"][task["piece"]]
    piece["program"] = piece["program"].replace(f"tensor<{count}xf32>", "tensor<1xf32>")
    task["counts"] = [count]
    task["position"] = [1, 1]
    task["worker"] = [0, 0]
    for box in (task["index"], task["reads"][0], task["writes"][0]):
        box["start"], box["extent"] = [[0, 1]], [1]
    load["position"] = [0]
    plan = ko.Plan.from_json(json.dumps(one))
    assert plan.check() == [], plan.check()
    assert np.array_equal(np.asarray(plan.run(x)), np.asarray(ko.jit(ko.tanh)(x)))
    row("local: overhead of a task, 10,000 tasks of one element, us", least(lambda: plan.run(x)) / count * 1e6, 10)


def products(engine, side):
    rng = np.random.default_rng(0)
    x, y = (ko.asarray(rng.standard_normal((side, side)).astype(np.float32)) for _ in range(2))
    f = ko.jit(lambda x, y: x @ y)
    plan = ko.plan(f, x, y, workers=2, steps=0)
    ko.set_num_threads(1)
    f(x, y)
    alone = least(lambda: np.asarray(f(x, y))[0, 0], 3)
    ko.set_num_threads(2)
    options = {} if engine == "local" else {"engine": engine}
    expected = np.asarray(f(x, y))
    assert np.array_equal(np.asarray(plan.run(x, y, **options)), expected)
    both = least(lambda: plan.run(x, y, **options), 3)
    row(f"{engine}: {side}^3 f32 on 2 workers, times as fast as one thread", alone / both, 1.85 if engine == "local" else 1.6, is_most=False)


def stencils(steps):
    """Nine ops a step."""

    def f(x):
        for _ in range(steps):
            p = ko.pad(x, 1)
            x = x + p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:]
        return x

    return f


def planning():
    x = ko.ShapeDtypeStruct((4096, 4096), np.float32)
    f = ko.jit(stencils(11))
    f.lower(x)
    for workers, goal in ((4, 1), (1024, 10)):
        row(f"planner: 100 ops of two dims, {workers} workers, s", least(lambda: ko.plan(f, x, workers=workers, steps=0), 2), goal)


def checking():
    x = ko.ShapeDtypeStruct((1 << 20, 4), np.float32)
    tasks = 100_000
    one = json.loads(ko.plan(ko.tanh, x, workers=1, steps=0).as_json())
    task = next(task for task in one["tasks"] if task["reads"])
    count = 1 << 17
    task["counts"], task["position"], task["worker"] = [count], [1, 1], [0, 0]
    for box in (task["index"], task["reads"][0], task["writes"][0]):
        box["start"], box["extent"] = [[0, 8], [0, 0]], [8, 4]
    next(task for task in one["tasks"] if not task["reads"])["position"] = [0]
    plan = ko.Plan.from_json(json.dumps(one))
    start = time.perf_counter()
    assert plan.check() == []
    row(f"checker: {count:,} tasks, s for 100,000", (time.perf_counter() - start) * tasks / count, 2)
    task["counts"] = [1 << 20]
    for box in (task["index"], task["reads"][0], task["writes"][0]):
        box["start"], box["extent"] = [[0, 1], [0, 0]], [1, 4]
    plan = ko.Plan.from_json(json.dumps(one))
    row("simulator: 1,048,576 tasks, s for 1,000,000", least(lambda: plan.simulate(), 1) * 1e6 / (1 << 20), 5)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--engine", action="append", default=[], choices=["ray", "dask"])
    parser.add_argument("--only", choices=["engine", "planner", "predictions", "peers"])
    parser.add_argument("--side", type=int, default=4096)
    given = parser.parse_args()
    with open("/proc/cpuinfo") as file:
        print(next(line for line in file if line.startswith("model name")).partition(": ")[2].strip(), sys.version.split()[0])
    if given.only in (None, "engine"):
        overhead_of_a_task()
    if given.only in (None, "planner"):
        planning()
        checking()
    if given.only in (None, "predictions"):
        plan_predictions.run(row)
    if given.only == "peers" or "ray" in given.engine:
        plan_peers.run(row)
    if given.only not in (None, "engine"):
        return
    for engine in ["local", *given.engine]:
        products(engine, given.side)


if __name__ == "__main__":
    main()
