"""Random list programs: every function on lists, alone, inside maps and one after the other, on ragged lists of many lengths.

The model, the interpreter and native code agree in every number, native code and the interpreter in every bit, and lengths
never make another program. Bodies only round operation by operation, so nothing here has a tolerance. KOLAM_SEED=... gives
the same programs again, KOLAM_LIST_PROGRAMS=... another number of them.
"""

import collections

import list_programs
import list_runs
import model
import pytest
from list_programs import ENTRIES, LEVELS, RESULTS, make_program
from random_counts import count

PROGRAMS = count(48, "KOLAM_LIST_PROGRAMS")
BATCHES = min(6, PROGRAMS)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_list_programs(batch, seed):
    numbers = range(batch, PROGRAMS, BATCHES)
    cases, reports = list_runs.check(seed, numbers)
    if reports:
        pytest.fail(f"{len(reports)} of {len(numbers)} programs:\n\n" + "\n\n".join(reports), pytrace=False)
    assert cases == len(numbers) * RESULTS * list_runs.DRAWS


def test_every_function_is_drawn_at_every_depth(seed):
    found = collections.defaultdict(set)
    for number in range(48):
        found[number % LEVELS].update(make_program(seed, number).entries)
    names = {entry.__name__ for entry in ENTRIES}
    for level in range(LEVELS):
        # The shape of what `stack` gives is known outside of bodies only; there `unbind` and `slices` take it.
        assert found[level] | ({"stack"} if level else set()) == names


def test_a_difference_is_found_and_reported(monkeypatch):
    monkeypatch.setitem(list_programs.MODEL, "ops", _Wrong())
    program = next(p for p in (make_program(1, number) for number in range(0, 80, LEVELS)) if "ops.reverse(" in p.text)
    words = list_runs.failure(program, 1, draws=3)
    assert words.startswith("interpreter, draw ")
    assert "KOLAM_SEED=1, program" in list_runs.report(program, 1, words)


class _Wrong:
    """The model, but `reverse` does nothing."""

    reverse = staticmethod(lambda xs: xs)

    def __getattr__(self, name):
        return getattr(model, name)
