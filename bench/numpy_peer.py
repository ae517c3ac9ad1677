"""NumPy in a process of its own: reads {"call": name, "shape": [...], "calls": n} a line, writes the seconds it took.

Operands are random, made once for each call and shape; results go into memory that is kept, where NumPy can.
"""

import json
import os
import sys
import time

import numpy as np

# As time_calls of bench/harness.cpp.
clock = time.process_time if "KOLAM_BENCH_CPU_TIME" in os.environ else time.perf_counter
random = np.random.default_rng(1)


def floats(*shape):
    return random.uniform(-1, 1, shape).astype(np.float32)


def matmul(m, k, n):
    a, b, out = floats(m, k), floats(k, n), np.empty((m, n), np.float32)
    return lambda: np.matmul(a, b, out=out)


def chain(m, n):
    x, out = floats(m, n), np.empty((m, n), np.float32)

    def run():
        np.multiply(x, np.float32(1.5), out=out)
        np.add(out, np.float32(0.25), out=out)
        np.abs(out, out=out)
        np.sqrt(out, out=out)
        np.subtract(out, x, out=out)
        np.maximum(out, np.float32(0), out=out)

    return run


def softmax(m, n):
    x, out = floats(m, n), np.empty((m, n), np.float32)

    def run():
        np.subtract(x, x.max(axis=1, keepdims=True), out=out)
        np.exp(out, out=out)
        np.divide(out, out.sum(axis=1, keepdims=True), out=out)

    return run


def sum_of_axis(axis):
    def make(m, n):
        x = floats(m, n)
        return lambda: x.sum(axis=axis)

    return make


def argmax(m, n):
    x = floats(m, n)
    return lambda: x.argmax(axis=1)


def mean_and_variance(m, n):
    x = floats(m, n)
    return lambda: (x.mean(axis=1), x.var(axis=1))


def gather_rows(rows, width):
    x, out = floats(rows, width), np.empty((rows, width), np.float32)
    places = random.integers(0, rows, rows, dtype=np.int32)
    return lambda: np.take(x, places, axis=0, out=out, mode="clip")


CALLS = {
    "argmax": argmax,
    "chain": chain,
    "gather_rows": gather_rows,
    "matmul": matmul,
    "mean_and_variance": mean_and_variance,
    "softmax": softmax,
    "sum_axis_0": sum_of_axis(0),
    "sum_axis_1": sum_of_axis(1),
}


def main():
    made, run = None, None
    print(json.dumps({"numpy": np.__version__}), flush=True)
    for line in sys.stdin:
        order = json.loads(line)
        wanted = order["call"], order["shape"]
        if wanted != made:
            run = None  # frees the operands of the last call
            made, run = wanted, CALLS[order["call"]](*order["shape"])
        start = clock()
        for _ in range(order["calls"]):
            run()
        print(clock() - start, flush=True)


if __name__ == "__main__":
    main()
