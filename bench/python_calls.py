"""Cached calls from Python: reads a number of calls a line, writes the seconds that they took."""

import os
import sys
import time

import numpy as np

import kolam as ko


@ko.jit
def f(x):
    return x + 1


# As time_calls of bench/harness.cpp.
clock = time.process_time if "KOLAM_BENCH_CPU_TIME" in os.environ else time.perf_counter
x = ko.asarray(np.arange(1, 5, dtype=np.float32))
assert np.array_equal(np.asarray(f(x)), np.arange(2, 6, dtype=np.float32))
for line in sys.stdin:
    start = clock()
    for _ in range(int(line)):
        f(x)
    print(clock() - start, flush=True)
