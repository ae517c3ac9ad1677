"""Random typed programs: the interpreter and native code give the same bits, and NumPy agrees where it has the function.

Tolerances: an elementwise function lies within the ulps of its row (and NumPy's own 4 in float64); sums of n terms within 40
machine epsilons of the sum of magnitudes; everything that moves or picks cells, and all integers, is exact.
KOLAM_SEED=... gives the same programs again, KOLAM_PROGRAMS=... another number of them.
"""

import os

import pytest
from random_programs.programs import failure, make_program, reproducer, shrink

PROGRAMS = int(os.environ.get("KOLAM_PROGRAMS", 2000))
BATCHES = 20


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_programs(batch, seed):
    for number in range(batch, PROGRAMS, BATCHES):
        program = make_program(seed, number)
        wrong = failure(program)
        if wrong:
            smaller = shrink(program, wrong.kind)
            pytest.fail(f"{failure(smaller).text}\n\n{reproducer(smaller, seed, number)}", pytrace=False)
