"""What `make bench`, `bench-peers`, `bench-programs` and `bench-kernels` share: running programs that write records."""

import argparse
import datetime
import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import instruction_sets
import page
import table

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"


def command_output(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def machine():
    """The machine and the system, in a line."""
    name = instruction_sets.processor("model name") or platform.machine()
    family, cores = instruction_sets.processor("cpu family"), Path("/proc/cpuinfo").read_text().count("\nprocessor\t") + 1
    family = f" (family {family})" if family else ""
    return f"{name}{family}, {cores} cores, Linux {platform.release().split('-')[0]}"


def keep_to_one_cpu():
    """For times that are a process's own: the system adds up that of a thread on another CPU late, so a library with threads would take none."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def options_parser(program, description):
    """What all scripts understand."""
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument("--filter", default="", help="words that a case's name has, all of them")
    parser.add_argument("--threads", default="1,2", help="numbers of threads (1,2)")
    parser.add_argument("--quick", action="store_true", help="fewer repeats")
    parser.add_argument("--cpu-time", action="store_true", help="CPU time on one thread: while others use the machine")
    parser.add_argument("--isa", choices=("native", "avx2"), default="native", help="what instructions ours and peers may use")
    parser.add_argument("--markdown", action="store_true", help="put the tables into docs/benchmarks.md; takes all cases")
    parser.add_argument("--no-build", action="store_true", help="run what is built")
    return parser


def parse(parser):
    """The options; `whole` says whether they leave out no case, `said` is what was said of repeats, threads and peers."""
    options = parser.parse_args()
    if options.cpu_time:
        options.threads = "1"
        keep_to_one_cpu()
    options.whole = not (options.filter or getattr(options, "small", False) or getattr(options, "parts", ""))
    if options.markdown and not options.whole:
        parser.error("--markdown takes all cases, with the sizes as they are")
    words = [f"--{name}" for name in ("quick", "cpu-time") if getattr(options, name.replace("-", "_"))]
    words += [f"--threads {options.threads}"] * (options.threads != "1,2" and not options.cpu_time)
    peers = getattr(options, "peers", "")
    options.said = " ".join(words + [f"--peers {peers}"] * bool(peers))
    return options


def environment(options):
    """That of this process, held to the instructions that were asked for."""
    return instruction_sets.environment(options.isa)


def read_records(commands, log):
    """What the programs write, one after the other; then whether each of them ended well."""
    for command, environment in commands:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, env=environment, text=True)
        yield from (json.loads(text) for text in process.stdout)
        yield {"ended": process.wait()}


def run(commands, versions, options, log=None):
    """Prints the table line by line; gives what was measured, what failed among it, and whether every output was right.

    A command comes with its environment, or None for this process's own.
    """
    records, failed, good = [], [], True
    isa = instruction_sets.words(options.isa)
    print(f"{machine()}; {isa}")
    print(table.line(table.COLUMNS))
    for record in read_records(commands, log):
        if "ended" in record:
            good = good and record["ended"] == 0
        elif "versions" in record:
            versions.update(record["versions"])
        elif "failed" in record:
            failed.append(f"{record['failed']}, {record['threads']} threads")
            print(f"{failed[-1]}: {record['why']}")
        else:
            records.append(record)
            row = table.make_rows(records)[-1]
            print(table.line(table.cells(row)))
            if row.others:
                print(table.others_line(row))
        sys.stdout.flush()
    today = datetime.date.today().isoformat()
    found = {"machine": machine(), "isa": isa, "said": options.said, "date": today, "versions": versions}
    return {**found, "records": records, "failed": failed}, good


def finish(result, good, part, options):
    """Keeps a whole run for the page (see page.PARTS), which --markdown writes, and which names what failed."""
    if options.whole and result["records"]:
        page.keep(part, result)
        if options.markdown:
            page.write()
    return 0 if good else 1
