"""The common calls of NumPy: on our arrays they give what they give on NumPy's, or differ as the list says."""

from pathlib import Path

import numpy as np
import pytest

import kolam as ko

LINES = [line for line in (Path(__file__).parent / "names/numpy_calls.txt").read_text().splitlines() if line[:1] != "#"]


def arguments(seed):
    generator = np.random.default_rng(seed)
    x, y = generator.normal(size=(2, 3, 4)).astype(np.float32)
    return {"x": x, "y": y, "v": x[0].copy(), "i": generator.integers(0, 5, 6).astype(np.int32)}


def test_there_are_enough():
    assert len(set(LINES)) == len(LINES) >= 118


@pytest.mark.parametrize("line", LINES)
def test_call(line, seed):
    call, _, difference = line.partition(" # ")
    given = arguments(seed)
    ours = eval(call, {"np": np} | {name: ko.asarray(value) for name, value in given.items()})
    expected = np.asarray(eval(call, {"np": np} | given))
    if difference and isinstance(ours, ko.Array):
        assert ours.dtype.name == difference.partition(":")[0] != expected.dtype, "the line needs no words"
    else:
        assert np.asarray(ours).dtype == expected.dtype
    assert np.shape(ours) == expected.shape
    # Sums in another order, and functions within an ulp or two.
    np.testing.assert_allclose(np.asarray(ours), expected, rtol=2e-5, atol=2e-6)
