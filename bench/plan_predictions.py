"""What plans are predicted to take beside what they take: twenty, whose predictions span a factor of four.

Ten programs on one and on two workers. Each has as many rows as make its prediction a target between `LEAST` seconds and four
times that, evenly spaced on a scale of ratios, so that orders are not for free.
"""

import statistics
import time

import numpy as np

import kolam as ko

LEAST, SPAN, RUNS = 0.05, 4.0, 5


def layer(x, w):
    return ko.relu(x @ w + 1.0)


def two_layers(x, w):
    return ko.tanh(x @ w) @ w


def softmax(x, w):
    return ko.softmax(x, axis=-1)


def normalized(x, w):
    h = x - ko.mean(x, axis=-1, keepdims=True)
    return h / ko.sqrt(ko.mean(h * h, axis=-1, keepdims=True) + 1e-5)


def smooth(x, w):
    return ko.gelu(x) + ko.exp(-x * x)


def sums(x, w):
    return ko.sum(x * x, axis=0)


def stencil(x, w):
    p = ko.pad(x, 1)
    return 0.2 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] + x)


def attention(x, w):
    heads = ko.reshape(x, (-1, 8, 128, 128))  # batches, heads, keys, elements of a head
    return ko.reshape(ko.attention(heads, heads, heads), x.shape)


def step(x, w):
    h = x @ w
    d = ko.relu(h) - x
    return w - 0.1 * (x.T @ (d * (h > 0)))


def gram(x, w):
    return x.T @ x


#: Programs of x [rows, 1024] and w [1024, 1024]; rows are a multiple of the second number.
PROGRAMS = ((layer, 8), (two_layers, 8), (softmax, 1), (normalized, 1), (smooth, 1), (sums, 1), (stencil, 1), (attention, 128), (step, 8), (gram, 8))


def shapes(rows):
    return ko.ShapeDtypeStruct((rows, 1024), np.float32), ko.ShapeDtypeStruct((1024, 1024), np.float32)


def planned(f, rows, workers):
    return ko.plan(f, *shapes(rows), workers=workers, steps=0)


def rows_for(f, multiple, workers, seconds):
    """So many rows that the prediction is nearest to so many seconds."""
    rows = 4 * multiple * 16
    for _ in range(4):
        time = planned(f, rows, workers).cost["time"]
        rows = max(multiple, round(rows * seconds / time / multiple) * multiple)
    return rows


def ranks(values):
    order = np.argsort(values)
    result = np.empty(len(values))
    result[order] = np.arange(len(values))
    return result


def measure():
    """[(name, predicted, simulated, measured)] in seconds."""
    random, found = np.random.default_rng(0), []
    targets = iter(LEAST * SPAN ** (np.random.default_rng(1).permutation(20) / 19))
    for workers in (1, 2):
        for f, multiple in PROGRAMS:
            rows = rows_for(f, multiple, workers, next(targets))
            plan = planned(f, rows, workers)
            x, w = (ko.asarray(random.standard_normal(shape, dtype=np.float32) / 32) for shape in ((rows, 1024), (1024, 1024)))
            taken = []
            for _ in range(RUNS + 1):
                start = time.perf_counter()
                plan.run(x, w)
                taken.append(time.perf_counter() - start)
            found.append((f"{f.__name__} of {rows} rows, {workers} workers", plan.cost["time"], plan.simulate().time, min(taken[1:])))
    return found


def run(row):
    found = measure()
    for name, predicted, simulated, measured in found:
        print(f"  {name:42} predicted {predicted * 1e3:7.1f} ms  simulated {simulated * 1e3:7.1f}  measured {measured * 1e3:7.1f}  {measured / simulated:5.2f}")
    _, predicted, simulated, measured = zip(*found, strict=True)
    correlation = np.corrcoef(ranks(predicted), ranks(measured))[0, 1]
    row("20 plans, predictions over a factor of 4: rank correlation with measured", correlation, 0.9, is_most=False)
    off = statistics.median(abs(s / m - 1) for s, m in zip(simulated, measured, strict=True))
    row("the same: simulated beside measured, median of what it is off, %", 100 * off, 15)
