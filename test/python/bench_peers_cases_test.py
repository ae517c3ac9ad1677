"""The cases of bench/peers at small sizes, without peers and without a clock."""

import bench_suites
import numpy as np
import pytest

import kolam as ko

MAIN, FAMILIES = bench_suites.load("peers")
RUNNERS, COMPILING = MAIN.runners, MAIN.compile_times


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setenv(MAIN.sizes.SMALL, "1")


def cases():
    """(id, a function that makes the case), with the sizes that the families were loaded with."""
    for family in FAMILIES:
        for name, make in family.cases(ko):
            yield pytest.param(make, id=name)


def made_small():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MAIN.sizes.SMALL, "1")
        return list(cases())


CASES = made_small()


def test_every_family_is_in_the_table():
    with_cases = [path.stem for path in (bench_suites.BENCH / "peers").glob("*.py") if "\ndef cases(" in path.read_text()]
    assert sorted(MAIN.FAMILIES) == sorted(with_cases)


def test_names_differ():
    names = [case.id for case in CASES]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("make", CASES)
def test_a_case_agrees_with_its_reference(make):
    """Measured once without peers but ours, as the script does; what it compares it must find equal."""
    case = make()
    peers = {**dict.fromkeys(RUNNERS.frameworks.MAKERS), "kolam": RUNNERS.frameworks.Kolam()}
    records = list(RUNNERS.records_of(case, peers, 1, (1, 0)))
    assert records[-1]["name"] == case.name
    assert all(record["ours"][0] > 0 for record in records)
    ours = [peer for peer, (package, _) in case.more.items() if package.startswith("kolam")]
    assert [peer["name"] for peer in records[-1]["peers"] if peer["times"]] == ours


class NumPy:
    """The functions of a framework of bench/peers/compile_times.py."""

    numpy, exp, tanh, abs = np, np.exp, np.tanh, np.abs

    def relu(self, x):
        return np.maximum(x, 0)

    def sum(self, x, axis):
        return x.sum(axis, keepdims=True)


#: Without the 800 lines of sin, where a difference of one unit grows beyond all bounds.
STABLE = [name for name in (*COMPILING.PROGRAMS, COMPILING.LIKE_ONE[1]) if not name.startswith("800")]


@pytest.mark.parametrize("name", STABLE)
def test_a_program_to_compile_agrees_with_numpy(name):
    def each(function, argument):
        return [each(function, part) for part in argument] if isinstance(argument, list) else function(argument)

    function, arguments = COMPILING.program(name, COMPILING.FRAMEWORKS["kolam"]())
    exact = each(lambda array: array.astype(np.float64), arguments)
    expected = COMPILING.program(name, NumPy())[0](*exact)
    found = np.asarray(ko.jit(function)(*each(ko.asarray, exact)))
    # Sines in a row, and gelu's constants in f32, lose some digits of f64.
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6 * np.abs(expected).max())
