"""300 calls of jax.numpy's names, x64 off, give what JAX gives, or differ as the list says."""

import os
import sys
from pathlib import Path

import jax.numpy as jnp
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "python"))
from names import evaluate  # noqa: E402


SEED = int(os.environ.get("KOLAM_SEED") or 0)


@pytest.mark.parametrize("line", evaluate.LINES)
def test_like_jax(line):
    assert not evaluate.missing(line)
    evaluate.check(line, jnp, evaluate.arguments(SEED), jnp.asarray)
