"""Random programs over the paths that single ops have natively, at the edges: special values, extents around widths of vectors,
views, narrow integers, lists; beside the interpreter, bit by bit, on several targets and numbers of threads.

KOLAM_SEED=... gives the same programs again, KOLAM_PROGRAMS=... another number of them.
"""

import numpy as np
import pytest
from random_counts import count
from random_edges import batch
from random_edges.programs import make_program
from targets_test import NEEDS, runs_here

PROGRAMS = count(160)
FEW = 60


def run_or_fail(seed, numbers, target):
    if target and not runs_here(target):
        pytest.skip(f"this CPU runs no code for {target}")
    problems = batch.run_batch(seed, numbers, target)
    if problems:
        pytest.fail(problems, pytrace=False)


@pytest.mark.parametrize("target", ["", "haswell", "x86-64"])
def test_few_programs(target, seed):
    run_or_fail(seed, range(FEW), target)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["", *NEEDS])
def test_programs(target, seed):
    run_or_fail(seed, range(FEW, PROGRAMS), target)


def test_a_difference_is_found(monkeypatch):
    program = next(p for p in (make_program(1, number) for number in range(100)) if p.offsets is None and len(p.lines) > 1 and p.arrays["x"].size)
    assert batch.failure(program) is None
    honest = type(program).run

    def wrong(self, backend):
        """The sign of the last element is another one."""
        results = honest(self, backend)
        if backend == "cpu" and not isinstance(results[0], str):
            results[0][0] = np.array(results[0][0])
            results[0][0].reshape(-1).view("u1")[-1:] ^= 128
        return results

    monkeypatch.setattr(type(program), "run", wrong)
    assert "result 0" in batch.failure(program)
    assert len(batch.smaller(program).lines) == 1
