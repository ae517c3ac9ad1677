"""Products of bf16: terms by pairs, the second first, with denormals flushed, in code that flushes only where it must.

Native code and the interpreter agree bit by bit, on processors with and without fused steps, whether or not a sum may be denormal.
"""

import os
import subprocess
import sys
from pathlib import Path

import kolam as ko
import ml_dtypes
import numpy as np
import pytest

SEED = int(os.environ.get("KOLAM_SEED", "1"))


@pytest.mark.parametrize("target", ["", "haswell", "x86-64"])
def test_products(target):
    paths = [str(Path(__file__).parent), *sys.path]
    environment = {**os.environ, "KOLAM_TARGET": target, "KOLAM_CACHE": "off", "PYTHONPATH": os.pathsep.join(paths)}
    command = [sys.executable, "-m", "bfloat16.products", str(SEED)]
    child = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    assert not child.stdout, f"KOLAM_SEED={SEED}:\n{child.stdout}"


def integers(rng, *shape):
    return rng.integers(-2, 3, shape).astype(np.float32)


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, np.float16])
@pytest.mark.parametrize("threads", [1, 2, 3])
@pytest.mark.parametrize("shape", [(110, 60, 21001), (500, 700, 33), (97, 1000, 64)])
def test_rows_that_stay_packed(shape, threads, dtype):
    """Of small integers every order gives the same sums. In the first shape not all rows fit into what stays."""
    rows, columns, summed = shape
    rng = np.random.default_rng(SEED)
    x, y = integers(rng, rows, summed), integers(rng, summed, columns)
    ko.set_num_threads(threads)
    for dynamic in ({}, {"x": {0: "m"}}, {"x": {0: "m"}, "y": {1: "n"}}):
        product = ko.jit(lambda x, y: ko.matmul(x, y, dtype=ko.float32), dynamic=dynamic)
        assert np.array_equal(np.asarray(product(x.astype(dtype), y.astype(dtype))), x @ y)


@pytest.mark.parametrize("threads", [1, 3])
def test_computed_rows_stay_packed_for_their_batch(threads):
    rng = np.random.default_rng(SEED)
    x, y = integers(rng, 3, 150, 40), integers(rng, 3, 40, 300)
    ko.set_num_threads(threads)
    found = ko.jit(lambda x, y: ko.matmul(x * 2 + 1, ko.negative(y)))(x, y)
    assert np.array_equal(np.asarray(found), (x * 2 + 1) @ -y)
