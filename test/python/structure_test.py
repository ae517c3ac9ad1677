"""The structure of generated code: what no measurement of time may guard (STYLE 21) and what falls off silently.

For each leaf of the emitter and three kinds of processors: the walk that was chosen, the share of vector instructions in the
innermost loops, the functions that are called, the bytes that are moved and the length of the code. Nothing runs, so every
target is compiled for on any machine."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from structure import assembly, programs
from structure.measure import REGISTER_BYTES

def of_target(limit, target, other=0.95):
    return limit.get(target, other) if isinstance(limit, dict) else limit


def shares(counts):
    """Of all arithmetic the part that fills registers, and that is on several elements at once."""
    total = max(1, sum(counts[kind] for kind in ("full", "part", "scalar", "apart")))
    return counts["full"] / total, (counts["full"] + counts["part"]) / total


def complaints(row, seen, target):
    """What differs from the row, in words."""
    sizes = {"n": REGISTER_BYTES[target] // 4, "n2": REGISTER_BYTES[target] // 2, "n4": REGISTER_BYTES[target]}
    walks = [walk.format(**sizes) for walk in of_target(row.walks, target)]
    if len(walks) != len(seen["walks"]) or not all(found.startswith(walk) for walk, found in zip(walks, seen["walks"], strict=True)):
        yield f"expected walks {walks}, but got {seen['walks']}"
    allowed = {*row.calls, *(row.plain_calls if target == "x86-64" else ())}
    if strangers := sorted(set(seen["calls"]) - allowed):
        yield f"expected calls of {sorted(allowed) or 'nothing'} only, but got {strangers}"
    moved = of_target(row.bytes, target)
    if seen["bytes"] != moved:
        yield f"expected {moved} bytes, but got {seen['bytes']:.0f}"
    most = of_target(row.lines, target, 6000)
    if seen["lines"] > most:
        yield f"expected at most {most} lines of assembly, but got {seen['lines']}"
    if row.moves_only:
        if not seen["counts"]["stores"]:
            yield "expected stores of whole registers, but got none"
    elif row.walks:
        for what, share, limit in zip(("whole registers", "vectors"), shares(seen["counts"]), (row.whole, row.vectors), strict=True):
            if share < of_target(limit, target):
                kinds = "{full} on whole registers, {part} on parts, {scalar} on single elements, {apart} elements moved one by one".format(**seen["counts"])
                yield f"expected {of_target(limit, target):.2f} of the innermost loops on {what}, but got {share:.2f}: {kinds}"


@pytest.mark.parametrize("target", REGISTER_BYTES)
def test_code(target):
    here = Path(__file__).parent
    environment = {**os.environ, "KOLAM_TARGET": target, "KOLAM_CACHE": "off", "PYTHONPATH": os.pathsep.join([str(here), *sys.path])}
    child = subprocess.run([sys.executable, "-m", "structure.measure"], check=True, env=environment, stdout=subprocess.PIPE)
    seen = json.loads(child.stdout)
    assert len(seen) == len(programs.ROWS), "two rows have one name"
    wrong = [f"{row.name}: {complaint}" for row in programs.ROWS for complaint in complaints(row, seen[row.name], target)]
    assert not wrong, f"for {target}:\n" + "\n".join(wrong)


SNIPPET = """// nest0
kolam_nest:
# %bb.0:
\tvaddps\t%zmm0, %zmm1, %zmm1
.LBB0_1:                                # =>This Loop Header: Depth=1
                                        #     Child Loop BB0_2 Depth 2
\tvmulps\t%zmm0, %zmm1, %zmm1
.LBB0_2:                                #   Parent Loop BB0_1 Depth=1
                                        # =>  This Inner Loop Header: Depth=2
\tvaddps\t(%rdi,%rcx,4), %zmm1, %zmm1
\tvmovups\t%zmm1, (%rdi,%rcx,4)
\tvpmaxsd\t%ymm0, %ymm1, %ymm1
\tvmulss\t%xmm0, %xmm1, %xmm1
\tvmovd\t(%rdi), %xmm0
\tvmovd\t%eax, %xmm0
\tvpinsrw\t$1, (%rsi), %xmm0, %xmm0
\tcallq\tkolam_tan_f32@PLT
\tjne\t.LBB0_2
# %bb.3:                                #   in Loop: Header=BB0_1 Depth=1
\tvsubss\t%xmm0, %xmm1, %xmm1
\tretq
"""


def test_what_is_counted():
    """The innermost loop alone: one sum of a whole register and a store of it, one maximum of half, one element, two moves."""
    assert assembly.count_innermost(SNIPPET, 64) == (1, 1, 1, 2, 1)
    assert assembly.calls(SNIPPET) == ["kolam_tan_f32"]


def test_complaints_name_what_is_wrong():
    row = programs.Row("sum", None, (), ("{n} lanes",), 8, lines=5)
    seen = {"walks": ["1 lane"], "counts": {"full": 1, "part": 0, "scalar": 3, "apart": 0, "stores": 0}, "calls": ["expf"], "bytes": 12, "lines": 9}
    words = "\n".join(complaints(row, seen, "znver4"))
    for word in ("walks ['16 lanes']", "calls of nothing only, but got ['expf']", "8 bytes, but got 12", "at most 5 lines", "on vectors, but got 0.25: 1 on whole registers"):
        assert word in words
