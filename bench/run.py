"""What `make bench`, `bench-peers`, `bench-programs` and `bench-kernels` share: running a program that writes records, and docs/benchmarks.md."""

import argparse
import datetime
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

import table

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
NOTES = ROOT / "bench/notes.txt"
PAGE = ROOT / "docs/benchmarks.md"
# What the runs of this build tree measured, for the page: (file, heading, command).
PARTS = (
    (BUILD / "bench/bench.json", "Beside oneDNN, OpenBLAS, NumPy, copies and plain loops", "make bench"),
    (BUILD / "bench/bench_peers.json", "Beside PyTorch, JAX, ONNX Runtime and numba", "make bench-peers"),
    (BUILD / "bench/bench_programs.json", "Whole programs", "make bench-programs"),
    (BUILD / "bench/bench_kernels.json", "Kernels over blocks", "make bench-kernels"),
)
# Code for AVX2, ours and that of each peer, on a machine that has more; loops in C++ are compiled for it too, but those
# inside kolam_bench, which is what it was built for.
NUMPY_FEATURES = "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL AVX512_SPR"
AVX2 = {
    "KOLAM_TARGET": "skylake", "DNNL_MAX_CPU_ISA": "AVX2", "ATEN_CPU_CAPABILITY": "avx2", "XLA_FLAGS": "--xla_cpu_max_isa=AVX2",
    "NUMBA_CPU_NAME": "haswell", "NUMBA_CPU_FEATURES": "+avx2,+fma,+bmi,+bmi2,+f16c", "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": NUMPY_FEATURES, "KOLAM_BENCH_MARCH": "haswell",
}  # fmt: skip
# The peer of the suite of kernels that a goal is set for over all cases, and the goal.
PALLAS = ("Pallas interpreter", 100)
KERNELS = """\
*checked* is a kernel with `checks=True` beside one without, *interpreted and checked* the same of `interpret=True`, at small
sizes; *two threads* is Kolam beside itself on one.
"""
ABOUT = """\
# Benchmarks

`make bench`, `make bench-peers`, `make bench-programs` and `make bench-kernels` print these tables; with `--markdown` the scripts behind them write this page.

{machine}

- *ours* and the *fastest peer* are the least times of all turns; they take turns, on the same random data. Every output
  is compared with f64 first.
- *ratio* is the peer's least time over ours, both on as many threads. *paired* is the median over the turns of the
  peer's time over ours: where a machine's bandwidth changes from turn to turn, it says more. *over one* is the peer's
  time on one thread over ours, given where arithmetic limits a case on several threads.
- *goal* is the ratio to reach on one thread, and {two} times that for *over one*. What memory limits has no goal on two
  threads.
- *of the limit* is the least time that the machine needs for the arithmetic at its peak or for the bytes at the
  bandwidth of the level of memory that holds them, whichever is longer, over our time.
- *AVX2* is the ratio where ours and all peers may use no wider instructions (`--isa avx2`).
"""


def command_output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def machine():
    """The machine and the system, in a line."""
    found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    cores = len(re.findall(r"^processor\s*:", Path("/proc/cpuinfo").read_text(), re.M))
    name = found.group(1) if found else platform.machine()
    family = re.search(r"^cpu family\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    family = f" (family {family.group(1)})" if family else ""
    return f"{name}{family}, {cores} cores, Linux {platform.release().split('-')[0]}"


def options_parser(program, description):
    """What both scripts understand."""
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("--filter", default="", help="words that a case's name has, all of them")
    parser.add_argument("--threads", default="1,2", help="numbers of threads (1,2)")
    parser.add_argument("--quick", action="store_true", help="fewer repeats: to look, not to publish")
    parser.add_argument("--cpu-time", action="store_true", help="CPU time on one thread: while others use the machine")
    parser.add_argument("--isa", choices=("native", "avx2"), default="native", help="what instructions ours and peers may use")
    parser.add_argument("--markdown", action="store_true", help="write docs/benchmarks.md; takes all cases")
    parser.add_argument("--no-build", action="store_true", help="run what is built")
    return parser


def parse(parser):
    options = parser.parse_args()
    if options.markdown and (options.filter or options.quick or options.cpu_time or options.threads != "1,2"):
        parser.error("--markdown takes all cases on 1 and 2 threads, in full")
    if options.cpu_time:
        options.threads = "1"
    return options


def environment(options):
    """That of this process, held to the instructions that were asked for."""
    return {**os.environ, **(AVX2 if options.isa == "avx2" else {})}


def held(path, isa):
    """The file of a part for these instructions."""
    return path if isa == "native" else path.with_stem(f"{path.stem}_{isa}")


def read_records(commands, log):
    """What the programs write, one after the other; then whether each of them ended well."""
    for command, environment in commands:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env=environment, text=True)
        yield from (json.loads(text) for text in process.stdout)
        yield {"ended": process.wait()}


def run(commands, versions, log=None):
    """Prints the table line by line; gives what was measured and whether every output was right.

    A command comes with its environment, or None for this process's own.
    """
    records, good = [], True
    print(table.line(table.COLUMNS))
    for record in read_records(commands, log):
        if "ended" in record:
            good = good and record["ended"] == 0
        elif "versions" in record:
            versions.update(record["versions"])
        elif "failed" in record:
            print(f"{record['failed']}, {record['threads']} threads: {record['why']}")
        else:
            records.append(record)
            row = table.make_rows(records)[-1]
            print(table.line(table.cells(row)))
            if row.others:
                print(table.others_line(row))
        sys.stdout.flush()
    today = datetime.date.today().isoformat()
    return {"machine": machine(), "date": today, "versions": versions, "records": records}, good


def write_page():
    """docs/benchmarks.md from what the runs have left, and what its notes lack."""
    parts = [(path, json.loads(path.read_text()), heading, command) for path, heading, command in PARTS if path.exists()]
    notes, all_rows = table.read_notes(NOTES.read_text()), []
    text = [ABOUT.format(machine=parts[0][1]["machine"] + ".", two=table.TWO_THREADS)]
    for path, part, heading, command in parts:
        rows = table.make_rows(part["records"])
        all_rows += rows
        narrow = json.loads(held(path, "avx2").read_text()) if held(path, "avx2").exists() else None
        beside = {(row.name, row.threads): row for row in table.make_rows(narrow["records"])} if narrow else {}
        versions = ", ".join(f"{name} {version}" for name, version in part["versions"].items())
        text += [f"## {heading}\n", f"`{command}`, {part['date']}; {versions}.\n", table.markdown_table(rows, beside), ""]
        if path == PARTS[2][0]:
            text += [*(f"{line}\n" for line in table.summary(rows))]
            if beside:
                text += ["With AVX2:\n", *(f"{line}\n" for line in table.summary(list(beside.values())))]
        if path == PARTS[3][0]:
            text += [KERNELS, table.mean_beside(rows, *PALLAS), ""]
    reasons = table.markdown_notes(all_rows, notes)
    text += ["## Where it falls short\n", reasons or "Nowhere.", ""]
    PAGE.write_text("\n".join(text))
    print(f"wrote {PAGE.relative_to(ROOT)}")
    for name in table.missing_notes(all_rows, notes):
        print(f"{NOTES.relative_to(ROOT)}: no note for '{name}', which falls short")
    for pattern in table.stale_notes(all_rows, notes):
        print(f"{NOTES.relative_to(ROOT)}: no row is named '{pattern}'")


def finish(result, good, path, options):
    """Keeps a whole run for the page, which --markdown writes."""
    if options.markdown and good:
        held(path, options.isa).write_text(json.dumps(result))
        write_page()
    return 0 if good else 1
