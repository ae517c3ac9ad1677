"""A step of training a transformer on a cluster, simulated: plans that are found beside Megatron's, by the same simulator.

    plan_transformer.py [workers [layers]]          64 workers and 8 layers where nothing is said

Megatron's plans cut the batch `data` ways, each layer's matrices `tensor` ways, the layers into `pipeline` stages, and the rest
of the batch into micro-batches (1F1B). Each is written as a plan: of one of the `data` equal replicas, whose tasks are an
attention block or an MLP of one micro-batch, forward or backward, with reduce-scatter and all-gather between them; weights and
sums of gradients stay, what the backward pass needs stays from the forward one. Of the reduction of gradients between replicas
only the last layer's counts, as the others may hide behind work: a lower bound of what Megatron takes.
"""

import json
import sys
import time

import kolam as ko

HIDDEN, HEADS, SEQUENCE, BATCH = 12288, 96, 2048, 1536
FLOPS, MEMORY, NODE = 4e14, 80 << 30, 8
NEAR, FAR = (4.5e11, 2e-6), (5e10, 1e-5)
#: Bytes of an element of values and weights, and of sums of gradients.
WIDTH, SUM_WIDTH = 2, 4
#: Elements that a token keeps for the backward pass, by block, in units of HIDDEN: inputs, norms, queries, keys, values, sums; hidden layers.
KEPT = {"attention": 7, "mlp": 10}
#: Weights of a block in units of HIDDEN^2.
WEIGHTS = {"attention": 4, "mlp": 8}


def flops_of(block, tokens):
    products = 2 * tokens * WEIGHTS[block] * HIDDEN**2
    return products + (4 * tokens * SEQUENCE * HIDDEN if block == "attention" else 0)


class Written:
    """A plan that is written task by task; equal ones are families over micro-batches and tensor ranks."""

    def __init__(self, workers):
        self.workers, self.tensors, self.stages, self.pieces, self.tasks, self.moves = workers, [], [], [], [], []

    def tensor(self, name, shape, dtype, argument=-1, result=None, partial_of=-1):
        self.tensors.append(
            {"name": name, "dtype": dtype, "shape": shape, "argument": argument, "results": [] if result is None else [result], "partial_of": partial_of}
        )
        return len(self.tensors) - 1

    def stage(self, name, work, reads, writes, flops=0.0):
        """Every operand is owned whole by the one point of the index space: who reads which boxes say the tasks."""
        operands = [self._operand(number, tensor, role) for role, tensors in (("in", reads), ("out", writes)) for number, tensor in enumerate(tensors)]
        signature = {"op": name, "dims": [], "operands": operands if work == "compute" else [], "opaque": False}
        self.stages.append({"name": f"{name} {len(self.stages)}", "work": work, "signature": signature, "tensors": [*reads, *writes]})
        self.pieces.append({"stage": len(self.stages) - 1, "program": "module {}" if work != "load" else "", "flops": flops, "bytes": 0.0})
        return len(self.pieces) - 1

    def _operand(self, number, tensor, role):
        shape = self.tensors[tensor]["shape"]
        rows = [{"coefficients": [], "offset": 0, "divisor": 1, "modulus": 0} for _ in shape]
        projection = {"input_rank": 0, "rows": rows, "adjustment": [0] * len(shape), "size": shape}
        return {
            "name": f"{role}{number}", "role": role, "shape": shape, "projection": projection, "policy": {"kind": "forbid", "value": 0},
            "indirect": False, "origin": [],
        }  # fmt: skip

    def task(self, piece, counts, position, worker, reads, writes):
        self.tasks.append({
            "piece": piece, "counts": counts, "position": position, "worker": worker, "index": {"start": [], "extent": []},
            "reads": reads, "writes": writes, "offsets": [],
        })  # fmt: skip

    def move(self, tensor, counts, position, source, target, box):
        self.moves.append({"tensor": tensor, "counts": counts, "position": position, "from": source, "to": target, "box": box})

    def plan(self, memory):
        return ko.Plan.from_json(json.dumps({
            "format": 1, "version": ko.__version__, "program": "", "workers": self.workers, "memory_per_worker": memory, "keeps_results": False,
            "tensors": self.tensors, "stages": self.stages, "pieces": self.pieces, "tasks": self.tasks, "moves": self.moves, "trace": [], "cost": {},
        }))  # fmt: skip


def box(starts, extents):
    return {"start": starts, "extent": extents}


