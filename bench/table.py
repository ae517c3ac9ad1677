"""The table of the benchmark: from the times that were taken to ratios, shares of the limit, text and markdown.

A record is what the programs write for a case, one JSON object a line:

    {"name": "softmax 4096x1024", "threads": 1, "goal": 1.3, "ours": [s, ...],
     "peers": [{"name": "oneDNN", "judged": true, "times": [s, ...]}],
     "work": {"flops": f, "arithmetic": "f32", "reads": b, "writes": b, "footprint": b},
     "limits": {"flops": {"f32": f, ...}, "read": {"l2": b, ...}, "copy": {...}, "l2_bytes": b, "l3_bytes": b}}

`times` are the least seconds a call took in each turn; entry i of all runners was taken in one turn. They are empty
where a peer is not available. `limits` is what the machine can do a second. `goal`, `work` and `limits` may be missing.
With `"unit": "B"` the numbers are bytes. With `"is_own": true` the peer is Kolam on one thread, and `goal` counts on several.
"""

import fnmatch
import statistics
from dataclasses import dataclass, field

LEVELS = ("l2", "l3", "memory")
# A case that arithmetic limits must be as much faster on two threads than its goal asks on one.
TWO_THREADS = 1.8
# Caches hold more than a case: a level counts up to this share.
ROOM = 0.75


def ratio(ours, peer):
    """The least time of the peer over our least: noise only adds."""
    return min(peer) / min(ours)


def paired_ratio(ours, peer):
    """The median over the turns of peer / ours: noise that both saw cancels."""
    return statistics.median(theirs / mine for mine, theirs in zip(ours, peer, strict=True))


def level(work, limits):
    """The innermost level that holds the case."""
    size = max(work.get("footprint", 0), work["reads"] + work["writes"])
    if size <= ROOM * limits["l2_bytes"]:
        return "l2"
    return "l3" if size <= ROOM * limits["l3_bytes"] else "memory"


def arithmetic_seconds(work, limits):
    return work["flops"] / limits["flops"][work["arithmetic"]]


def memory_seconds(work, limits):
    """What is read and written is a copy; the rest is read at the bandwidth of reading."""
    place = level(work, limits)
    copied = 2 * min(work["reads"], work["writes"])
    return copied / limits["copy"][place] + abs(work["reads"] - work["writes"]) / limits["read"][place]


def least_seconds(work, limits):
    """No call can take less: the longer of arithmetic at its peak and of memory."""
    return max(arithmetic_seconds(work, limits), memory_seconds(work, limits))


@dataclass
class Row:
    """A line of the table."""

    name: str
    threads: int
    ours: float  # seconds
    peer: str = None  # the fastest one that is judged
    peer_seconds: float = None
    ratio: float = None
    paired: float = None
    goal: float = None
    reached: bool = None  # None where there is nothing to reach
    share: float = None  # of the machine's limit
    rate: str = ""
    over_one: float = None  # on several threads: the fastest judged peer on one thread over ours
    others: list = field(default_factory=list)  # (name, seconds) of all other peers; None: not available
    unit: str = "s"


def rate(work, seconds):
    """`231 GFLOP/s` where arithmetic is most of it, else `38.2 GB/s`."""
    size = work["reads"] + work["writes"]
    if work["flops"] > 4 * size:
        return f"{work['flops'] / seconds / 1e9:.0f} GFLOP/s"
    return f"{size / seconds / 1e9:.1f} GB/s" if size else ""


