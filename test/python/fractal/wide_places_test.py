"""Places and sizes of lists are 64-bit integers; what lies outside of a list counts by its kind, too."""

import numpy as np
import pytest
from both import run

import kolam as ko
from kolam import fractal as ops
from kolam.fractal import FractalTensor

X = FractalTensor([1, 2, 3])
FAR = 2**33
READ = {
    "a window": (lambda xs: ops.window(FAR, xs, 3), [0, 0, 0]),
    "the last window": (lambda xs: ops.window(2**63 - 1, xs, 3), [0, 0, 0]),
    "the first window": (lambda xs: ops.window(-(2**63), xs, 3), [0, 0, 0]),
    "a circular window": (lambda xs: ops.shifted_window(FAR, xs, 3), [2, 3, 1]),
    "the last circular window": (lambda xs: ops.shifted_window(2**63 - 1, xs, 3), [1, 2, 3]),
    "the first circular window": (lambda xs: ops.shifted_window(-(2**63), xs, 3), [1, 2, 3]),
    "slices from afar": (lambda xs: xs[2**70 :], []),
    "slices from before": (lambda xs: xs[-(2**70) :], [1, 2, 3]),
    "slices to afar": (lambda xs: xs[: 2**70], [1, 2, 3]),
    "far steps": (lambda xs: xs[:: 2**70], [1]),
    "far steps back": (lambda xs: xs[2**70 : -(2**70) : -(2**70)], [3]),
    "places": (lambda xs: ops.gather(xs, (0, -1)), [1, 3]),
}


@pytest.mark.parametrize("name", READ)
def test_far_places(name):
    call, expected = READ[name]
    assert run(call, X) == expected


AT_RUN_TIME = {
    "a window": lambda xs, i: ops.window(i, xs, 3),
    "a dilated window": lambda xs, i: ops.window(i, xs, 3, dilation=2**40),
    "a circular window": lambda xs, i: ops.shifted_window(i, xs, 3),
    "windows of a map": lambda xs, i: ops.map(lambda x: ops.window(i - x, xs, 3, value=-1), xs),
}


@pytest.mark.parametrize("i", [-(2**63), 1 - 2**63, -(2**62), -1, 2, 2**31, 2**62, 2**63 - 2, 2**63 - 1])
@pytest.mark.parametrize("name", AT_RUN_TIME)
def test_places_of_the_run(name, i):
    """As places that are known."""
    call = AT_RUN_TIME[name]
    found = run(call, X, np.int64(i))
    if name != "windows of a map":  # where i - x wraps, as sums of integers do
        assert found == run(lambda xs: call(xs, i), X)


def test_far_sizes():
    nothing = np.zeros((FAR, 0), np.int8)
    assert FractalTensor.from_offsets(nothing, [0, FAR]).lengths == [FAR]


REFUSED = {
    "far windows": (lambda xs: ops.window(0, xs, 3, dilation=2**62), ValueError, "extent-overflow",
                    "expected windows whose places int64 counts, but got a dilation of 4611686018427387904 and windows of 3"),
    "far circular windows": (lambda xs: ops.shifted_window(0, xs, 3, dilation=2**62), ValueError, "extent-overflow", "places int64 counts"),
    "all far circular windows": (lambda xs: ops.shifted_slide(xs, 3, dilation=2**62), ValueError, "extent-overflow", "places int64 counts"),
    "an index": (lambda xs: xs[FAR], IndexError, "list-index", f"but got {FAR}"),
    "gathered": (lambda xs: xs[[FAR, 1]], IndexError, "list-index", f"but got {FAR}"),
    "gathered from afar": (lambda xs: xs[[2**70, 1]], IndexError, "list-index", f"but got {2**63 - 1}"),
    "offsets": (lambda xs: FractalTensor.from_offsets(np.zeros(3), [0, FAR]), ValueError, "list-offsets", f"but got {FAR}"),
    "an unsigned place": (lambda xs: ops.window(2**63, xs, 3), ValueError, "scalar-does-not-fit", "in the range of int64"),
    "so many copies": (lambda xs: ops.repeat(xs, 2**50), MemoryError, "out-of-memory", "needs"),
    "a float around integers": (lambda xs: ops.slide(xs, 3, padding=1, value=2.9), TypeError, "list-type",
                                "slide: [list-type] argument 'value': expected int32[], as the leaves are, but got the number 2.9"),
    "a whole float": (lambda xs: ops.window(0, xs, 3, value=2.0), TypeError, "list-type", "as the leaves are, but got the number 2"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refusal(name):
    call, cls, slug, words = REFUSED[name]
    for call in (call, ko.jit(call), ko.jit(call, backend="interpret")):
        with pytest.raises(ko.KolamError) as info:
            call(X)
        error = info.value
        assert isinstance(error, cls) and error.slug == slug and words in str(error), error
        assert error.where[0] == __file__


def test_values_of_the_kind_of_the_leaves():
    assert run(lambda xs: ops.window(0, xs, 3, value=5), X) == [5, 1, 2]
    assert run(lambda xs: ops.window(0, xs, 3, value=5), FractalTensor([1.5])) == [5, 1.5, 5]
