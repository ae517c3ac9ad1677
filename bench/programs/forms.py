"""A form in which many programs are written: one text for every library with NumPy's names."""

import numpy as np
from case import Case, loops


def same_text(ko, name, inputs, program, nest, **more):
    """A case whose program(library, *inputs) reads the same for Kolam, NumPy, JAX and PyTorch; numba runs `nest`."""
    parts = {
        "ours": lambda *x: program(ko, *x), "reference": lambda *x: program(np, *x), "numba": loops(nest),
        "torch": lambda torch, *x: program(torch, *x), "jax": lambda jax, *x: program(jax.numpy, *x),
    }  # fmt: skip
    return Case(name, inputs, **{**parts, **more})
