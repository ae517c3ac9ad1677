"""Workers that are stopped and tasks that spin: the deadline sees them, and their tasks run again."""

import os
import signal

import psutil
import pytest

import kolam as ko
from bad_calls import BadCall
from kolam import engines
from processes import descendants, is_alive, until, workers
from programs import has_its_bits, layers, planned, stencils

ENGINES = ("ray", "dask")


@pytest.fixture
def repeats(monkeypatch):
    """How many tasks were submitted again; deadlines are short."""
    monkeypatch.setattr(engines, "_LEAST_SECONDS", 3.0)
    found = []
    repeat = engines._Coordinator._repeat

    def counting(coordinator, failed, error):
        found.extend(failed)
        return repeat(coordinator, failed, error)

    monkeypatch.setattr(engines._Coordinator, "_repeat", counting)
    return found


@pytest.mark.parametrize("how", ["stops", "spins"])
@pytest.mark.parametrize("engine", ENGINES)
def test_a_task_that_does_not_end(engine, how, repeats, monkeypatch, tmp_path):
    assert has_its_bits(layers, engine)
    repeats.clear()
    monkeypatch.setattr(engines, "PieceCall", lambda *piece: BadCall(*piece, flag=str(tmp_path / "flag"), how=how))
    assert has_its_bits(layers, engine)
    assert repeats
    stopped = lambda: [process for process in descendants() if process.status() == psutil.STATUS_STOPPED]
    assert until(lambda: not stopped(), 20)  # or their slots were lost


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_worker_is_stopped_that_holds_results(engine, repeats, monkeypatch):
    assert has_its_bits(stencils, engine)
    collect = engines._Coordinator._collect

    def stopping(coordinator):
        os.kill(workers(engine)[0], signal.SIGSTOP)
        return collect(coordinator)

    monkeypatch.setattr(engines._Coordinator, "_collect", stopping)
    assert has_its_bits(stencils, engine)
    monkeypatch.undo()
    assert has_its_bits(stencils, engine)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_task_that_never_ends(engine, monkeypatch, tmp_path):
    monkeypatch.setattr(engines, "_LEAST_SECONDS", 1.0)
    plan, args, _ = planned(layers)
    calls = iter(range(10**6))
    monkeypatch.setattr(engines, "PieceCall", lambda *piece: BadCall(*piece, flag=str(tmp_path / str(next(calls))), how="spins"))
    with pytest.raises(ko.KolamError, match=r"\[engine-hangs\] expected a task of .* to end, but it did not, 3 times"):
        plan.run(*args, engine=engine, processes=2)
    monkeypatch.undo()
    assert has_its_bits(layers, engine)


@pytest.mark.slow
def test_ray_ends(monkeypatch):
    monkeypatch.setattr(engines, "_LEAST_SECONDS", 2.0)
    assert has_its_bits(layers, "ray")
    finish = engines._Coordinator._finish

    def ending(coordinator, submitted):
        for process in descendants():
            if is_alive(process) and process.name() == "raylet":
                process.kill()
        return finish(coordinator, submitted)

    monkeypatch.setattr(engines._Coordinator, "_finish", ending)
    with pytest.raises(ko.KolamError, match=r"\[engine-(failed|hangs)\]"):
        has_its_bits(layers, "ray")
    monkeypatch.undo()
    assert has_its_bits(layers, "ray")
