"""Random programs: the interpreter and native code give the same bits, and NumPy agrees with every step.

Tolerances: an elementwise function lies within the ulps of its row (and NumPy's own 4 in float64); a sum of n terms within 8
machine epsilons of the sum of magnitudes, one of products within sqrt(n) where that is more, and composites within what
follows from that; everything that moves, picks or scatters elements, all integers, and running sums, loops and scans, whose ops
round one by one, are exact.
KOLAM_SEED=... gives the same programs again, KOLAM_PROGRAMS=... another number of them.
"""

import os
from pathlib import Path

import pytest
from random_counts import count
from random_programs import running
from random_programs.batch import run_batch
from random_programs.generator import kind_of, make_program
from random_programs.shrinking import shrink

PROGRAMS = count(2000)
BATCHES = min(20, PROGRAMS)
PROGRAMS_PER_TARGET = min(150, PROGRAMS // 10)
PROGRAMS_PER_KIND = 12


def run_or_fail(seed, numbers, **environment):
    report = run_batch(seed, numbers, **environment)
    if report.problem:
        pytest.fail(report.problem, pytrace=False)
    assert report.tally.programs == len(numbers)
    return report


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_programs(batch, seed):
    tally = run_or_fail(seed, range(batch, PROGRAMS, BATCHES)).tally
    # Most programs run to their end, and few steps have numbers too wild to compare.
    if tally.programs >= 50:
        assert tally.raised < 0.4 * tally.programs and tally.compared > 0.85 * tally.steps, tally


@pytest.mark.slow
@pytest.mark.parametrize("target, has_fma", [("haswell", True), ("x86-64", False)])
def test_random_programs_on_other_targets(target, has_fma, seed):
    flags = Path("/proc/cpuinfo").read_text().split()
    if has_fma and not {"fma", "avx2"} <= set(flags):
        pytest.skip(f"this CPU runs no code for {target}")
    numbers = range(PROGRAMS_PER_TARGET)
    there = run_or_fail(seed, numbers, KOLAM_TARGET=target)
    if has_fma:  # the same bits on every machine that has it
        assert there.digests == run_or_fail(seed, numbers).digests


@pytest.mark.slow
@pytest.mark.parametrize("first", [number for number in range(25) if kind_of(number) in ("large", "shared")])
def test_random_programs_on_several_threads(first, seed):
    numbers = range(first, 25 * PROGRAMS_PER_KIND, 25)
    alone, *shared = (run_or_fail(seed, numbers, KOLAM_NUM_THREADS=str(count)).digests for count in (1, 2, 3))
    assert all(digests == alone for digests in shared)


def test_a_difference_is_found_and_made_smaller(monkeypatch):
    honest = running.run

    def wrong_matmul(program, backend, outputs):
        results = honest(program, backend, outputs)
        names = [value.name for value, step in program.steps if "@" in step.text or "matmul" in step.text]
        for result in results if backend == "cpu" else []:
            if isinstance(result, running.Raised):
                continue
            result.update({name: result[name] + 1 for name in names if name in result})
        return results

    monkeypatch.setattr(running, "run", wrong_matmul)
    programs = (make_program(1, number) for number in range(1, 400, 2))
    failures = ((p, running.failure(p)) for p in programs if len(p.steps) > 2)
    program = next(p for p, failure in failures if failure and failure.kind == "bits")
    smaller = shrink(program, running.failure(program).kind)
    assert running.failure(smaller).kind == "bits" and len(smaller.steps) == 1


CRASH = """
import os, signal, kolam
kolam.jit = lambda f, **options: os.kill(os.getpid(), signal.SIGSEGV)
"""


@pytest.mark.slow
def test_a_crash_names_its_program(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(CRASH)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]))
    problem = run_batch(1, range(5, 9)).problem
    assert "KOLAM_SEED=1" in problem and "program 5: killed by SIGSEGV" in problem and "def program(" in problem
