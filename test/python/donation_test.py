"""Donated arrays: used up by a run, given back by one that raises."""

import copy
import os
import pickle
import signal
import threading

import numpy as np
import pytest

import kolam as ko

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def used_up():
    x = ko.asarray(X)
    ko.jit(lambda x: x + 1, donate_argnames="x")(x)
    return x


USES = {
    "shape": lambda x: x.shape, "dtype": lambda x: x.dtype, "ndim": lambda x: x.ndim, "size": lambda x: x.size,
    "nbytes": lambda x: x.nbytes, "tolist": lambda x: x.tolist(), "item": lambda x: x.item(), "len": len, "iter": list,
    "repr": repr, "str": str, "format": lambda x: f"{x:.2f}", "bool": bool, "int": int, "float": float, "T": lambda x: x.T,
    "index": lambda x: x[0], "numpy": np.asarray, "dlpack": lambda x: x.__dlpack__(), "pickle": pickle.dumps,
    "wait": lambda x: x.block_until_ready(), "operator": lambda x: 1 - x, "method": lambda x: x.sum(), "range": lambda x: range(x),
}  # fmt: skip


@pytest.mark.parametrize("use", USES)
def test_a_used_up_array_says_so(use):
    with pytest.raises(ko.KolamError, match=r"\[donated\] expected an array, but got one that an earlier call used up"):
        USES[use](used_up())
    assert copy.copy(used_up()) is not None


def test_errors_before_the_run_give_the_arrays_back():
    function = ko.jit(lambda x, y: x + y, donate_argnames="x", dynamic={"x": {0: "n"}, "y": {0: "n"}})
    x = ko.asarray(X) * 1
    with pytest.raises(ko.KolamError, match="argument-mismatch"):
        function(x, np.zeros((4, 3), np.float32))
    np.testing.assert_array_equal(x, X)
    np.testing.assert_array_equal(function(x, X), X + X)


@pytest.mark.parametrize("backend", ["cpu", "interpret"])
def test_checks_that_fail_give_the_arrays_back(backend):
    function = ko.jit(lambda x: ko.log(x - 10), donate_argnames="x", checks=True, backend=backend)
    x = ko.asarray(X) * 1
    with pytest.raises(ko.KolamError, match="nan-created"):
        function(x)
    np.testing.assert_array_equal(x, X)


def test_ctrl_c_gives_back_what_no_result_could_take_over():
    endless = ko.jit(lambda x: ko.while_loop(lambda s: s >= 0, lambda s: s * 1, x.sum()), donate_argnames="x")
    x = ko.asarray(X) * 1
    endless.lower(x).compile()
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        endless(x)
    np.testing.assert_array_equal(x, X)


def test_one_array_twice():
    x = ko.asarray(X) * 1
    np.testing.assert_array_equal(ko.jit(lambda x, y: x + y, donate_argnames=["x", "y"])(x, x), X * 2)


def test_a_result_in_donated_memory_can_be_donated_again():
    step = ko.jit(lambda x: x + 1, donate_argnames="x")
    x = ko.asarray(X) * 1
    address = np.asarray(x).ctypes.data
    for _ in range(3):
        x = step(x)
    assert np.asarray(x).ctypes.data == address
    np.testing.assert_array_equal(x, X + 3)
