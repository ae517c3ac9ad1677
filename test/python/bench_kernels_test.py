"""The kernels of bench/kernels at small sizes, without peers; times are taken and not looked at."""

import argparse

import bench_suites
import numpy as np
import pytest

import kolam as ko



MAIN, FAMILIES = bench_suites.load("kernels")
KERNELS = {name: make for family in FAMILIES if hasattr(family, "cases") for name, make in family.cases(ko)}
COMPILING = next(family for family in FAMILIES if family.__name__ == "kernels_compiling")
MEMORY = next(family for family in FAMILIES if family.__name__ == "kernels_memory")
OPTIONS = argparse.Namespace(threads=1, quick=True, peers="", filter="", small=True, parts=list(MAIN.PARTS))


@pytest.fixture
def case(request):
    with MAIN.kernel.sizes("small"):
        return KERNELS[request.param]()


@pytest.fixture
def run(monkeypatch):
    """Measures once, whatever it takes; `run.records` is what was written."""
    monkeypatch.setattr(MAIN.runners, "effort", lambda options: (1, 0))
    peers = dict.fromkeys(MAIN.runners.frameworks.PACKAGES) | {"kolam": MAIN.runners.frameworks.Kolam()}
    records = []
    made = MAIN.Measuring(OPTIONS, peers, records.append)
    made.records = records
    return made


@pytest.mark.parametrize("case", KERNELS, indirect=True)
@pytest.mark.parametrize("options", [{}, {"checks": True}, {"interpret": True}, {"interpret": True, "checks": True}], ids=str)
def test_a_kernel_agrees_with_its_reference(case, options, run):
    if "checks" in options and not case.checked or options and case.kernel is None:
        pytest.skip("is not measured so")
    run.ours(case, **options)


@pytest.mark.parametrize("case", KERNELS, indirect=True)
def test_peers_of_ours_agree_with_the_reference(case, run):
    """Array functions; `beside_peers` compares every peer that there is."""
    run.beside_peers(case)
    assert [record["name"] for record in run.records][0].startswith(case.name)
    assert all(record["ours"][0] > 0 for record in run.records)


@pytest.mark.parametrize("case", [name for name in KERNELS if name.startswith(("selective scan", "histogram", "bisect"))], indirect=True)
def test_loops_by_hand_agree_with_the_reference(case, run):
    try:
        clang = MAIN.runners.sources.Clang(1)
    except ImportError as error:
        pytest.skip(str(error))
    expected = case.reference(*(MAIN.exact(array) for array in case.inputs))
    like = expected.astype(np.int32 if case.tolerance == 0 else np.float32)
    run.require_right(case, "C++", clang.from_source(case, like)())


@pytest.mark.parametrize("case", [name for name in KERNELS if "mandelbrot" in name], indirect=True)
def test_loops_in_python_agree_with_the_reference(case, run):
    """As Python runs them: numba takes the same text."""
    loops = MAIN.runners.sources.python_run(case.source.with_suffix(".py"))
    run.require_right(case, "the loops", loops(*MAIN.runners.sources.arguments(case)))


def test_names_differ():
    names = [name for family in FAMILIES if hasattr(family, "cases") for name, _ in family.cases(ko)]
    assert len(set(names)) == len(names)


def test_points_of_the_grid_and_calls(run):
    grid = next(family for family in FAMILIES if family.__name__ == "kernels_grid_points")
    with MAIN.kernel.sizes("small"):
        for _, measure in grid.measurements(run):
            measure()
    assert len(run.records) == 10 and all(record["goal"] == 1 for record in run.records)


@pytest.mark.parametrize("name", ["matmul", "attention", "ko.attention", "unrolled", "fori_loop"])
def test_programs_of_compile_times_write_seconds(name):
    assert COMPILING.number(COMPILING.__file__, name) > 0


def test_memory_of_attention_is_written(run):
    with MAIN.kernel.sizes("small"):
        for _, measure in MEMORY.measurements(run):
            measure()
    assert run.records[0]["unit"] == "B"


def test_failures_are_told_and_the_rest_goes_on(monkeypatch):
    monkeypatch.setattr(MAIN.runners, "effort", lambda options: (1, 0))
    monkeypatch.setattr(MAIN.Measuring, "with_checks", lambda run, case: 1 / 0)
    records, peers = [], dict.fromkeys(MAIN.runners.frameworks.PACKAGES) | {"kolam": MAIN.runners.frameworks.Kolam()}
    options = argparse.Namespace(**{**vars(OPTIONS), "filter": "softmax by 8 rows"})
    assert not MAIN.measure(FAMILIES, options, peers, records.append)
    name = "softmax 4096x1024 by 8 rows"
    assert [record.get("name") for record in records] == [name, None, f"{name}: interpreted and checked"]
    assert records[1]["failed"] == f"{name}: checked" and records[1]["why"] == "ZeroDivisionError: division by zero"
