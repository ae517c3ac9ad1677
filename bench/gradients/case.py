"""What a row of the table compares: one function in several frameworks, and its derivative."""

import ctypes
import os
import pathlib
import subprocess
import tempfile
from dataclasses import dataclass, field
from typing import Any, Callable

import jax
import numpy as np

import kolam as ko

RNG = np.random.default_rng(0)


def drawn(*shape, scale=1.0, dtype=np.float32):
    return (RNG.standard_normal(shape) * scale).astype(dtype)


@dataclass
class Case:
    """`ours`, `jax` are pairs: the value, and the derivative that is measured; `torch(torch)` gives such a pair.

    `arrays` go to all peers; `given` to ours where it takes others, as lists. `in_order` makes ours comparable.
    `more` are other peers by name, functions of the arrays: calls of the value, or None, and of both.
    """

    arrays: list
    ours: tuple
    jax: tuple
    torch: Callable | None = None
    given: list | None = None
    in_order: Callable = lambda results: results
    more: dict[str, Any] = field(default_factory=dict)


def gradients_of(ours, theirs, arrays, numbers, torch=None, **others):
    """The case whose derivative is value_and_grad to the arguments `numbers`."""
    torch_pair = torch and (lambda module: torch_gradients(module, torch(module), numbers))
    return Case(
        list(arrays), (ours, ko.value_and_grad(ours, argnums=numbers)),
        (theirs, jax.value_and_grad(theirs, argnums=numbers)), torch_pair, **others,
    )  # fmt: skip


def torch_gradients(torch, value, numbers):
    """Value, and value with gradients; `value` takes tensors."""

    def both(*tensors):
        chosen = [tensors[number].detach().requires_grad_() for number in numbers]
        given = list(tensors)
        for number, tensor in zip(numbers, chosen, strict=True):
            given[number] = tensor
        result = value(*given)
        return result, torch.autograd.grad(result, chosen)

    return value, both


def library(source, *options):
    """The C++ file of this folder, compiled."""
    path = pathlib.Path(tempfile.mkdtemp()) / "library.so"
    march = "-march=" + os.environ.get("KOLAM_BENCH_CPU", "native")
    command = ["clang++-22", "-O3", march, "-shared", "-fPIC", "-o", path, pathlib.Path(__file__).parent / source, *options]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(path))


def place(array):
    return array.ctypes.data_as(ctypes.c_void_p)


ROWS = {}


def row(name, over_value=None, over_peer=None):
    """Keeps a function that makes the case of a row; the goals are upper and lower bounds."""

    def keep(make):
        ROWS[name] = (make, over_value, over_peer)
        return make

    return keep