def make_row(record, alone=None):
    """The row of a record; `alone` is the record of the same case on one thread, None on one thread."""
    row = Row(record["name"], record["threads"], min(record["ours"]), unit=record.get("unit", "s"))
    row.others = [(peer["name"], min(peer["times"], default=None)) for peer in record["peers"]]
    judged = [peer for peer in record["peers"] if peer.get("judged", True) and peer["times"]]
    if judged:
        best = min(judged, key=lambda peer: min(peer["times"]))
        row.peer, row.peer_seconds = best["name"], min(best["times"])
        row.ratio, row.paired = ratio(record["ours"], best["times"]), paired_ratio(record["ours"], best["times"])
        row.others.remove((row.peer, row.peer_seconds))
    work, limits = record.get("work"), record.get("limits")
    if work and limits:
        row.share = least_seconds(work, limits) / row.ours
    if work:
        row.rate = rate(work, row.ours)
    row.goal, is_plain = record.get("goal"), row.threads == 1 or record.get("is_own", False)
    if not is_plain:
        alone = judged_times(alone) if alone else []
        is_limited = work and limits and arithmetic_seconds(work, limits) > memory_seconds(work, limits)
        row.over_one = min(alone) / row.ours if alone and is_limited else None
        row.goal = TWO_THREADS * row.goal if row.goal and row.over_one else None
    reached = row.ratio if is_plain else row.over_one
    row.reached = reached >= row.goal if row.goal and reached else None
    return row


def judged_times(record):
    """The least seconds of each peer that is judged and available."""
    return [min(peer["times"]) for peer in record["peers"] if peer.get("judged", True) and peer["times"]]


def amount(number_, unit):
    """Of seconds or bytes."""
    if unit == "B" and number_ is not None:
        return f"{number_ / 2**20:.3g} MiB" if number_ >= 2**20 else f"{number_ / 2**10:.3g} KiB"
    return duration(number_)


def duration(seconds):
    """Four digits in the unit that fits: `1.234 ms`."""
    if seconds is None:
        return "not available"
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.4g} {unit}"
    return f"{seconds / 1e-9:.4g} ns"


def number(value, form="{:.2f}"):
    return "" if value is None else form.format(value)


COLUMNS = ("case", "thr", "ours", "peer", "", "ratio", "paired", "over one", "goal", "", "limit", "rate")
WIDTHS = (46, 3, 9, 22, 9, 6, 6, 8, 5, 3, 5, 12)


def cells(row):
    verdict = {None: "", True: "yes", False: "no"}[row.reached]
    return (
        row.name, str(row.threads), amount(row.ours, row.unit), row.peer or "", amount(row.peer_seconds, row.unit) if row.peer else "",
        number(row.ratio), number(row.paired), number(row.over_one), number(row.goal), verdict,
        number(row.share, "{:.0%}"), row.rate,
    )


def line(texts):
    """One line of the table on a terminal."""
    return "  ".join(f"{text:<{width}}" for text, width in zip(texts, WIDTHS, strict=True)).rstrip()


def others_line(row):
    """The peers beside the best one, indented; empty where there are none."""
    if not row.others:
        return ""
    return "    " + ", ".join(f"{name} {duration(seconds)}" for name, seconds in row.others)


def make_rows(records):
    """The rows of a whole run, in order."""
    alone = {record["name"]: record for record in records if record["threads"] == 1}
    return [make_row(record, alone.get(record["name"]) if record["threads"] > 1 else None) for record in records]


def read_notes(text):
    """[(pattern, sentence)]: `name:` on a line, the sentence below it, indented; # for comments; * stands for anything."""
    notes = []
    for number_, text_line in enumerate(text.splitlines(), 1):
        if not text_line.strip() or text_line.startswith("#"):
            continue
        if not text_line[0].isspace():
            if not text_line.rstrip().endswith(":"):
                raise ValueError(f"line {number_}: expected 'name:' and the sentence below it, but got {text_line!r}")
            notes.append((text_line.rstrip().removesuffix(":"), ""))
        elif not notes:
            raise ValueError(f"line {number_}: a sentence of no note")
        else:
            notes[-1] = (notes[-1][0], f"{notes[-1][1]} {text_line.strip()}".strip())
    return notes


def notes_of(name, notes):
    return [sentence for pattern, sentence in notes if fnmatch.fnmatchcase(name, pattern)]


