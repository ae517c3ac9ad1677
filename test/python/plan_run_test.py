"""Runs of plans in this process: memory, progress, results that are kept, traces."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from plan_programs import BLOCK, LAYER, block, expect_same, floats, layer

import kolam as ko


def test_a_run_holds_no_more_than_its_limit():
    f, args = block, BLOCK
    free = ko.plan(f, *args, workers=3, steps=0)
    limited = ko.plan(f, *args, workers=3, steps=0, memory_per_worker=int(free.cost["peak_memory"]))
    expect_same(limited.run(*args), ko.jit(f)(*args))
    report = limited.last_run
    assert len(report.peak_memory) == 3 and max(report.peak_memory) <= free.cost["peak_memory"]
    assert f"last run: {report.tasks} tasks in" in limited.explain()


def test_progress():
    f, args = block, BLOCK
    plan, told = ko.plan(f, *args, workers=2, steps=0), []
    plan.run(*args, progress=told.append)
    last = told[-1]
    assert last.tasks_done == last.tasks == plan.last_run.tasks
    assert last.bytes_done == last.bytes > 0 and last.seconds_left == 0 and last.seconds > 0


def test_an_exception_of_the_progress_ends_the_run():
    f, args = layer, LAYER

    def stop(progress):
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        ko.plan(f, *args, workers=2, steps=0).run(*args, progress=stop)
    with pytest.raises(ko.KolamError, match=r"\[argument-type\] argument 'progress': expected a function"):
        ko.plan(f, *args, workers=2, steps=0).run(*args, progress=3)


def test_results_are_kept(tmp_path):
    f, args = layer, LAYER
    plan = ko.plan(f, *args, workers=2, steps=0)
    plan.run(*args)
    for kept in (ko.KeptResults(1 << 20), ko.KeptResults("1MiB", tmp_path / "kept")):
        for found in (0, plan.last_run.tasks):
            expect_same(plan.run(*args, kept=kept), ko.jit(f)(*args))
            assert plan.last_run.found == found
        assert f"{found} of them were kept from earlier runs" in plan.explain()
        assert kept.hits == kept.misses == kept.entries == found and 0 < kept.bytes <= kept.allowed_bytes
    again = ko.KeptResults("1MiB", tmp_path / "kept")
    expect_same(plan.run(*args, kept=again), ko.jit(f)(*args))
    assert again.hits == found


def test_only_what_reads_a_changed_argument_is_computed():
    f, args = layer, LAYER
    machine = ko.Machine(2, flops=1e6, memory_bandwidth=1e9, memory=2**32, levels=[ko.Level(2, 1e9, 1e-6)], task_overhead=1e-6)
    plan, kept = ko.plan(f, *args, workers=2, steps=0, machine=machine), ko.KeptResults(1 << 20)
    plan.run(*args, kept=kept)
    changed = args[0].copy()
    changed[-1] += 1
    expect_same(plan.run(changed, *args[1:], kept=kept), ko.jit(f)(changed, *args[1:]))
    assert 0 < plan.last_run.found < plan.last_run.tasks


def test_bad_kept_results(tmp_path):
    for size in (0, -1):
        with pytest.raises(ko.KolamError, match=r"\[plan-option\] option 'bytes': expected at least 1"):
            ko.KeptResults(size)
    (tmp_path / "file").write_text("")
    with pytest.raises(ko.KolamError, match=r"\[io-write\] cannot keep results in"):
        ko.KeptResults(1, tmp_path / "file")
    f, args = layer, LAYER
    with pytest.raises(ko.KolamError, match=r"\[argument-type\] argument 'kept': expected a KeptResults"):
        ko.plan(f, *args, workers=2, steps=0).run(*args, kept="1GiB")


def test_one_trace_has_the_tasks_of_all_workers(tmp_path):
    program = """
import kolam as ko
x = ko.ones((64, 64))
ko.plan(lambda x: ko.tanh(x @ x) @ x, x, workers=2, steps=0).run(x)
"""
    environment = os.environ | {"KOLAM_TRACE": str(tmp_path / "trace.json")}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=300)
    spans = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert {"task,worker0", "task,worker1"} <= {span["cat"] for span in spans}
