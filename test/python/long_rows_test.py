"""One long row: every nest of its softmax is shared by threads, with the same bits."""

import os
import re
import subprocess
import sys

import numpy as np
import pytest

import kolam as ko

LONG = 1_000_003  # no multiple of anything
HASHED = """
import hashlib, numpy as np, kolam as ko
x = np.random.default_rng(1).uniform(-9, 9, {size}).astype(np.float32)
print(hashlib.sha256(np.asarray(ko.jit(lambda x: ko.softmax(x), backend={backend!r})(x)).tobytes()).hexdigest())
"""


def loops(size):
    """The loops of each nest, by its schedule."""
    text = ko.jit(lambda x: ko.softmax(x)).lower(ko.ShapeDtypeStruct((size,), ko.float32)).explain()
    return [re.findall(r"^ *for .*", part, re.M) for part in re.split(r"^nest\d+\n", text, flags=re.M)[1:]]


def test_threads_share_every_nest():
    """Two reductions to a number for each part of the row, and what is done with them."""
    found = loops(LONG)
    assert len(found) == 4
    assert all(each and each[0].endswith("parallel") for each in found)
    explained = ko.jit(lambda x: ko.softmax(x)).lower(ko.ShapeDtypeStruct((LONG,), ko.float32)).explain()
    assert "not fused: threads share its parts" in explained


@pytest.mark.parametrize("backend, threads", [("cpu", "1"), ("cpu", "2"), ("cpu", "5"), ("interpret", "2")])
def test_the_bits_are_those_of_one_thread(backend, threads):
    def hashed(backend, threads):
        environment = {**os.environ, "KOLAM_NUM_THREADS": threads, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [sys.executable, "-c", HASHED.format(size=LONG, backend=backend)]
        return subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout

    assert hashed(backend, threads) == hashed("cpu", "1")


def test_numpy_agrees():
    x = np.random.default_rng(1).uniform(-9, 9, LONG).astype(np.float32)
    wide = np.exp(x.astype(np.float64) - x.max())
    np.testing.assert_allclose(np.asarray(ko.jit(lambda x: ko.softmax(x))(x)), wide / wide.sum(), rtol=2e-6)
