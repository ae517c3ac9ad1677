"""A page about a plan: what it costs, its graph, when each worker does what, and what each one holds."""

from html import escape

from kolam._plan_pictures import _EVENTS, _MOMENTS, _SHARDS, Drawn, _edges, _rows_of_shards, _text, _title, colour

_NODE, _GAP, _LAYER, _CELL = 230, 30, 130, 14
_WIDTH, _ROW, _LEFT = 1000, 22, 90

_STYLE = """
body { font: 14px sans-serif; margin: 24px; color: #222 }
svg { display: block; margin: 8px 0 24px; overflow: visible } svg text { font-size: 11px }
table { border-collapse: collapse; margin-bottom: 16px } td, th { border: 1px solid #ccc; padding: 3px 8px; text-align: right }
.graph { overflow-x: auto } .edge { stroke: #888; fill: none } .small { fill: #555; font: 9px monospace }
"""


def as_html(document, simulated, explained):
    """One page that loads nothing. `simulated` is what `Plan.simulate` gave, `explained` what `Plan.explain` did."""
    plan = Drawn(document)
    parts = [
        "<h1>A plan of Kolam</h1>", _costs(plan, simulated), "<h2>Graph</h2>", _legend(plan), f'<div class="graph">{_graph(plan)}</div>',
        "<h2>Timeline</h2>", _timeline(plan, simulated), "<h2>Memory</h2>", _memory(plan, simulated),
        "<h2>How it was found</h2>", f"<pre>{escape(explained)}</pre>",
    ]  # fmt: skip
    head = f'<meta charset="utf-8"><title>A plan of Kolam</title><style>{_STYLE}</style>'
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head><body>\n' + "\n".join(parts) + "\n</body></html>\n"


def _costs(plan, simulated):
    names = "".join(f"<th>{escape(name)}</th>" for name in plan.cost)
    numbers = "".join(f"<td>{value:.4g}</td>" for value in plan.cost.values())
    peak, moved = max(simulated.peak_memory, default=0), max(simulated.bytes_in, default=0)
    words = f"Simulated: {simulated.time:.4g} s, at most {moved:,.0f} bytes into a worker, at most {peak:,.0f} held by one."
    return f"<table><tr>{names}</tr><tr>{numbers}</tr></table><p>{words}</p>"


def _legend(plan):
    shown = [f'<span style="background:{colour(worker)}">&nbsp;{worker}&nbsp;</span>' for worker in range(min(plan.workers, 64))]
    return "<p>Workers: " + " ".join(shown) + (" ..." if plan.workers > 64 else "") + "</p>"


def _layers(plan):
    """{("t" or "s", number): layer}: a stage lies below what it reads, a tensor below the stages that write it."""
    layers = {("t", number): 0 for number in range(len(plan.tensors))}
    drawn = [number for number, stage in enumerate(plan.stages) if stage["work"] != "load"]
    for _ in drawn:  # as many times as a path is long at most
        before = dict(layers)
        for number in drawn:
            edges = _edges(plan.stages[number])
            written = {tensor for tensor, is_written, _ in edges if is_written}
            layers["s", number] = 1 + max((layers["t", tensor] for tensor, _, _ in edges if tensor not in written), default=0)
            for tensor in written:
                layers["t", tensor] = max(layers["t", tensor], layers["s", number] + 1)
        if layers == before:
            break
    for number, tensor in enumerate(plan.tensors):  # an argument comes right above its first reader
        readers = [layers["s", at] for at in drawn for other, is_written, _ in _edges(plan.stages[at]) if other == number and not is_written]
        if tensor["argument"] >= 0 and readers:
            layers["t", number] = min(readers) - 1
    return layers


def _graph(plan):
    layers, rows = _layers(plan), {}
    for node, layer in layers.items():
        rows.setdefault(layer, []).append(node)
    places = {
        node: (_GAP + at * (_NODE + _GAP), _GAP + row * _LAYER) for row, layer in enumerate(sorted(rows)) for at, node in enumerate(rows[layer])
    }
    edges, nodes = [], []
    for kind, number in places:
        x, y = places[kind, number]
        if kind == "t":
            nodes.append(_tensor(plan, number, x, y))
            continue
        stage = plan.stages[number]
        dims = ", ".join(f"{dim['name']} < {dim['extent']}" for dim in stage["signature"]["dims"])
        nodes.append(
            f'<g class="stage"><rect x="{x}" y="{y}" width="{_NODE}" height="40" rx="9" fill="#f4f4f4" stroke="#888"/>'
            f'<text x="{x + 8}" y="{y + 16}">{escape(_shortened(stage["name"]))}<title>{escape(stage["name"])}</title></text>'
            f'<text x="{x + 8}" y="{y + 32}">{escape(_shortened(dims))}</text></g>'
        )
        for tensor, is_written, projection in _edges(stage):
            ends = [(x, y), places["t", tensor]] if is_written else [places["t", tensor], (x, y)]
            edges.append(_edge(*ends, projection, len(edges)))
    width = _GAP + max(map(len, rows.values()), default=0) * (_NODE + _GAP)
    return f'<svg width="{width}" height="{_GAP + len(rows) * _LAYER}">' + "".join(edges + nodes) + "</svg>"


