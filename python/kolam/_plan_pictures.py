"""Pictures of plans: a graph for Graphviz, and a page with graph, timeline and memory that needs nothing else."""

import colorsys
import itertools
import math
from html import escape
from typing import NamedTuple

#: Shards of a tensor, events of a timeline and moments of a worker's memory that are drawn; more are counted, or thinned out.
_SHARDS, _EVENTS, _MOMENTS = 256, 4000, 500


class Task(NamedTuple):
    position: int
    worker: int
    stage: int
    reads: list  # (tensor, start, end)
    writes: list


class Move(NamedTuple):
    position: int
    tensor: int
    source: int
    target: int
    box: tuple  # (start, end)


class Drawn:
    """A plan's JSON document, its families expanded."""

    def __init__(self, document):
        self.tensors, self.stages, self.workers = document["tensors"], document["stages"], document["workers"]
        self.limit, self.keeps_results, self.cost = document["memory_per_worker"], document["keeps_results"], document["cost"]
        self.stage_of_family = [document["pieces"][family["piece"]]["stage"] for family in document["tasks"]]
        self.tensor_of_move = [moves["tensor"] for moves in document["moves"]]
        self.tasks = [task for family in document["tasks"] for task in self._tasks_of(family, document["pieces"])]
        self.moves = [move for moves in document["moves"] for move in _moves_of(moves)]

    def _tasks_of(self, family, pieces):
        number = pieces[family["piece"]]["stage"]
        stage = self.stages[number]
        if stage["work"] == "merge":
            read, written = [stage["tensors"][0]] * len(family["reads"]), stage["tensors"][1:2]
        else:
            operands = list(zip(stage["signature"]["operands"], stage["tensors"], strict=True))
            read = [tensor for operand, tensor in operands if operand["role"] == "in"]
            written = [tensor for operand, tensor in operands if operand["role"] != "in"]
        for point in _points(family["counts"]):
            yield Task(
                _at(family["position"], point), _at(family["worker"], point), number,
                [(tensor, *_box(boxes, point)) for tensor, boxes in zip(read, family["reads"], strict=True)],
                [(tensor, *_box(boxes, point)) for tensor, boxes in zip(written, family["writes"], strict=True)],
            )  # fmt: skip

    def shards(self, tensor):
        """Its boxes and the workers that make them, in the order of their starts."""
        made = {(tuple(start), tuple(end)): task.worker for task in self.tasks for t, start, end in task.writes if t == tensor}
        return sorted(made.items())

    def block_bytes(self, tensor, start, end):
        """Of a partial tensor: of one term."""
        facts = self.tensors[tensor]
        extents = [e - s for s, e in zip(start, end, strict=True)][facts["partial_of"] >= 0 :]
        return math.prod(extents) * _width(facts["dtype"])

    def memory(self):
        """For each worker (position, bytes that it holds from there on): a block stays until its last reader has ended."""
        last, blocks = {}, []
        for task in self.tasks:
            blocks += [(task.worker, task.position, written) for written in task.writes]
            for tensor, start, end in task.reads:
                last.setdefault((task.worker, tensor), []).append((task.position, start, end))
        for move in self.moves:
            blocks.append((move.target, move.position, (move.tensor, *move.box)))
            last.setdefault((move.source, move.tensor), []).append((move.position, *move.box))
        changes = [{} for _ in range(self.workers)]
        for worker, position, (tensor, start, end) in blocks:
            until = max((p for p, s, e in last.get((worker, tensor), ()) if p > position and _meet(s, e, start, end)), default=position)
            size = self.block_bytes(tensor, start, end)
            changes[worker][position] = changes[worker].get(position, 0) + size
            if not (self.keeps_results and self.tensors[tensor]["results"]):
                changes[worker][until + 0.5] = changes[worker].get(until + 0.5, 0) - size
        return [list(zip(sorted(each), itertools.accumulate(each[p] for p in sorted(each)))) for each in changes]  # noqa: B905


def _moves_of(moves):
    for point in _points(moves["counts"]):
        yield Move(
            _at(moves["position"], point), moves["tensor"], _at(moves["from"], point), _at(moves["to"], point), _box(moves["box"], point)
        )


