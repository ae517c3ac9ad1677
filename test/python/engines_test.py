"""How plans run on engines: the coordinator, with an engine of this process; Ray and Dask are in test/engines/."""

import numpy as np
import pytest

import kolam as ko
from kolam import engines
from kolam.engines._call import PieceCall, load_box

RANDOM = np.random.default_rng(11)


def floats(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


class Here:
    """An engine that runs each task when it is asked to wait. `hangs` tasks never end, `fails` raises."""

    def __init__(self, workers, hangs=0, version=None):
        self.workers, self.hangs, self.version = workers, hangs, version
        self.values, self.calls, self.next, self.most, self.cancelled = {}, {}, 0, 0, 0

    def _new(self):
        self.next += 1
        return self.next

    def put(self, array):
        handle = self._new()
        self.values[handle] = np.asarray(array)
        return handle

    def load(self, path, start, end):
        handle = self._new()
        self.calls[handle] = (lambda: [load_box(path, start, end)], [handle])
        return handle

    def submit(self, call, handles):
        if self.version:
            call.version = self.version
        made = [self._new() for _ in range(call.count)]
        self.calls[made[0]] = (lambda: call(*(self.values[handle] for handle in handles)), made)
        return made

    def wait(self, handles, seconds):
        if self.hangs:
            self.hangs -= 1
            return []
        call, made = self.calls.pop(handles[0])
        try:
            for handle, value in zip(made, call(), strict=True):
                self.values[handle] = np.asarray(value)
        except ko.KolamError as error:
            self.values[made[0]] = error
        self.most = max(self.most, len(self.values))
        return [handles[0]]

    def error(self, handle):
        value = self.values[handle]
        return value if isinstance(value, Exception) else None

    def get(self, handle):
        return self.values[handle]

    def cancel(self, handle):
        self.cancelled += 1
        self.calls.pop(handle)

    def free(self, handles):
        for handle in handles:
            del self.values[handle]

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
    monkeypatch.setattr(engines, "_LEAST_SECONDS", 0.0)
    monkeypatch.setattr(engines, "_TIMES_PREDICTED", 0.0)
    x = floats(4, 4)
    engine = Here(1, hangs=2)
    assert np.asarray(run(engine, ko.tanh, x, workers=1)[0]).tobytes() == np.asarray(ko.jit(ko.tanh)(x)).tobytes()
    assert engine.cancelled >= 1
    with pytest.raises(ko.KolamError, match=r"\[engine-hangs\] expected a task of tanh"):
        run(Here(1, hangs=100), ko.tanh, x, workers=1)


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


def test_a_call_is_what_it_was_after_pickling():
    import pickle

    call = PieceCall("text", [("float32", [0], [4], [([0], [4])])], [3], 1)
    again = pickle.loads(pickle.dumps(call))
    assert (again.text, again.reads, again.offsets, again.count, again.version) == (call.text, call.reads, call.offsets, 1, ko.__version__)