def _tensor(plan, number, x, y):
    title, shards = _title(plan.tensors[number]), plan.shards(number)
    cells = []
    if len(shards) <= _SHARDS:
        for row, line in enumerate(_rows_of_shards(shards)[:4]):
            for at, (box, worker) in enumerate(line[: _NODE // _CELL]):
                cells.append(
                    f'<rect x="{x + 4 + at * _CELL}" y="{y + 22 + row * _CELL}" width="{_CELL}" height="{_CELL}" fill="{colour(worker)}"'
                    f' stroke="#fff"><title>[{_text(box)}] at worker {worker}</title></rect>'
                )
    return (
        f'<g class="tensor"><rect x="{x}" y="{y}" width="{_NODE}" height="82" fill="#fff" stroke="#222"/>'
        f'<text x="{x + 6}" y="{y + 15}">{escape(_shortened(title))}<title>{escape(title)}: {len(shards)} shards</title></text>'
        + "".join(cells)
        + "</g>"
    )


def _edge(above, below, projection, number):
    aside = number * 7 % 19 * 10 - 90  # edges between the same nodes, or along one column, lie apart
    x0, y0, x1, y1 = above[0] + _NODE / 2 + aside, above[1] + 40, below[0] + _NODE / 2 + aside, below[1]
    lines = "".join(
        f'<text class="small" x="{(x0 + 2 * x1) / 3 + 4:.0f}" y="{(y0 + 2 * y1) / 3 + 10 * at - 8:.0f}">[{escape(row)}]</text>'
        for at, row in enumerate(projection)
    )
    return f'<path class="edge" d="M{x0} {y0} L{x1} {y1}"/>{lines}'


def _shortened(text):
    return text if len(text) <= 36 else f"{text[:16]} ... {text[-15:]}"


def _timeline(plan, simulated):
    events = sorted(simulated.timeline, key=lambda event: event[1] - event[2])[:_EVENTS]
    scale = (_WIDTH - _LEFT) / (simulated.time or 1.0)
    parts = [_names_of_workers(plan)]
    for worker, start, end, family, is_move in events:
        x, width, y = _LEFT + start * scale, max((end - start) * scale, 0.5), worker * _ROW
        if is_move:
            name, y, height, fill = f"move {plan.tensors[plan.tensor_of_move[family]]['name']}", y + 14, 5, "#999"
        else:
            number = plan.stage_of_family[family]
            name, height, fill = plan.stages[number]["name"], 13, colour(number)
        title = f"<title>{escape(name)}: {start:.4g} s to {end:.4g} s</title>"
        parts.append(f'<rect class="event" x="{x:.2f}" y="{y}" width="{width:.2f}" height="{height}" fill="{fill}">{title}</rect>')
    left_out = len(simulated.timeline) - len(events)
    more = f"<p>{left_out} shorter events are not drawn.</p>" if left_out else ""
    return f'<svg class="timeline" width="{_WIDTH}" height="{plan.workers * _ROW}">' + "".join(parts) + f"</svg>{more}"


def _memory(plan, simulated):
    most = max([plan.limit, *simulated.peak_memory, 1])
    end = max([1, *(task.position for task in plan.tasks), *(move.position for move in plan.moves)])
    parts, height = [_names_of_workers(plan)], _ROW - 4
    for worker, moments in enumerate(plan.memory()):
        step = max(1, -(-len(moments) // _MOMENTS))
        thinned = [max(moments[at : at + step], key=lambda moment: moment[1]) for at in range(0, len(moments), step)]
        base, held, path = worker * _ROW + height, 0, []
        for position, size in thinned:
            x = _LEFT + (_WIDTH - _LEFT) * min(position, end) / end
            path.append(f"L{x:.1f} {base - height * held / most:.1f} L{x:.1f} {base - height * size / most:.1f}")
            held = size
        path.append(f"L{_WIDTH} {base - height * held / most:.1f} L{_WIDTH} {base} Z")
        title = f"<title>worker {worker}: at most {simulated.peak_memory[worker]:,.0f} bytes</title>"
        parts.append(f'<path class="memory" d="M{_LEFT} {base} {" ".join(path)}" fill="{colour(worker)}">{title}</path>')
    words = f"Full height is {most:,.0f} bytes{', the limit' if most == plan.limit else ''}; from left to right the order of the plan."
    return f'<svg width="{_WIDTH}" height="{plan.workers * _ROW}">' + "".join(parts) + f"</svg><p>{words}</p>"


def _names_of_workers(plan):
    return "".join(f'<text x="0" y="{worker * _ROW + 13}">worker {worker}</text>' for worker in range(plan.workers))
