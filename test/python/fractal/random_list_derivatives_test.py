"""Random list programs and their derivatives: value_and_grad and jvp to lists, vmap to a number that scales them, with and without
memory_limit, on one thread and on two.

KOLAM_SEED=... gives the same programs again, KOLAM_LIST_DERIVATIVES=... another number of them. All, with KOLAM_RANDOM_PART=1, take
half an hour: a plain run takes a fifth.
"""

import numpy as np
import pytest
from derivatives import twins
from list_programs import KOLAM, arguments_for_kolam, draw_arguments, make_program
from list_types import List, Tensor, Tuple, like
from random_counts import count

import kolam as ko
from kolam import fractal as ops

PROGRAMS = count(300, "KOLAM_LIST_DERIVATIVES", plain=0.2)
PARTS = 6
#: Results of each program, of ten.
RESULTS = 1


def leaf_of(of):
    while isinstance(of, List):
        of = of.element
    return of


def is_float(of):
    return isinstance(of, Tensor) and of.dtype.startswith("float")


def total_of(of, value):
    """The sum of the sines of all floats in a value, as float64; None where it has none."""
    if isinstance(of, Tuple):
        parts = [total_of(part, one) for part, one in zip(of.parts, value, strict=True)]
    elif isinstance(of, List) and isinstance(of.element, Tuple):
        parts = [total_of(List(part, of.least, of.most, of.number), value.components[which]) for which, part in enumerate(of.element.parts)]
    elif isinstance(of, List):
        if not holds_floats(of.element):
            return None
        zero = ko.zeros((), dtype=ko.float64)
        return ops.fold(lambda sum, element: sum + total_of(of.element, element), value, zero)
    else:
        return ko.sum(ko.astype(ko.sin(value), ko.float64)) if is_float(of) else None
    parts = [part for part in parts if part is not None]
    return sum(parts) if parts else None


def holds_floats(of):
    if isinstance(of, Tuple):
        return any(map(holds_floats, of.parts))
    return holds_floats(of.element) if isinstance(of, List) else is_float(of)


def check(program, seed, turn):
    """Whether the derivatives were compared."""
    results = [place for place, result in enumerate(program.results) if holds_floats(result.of)]
    chosen = [number for number, value in enumerate(program.arguments) if is_float(leaf_of(value.of))]
    if not results or not chosen:
        return None
    compared = False
    for place in results[:RESULTS]:
        alone = program.alone(place)
        drawn = draw_arguments(alone, seed, turn)
        values = arguments_for_kolam(alone, drawn)
        rng = np.random.default_rng([seed, program.number, 22])
        along = [like(rng, alone.arguments[n].of, drawn[n]) for n in chosen]
        along = [arguments_for_kolam(type(alone)(0, [alone.arguments[n]], []), [d])[0] for n, d in zip(chosen, along, strict=True)]
        written = alone.function(KOLAM)

        def function(*floats):
            whole = list(values)  # noqa: B023
            for number, given in zip(chosen, floats, strict=True):
                whole[number] = given
            return written(*whole)[0]  # noqa: B023

        of = alone.results[0].of
        unit = twins.UNITS["float32"] if "float32" in str([value.of for value in alone.arguments]) else twins.UNITS["float64"]
        compared |= bool(twins.check(function, lambda result: total_of(of, result), [values[n] for n in chosen], along, unit))  # noqa: B023
        check_instances(function, of, [values[n] for n in chosen])
    return compared


def check_instances(function, of, lists):
    """vmap of the derivatives to a number that scales all lists: the bits of single calls."""

    def scaled(factor):
        return total_of(of, function(*[ops.forall(lambda leaf: leaf * ko.astype(factor, leaf.dtype), xs) for xs in lists]))

    push = lambda factor, along: ko.jvp(scaled, (factor,), (along,))  # noqa: E731
    factor, along = np.float64(0.75), np.float64(-1.5)
    for what, derivative, args in [("value_and_grad", ko.value_and_grad(scaled), [factor]), ("jvp", push, [factor, along])]:
        single = twins.outcome(lambda: ko.jit(derivative, backend="interpret")(*args))  # noqa: B023
        if not isinstance(single, twins.Raised):
            twins.check_instances(derivative, args, single, what, twins.BACKENDS)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_derivatives_of_random_list_programs(part, seed):
    compared = 0
    for number in range(part, PROGRAMS, PARTS):
        program = make_program(seed, number)
        try:
            compared += bool(check(program, seed, number % 3))
        except (AssertionError, ko.KolamError) as error:
            raise AssertionError(f"KOLAM_SEED={seed}, program {number}: {error}\n{program.text}") from error
    if PROGRAMS >= 5 * PARTS:
        assert compared >= PROGRAMS // PARTS // 5, f"only {compared} programs have derivatives"
