"""Runs in which workers are killed: all end, with every bit."""

import os
import random
import signal

import pytest

from kolam import engines
from processes import workers
from programs import has_its_bits, layers, planned, product, stencils

#: Runs of each engine; KOLAM_ENGINE_RUNS sets less.
RUNS = {"ray": 100, "dask": 20}
LIMIT = int(os.environ.get("KOLAM_ENGINE_RUNS", max(RUNS.values())))
MOST_KILLS = 3

CASES = [(engine, seed) for engine, runs in RUNS.items() for seed in range(min(runs, LIMIT))]


class Kills:
    """Kills a worker, a busy one where there is one, each time that one of these numbers of tasks has ended."""

    def __init__(self, monkeypatch, engine, moments, seed):
        self.count, self.killed, random_ = 0, [], random.Random(seed)
        finish = engines._Coordinator._finish

        def killing(coordinator, submitted):
            self.count += 1
            if self.count in moments and (found := workers(engine)):
                self.killed.append(random_.choice(found))
                os.kill(self.killed[-1], signal.SIGKILL)
            return finish(coordinator, submitted)

        monkeypatch.setattr(engines._Coordinator, "_finish", killing)


@pytest.mark.parametrize(("engine", "seed"), CASES)
def test_killed_workers(engine, seed, monkeypatch):
    program = (product, stencils, layers)[seed % 3]
    assert has_its_bits(program, engine)  # its workers are there
    tasks = sum(task[1] >= 0 for task in engines._kolam._plan_tasks(planned(program)[0]._plan))
    random_ = random.Random(seed)
    moments = set(random_.sample(range(1, tasks), random_.randint(1, MOST_KILLS)))
    kills = Kills(monkeypatch, engine, moments, seed)
    assert has_its_bits(program, engine)
    assert kills.killed
