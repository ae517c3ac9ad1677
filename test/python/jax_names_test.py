"""300 calls of jax.numpy's names, beside NumPy with its 64 bits read as 32; test/ecosystem has them beside JAX."""

import numpy as np
import pytest
from names import evaluate

import kolam as ko


def test_there_are_enough():
    assert len(set(evaluate.LINES)) == len(evaluate.LINES) >= 300


@pytest.mark.parametrize("line", evaluate.LINES)
@pytest.mark.filterwarnings("ignore")
def test_name(line, seed):
    _, theirs, _ = evaluate.parts(line)
    if not hasattr(np, theirs.partition("(")[0].partition("[")[0]) or "inplace" in theirs:
        pytest.skip("a name that NumPy lacks: test/ecosystem has it beside JAX")
    assert not evaluate.missing(line)
    evaluate.check(line, np, evaluate.arguments(seed), np.asarray, narrow=True)


def test_beside_themselves(seed):
    given = evaluate.arguments(seed)
    assert evaluate.evaluate("concat([x, y], 0)", ko, given, ko.asarray).shape == (6, 4)
