"""Arrays that the tests share: random numbers, ours and NumPy's."""

import os

import matplotlib
import numpy as np
import pytest

import kolam as ko

matplotlib.use("Agg")
os.environ.setdefault("KOLAM_CACHE", "off")
SEED = int(os.environ.get("KOLAM_SEED") or 0)


def pytest_report_header():
    return f"KOLAM_SEED={SEED}"


@pytest.fixture
def pair():
    """A matrix [60, 4] of float32, ours and NumPy's."""
    given = np.random.default_rng(SEED).normal(size=(60, 4)).astype(np.float32)
    return ko.asarray(given), given