def stale_notes(rows, notes):
    """Patterns that no row matches."""
    return [pattern for pattern, _ in notes if not fnmatch.filter([row.name for row in rows], pattern)]


def missing_notes(rows, notes):
    """Names of rows that fall short on some number of threads and have no sentence."""
    short = dict.fromkeys(row.name for row in rows if row.reached is False)
    return [name for name in short if not notes_of(name, notes)]


# Goals of all programs together, of our time over the best peer's: its geometric mean, the share of programs within
# NEAR, and that none is above FAR, unless the peer does less work.
MEAN, NEAR, SHARE_NEAR, FAR = 0.9, 1.25, 11 / 12, 2


def summary(rows):
    """For each number of threads a line: how all programs together stand to their goals."""
    lines, verdict = [], {True: "yes", False: "no"}
    for threads in sorted({row.threads for row in rows}):
        ours = {row.name: 1 / row.ratio for row in rows if row.threads == threads and row.ratio}
        if ours:
            mean, far = statistics.geometric_mean(ours.values()), [name for name, each in ours.items() if each > FAR]
            near = sum(each <= NEAR for each in ours.values())
            lines.append(
                f"{len(ours)} programs with threads = {threads}: our time over the best peer's has the geometric mean {mean:.2f} "
                f"(at most {MEAN}: {verdict[mean <= MEAN]}); {near} within {NEAR}, {near / len(ours):.0%} "
                f"(11 of 12: {verdict[near >= SHARE_NEAR * len(ours)]}); above {FAR}: {len(far)}{': ' * bool(far)}{', '.join(far)}."
            )
    return lines


def mean_beside(rows, peer, goal):
    """A line: the geometric mean of a peer's time over ours, of the rows that are set beside it."""
    ratios = [row.ratio for row in rows if row.peer == peer and row.ratio]
    if not ratios:
        return ""
    mean = statistics.geometric_mean(ratios)
    return f"{peer}, {len(ratios)} cases: its time over ours has the geometric mean {mean:.0f}; the goal is {goal}: {'yes' if mean >= goal else 'no'}."


MARKDOWN_COLUMNS = (
    "case", "threads", "ours", "fastest peer", "", "ratio", "paired", "over one", "goal", "reached", "of the limit", "",
)
NARROW_COLUMNS = ("ours, AVX2", "fastest peer, AVX2", "", "ratio, AVX2")


def narrow_cells(row):
    """Those of a row of narrower instructions, or of None."""
    if not row:
        return ("",) * len(NARROW_COLUMNS)
    peer = (row.peer or "", amount(row.peer_seconds, row.unit) if row.peer else "")
    return amount(row.ours, row.unit), *peer, number(row.ratio)


def markdown_table(rows, beside=()):
    """The rows as a table of markdown; `beside` are those of narrower instructions, in columns of their own where there are."""
    narrow = {(row.name, row.threads): row for row in beside}
    columns = MARKDOWN_COLUMNS + NARROW_COLUMNS * bool(narrow)
    lines = ["| " + " | ".join(columns) + " |", "|---|" + "--:|" * (len(columns) - 1)]
    for row in rows:
        more = narrow_cells(narrow.get((row.name, row.threads))) if narrow else ()
        lines.append("| " + " | ".join((*cells(row), *more)) + " |")
    return "\n".join(lines)


def markdown_notes(rows, notes, beside=()):
    """A line for each row that falls short, here or with narrower instructions: its sentences, or that there is none yet."""
    short = dict.fromkeys(row.name for row in rows if row.reached is False)
    narrow = dict.fromkeys(row.name for row in beside if row.reached is False and row.name not in short)
    named = [(name, name) for name in short] + [(name, f"{name}, AVX2") for name in narrow]
    lines = [f"- **{title}**: {' '.join(notes_of(name, notes)) or 'no reason is known yet.'}" for name, title in named]
    return "\n".join(lines)