def _points(counts):
    return itertools.product(*map(range, counts))


def _at(affine, point):
    return affine[0] + sum(step * place for step, place in zip(affine[1:], point, strict=True))


def _box(boxes, point):
    start = [_at(affine, point) for affine in boxes["start"]]
    return start, [s + extent for s, extent in zip(start, boxes["extent"], strict=True)]


def _meet(start, end, other_start, other_end):
    return all(s < oe and os < e for s, e, os, oe in zip(start, end, other_start, other_end, strict=True))


def _width(dtype):
    digits = "".join(filter(str.isdigit, dtype))
    return max(1, int(digits) // 8) if digits else 1


def colour(worker):
    """Neighbours differ."""
    red, green, blue = colorsys.hls_to_rgb(worker * 0.381966 % 1.0, 0.78, 0.65)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"


def projection_rows(projection):
    """The rows of [A | b | S]: point c of the index space has [A c + b, A c + b + S)."""
    rows = []
    for row, size in zip(projection["rows"], projection["size"], strict=True):
        factors = " ".join(map(str, row["coefficients"])) or " "
        if row["divisor"] != 1:
            factors += f" // {row['divisor']}"
        if row["modulus"]:
            factors += f" % {row['modulus']}"
        rows.append(f"{factors} | {row['offset']} | {size}")
    return rows or [" | | "]


def _text(box):
    return ", ".join(f"{s}:{e}" for s, e in zip(*box, strict=True))


def _title(tensor):
    return f"{tensor['name']}: {tensor['dtype']}[{', '.join(map(str, tensor['shape']))}]"


def _edges(stage):
    """(tensor, whether it is written, rows of its projection) of what a stage reads and writes."""
    if stage["work"] == "merge":
        return [(tensor, at == 1, []) for at, tensor in enumerate(stage["tensors"])]
    return [
        (tensor, operand["role"] != "in", projection_rows(operand["projection"]))
        for operand, tensor in zip(stage["signature"]["operands"], stage["tensors"], strict=True)
    ]


def _rows_of_shards(shards):
    """Shards by their starts along all dims but the last: one below the other."""
    rows = {}
    for (start, end), worker in shards:
        rows.setdefault(start[:-1], []).append(((start, end), worker))
    return list(rows.values())


def as_dot(document):
    """Loads are not drawn: the shards of an argument say where it is loaded."""
    plan = Drawn(document)
    lines = ["digraph plan {", "  rankdir=TB;", '  node [shape=plain, fontname="sans-serif"];', '  edge [fontname="monospace", fontsize=9];']
    for number, tensor in enumerate(plan.tensors):
        shards = plan.shards(number)
        span = max(map(len, _rows_of_shards(shards)), default=1) if len(shards) <= _SHARDS else 1
        cells = f'<tr><td colspan="{span}">{escape(_title(tensor))}</td></tr>'
        if len(shards) > _SHARDS:
            cells += f"<tr><td>{len(shards)} shards</td></tr>"
        else:
            for row in _rows_of_shards(shards):
                cells += "<tr>"
                for box, worker in row:
                    cells += f'<td bgcolor="{colour(worker)}" title="worker {worker}: {_text(box)}" href="#">{worker}</td>'
                cells += "</tr>"
        lines.append(f'  t{number} [label=<<table border="1" cellborder="1" cellspacing="0">{cells}</table>>];')
    for number, stage in enumerate(plan.stages):
        if stage["work"] == "load":
            continue
        tasks = sum(task.stage == number for task in plan.tasks)
        dims = ", ".join(f"{dim['name']} &lt; {dim['extent']}" for dim in stage["signature"]["dims"])
        label = f"{escape(stage['name'])}<br/>{dims or ' '}<br/>{tasks} tasks"
        lines.append(f'  s{number} [shape=box, style="rounded,filled", fillcolor="#f4f4f4", label=<{label}>];')
        for tensor, is_written, rows in _edges(stage):
            ends = (f"s{number}", f"t{tensor}") if is_written else (f"t{tensor}", f"s{number}")
            label = "".join(f"[{row}]\\l" for row in rows)
            lines.append(f'  {ends[0]} -> {ends[1]} [label="{label}"];')
    return "\n".join([*lines, "}"]) + "\n"
