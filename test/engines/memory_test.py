"""Stores that hold a quarter of the data, and results that go to files."""

import numpy as np
import pytest

import kolam as ko

STORE_BYTES = {"ray": 96 << 20, "dask": 1 << 30}
ROWS, COLUMNS = 16 * 1024, 6 * 1024  # 384 MiB


def f(x):
    return ko.tanh(x) * 2.0 + x


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["ray", "dask"])
def test_a_store_of_a_quarter_of_the_data(engine, tmp_path):
    x = np.random.default_rng(1).standard_normal((ROWS, COLUMNS), np.float32)
    expected = np.asarray(ko.jit(f)(x))
    np.save(tmp_path / "x.npy", x)
    source = ko.source(tmp_path / "x.npy")
    plan = ko.plan(f, source, workers=16, steps=0)
    out = {0: tmp_path / "y.npy"}
    plan.run(source, engine=engine, processes=2, store_bytes=STORE_BYTES[engine], out=out)
    assert np.load(tmp_path / "y.npy", mmap_mode="r").tobytes() == expected.tobytes()
    result = plan.run(x, engine=engine, processes=2, store_bytes=STORE_BYTES[engine])
    assert np.asarray(result).tobytes() == expected.tobytes()
