"""Maps whose instances run one at a time in each thread: the same bits and the same errors on any number of threads."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

SHARED = "turns shared by threads"
LENGTHS = (5, 0, 17, 1, 40, 8, 23, 3, 31, 12)
RANDOM = np.random.default_rng(3)


def rows(*leaf):
    """A list of lists of these lengths."""
    ends = np.cumsum((0, *LENGTHS))
    return FractalTensor.from_offsets(RANDOM.standard_normal((ends[-1], *leaf), np.float32), ends)


def attend(xs):
    """Attention of each sequence to itself."""
    return ops.map(lambda x: ops.unbind(ko.attention(*[ops.stack(x)] * 3)), xs)


def ends_and_sorted(xs):
    """Results of three kinds: tensors, lists, and lists of lists of lengths of their own."""

    def each(x):
        x = ops.stack(x)
        halves = ops.map(lambda y: ops.unbind(ko.cumulative_sum(x) * y), ops.unbind(x))
        return ko.cumulative_sum(x)[:1].sum(), ops.unbind(ko.sort(x)), halves

    return ops.map(each, xs)


def maps_in_maps(xs, factors):
    """Each row with each of the others, row by row."""
    return ops.map(lambda x: ops.map(lambda f: ops.unbind(ko.cumulative_sum(ops.stack(x)) * f), factors), xs)


def loops_inside(xs):
    """Each row twice through a loop whose state has the row's extents."""
    turn = lambda i, y: ko.cumulative_sum(y) * 0.5
    return ops.map(lambda x: ops.unbind(ko.fori_loop(0, 3, turn, ops.stack(x))), xs)


PROGRAMS = {
    "attention": (attend, (rows(2, 4),)),
    "results of several kinds": (ends_and_sorted, (rows(),)),
    "maps in maps": (maps_in_maps, (rows(), FractalTensor([0.5, 2.0, -1.0, 3.0]))),
    "loops inside": (loops_inside, (rows(),)),
}


def bits(value):
    """Of every leaf, as nested lists."""
    if isinstance(value, tuple | FractalTensor):
        return [bits(part) for part in value]
    return np.asarray(value).tobytes().hex()


def results():
    return {name: bits(ko.jit(call)(*arguments)) for name, (call, arguments) in PROGRAMS.items()}


def loops_of(call, arguments):
    """The outermost loops, as `explain` prints them."""
    return [line for line in ko.jit(call).explain(*arguments).splitlines() if line.startswith("for [")]


@pytest.fixture(scope="module")
def on_threads():
    """What the programs give, by the number of threads."""

    def run(threads):
        environment = {**os.environ, "KOLAM_NUM_THREADS": str(threads)}
        code = "import json, shared_maps_test; print(json.dumps(shared_maps_test.results()))"
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, env=environment, cwd=os.path.dirname(__file__), capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return {threads: run(threads) for threads in (1, 2, 3)}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_bits_are_those_of_one_thread(on_threads, name):
    call, arguments = PROGRAMS[name]
    loops = loops_of(call, arguments)
    assert loops and all(SHARED in loop for loop in loops)
    meant = bits(ko.jit(call, backend="interpret")(*arguments))
    assert all(on_threads[threads][name] == meant for threads in on_threads)


def test_rows_are_read_where_they_lie():
    """Elements of a slice, each with a list of its own: nothing puts the elements together before the loop."""
    each = lambda pair: ko.attention(pair[0], ops.stack(pair[1]), ops.stack(pair[1]))
    blocks = FractalTensor(list(RANDOM.standard_normal((len(LENGTHS), 6, 4), np.float32)))
    call = lambda blocks, xs: ops.map(each, ops.zip(blocks[1:-1], xs[1:-1]))
    xs = rows(4)
    before = ko.jit(call).lower(blocks, xs).as_text("nests").split("attention(")
    assert len(before) == 2 and "gather(b0" not in before[0] and before[1].startswith("b0")
    assert bits(ko.jit(call)(blocks, xs)) == bits(ko.jit(call, backend="interpret")(blocks, xs))


def test_the_error_is_that_of_the_first_instance():
    """Of many rows that fail on several threads at once."""
    lists = FractalTensor([list(range(n)) for n in (9, 8, 7, *[2] * 40)])
    call = lambda xs: ops.map(lambda x: ops.unbind(ko.cumulative_sum(ops.stack(x)) * x[4]), xs)
    assert any(SHARED in loop for loop in loops_of(call, (lists,)))
    for _ in range(10):
        with pytest.raises(ko.KolamError, match=r"a list of length 2, but got 4 \(at \[3\]\)"):
            ko.jit(call)(lists)
