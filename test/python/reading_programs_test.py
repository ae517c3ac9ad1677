"""Whatever reads a program and runs nothing ends without a crash: explain, the text of every stage, costs, graphs, pictures.

The programs are the random ones of other tests. KOLAM_SEED=... gives the same programs again, KOLAM_PROGRAMS=... another
number of them.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from random_counts import count

import kolam as ko

PROGRAMS = count(2000) // 50
STAGES = ("program", "tensors", "rewritten", "nests", "lowered", "llvm")

READER = """
import sys
from pathlib import Path
sys.path[:0] = [{tests!r}, {tests!r} + "/fractal"]
import reading_programs_test as test
kind, seed, first, last = sys.argv[1], *map(int, sys.argv[2:])
for number in range(first, last):
    print(number, flush=True)
    getattr(test, "read_" + kind)(seed, number)
"""


def read(lowered):
    for stage in STAGES:
        lowered.as_text(stage)
    lowered.explain(), lowered.cost(), lowered.as_dot()
    text = lowered.as_text("program")
    assert ko._kolam.parse_program(text).as_text("program") == text


def allowed(read, *arguments):
    """What a program is refused for is an error with words."""
    try:
        read(*arguments)
    except ko.KolamError as error:
        assert error.slug != "internal", error


def read_arrays(seed, number):
    from random_programs.generator import make_program

    program = make_program(seed, number)
    scope = {"ko": ko, "np": np}
    exec(program.source(program.outputs()), scope)
    function = ko.jit(scope["program"], dynamic=program.dynamic())
    allowed(lambda: read(function.lower(*[program.calls[0].arrays[v.name] for v in program.inputs])))


def read_lists(seed, number):
    from list_programs import KOLAM, arguments_for_kolam, draw_arguments, make_program

    program = make_program(seed, number)
    function = ko.jit(program.function(KOLAM))
    arguments = arguments_for_kolam(program, draw_arguments(program, seed, 0))
    allowed(lambda: read(function.lower(*arguments)))
    for kind in ("cells", "structure", "blocks", "domain"):
        allowed(lambda: function.picture(kind, *arguments))
        allowed(lambda: function.picture_as_dot(kind, *arguments))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["arrays", "lists"])
def test_random_programs(kind, seed):
    code = READER.format(tests=str(Path(__file__).parent))
    child = subprocess.run([sys.executable, "-c", code, kind, str(seed), "0", str(PROGRAMS)], capture_output=True, text=True)
    last = child.stdout.split()[-1:]
    assert child.returncode == 0, f"KOLAM_SEED={seed}, program {last} of {kind}: exit status {child.returncode}\n{child.stderr}"


def test_sorted_rows_of_a_reduced_cell():
    def program(a):
        s = ko.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] + 1), (ko.asarray(0), a))
        v = ko.min(ko.floor_divide(a, s[0]), -1, keepdims=True)
        v = ko.take_along_axis(v, ko.argsort(v, -1), -1)
        return ko.where(v > 1, v, s[0])

    read(ko.jit(program).lower(np.ones(16, np.uint16)))


def test_leaves_of_one_shape_that_bodies_know_parse_back():
    from kolam import fractal as ops

    xs = ops.FractalTensor([[1.0, 2.0], [3.0, 4.0]])
    text = ko.jit(lambda xs: ops.map(ops.stack, xs)).lower(xs).as_text("program")
    assert ko._kolam.parse_program(text).as_text("program") == text
