"""What kolam.layout.infer finds on large graphs, beside toulbar2, which solves the same problem from `as_json`.

Opt-in: pip install pytoulbar2 into the environment of these tests. `python layout_optimum_test.py` prints both totals.
"""

import json
import os
import random
import sys
import time

import pytest

import kolam as ko

SECONDS = int(os.environ.get("KOLAM_TOULBAR2_SECONDS") or 20)


def shape(*extents):
    return ko.ShapeDtypeStruct(extents, "float32")


def transformer(x, layers=320, heads=4):
    rows, width = x.shape
    w, v = ko.ones((width, width)), ko.ones((width, width))
    for _ in range(layers):
        q, k = (ko.permute_dims(ko.reshape(ko.matmul(x, w), (rows, heads, width // heads)), (1, 0, 2)) for _ in range(2))
        weights = ko.softmax(ko.matmul(q, ko.permute_dims(k, (0, 2, 1))), axis=-1)
        seen = ko.reshape(ko.permute_dims(ko.matmul(weights, q), (1, 0, 2)), (rows, width))
        x = x + ko.matmul(seen, v)
        x = x + ko.matmul(ko.tanh(ko.matmul(x, w)), v)
    return x


def lstm(x, layers=8, steps=40):
    width = x.shape[1]
    w, u = ko.ones((width, 4 * width)), ko.ones((width, 4 * width))
    xs = [x[t] for t in range(steps)]
    for _ in range(layers):
        h = c = ko.zeros((width,))
        given = []
        for x in xs:
            i, f, g, o = ko.split(ko.matmul(x, w) + ko.matmul(h, u), 4)
            c = ko.sigmoid(f) * c + ko.sigmoid(i) * ko.tanh(g)
            h = ko.sigmoid(o) * ko.tanh(c)
            given.append(h)
        xs = given
    return ko.stack(xs)


def dense_blocks(x, blocks=200, width=16):
    for _ in range(blocks):
        known = [x]
        for _ in range(width):
            total = known[0]
            for other in known[1:]:
                total = total + other
            known.append(ko.tanh(total))
        x = ko.matmul(known[-1], ko.ones((x.shape[1], x.shape[1])))
    return x


def random_dag(x, ops=10_000, reach=12, turns=False):
    r, w = random.Random(1), ko.ones((x.shape[1], x.shape[1]))
    values = [x]
    while len(values) <= ops:
        a, b = (values[-r.randint(1, min(reach, len(values)))] for _ in range(2))
        kind = r.randrange(10)
        if kind == 0:
            values.append(a.T if turns else ko.matmul(a, w))
        elif kind == 1:
            values.append(a - ko.mean(a, axis=1, keepdims=True))
        elif kind == 2:
            values.append(ko.cumulative_sum(a, axis=0))
        else:
            values.append(ko.tanh(a) if kind < 5 else a + b)
    return values[-1]


GRAPHS = {
    "transformer of 320 layers": (transformer, shape(16, 64)),
    "lstm 8x40 unrolled": (lstm, shape(40, 32)),
    "200 dense blocks of 16": (dense_blocks, shape(32, 32)),
    "random graph of 10,000 ops, reach 12": (random_dag, shape(32, 32)),
    "the same with transposes": (lambda x: random_dag(x, turns=True), shape(32, 32)),
}
MODES = {
    "strict": {"profile": "relaxed", "allow_dynamic_weights": True},
    "repair": {"mode": "repair", "profile": "relaxed"},
}


def found(graph, mode):
    """What infer finds: a total, or None where nothing fits; and the problem, of repair where it is strict's."""
    f, x = GRAPHS[graph]
    f = ko.jit(f)
    try:
        r = ko.layout.infer(f, x, **MODES[mode])
    except ko.KolamError as error:
        assert error.slug == "data-dimension"
        return None, None
    assert r.exact
    return r.total, json.loads(r.as_json())


class Network:
    """The problem as a cost function network: a variable for each op's row, each value's D, and each D at hand."""

    def __init__(self, problem, bound):
        import pytoulbar2

        self.values, self.repair = problem["values"], problem["mode"] == "repair"
        self.forbidden = bound + 1
        self.network = pytoulbar2.CFN(self.forbidden)
        self.hands = {}
        for number, value in enumerate(self.values):
            self.network.AddVariable(f"d{number}", list(range(len(value["dims"]))))
        for number, op in enumerate(problem["ops"]):
            self.add_op(f"op{number}", op)

    def add_op(self, name, op):
        rows = op["rows"]
        self.network.AddVariable(name, list(range(len(rows))))
        self.network.AddFunction([name], [row["time"] for row in rows])
        count = len(op["operands"])
        for at, value in enumerate(op["operands"] + op["results"]):
            self.tie(name, [row["dims"][at] for row in rows], value, at < count)

    def tie(self, name, asked, value, is_read):
        dims, shown = self.values[value]["dims"], self.values[value]["shape"]
        if not is_read or not self.repair:
            costs = [0 if (dim == -1 and shown) or dim == d else self.forbidden for dim in asked for d in dims]
            self.network.AddFunction([name, f"d{value}"], costs)
            return
        for dim in sorted(set(asked)):
            if dim == -1 and shown:
                continue
            costs = [cost for one in asked for cost in ([self.forbidden, 0] if one == dim else [0, 0])]
            self.network.AddFunction([name, self.hand(value, dim)], costs)

    def hand(self, value, dim):
        """Whether D `dim` of a value is at hand, which costs its move."""
        name = f"h{value}_{dim}"
        if name not in self.hands:
            self.hands[name] = True
            dims, moves = self.values[value]["dims"], self.values[value]["relayouts"]
            to = dims.index(dim)
            costs = [moves[at * len(dims) + to] for at in range(len(dims))]
            costs = [self.forbidden if cost is None else cost for cost in costs]
            self.network.AddVariable(name, [0, 1])
            self.network.AddFunction([name, f"d{value}"], [0] * len(dims) + costs)
        return name

    def least(self):
        """The least total, or None where the search does not end in time."""
        answer = self.network.Solve(timeLimit=SECONDS)
        return round(answer[1]) if answer and round(self.network.GetLB()) == round(answer[1]) else None


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("graph", GRAPHS)
def test_totals_are_those_of_toulbar2(graph, mode):
    pytest.importorskip("pytoulbar2", reason="[SKIP] pytoulbar2 is not installed: pip install pytoulbar2")
    total, problem = found(graph, mode)
    if total is None:
        pytest.skip("[SKIP] no data dimensions fit this graph in strict mode")
    least = Network(problem, total).least()
    if least is None:
        pytest.skip(f"[SKIP] toulbar2 does not end in {SECONDS} s")
    assert least == total


if __name__ == "__main__":
    for graph in GRAPHS:
        for mode in MODES:
            start = time.process_time()
            total, problem = found(graph, mode)
            middle = time.process_time()
            least = Network(problem, total).least() if problem else None
            print(f"{graph}, {mode}: kolam {total} in {middle - start:.2f} s, toulbar2 {least} in {time.process_time() - middle:.1f} s", flush=True)
    sys.exit()
