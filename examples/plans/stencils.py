"""Five 5-point stencils over a grid: a piece reads its box with a halo, and computes what lies between anew.

    stencils.py [rows [workers]]

Kept values are a choice: with all five kept, neighbours exchange one row of points after each; with none, a piece reads five
rows more on each side and computes some points twice ("wasted"). The planner weighs one against the other.
"""

import sys

import numpy as np

import kolam as ko

ROWS, WORKERS, TIMES = 512, 4, 5
#: Links between workers: nearly free, and dear enough that points are rather computed twice.
LINKS = {"quick links": (1e12, 0.0), "slow links": (1e8, 1e-3)}


def stencils(x):
    for _ in range(TIMES):
        p = ko.pad(x, 1)
        x = 0.2 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] + x)
    return x


def main(rows=ROWS, workers=WORKERS):
    x = np.random.default_rng(0).standard_normal((rows, rows)).astype(np.float32)
    expected = np.asarray(ko.jit(stencils)(x))
    for name, (bandwidth, latency) in LINKS.items():
        level = ko.Level(workers, bandwidth, latency)
        machine = ko.Machine(workers, flops=1e8, memory_bandwidth=1e10, memory=2**32, levels=[level], task_overhead=1e-5)
        plan = ko.plan(stencils, x, workers=workers, machine=machine)
        stages = sum(line.startswith("  compute") for line in str(plan).splitlines())
        cost = plan.cost
        print(
            f"{name}: {stages} of {TIMES} values kept, {cost['bytes_in']:,.0f} bytes into a worker, {cost['wasted']:,.0f} points wasted,"
            f" {plan.simulate(machine).time * 1e3:.2f} ms; equal bits: {np.asarray(plan.run(x)).tobytes() == expected.tobytes()}"
        )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
