"""Runs random list programs: the model, the interpreter and native code agree, and no length makes another program."""

import itertools

import numpy as np
from list_programs import KOLAM, MODEL, arguments_for_kolam, draw_arguments, make_program
from list_types import equals, has_equal_bits, is_of_type

import kolam as ko

#: Draws of lengths for each program.
DRAWS = 6


def failure(program, seed, draws=DRAWS):
    """What is wrong with a program, as text; None where all agree."""
    expected = program.function(MODEL)
    interpreted, native = (ko.jit(program.function(KOLAM), backend=backend) for backend in ("interpret", "cpu"))
    for turn in range(draws):
        values = draw_arguments(program, seed, turn)
        with np.errstate(all="ignore"):
            theirs = expected(*values)
        arguments = arguments_for_kolam(program, values)
        try:
            meant = interpreted(*arguments)
        except ko.KolamError as error:
            return f"interpreter, draw {turn}: {error}"
        for result, one, other in zip(program.results, meant, theirs, strict=True):
            if not is_of_type(one, result.of) or not equals(one, other):
                return f"interpreter, draw {turn}:\n{result.text}\ngives\n{one}\nthe model\n{other}"
        try:
            ours = native(*arguments)
        except ko.KolamError as error:
            return f"native code, draw {turn}: {error}"
        for result, one, other in zip(program.results, ours, meant, strict=True):
            if not has_equal_bits(one, other):
                return f"native code, draw {turn}:\n{result.text}\ngives\n{one}\nthe interpreter\n{other}"
    if faults := native.lower(*arguments)._schedule_faults():
        return "the schedules compute something else:\n" + "\n".join(faults)
    if interpreted.cache_size > 1 or native.cache_size > 1:
        return f"traced {interpreted.cache_size} and {native.cache_size} times"
    return None


def report(program, seed, words):
    """`words`, and what is wrong with the first result that fails alone."""
    for place in range(len(program.results)):
        alone = program.alone(place)
        if found := failure(alone, seed):
            arguments = [f"{value.text}: {value.of}" for value in alone.arguments if value.text in alone.text]
            return "\n".join([f"KOLAM_SEED={seed}, program {program.number}", alone.text, *arguments, found])
    return f"KOLAM_SEED={seed}, program {program.number}\n{program.text}\n{words}"


def check(seed, numbers):
    """The number of results that agreed, and the reports of programs whose results do not."""
    cases, reports = 0, []
    for program in map(make_program, itertools.repeat(seed), numbers):
        if words := failure(program, seed):
            reports.append(report(program, seed, words))
        cases += DRAWS * len(program.results)
    return cases, reports
