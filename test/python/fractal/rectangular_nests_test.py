"""Random nests of one or two scans, and maps, over lists that are equally long for all elements further out: their waves are
in closed form. Both backends, in each order, against the plain Python model; KOLAM_SEED=... draws the same nests again."""

import model
import numpy as np
import pytest
from both import plain

import kolam as ko
from kolam import fractal as ops

NESTS, DRAWS, LENGTHS = 24, 3, (0, 1, 2, 3, 5, 7, 13)


def draw_nest(seed, number):
    """The text of a function of the lists x0, x1, ... of int64, one for each level, and the kinds of levels."""
    rng = np.random.default_rng([seed, number, 7])
    kinds = ["scan"] * int(rng.integers(1, 3)) + ["map"] * int(rng.integers(0, 3))
    rng.shuffle(kinds)
    scans = [kind if kind == "map" else str(rng.choice(["scan", "scanr"])) for kind in kinds]

    def initial(level):
        """What a scan around the levels from `level` on starts from: a number of each place."""
        if level == len(scans):
            return " + ".join(["two", *[f"b{at}" for at in range(len(scans)) if f"b{at}" in inside]])
        inside.append(f"b{level}")
        text = f"ops.map(lambda b{level}: {initial(level + 1)}, x{level})"
        inside.pop()
        return text

    inside = []

    def body(level, carried, elements):
        if level == len(scans):
            return " + ".join([f"{int(rng.integers(1, 4))} * {x}" for x in [*carried, *elements]]) + f" - {carried[0]} // 3"
        element, state = f"e{level}", f"s{level}"
        zipped = f"ops.zip({', '.join([f'x{level}', *carried])})" if carried else f"x{level}"
        below = [f"{element}[{place + 1}]" for place in range(len(carried))]
        own = f"{element}[0]" if carried else element
        if scans[level] == "map":
            return f"ops.map(lambda {element}: {body(level + 1, below, [*elements, own])}, {zipped})"
        inner = body(level + 1, [*below, state], [*elements, own])
        return f"ops.{scans[level]}(lambda {state}, {element}: {inner}, {zipped}, initializer={initial(level + 1)})"

    text = body(0, [], [])
    if scans[0] == "scan" and rng.random() < 0.5:
        text = "ops.fold" + text[len("ops.scan") :]
    names = [f"x{level}" for level in range(len(scans))]
    program = f"def nest({', '.join(names)}):\n    return {text}\n"
    batch = f"def batch({', '.join(names)}):\n    return ops.map(lambda x: nest({', '.join(f'x[{at}]' for at in range(len(names)))})"
    return program + batch + f", {'ops.zip(' + ', '.join(names) + ')' if len(names) > 1 else names[0]})\n", scans


def functions(text, lists):
    scope = {"ops": lists, "two": np.int64(2)}
    exec(compile(text, "<nest>", "exec"), scope)
    return scope["nest"], scope["batch"]


def to_list(rows, depth):
    """A FractalTensor of nested lists of numbers, that may all be empty."""
    offsets = []
    for _ in range(depth - 1):
        offsets.append(np.cumsum([0, *map(len, rows)]))
        rows = [x for row in rows for x in row]
    return ops.FractalTensor.from_offsets(np.array(rows, "int64"), *offsets)


@pytest.mark.parametrize("number", range(NESTS))
def test_rectangular_nests(number, seed):
    text, kinds = draw_nest(seed, number)
    levels = len(kinds)
    one, batch = functions(text, ops)
    meant_of_one, meant_of_batch = functions(text, model)
    if levels == 1:  # of one list, a lone scan has one element a step
        meant_of_batch = functions(text.replace("nest(x[0])", "nest(x)"), model)[1]
        batch = functions(text.replace("nest(x[0])", "nest(x)"), ops)[1]
    runs = [ko.jit(one, order=order) for order in ("auto", "waves", "sequential")] + [ko.jit(one, backend="interpret")]
    batches = [ko.jit(batch, order=order) for order in ("auto", "waves", "sequential")] + [ko.jit(batch, backend="interpret")]
    rng = np.random.default_rng([seed, number, 8])
    for _ in range(DRAWS):
        instances = [
            [rng.integers(0, 9, rng.choice(LENGTHS)).tolist() for _ in range(levels)] for _ in range(int(rng.integers(0, 6)))
        ]
        expected = meant_of_batch(*[[instance[level] for instance in instances] for level in range(levels)])
        arguments = [to_list([instance[level] for instance in instances], 2) for level in range(levels)]
        for run in batches:
            assert plain(run(*arguments)) == expected, text
        for instance in instances[:2]:
            expected = meant_of_one(*instance)
            for run in runs:
                assert plain(run(*[to_list(x, 1) for x in instance])) == expected, text
    if levels > 1 and kinds[0] != "map":  # a map is no part of the nest of a scan inside
        assert "in closed form" in runs[1].explain(*[to_list([1], 1)] * levels)
        assert "in closed form" in batches[1].explain(*[to_list([[1]], 2)] * levels)
