"""How plans run on engines: the coordinator, with an engine of this process; Ray and Dask are in test/engines/."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kolam as ko
from kolam import engines
from kolam.engines._call import LoadCall, PieceCall

RANDOM = np.random.default_rng(11)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


class Gone(Exception):
    """What `Here` raises for a task that it gives up."""


class Here:
    """An engine that runs each task when it is asked to wait. It does not answer `hangs` times, and gives up `gone` tasks."""

    lost = (Gone,)

    def __init__(self, workers, hangs=0, gone=0, version=None):
        self.workers, self.hangs, self.gone, self.version = workers, hangs, gone, version
        self.noted = []
        self.values, self.calls, self.next, self.most, self.cancelled, self.mended = {}, {}, 0, 0, 0, 0

    def _new(self):
        self.next += 1
        return self.next

    def put(self, array):
        handle = self._new()
        self.values[handle] = np.asarray(array)
        return handle

    def submit(self, call, handles):
        if self.version and isinstance(call, PieceCall):
            call.version = self.version
        made = [self._new() for _ in range(call.count)]
        self.calls[made[0]] = (lambda: call(*(self._value(handle) for handle in handles)), made)
        return made[0], made

    def _value(self, handle):
        if isinstance(self.values[handle], Exception):
            raise self.values[handle]
        return self.values[handle]

    def wait(self, tasks, seconds):
        if seconds == 0.0:
            return [task for task in tasks if task in self.values]
        if self.hangs:
            self.hangs -= 1
            return []
        call, made = self.calls.pop(tasks[0])
        try:
            if self.gone:
                self.gone -= 1
                raise Gone
            note, results = call()
            self.noted += [] if note is None else [note]
            for handle, value in zip(made, results, strict=True):
                self.values[handle] = np.asarray(value)
        except (ko.KolamError, Gone) as error:
            self.values |= dict.fromkeys(made, error)
        self.most = max(self.most, len(self.values))
        return [tasks[0]]

    def error(self, task):
        value = self.values.get(task)
        return value if isinstance(value, Exception) else None

    def get(self, handle, seconds):
        return self.values[handle]

    def notes(self):
        notes, self.noted = self.noted, []
        return notes

    def cancel(self, task):
        self.cancelled += 1
        self.calls.pop(task, None)

    def mend(self):
        self.mended += 1

    def free(self, handles):
        for handle in handles:
            del self.values[handle]

    def done(self):
        pass

    def close(self):
        pass


def run(engine, f, *args, workers=3, files=None):
    plan = ko.plan(f, *args, workers=workers, steps=0)
    leaves = [arg.path if isinstance(arg, ko.source) else arg for arg in args]
    return engines._Coordinator(engine, plan._plan, leaves, files or {}).run()


def test_results_have_the_bits_of_the_program():
    x, w = floats(6, 8192), floats(8192, 5)
    f = lambda x, w: (x @ w, ko.asarray(x[:, :4], dtype=ko.bfloat16))
    engine = Here(3)
    for one, other in zip(run(engine, f, x, w), ko.jit(f)(x, w), strict=True):
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes()


def test_blocks_are_freed_after_their_last_reader():
    x = floats(64, 64)

    def f(x, w):
        for _ in range(6):
            x = ko.tanh(x) @ w
        return x

    engine = Here(2)
    run(engine, f, x, x, workers=2)
    assert len(engine.values) <= 2  # the results'
    assert engine.most < 16


def test_files(tmp_path):
    np.save(tmp_path / "x.npy", x := floats(12, 7))
    source = ko.source(tmp_path / "x.npy")
    f = lambda x: (ko.tanh(x), x)
    results = run(Here(2), f, source, files={0: str(tmp_path / "y.npy")})
    assert results[0] is None
    assert np.asarray(results[1]).tobytes() == x.tobytes()
    assert np.load(tmp_path / "y.npy").tobytes() == np.asarray(ko.jit(ko.tanh)(x)).tobytes()


def test_tasks_that_hang_are_tried_again(monkeypatch):
    monkeypatch.setattr(engines, "_LEAST_SECONDS", 1e-9)
    monkeypatch.setattr(engines, "_TIMES_PREDICTED", 0.0)
    x = floats(4, 4)
    engine = Here(1, hangs=2)
    assert np.asarray(run(engine, ko.tanh, x, workers=1)[0]).tobytes() == np.asarray(ko.jit(ko.tanh)(x)).tobytes()
    assert engine.cancelled >= 1
    with pytest.raises(ko.KolamError, match=r"\[engine-hangs\] expected a task of tanh"):
        run(Here(1, hangs=100), ko.tanh, x, workers=1)


def test_tasks_that_an_engine_gives_up_are_tried_again():
    x = floats(4, 4)
    engine = Here(1, gone=2)
    assert np.asarray(run(engine, ko.tanh, x, workers=1)[0]).tobytes() == np.asarray(ko.jit(ko.tanh)(x)).tobytes()
    assert engine.mended == 2
    with pytest.raises(ko.KolamError, match=r"\[engine-failed\] expected a task of tanh .* to run, but the engine gave it up, 3 times: Gone"):
        run(Here(1, gone=100), ko.tanh, x, workers=1)


def test_tasks_that_wait_for_one_that_is_given_up():
    x = floats(64, 64)
    f = lambda x: ko.tanh(ko.tanh(x) @ x) @ x
    engine = Here(2, gone=1)
    plan = ko.plan(f, x, workers=2, steps=0)
    submitted = []
    submit = engine.submit
    engine.submit = lambda call, handles: submitted.append(call) or submit(call, handles)
    result = engines._Coordinator(engine, plan._plan, [x], {}).run()[0]
    assert np.asarray(result).tobytes() == np.asarray(ko.jit(f)(x)).tobytes()
    tasks = sum(task[1] >= 0 for task in engines._kolam._plan_tasks(plan._plan))
    assert len(submitted) > tasks + 1
    assert engine.cancelled == len(submitted) - tasks


def test_a_fault_of_a_task_names_its_piece():
    with pytest.raises(ko.KolamError, match=r"\[engine-version\] .* one has 0.*; in a task of contract at .*engines_test.py:\d+, piece"):
        run(Here(1, version="7"), lambda x: ko.tanh(x) @ x, floats(4, 4), workers=1)


def test_a_result_of_many_blocks():
    x = ko.asarray(floats(37, 11), dtype=ko.bfloat16)
    for f in (lambda x: ko.tanh(x), lambda x: x > 0, lambda x: ko.sum(x), lambda x: x):
        one, other = run(Here(5), f, x, workers=5)[0], ko.jit(f)(x)
        assert ko.asarray(one).dtype == other.dtype and tuple(one.shape) == tuple(other.shape)
        assert np.asarray(one).tobytes() == np.asarray(other).tobytes()


def test_workers_of_another_version():
    with pytest.raises(ko.KolamError, match=r"\[engine-version\] expected workers with Kolam 7"):
        run(Here(1, version="7"), ko.tanh, floats(4), workers=1)


def test_an_engine_that_is_not_installed(monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "kolam.engines.dask", raising=False)
    plan = ko.plan(ko.tanh, floats(4), workers=1, steps=0)
    with pytest.raises(ko.KolamError, match=r"\[engine-missing\] expected the engine 'dask' to be installed"):
        plan.run(floats(4), engine="dask")


def test_a_reader_may_be_seen_to_end_before_its_maker():
    x = floats(64, 64)
    f = lambda x: ko.tanh(ko.tanh(x) @ x) @ x
    engine = Here(2)
    wait = engine.wait
    ready = []

    def late(tasks, seconds):
        while tasks_left := [task for task in tasks if task not in ready]:
            ready.extend(wait(tasks_left, 1.0))
        return [task for task in reversed(tasks) if task in ready][:1]

    engine.wait = late
    plan = ko.plan(f, x, workers=2, steps=0)
    result = engines._Coordinator(engine, plan._plan, [x], {}).run()[0]
    assert np.asarray(result).tobytes() == np.asarray(ko.jit(f)(x)).tobytes()
    assert len(engine.values) <= 2


def test_stores_are_as_large_as_plans_need(monkeypatch):
    monkeypatch.setattr(engines.shutil, "disk_usage", lambda path: type("Usage", (), {"free": 10 << 30}))
    monkeypatch.setattr(engines.os.path, "isdir", lambda path: True)
    assert engines._store_bytes(0) == 1 << 30
    assert engines._store_bytes(3 << 29) == 4 << 30
    assert engines._store_bytes(1 << 40) == 8 << 30


def test_a_call_is_what_it_was_after_pickling():
    import pickle

    call = PieceCall("text", [("float32", [0], [4], [([0], [4])])], [3], 1, "what", True, ("/there", 5))
    again = pickle.loads(pickle.dumps(call))
    assert all(getattr(again, name) == getattr(call, name) for name in PieceCall.__slots__)
    load = LoadCall("x.npy", [0], [4], True)
    again = pickle.loads(pickle.dumps(load))
    assert all(getattr(again, name) == getattr(load, name) for name in LoadCall.__slots__)


def test_progress_and_the_report():
    x, told = floats(64, 64), []
    plan = ko.plan(lambda x: ko.tanh(x) @ x, x, workers=2, steps=0)
    engines._Coordinator(Here(2), plan._plan, [x], {}, lambda *facts: told.append(facts)).run()
    done, tasks, made, size, seconds, left = told[-1]
    assert done == tasks == plan.last_run.tasks and made == size > 0 and seconds > 0 and left == 0
    assert plan.last_run.found == 0 and plan.last_run.peak_memory == []
    assert f"last run: {tasks} tasks in" in plan.explain()


def test_results_that_workers_keep(tmp_path):
    x, kept = floats(64, 64), ko.KeptResults("1MiB", tmp_path / "kept")
    f = lambda x: ko.tanh(x) @ x
    plan = ko.plan(f, x, workers=2, steps=0)
    for expected in (0, plan_tasks(plan)):
        result = engines._Coordinator(Here(2), plan._plan, [x], {}, None, kept).run()[0]
        assert np.asarray(result).tobytes() == np.asarray(ko.jit(f)(x)).tobytes()
        assert plan.last_run.found == expected
    with pytest.raises(ko.KolamError, match=r"\[plan-option\] option 'kept': expected results with a directory"):
        plan.run(x, engine="ray", kept=ko.KeptResults("1MiB"))


def test_spans_of_tasks_come_to_the_coordinator(tmp_path):
    program = """
import kolam as ko
from kolam import _kolam
from engines_test import Here, run
run(Here(2), ko.tanh, ko.ones((8, 4)), workers=2)
print([name.partition(",")[0] for name, category, *_ in _kolam._take_trace() if category == "task"])
"""
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    environment = os.environ | {"KOLAM_TRACE": str(tmp_path / "trace.json"), "PYTHONPATH": path}
    run = subprocess.run([sys.executable, "-c", program], env=environment, check=True, timeout=300, capture_output=True, text=True)
    assert run.stdout.count("tanh") == 2


def plan_tasks(plan):
    return sum(task[1] >= 0 for task in engines._kolam._plan_tasks(plan._plan))
