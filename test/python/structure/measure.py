"""Run with KOLAM_TARGET set: prints what the code of every program is like, as JSON."""

import json
import os
import sys

import kolam as ko
from structure import assembly, programs

REGISTER_BYTES = {"znver4": 64, "haswell": 32, "x86-64": 16}


def measure(row, register_bytes):
    program = ko.jit(row.program).lower(*row.arrays)
    text = program.as_text("assembly")
    counts = assembly.count_innermost(text, register_bytes)
    walks = [line.partition(" runs by ")[2] for line in program.explain().splitlines() if " runs by " in line]
    return {"walks": walks, "counts": counts._asdict(), "calls": assembly.calls(text), "bytes": program.cost()["bytes"], "lines": len(text.splitlines())}


if __name__ == "__main__":
    register_bytes = REGISTER_BYTES[os.environ["KOLAM_TARGET"]]
    json.dump({row.name: measure(row, register_bytes) for row in programs.ROWS}, sys.stdout)
