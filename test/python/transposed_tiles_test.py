"""Transposes of parts, of reshapes and of several reads: squares turned in registers, with the interpreter's bits."""

import kolam as ko
import numpy as np
import pytest

PROGRAMS = {
    "whole": lambda x: x.T + 1,
    "later rows": lambda x: x[3:].T + 1,
    "later columns": lambda x: x[:, 5:].T + 1,
    "earlier columns": lambda x: x[:, :-5].T * 2,
    "a middle": lambda x: x[2:-3, 1:-2].T + 1,
    "steps": lambda x: x[::2, ::3].T + 1,
    "backwards": lambda x: x[::-1, ::-1].T + 1,
    "neighbours": lambda x: (x[:, 1:] + x[:, :-1]).T,
    "neighbours of both kinds": lambda x: x[1:, 1:].T - x[:-1, :-1].T * x[1:, :-1].T,
    "beside what is not turned": lambda x: x[: min(x.shape), : min(x.shape)].T + x[: min(x.shape), : min(x.shape)],
    "rows split": lambda x: ko.permute_dims(ko.reshape(x, (-1, 2, x.shape[1])), (2, 0, 1)),
    "rows split and exchanged": lambda x: ko.permute_dims(ko.reshape(x, (-1, 2, x.shape[1])), (2, 1, 0)) + 1,
    "columns split": lambda x: ko.permute_dims(ko.reshape(x, (x.shape[0], -1, 9)), (1, 2, 0)),
    "columns split and exchanged": lambda x: ko.permute_dims(ko.reshape(x, (x.shape[0], -1, 9)), (2, 1, 0)),
    "padded": lambda x: ko.pad(x, ((1, 2), (3, 4))).T,
    "joined": lambda x: ko.concat([x, x * 2], axis=0).T,
    "wrapped": lambda x: ko.roll(x, (3, 5), axis=(0, 1)).T + 1,
    "running": lambda x: ko.cumulative_sum(x[1:, 2:], axis=1),
}


@pytest.mark.parametrize("shape", [(8, 9), (16, 18), (22, 27), (64, 63), (100, 9), (2, 90)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_bits(name, shape):
    for dtype in (np.float32, np.float64, np.int8):
        x = (np.random.default_rng(len(name)).standard_normal(shape) * 40).astype(dtype)
        if dtype != np.int8:
            x.flat[::7], x.flat[3::11], x.flat[5::13] = np.nan, -0.0, np.inf
        found, meant = (np.asarray(ko.jit(PROGRAMS[name], backend=backend)(x)) for backend in ("cpu", "interpret"))
        assert found.shape == meant.shape and found.dtype == meant.dtype
        np.testing.assert_array_equal(found, meant)
        assert dtype == np.int8 or np.array_equal(np.signbit(found[found == 0]), np.signbit(meant[meant == 0]))


@pytest.mark.parametrize("name", ["later rows", "later columns", "a middle", "rows split", "rows split and exchanged", "columns split"])
def test_goes_by_tiles(name):
    text = ko.jit(PROGRAMS[name]).lower(np.zeros((200, 90), np.float32)).as_text("nests")
    assert "by tiles" in text
