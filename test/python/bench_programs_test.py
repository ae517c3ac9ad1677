"""The programs of bench/programs at small sizes, without peers and without a clock."""

import re

import bench_suites
import numpy as np
import pytest

import kolam as ko

# Of more the plain loops would take minutes.
MOST_ELEMENTS = 10_000


MAIN, FAMILIES = bench_suites.load("programs")
RUNNERS = MAIN.runners
PROGRAMS = {name: make for family in FAMILIES for name, make in family.cases(ko)}


@pytest.fixture
def case(request, monkeypatch):
    monkeypatch.setenv(MAIN.sizes.SMALL, "1")
    return PROGRAMS[request.param]()


def require_right(who, case, found):
    given = [RUNNERS.exact(array) for array in case.inputs + case.weights]
    RUNNERS.require_close(who, found, case.in_order(case.reference(*given)), case.tolerance, case.outliers)


def test_names_differ():
    names = [name for family in FAMILIES for name, _ in family.cases(ko)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("case", PROGRAMS, indirect=True)
def test_a_program_agrees_with_its_reference(case):
    kolam = RUNNERS.frameworks.Kolam()
    given = (case.inputs, case.weights) if case.lists is None else (case.lists, [])
    require_right("kolam", case, kolam.to_numpy(kolam.call(case.ours, *given)()))


@pytest.mark.parametrize("case", PROGRAMS, indirect=True)
def test_loops_agree_with_the_reference(case):
    """As Python runs them: numba and pythran take the same text."""
    if case.source is None or not case.source.with_suffix(".py").exists() or max(array.size for array in case.inputs) > MOST_ELEMENTS:
        pytest.skip("has no source, or no small size")
    run = RUNNERS.sources.python_run(case.source.with_suffix(".py"))
    with np.errstate(over="ignore"):
        require_right("the loops", case, run(*RUNNERS.sources.arguments(case)))


def test_parallel_loops_become_prange():
    text = "# omp parallel for reduction(+:s)\n    for i in range(n):\n        for j in range(m):\n"
    changed = RUNNERS.sources.PARALLEL.sub(r"\1prange(", text)
    assert changed == text.replace("i in range(", "i in prange(")


@pytest.mark.parametrize("share, right", [(0.0, False), (0.25, False), (0.5, True)])
def test_a_share_of_elements_may_differ(share, right):
    found, expected = np.array([1.0, 2, 3, 9]), np.array([1.0, 2, 4, 4])
    if right:
        RUNNERS.require_close("who", found, expected, 0, share)
    else:
        with pytest.raises(ValueError, match="who gives 3.0 at"):
            RUNNERS.require_close("who", found, expected, 0, share)


def test_nests_of_a_transform_by_reshapes():
    """Three a stage: the differences of each part, which two results take, and both results together."""
    case = PROGRAMS["Fourier transform of 4096 by reshapes"]()
    text = ko.jit(lambda re, im: case.ours(re, im)).lower(*map(ko.asarray, case.inputs)).as_text("nests")
    stages = int(np.log2(case.inputs[0].size))
    assert stages == 12
    assert len(re.findall(r"^nest\d+: ", text, re.M)) <= 3 * stages
