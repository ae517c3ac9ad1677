"""Runs random programs at the edges in a process of their own, for the CPU that KOLAM_TARGET names."""

import faulthandler
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from random_edges.programs import make_program
from same_bits import different_bits

import kolam as ko

HANG_SECONDS = 900
THREADS = (1, 2, 3)
LONG = 3000  # elements of arguments from which on threads may share work
MOST_PROBLEMS = 8


def run_batch(seed, numbers, target=""):
    """What is wrong with programs `numbers` (a range) of a seed, as text; "" where nothing is."""
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "KOLAM_TARGET": target, "KOLAM_CACHE": "off", "PYTHONPATH": os.pathsep.join(filter(None, paths))}
    command = [sys.executable, "-m", "random_edges.batch", *(str(n) for n in (seed, numbers.start, numbers.stop, numbers.step))]
    try:
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=HANG_SECONDS, errors="replace")
    except subprocess.TimeoutExpired as expired:
        return f"no end within {HANG_SECONDS} s; the last program: {(expired.stdout or b'').decode()[-300:]}"
    if done.returncode == 0:
        return "\n\n".join(json.loads(done.stdout.rstrip().split("\n")[-1]))
    numbers = [line for line in done.stdout.split("\n") if line.isdigit()]
    if not numbers:
        return f"no program ran: exit status {done.returncode}\n{done.stderr[-2000:]}"
    return f"KOLAM_SEED={seed} program {numbers[-1]}: exit status {done.returncode}\n{make_program(seed, int(numbers[-1])).source()}\n{done.stderr[-2000:]}"


def failure(program):
    """What differs between the interpreter and native code, or None."""
    expected = program.run("interpret")
    before = [np.array(array) for array in program.arrays.values()]
    for threads in THREADS if sum(array.size for array in before) > LONG else THREADS[:1]:
        ko.set_num_threads(threads)
        try:
            found = program.run("cpu")
        except Exception as error:  # noqa: BLE001  (whatever it is, it is a failure)
            return f"{type(error).__name__}: {error}"
        for cut, native, meant in zip(program.cuts, found, expected, strict=True):
            if wrong := difference(native, meant, program.moves):
                return f"{threads} threads, sizes {cut}: {wrong}"
        if any(different_bits(np.array(own), other, moves=True).any() for own, other in zip(program.arrays.values(), before, strict=True)):
            return "an argument changed"
    return None


def difference(native, meant, moves):
    """Of the results of one call, or the slugs of its error."""
    if isinstance(native, str) or isinstance(meant, str):
        is_same = isinstance(native, str) and isinstance(meant, str) and native == meant
        return None if is_same else f"interpreter {str(meant)[:200]}, native {str(native)[:200]}"
    for number, (ours, theirs) in enumerate(zip(native, meant, strict=True)):
        if (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
            return f"result {number}: interpreter {theirs.dtype}{theirs.shape}, native {ours.dtype}{ours.shape}"
        wrong = different_bits(ours, theirs, moves)
        if wrong.any():
            where = np.argwhere(wrong)[:5].tolist()
            return f"result {number} {ours.dtype}{ours.shape} at {where}: interpreter {theirs[wrong][:5]}, native {ours[wrong][:5]}"
    return None


def smaller(program):
    """Fewer lines that still fail."""
    for number in reversed(range(len(program.lines))):
        fewer = replace(program, lines=program.lines[:number] + program.lines[number + 1 :])
        try:
            if fewer.lines and failure(fewer):
                program = fewer
        except Exception:  # noqa: BLE001  (a line that others need)
            continue
    return program


def reproducer(seed, number, program, wrong):
    arrays = ", ".join(f"{name}: {array.dtype}{array.shape} strides {array.strides}" for name, array in program.arrays.items())
    options = f"dynamic={program.dynamic}, cuts={program.cuts}, donated={program.donated}"
    return f"KOLAM_SEED={seed} KOLAM_TARGET={os.environ.get('KOLAM_TARGET', '')} program {number}: {wrong}\n{arrays}\n{options}\n{program.source()}"


def main(seed, start, stop, step):
    """Prints the number of each program before it runs, and what is wrong as JSON."""
    faulthandler.enable()
    problems = []
    for number in range(start, stop, step):
        print(number, flush=True)
        program = make_program(seed, number)
        wrong = failure(program)
        if wrong:
            least = smaller(program)
            problems.append(reproducer(seed, number, least, failure(least) or wrong))
        if len(problems) == MOST_PROBLEMS:
            break
    print(json.dumps(problems))


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
