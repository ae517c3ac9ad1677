"""Lists of more elements than memory holds, or than int64 counts, are refused before they are made."""

import subprocess
import sys

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

X = FractalTensor([1, 2, 3])
BIG = 2**40

TOO_LARGE = {
    "dilate": lambda xs: ops.dilate(xs, BIG),
    "slide": lambda xs: ops.slide(xs, 3, padding=BIG),
    "repeat": lambda xs: ops.repeat(xs, np.int64(BIG)),
    "window": lambda xs: ops.window(0, xs, BIG + 1),
    "shifted_window": lambda xs: ops.shifted_window(0, xs, 2**63 - 1),
    "shifted_slide": lambda xs: ops.shifted_slide(xs, BIG + 1),
    "dilated_map": lambda xs: ops.dilated_map(lambda row: row, xs, BIG),
    "repeat of repeat": lambda xs: ops.repeat(ops.repeat(xs, np.int64(BIG)), np.int64(BIG)),
}
UNCOUNTED = {
    "shifted_slide": (lambda xs: ops.shifted_slide(xs, 2**62 + 1),
                      "shifted_slide: expected at most 1 elements for windows of 4611686018427387905, but got more"),
    "slide": (lambda xs: ops.slide(xs, 2**63 - 1),
              "slide: expected at most 1 elements for windows of 9223372036854775807, but got more"),
    "padding": (lambda xs: ops.slide(xs, 3, padding=2**61),
                "expected windows whose elements int64 counts, but got a padding of 2305843009213693952 and windows of 3"),
}  # fmt: skip
RUNS = {"at once": lambda f: f, "interpret": lambda f: ko.jit(f, backend="interpret"), "cpu": ko.jit}


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("name", TOO_LARGE)
def test_more_than_memory(name, run):
    with pytest.raises(ko.KolamError) as info:
        RUNS[run](TOO_LARGE[name])(X)
    error = info.value
    # Where bytes exceed 64 bits, no figure says how many.
    assert (error.slug, isinstance(error, MemoryError)) in (("out-of-memory", True), ("extent-overflow", False)), error
    assert error.where[0] == __file__


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("name", UNCOUNTED)
def test_more_than_int64_counts(name, run):
    call, words = UNCOUNTED[name]
    with pytest.raises(ko.KolamError) as info:
        RUNS[run](call)(X)
    assert info.value.slug == "extent-overflow" and isinstance(info.value, ValueError)
    assert words.removeprefix(f"{name}: ") in str(info.value)


def test_buffers_whose_bytes_exceed_64_bits():
    """2^62 + 1 elements of 4 bytes are not 4 bytes."""
    with pytest.raises(ko.KolamError) as info:
        ko.jit(lambda xs: ops.window(0, xs, 2**62 + 1))(X)
    assert info.value.slug == "extent-overflow"


SMALL_PROCESS = """
import resource
import kolam as ko
from kolam import fractal as ops
import numpy as np
xs = ops.FractalTensor.from_offsets(np.zeros(1 << 20, np.int8))
f = ko.jit(lambda xs: ops.map(lambda x: x, xs), backend="interpret")
f(xs[:10])
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (80 << 20),) * 2)
try:
    f(xs)
except ko.KolamError as error:
    assert isinstance(error, MemoryError) and error.slug == "out-of-memory", error
    print("refused")
"""


#: The lengths of its rows alone take half a GiB.
REFUSED_AT_ONCE = """
import resource
import kolam as ko
from kolam import fractal as ops
import numpy as np
xs = ops.FractalTensor([1, 2, 3, 4, 5])
f = ko.jit({program})
f(xs, np.int64(2))
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (2 << 30),) * 2)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    f(xs, np.int64(1 << 27))
except ko.KolamError as error:
    assert isinstance(error, MemoryError) and error.slug == "out-of-memory", error
    print("MiB", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before >> 10)
"""


@pytest.mark.parametrize("program", [
    "lambda xs, n: ops.repeat(xs, n)",
    "lambda xs, n: ops.product(xs, ops.repeat(xs[0], n))[0]",
    "lambda xs, n: ops.map(lambda row: ops.repeat(row, n), ops.dilate(xs, 2))",
    "lambda xs, n: ops.repeat(ops.dilate(xs, 2), n)",
])  # fmt: skip
def test_nothing_is_made_of_what_is_refused(program):
    done = subprocess.run([sys.executable, "-c", REFUSED_AT_ONCE.format(program=program)], capture_output=True, text=True, check=False)
    words = done.stdout.split()
    assert words[:1] == ["MiB"] and int(words[1]) < 64, (done.stdout, done.stderr)


def test_the_interpreters_own_memory():
    done = subprocess.run([sys.executable, "-c", SMALL_PROCESS], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "refused", done.stderr
