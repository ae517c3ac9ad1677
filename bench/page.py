"""docs/benchmarks.md: its tables are put in from what runs have left, and what people wrote beside them stays.

A section, from `## ` to the next, is a table's or a person's. What was put in is kept in `bench/measured`, so runs of machines with
other instructions come together: one with AVX2 has columns beside the wider one, or a section of its own until there is such.
"""

import json
import shutil
from pathlib import Path
from typing import NamedTuple

import table

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "build/bench"
MEASURED = ROOT / "bench/measured"
NOTES = ROOT / "bench/notes.txt"
PAGE = ROOT / "docs/benchmarks.md"
# What the heading of a part says that was measured with AVX2 alone.
ALONE = ", with AVX2"
# The peer of the suite of kernels that a goal is set for over all cases, and the goal.
PALLAS = ("Pallas interpreter", 100)


class Part(NamedTuple):
    """What a command measures: where its runs are kept, under which heading they stand."""

    stem: str
    heading: str
    command: str


PARTS = {
    "bench": Part("bench", "Beside oneDNN, OpenBLAS, NumPy, copies and plain loops", "make bench"),
    "peers": Part("bench_peers", "Beside PyTorch, JAX, ONNX Runtime and numba", "make bench-peers"),
    "programs": Part("bench_programs", "Whole programs", "make bench-programs"),
    "kernels": Part("bench_kernels", "Kernels over blocks", "make bench-kernels"),
}  # fmt: skip
KERNELS = """\
*checked* is a kernel with `checks=True` beside one without, *interpreted and checked* the same of `interpret=True`, at small
sizes; *two threads* is Kolam beside itself on one.
"""
ABOUT = """\
# Benchmarks

`make bench`, `make bench-peers`, `make bench-programs` and `make bench-kernels` print these tables; with `--markdown` the scripts
behind them put theirs into this page (docs/how_to/add_a_benchmark.md).

- *ours* and the *fastest peer* are the least times of all turns; they take turns, on the same random data. Every output
  is compared with f64 first.
- *ratio* is the peer's least time over ours, both on as many threads. *paired* is the median over the turns of the
  peer's time over ours: where a machine's bandwidth changes from turn to turn, it says more. *over one* is the peer's
  time on one thread over ours, given where arithmetic limits a case on several threads.
- *goal* is the ratio to reach on one thread, and {two} times that for *over one*. What memory limits has no goal on two
  threads.
- *of the limit* is the least time that the machine needs for the arithmetic at its peak or for the bytes at the
  bandwidth of the level of memory that holds them, whichever is longer, over our time.
- *AVX2* is where ours and all peers may use no wider instructions (`--isa avx2`): our time, the fastest peer's, the ratio.

"""


def keep(part, result):
    """Keeps a whole run until the next one with the same instructions."""
    KEPT.mkdir(parents=True, exist_ok=True)
    kept_at(part, result["isa"]).write_text(json.dumps(result))


def kept_at(part, isa):
    return KEPT / f"{PARTS[part].stem}{'_avx2' if isa == 'AVX2' else ''}.json"


def publish():
    """Puts what was kept among what the page is made of."""
    MEASURED.mkdir(parents=True, exist_ok=True)
    for part in PARTS:
        for path in (kept_at(part, isa) for isa in ("", "AVX2")):
            if path.exists():
                shutil.copy(path, MEASURED)


def measured(part):
    """The runs of a part: with wider instructions, and with AVX2; None for what is missing."""
    paths = [MEASURED / kept_at(part, isa).name for isa in ("", "AVX2")]
    return [json.loads(path.read_text()) if path.exists() else None for path in paths]


def source_line(part, run):
    """Where the numbers of a run come from."""
    versions = ", ".join(f"{name} {version}" for name, version in run["versions"].items())
    failed = f" Failed: {'; '.join(run['failed'])}." if run["failed"] else ""
    said = f" with `{run['said']}`" if run["said"] else ""
    return f"{run['isa']}: `{PARTS[part].command}`{said}, {run['date']}, {run['machine']}; {versions}.{failed}"


def body(part, wide, narrow, notes):
    """The text below a part's heading; `narrow`, which stands beside `wide`, may be None."""
    rows, beside = table.make_rows(wide["records"]), table.make_rows(narrow["records"]) if narrow else []
    text = [*(f"{source_line(part, run)}\n" for run in (wide, narrow) if run), table.markdown_table(rows, beside), ""]
    if part == "programs":
        text += [f"{wide['isa']}:\n", *(f"- {line}" for line in table.summary(rows)), ""]
        if beside:
            text += ["AVX2:\n", *(f"- {line}" for line in table.summary(beside)), ""]
    if part == "kernels":
        text += [KERNELS, table.mean_beside(rows, *PALLAS), ""]
    reasons = table.markdown_notes(rows, notes, beside)
    return "\n".join([*text, *(["### Where it falls short\n", reasons, ""] if reasons else [])])


def split(text):
    """[(heading, body)] of a page, the first without a heading."""
    sections = [("", [])]
    for line in text.splitlines():
        if line.startswith("## "):
            sections.append((line.removeprefix("## "), []))
        else:
            sections[-1][1].append(line)
    return [(heading, "\n".join(lines).strip("\n") + "\n") for heading, lines in sections]


def replaced(text, bodies):
    """The page with these bodies by heading, without those that are None; others stay, and new ones stand behind the last one that is here."""
    gone = [heading for heading, text_of in bodies.items() if text_of is None]
    bodies = {heading: text_of for heading, text_of in bodies.items() if text_of is not None}
    sections = {heading: text_of for heading, text_of in split(text) if heading not in gone}
    order = [heading for heading in sections if heading]
    tables = [heading for part in PARTS.values() for heading in (part.heading, part.heading + ALONE)]
    last = max((order.index(heading) for heading in tables if heading in order), default=-1)
    order[last + 1 : last + 1] = [heading for heading in bodies if heading not in order]
    sections = {**sections, **bodies}
    about = ABOUT.format(two=table.TWO_THREADS)
    return about + "\n".join(f"## {heading}\n\n{sections[heading].strip(chr(10))}\n" for heading in order)


def write():
    """Puts what was kept into the page, and says what its notes lack."""
    publish()
    notes, bodies, all_rows = table.read_notes(NOTES.read_text()), {}, []
    for name, part in PARTS.items():
        wide, narrow = measured(name)
        if wide:
            bodies[part.heading] = body(name, wide, narrow, notes)
        if wide or narrow:
            bodies[part.heading + ALONE] = None if wide else body(name, narrow, None, notes)
        all_rows += [row for run in (wide, narrow) if run for row in table.make_rows(run["records"])]
    PAGE.write_text(replaced(PAGE.read_text(), bodies))
    print(f"wrote {PAGE.relative_to(ROOT)}")
    for name in table.missing_notes(all_rows, notes):
        print(f"{NOTES.relative_to(ROOT)}: no note for '{name}', which falls short")
    if all(any(measured(name)) for name in PARTS):
        for pattern in table.stale_notes(all_rows, notes):
            print(f"{NOTES.relative_to(ROOT)}: no row is named '{pattern}'")


if __name__ == "__main__":
    write()
