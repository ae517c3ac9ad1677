"""Programs over lists of numbers and of short rows, segment by segment: reductions, running combinations, maps that read them."""

import numpy as np
from random_edges.values import elements

COMBINE = (
    "lambda a, b: a + b", "ko.maximum", "ko.minimum", "lambda a, b: a * b", "lambda a, b: b", "lambda a, b: a",
    "lambda a, b: ko.where(a > b, a - b, b)", "lambda a, b: a * 0.5 + b",
)  # fmt: skip
LENGTHS = (0, 0, 1, 1, 2, 3, 5, 7, 8, 15, 16, 17, 31, 33, 63, 64, 65, 100, 130)


def list_program(rng):
    """The lines of a program and its one argument, a list of lists."""
    dtype = str(rng.choice(["float32", "float64", "int32"]))
    leaf = tuple(int(n) for n in rng.choice([1, 2, 3, 16, 17], int(rng.integers(0, 2))))
    lengths = [int(n) for n in rng.choice(LENGTHS, int(rng.choice([0, 1, 2, 5, 20, 70])))]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    leaves = elements(rng, dtype, (int(offsets[-1]), *leaf))
    combine = COMBINE[int(rng.integers(len(COMBINE) - (dtype == "int32")))]
    zero = "ko.full({}, {}, {!r})".format(leaf, int(rng.integers(-1, 2)), dtype)
    total = f"ops.fold({combine}, row, initializer={zero})"
    scanned = f"ops.scan({combine}, row, initializer={zero})"
    options = [
        f"ops.map(lambda row: {total}, xs)",
        f"ops.map(lambda row: {scanned}, xs)",
        f"ops.map(lambda row: (lambda t: ops.map(lambda x: x - t, row))({total}), xs)",
        f"ops.map(lambda row: (lambda t: ops.map(lambda x: ko.maximum(x, t) * x, row))(ops.fold(ko.maximum, row, initializer={zero})), xs)",
        f"ops.map(lambda row: {total}, ops.map(lambda row: ops.map(lambda x: x * x + 1, row), xs))",
        f"ops.map(lambda row: ops.map(lambda x: ko.abs(x), {scanned}), xs)",
        f"ops.map(lambda row: ops.map(lambda p: p[0] * p[1], ops.zip(row, ops.reverse(row))), xs)",
        f"ops.map(lambda row: {total} + ops.fold(ko.minimum, row, initializer={zero}), xs)",
    ]
    options += [
        "ops.map(lambda row: ops.filter(lambda x: ko.sum(x) > 0, row), xs)",
        f"ops.map(lambda row: ops.join(row, ops.map(lambda x: x + {total}, row)), xs)",
        f"ops.map(lambda row: ops.map(lambda x: ko.exp(x - {total}), row), xs)" if dtype != "int32" else options[0],
        f"ops.map(lambda row: ops.join(row, {scanned})[::-1], xs)",
    ]
    if leaf:
        options += [
            "ops.map(lambda row: (lambda m: ko.max(m @ m.T, axis=None))(ops.stack(row)), xs)" if 0 not in lengths else options[0],
            f"ops.map(lambda row: ops.map(lambda q: ops.fold(lambda s, k: s + ko.sum(q * k) * k, row, initializer={zero}), row), xs)",
            "ops.map(lambda row: ko.sum(ops.stack(row), axis=0), xs)",
        ]
        if dtype != "int32":
            options += ["ops.map(lambda row: (lambda m: ko.sum(ko.softmax(m @ m.T, axis=-1) @ m, axis=0))(ops.stack(row)), xs)"]
    if lengths and 0 not in lengths:
        options += [f"ops.map(lambda row: ops.reduce({combine}, row), xs)", f"ops.map(lambda row: (lambda m: ops.map(lambda x: x - m, row))(ops.reduce({combine}, row)), xs)"]
    chosen = options[int(rng.integers(len(options)))]
    return [f"x = {chosen}"], leaves, offsets
