"""Calls from Python: reads a name and a number of calls a line, writes the seconds that they took.

`one` is a compiled function of an array of four, `two` one of two arrays of eight; `extension` is a function of C for the
latter, NumPy's: it looks at its arguments, makes the result, and adds.
"""

import os
import sys
import time

import numpy as np

import kolam as ko


@ko.jit
def add_one(x):
    return x + 1


@ko.jit
def add(x, y):
    return x + y


def calls_of(function, *arguments):
    """Seconds of so many calls."""

    def seconds(count):
        start = clock()
        for _ in range(count):
            function(*arguments)
        return clock() - start

    return seconds


# As time_calls of bench/harness.cpp.
clock = time.process_time if "KOLAM_BENCH_CPU_TIME" in os.environ else time.perf_counter
x = np.arange(1, 5, dtype=np.float32)
y, z = np.arange(8, dtype=np.float32), np.arange(8, dtype=np.float32)[::-1].copy()
assert np.array_equal(np.asarray(add_one(ko.asarray(x))), x + 1)
assert np.array_equal(np.asarray(add(ko.asarray(y), ko.asarray(z))), y + z)
CALLS = {"one": calls_of(add_one, ko.asarray(x)), "two": calls_of(add, ko.asarray(y), ko.asarray(z)), "extension": calls_of(np.add, y, z)}
for line in sys.stdin:
    name, count = line.split()
    print(CALLS[name](int(count)), flush=True)
