"""A program of the suite: array code for Kolam and JAX, array code for NumPy and PyTorch, loops for the other peers.

Kolam and JAX never change an array, and loop by functions; NumPy and PyTorch change arrays, and loop in Python. So a
program is written twice, as a user of either kind would, and once more as loops over elements in `loops/`.
"""

from pathlib import Path

import numpy as np
import sources
from case import Case

LOOPS = Path(__file__).parent / "loops"
OPTIONS = {"max_autotune": True, "freezing": True}


class JaxNames:
    """jax.numpy, jax.lax, jax.nn and jax itself under one name, as Kolam has its functions."""

    def __init__(self, jax):
        self.modules = (jax.numpy, jax.lax, jax.nn, jax)

    def __getattr__(self, name):
        for module in self.modules:
            if hasattr(module, name):
                return getattr(module, name)
        raise AttributeError(name)


def copied(lib, x):
    """For NumPy and PyTorch: what may be changed."""
    y = lib.empty_like(x)
    y[...] = x
    return y


def repeated(step, steps, finish):
    """(library, *state) to finish(library, *the state after the steps); a step may change its arrays."""

    def run(lib, *state):
        state = [copied(lib, x) for x in state]
        for _ in range(steps):
            state = step(lib, *state)
        return finish(lib, *state)

    return run


def first(lib, state, *others):
    return state


def compiled_steps(step, steps, finish):
    """torch.compile of a step, called in a loop of Python: a loop inside would be unrolled."""

    def make(torch, *state):
        torch.compiler.reset()
        one = torch.compile(lambda *state: step(torch, *state), options=OPTIONS)
        last = torch.compile(lambda *state: finish(torch, *state), options=OPTIONS)

        def call():
            with torch.no_grad():
                now = [copied(torch, x) for x in state]
                for _ in range(steps):
                    now = one(*now)
                return last(*now) if finish is not first else now[0]

        return call

    return make


def by_loops(name, numbers):
    """The loops in Python as reference: for what NumPy has no array functions for."""
    return lambda *arrays: sources.python_run((LOOPS / name).with_suffix(".py"))(*arrays, *numbers)


def program(ko, name, inputs, arrays, in_place=None, step=None, steps=1, finish=first, loops=None, numbers=(), **given):
    """arrays(library, *inputs) is for Kolam and JAX; in_place, or `steps` times `step`, for NumPy and PyTorch.

    Without those the reference are the loops, and PyTorch is no peer. A library is one module with all functions.
    """
    made = {}
    if step:
        in_place = repeated(step, steps, finish)
        if steps > 1:
            made.update(compiled=False, more={"torch.compile": ("torch-made", compiled_steps(step, steps, finish))})
    if in_place:
        made.update(torch=in_place, reference=lambda *inputs: in_place(np, *inputs))
    else:
        made["reference"] = by_loops(loops, numbers)
    if loops:
        made.update(source=LOOPS / loops, numbers=numbers)
    return Case(name, inputs, **{
        "ours": lambda *inputs: arrays(ko, *inputs), "jax": lambda jax, *inputs: arrays(JaxNames(jax), *inputs), **made, **given,
    })  # fmt: skip