def ring(ranks, nearest):
    """From rank r to rank r + distance, round about, for distances from `nearest` on: (first source, first target, count) of neighbours."""
    for distance in range(nearest, ranks):
        for first, count in ((0, ranks - distance), (ranks - distance, distance)):
            if count:
                yield first, first + distance - (ranks if first else 0), count


class Megatron(Written):
    """One replica: worker `pipeline stage * tensor + rank`."""

    def __init__(self, layers, data, tensor, pipeline, micro):
        super().__init__(pipeline * tensor)
        self.tensor_ways, self.pipeline, self.count = tensor, pipeline, BATCH // data // micro
        self.tokens, self.layers = micro * SEQUENCE, layers
        self.slot = 0
        self.slots = 1 << 24
        self.slice = self.tokens * HIDDEN // tensor  # elements of a value that one rank has between blocks
        blocks = [(layer, block) for layer in range(layers) for block in KEPT]
        self.arguments = 0
        value = self._value("input", argument=True)
        self._load(value, 0)
        forward = []
        for layer, block in blocks:
            stage = layer * pipeline // layers
            weight, kept = self._weight(layer, block, stage), self._kept(layer, block)
            made = self._block(f"{block} {layer}", stage, False, [value, weight], kept, flops_of(block, self.tokens))
            forward.append((stage, block, weight, kept))
            value = made
        for number in reversed(range(len(forward))):
            stage, block, weight, kept = forward[number]
            sums = self._sums(number)
            value = self._block(f"back {number}", stage, True, [value, weight, kept], sums, 2 * flops_of(block, self.tokens))

    def _number(self):
        self.slot += 1
        return self.slot

    def _position(self, stage, is_backward):
        """Of micro-batch i: 1F1B, in ticks; [first, step of i, step of the rank]."""
        tick = 2 * self.pipeline - 1 - stage if is_backward else stage
        base = self.slots * tick
        return base, 2 * self.slots

    def _value(self, name, argument=False):
        number = self.arguments if argument else -1
        self.arguments += argument
        return self.tensor(f"{name}", [self.count, self.tensor_ways, self.slice], "bfloat16", argument=number)

    def _weight(self, layer, block, stage):
        elements = WEIGHTS[block] * HIDDEN**2 // self.tensor_ways
        weight = self.tensor(f"weights of {block} {layer}", [self.tensor_ways, elements], "bfloat16", argument=self.arguments)
        self.arguments += 1
        piece = self.stage("load", "load", [], [weight])
        ranks, slot = self.tensor_ways, self._number()
        self.task(piece, [ranks], [slot * ranks - (1 << 30) * ranks, 1], [stage * ranks, 1], [], [box([[0, 1], [0, 0]], [1, elements])])
        return weight

    def _load(self, tensor, stage):
        """Of the input: each rank has its slice of each micro-batch when its turn comes."""
        piece = self.stage("load", "load", [], [tensor])
        base, step = self._position(stage, False)
        ranks = self.tensor_ways
        self.task(piece, [self.count, ranks], [base + self._span(ranks), step, 1], [stage * ranks, 0, 1], [], [box([[0, 1, 0], [0, 0, 1], [0, 0, 0]], [1, 1, self.slice])])

    def _span(self, count):
        """The first of so many slots one after the other."""
        first = self.slot + 1
        self.slot += count
        return first

    def _kept(self, layer, block):
        elements = KEPT[block] * self.tokens * HIDDEN // self.tensor_ways
        return self.tensor(f"kept of {block} {layer}", [self.count, self.tensor_ways, elements], "bfloat16")

    def _sums(self, number):
        block = list(KEPT)[number % 2]
        return self.tensor(f"gradients of {number}", [self.count + 1, self.tensor_ways, WEIGHTS[block] * HIDDEN**2 // self.tensor_ways], "float32")

    def _gather(self, tensor, stage, is_backward, source_stage):
        """Slices of a value to all ranks of a stage, from those of `source_stage`."""
        base, step = self._position(stage, is_backward)
        ranks = self.tensor_ways
        for first, target, count in ring(ranks, 0 if source_stage != stage else 1):
            self.move(
                tensor, [self.count, count], [base + self._span(count), step, 1], [source_stage * ranks + first, 0, 1], [stage * ranks + target, 0, 1],
                box([[0, 1, 0], [first, 0, 1], [0, 0, 0]], [1, 1, self.slice]),
            )  # fmt: skip

    def _block(self, name, stage, is_backward, reads, kept, flops):
        base, step = self._position(stage, is_backward)
        ranks, count = self.tensor_ways, self.count
        value = reads[0]
        self._gather(value, stage, is_backward, self._home.get(value, stage) if hasattr(self, "_home") else 0)
        made = self._value(f"value of {name}")
        if not hasattr(self, "_home"):
            self._home = {}
        self._home[made] = stage
        partial = made
        if ranks > 1:
            partial = self.tensor(f"parts of {name}", [ranks, count, ranks, self.slice], "bfloat16", partial_of=made)
        inputs, read_boxes = list(reads), [box([[0, 1, 0], [0, 0, 0], [0, 0, 0]], [1, ranks, self.slice])]
        weight = self.tensors[reads[1]]["shape"]
        read_boxes.append(box([[0, 0, 1], [0, 0, 0]], [1, weight[1]]))
        if is_backward:
            read_boxes.append(box([[0, 1, 0], [0, 0, 1], [0, 0, 0]], [1, 1, self.tensors[reads[2]]["shape"][2]]))
            inputs.append(kept)  # sums so far
            read_boxes.append(box([[0, 1, 0], [0, 0, 1], [0, 0, 0]], [1, 1, self.tensors[kept]["shape"][2]]))
        out = box([[0, 1, 0], [0, 0, 0], [0, 0, 0]], [1, ranks, self.slice]) if ranks == 1 else box(
            [[0, 0, 1], [0, 1, 0], [0, 0, 0], [0, 0, 0]], [1, 1, ranks, self.slice])  # fmt: skip
        kept_box = box([[1 if is_backward else 0, 1, 0], [0, 0, 1], [0, 0, 0]], [1, 1, self.tensors[kept]["shape"][2]])
        if is_backward:  # the sums before the first micro-batch are nothing: they are made by a task without work
            start = self.stage(f"no sums {name}", "compute", [], [kept], 0.0)
            self.task(start, [ranks], [self._span(ranks) - (1 << 33), 1], [stage * ranks, 1], [], [box([[0, 0], [0, 1], [0, 0]], [1, 1, self.tensors[kept]["shape"][2]])])
        piece = self.stage(name, "compute", inputs, [partial, kept], flops / ranks)
        self.task(piece, [count, ranks], [base + self._span(ranks), step, 1], [stage * ranks, 0, 1], read_boxes, [out, kept_box])
        if ranks > 1:
            self._reduce(name, stage, is_backward, partial, made)
        return made

    def _reduce(self, name, stage, is_backward, partial, made):
        """Rank q sums slice q of all terms."""
        base, step = self._position(stage, is_backward)
        ranks = self.tensor_ways
        for first, target, count in ring(ranks, 1):
            self.move(
                partial, [self.count, count], [base + self._span(count), step, 1], [stage * ranks + first, 0, 1], [stage * ranks + target, 0, 1],
                box([[first, 0, 1], [0, 1, 0], [target, 0, 1], [0, 0, 0]], [1, 1, 1, self.slice]),
            )  # fmt: skip
        piece = self.stage(f"sum of {name}", "merge", [partial], [made])
        self.task(
            piece, [self.count, ranks], [base + self._span(ranks), step, 1], [stage * ranks, 0, 1],
            [box([[term, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]], [1, 1, 1, self.slice]) for term in range(ranks)],
            [box([[0, 1, 0], [0, 0, 1], [0, 0, 0]], [1, 1, self.slice])],
        )  # fmt: skip


def machine(workers, near):
    levels = [ko.Level(workers, *NEAR)] if near >= workers else [ko.Level(near, *NEAR), ko.Level(1 << 20, *FAR)]
    return ko.Machine(workers, flops=FLOPS, memory_bandwidth=3e12, memory=MEMORY, levels=levels)


def megatron(workers, layers):
    """[(seconds, words)] of all of Megatron's plans that fit."""
    found = []
    for tensor in (1, 2, 4, 8):
        for pipeline in (1, 2, 4, 8):
            if layers % pipeline or workers % (tensor * pipeline):
                continue
            data = workers // tensor // pipeline
            if BATCH % data:
                continue
            for micro in (1, 2, 4, 8, 16):
                if BATCH // data % micro:
                    continue
                words = f"{data} data, {tensor} tensor, {pipeline} pipeline, micro-batches of {micro}"
                near = tensor if data * tensor >= NODE else tensor * max(1, NODE // (data * tensor))
                try:
                    simulated = Megatron(layers, data, tensor, pipeline, micro).plan(0).simulate(machine(tensor * pipeline, near))
                except ko.KolamError as error:
                    print(f"  {words}: {str(error).splitlines()[0][:150]}", flush=True)
                    continue
                last = WEIGHTS["attention"] * HIDDEN**2 / tensor * SUM_WIDTH
                outside = max(0.0, 1 - max(1, NODE // tensor) / data) if data > 1 else 0.0
                seconds = simulated.time + last * outside / FAR[0]
                print(f"  {words}: {seconds:.3f} s, {max(simulated.peak_memory) / 2**30:.1f} GiB", flush=True)
                found.append((seconds, words))
    return sorted(found)

# The program that is planned: forward and backward written out; of x [tokens, HIDDEN] and six matrices a layer.


def norm(x):
    centred = x - ko.mean(x, axis=-1, keepdims=True)
    scale = 1 / ko.sqrt(ko.mean(centred * centred, axis=-1, keepdims=True) + 1e-5)
    return centred * scale, scale


def norm_back(y, scale, d):
    return (d - ko.mean(d, axis=-1, keepdims=True) - y * ko.mean(d * y, axis=-1, keepdims=True)) * scale


def heads(x):
    return ko.permute_dims(ko.reshape(x, (-1, SEQUENCE, HEADS, HIDDEN // HEADS)), (0, 2, 1, 3))


def flat(x):
    return ko.reshape(ko.permute_dims(x, (0, 2, 1, 3)), (-1, HIDDEN))


def forward(x, wq, wk, wv, wo, w1, w2):
    n, scale = norm(x)
    q, k, v = heads(n @ wq), heads(n @ wk), heads(n @ wv)
    o = ko.attention(q, k, v)
    x = x + flat(o) @ wo
    m, m_scale = norm(x)
    h = m @ w1
    a = ko.gelu(h)
    return x + a @ w2, (n, scale, q, k, v, o, m, m_scale, h, a)


def backward(d, kept, wq, wk, wv, wo, w1, w2):
    n, scale, q, k, v, o, m, m_scale, h, a = kept
    root = (HIDDEN // HEADS) ** -0.5
    g2 = a.T @ d
    dh = (d @ w2.T) * ko.sigmoid(1.702 * h)  # a slope that costs about what that of gelu does
    g1 = m.T @ dh
    d = d + norm_back(m, m_scale, dh @ w1.T)
    go, do = flat(o).T @ d, heads(d @ wo.T)
    p = ko.softmax(q @ ko.matrix_transpose(k) * root, axis=-1)
    ds = p * (do @ ko.matrix_transpose(v) - ko.sum(do * o, axis=-1, keepdims=True)) * root
    dq, dk, dv = flat(ds @ k), flat(ko.matrix_transpose(ds) @ q), flat(ko.matrix_transpose(p) @ do)
    return d + norm_back(n, scale, dq @ wq.T + dk @ wk.T + dv @ wv.T), [n.T @ dq, n.T @ dk, n.T @ dv, go, g1, g2]


def step(x, d, *weights):
    layers = [weights[first : first + 6] for first in range(0, len(weights), 6)]
    kept, gradients = [], []
    for layer in layers:
        x, own = forward(x, *layer)
        kept.append(own)
    for layer, own in zip(reversed(layers), reversed(kept), strict=True):
        d, own = backward(d, own, *layer)
        gradients = own + gradients
    return (d, *gradients)


def found(workers, layers):
    """The plan that is found without a limit of memory, simulated: the planner has no micro-batches."""
    shape = lambda *extents: ko.ShapeDtypeStruct(extents, ko.bfloat16)
    weights = [*(shape(HIDDEN, HIDDEN) for _ in range(4)), shape(HIDDEN, 4 * HIDDEN), shape(4 * HIDDEN, HIDDEN)] * layers
    tokens = shape(BATCH * SEQUENCE, HIDDEN)
    levels = [ko.Level(NODE, *NEAR), ko.Level(1 << 20, *FAR)]
    cluster = ko.Machine(workers, flops=FLOPS, memory_bandwidth=3e12, memory=0, levels=levels)
    start = time.perf_counter()
    plan = ko.plan(step, tokens, tokens, *weights, workers=workers, machine=cluster, allow="reassociate", steps=0)
    taken = time.perf_counter() - start
    simulated = plan.simulate(cluster)
    print(f"found in {taken:.0f} s: {simulated.time:.3f} s, {max(simulated.peak_memory) / 2**30:.0f} GiB", flush=True)
    return simulated.time


if __name__ == "__main__":
    workers, layers = int(sys.argv[1]) if len(sys.argv) > 1 else 64, int(sys.argv[2]) if len(sys.argv) > 2 else 8
    best, words = megatron(workers, layers)[0]
    print(f"Megatron's best in {MEMORY >> 30} GiB: {best:.3f} s, {words}", flush=True)
    print(f"found without a limit of memory beside it: {found(workers, layers) / best:.3f}")
