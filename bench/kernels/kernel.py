"""A case of the suite of block kernels: one text of a kernel, for Kolam and for JAX's Pallas, and what it is set beside."""

import contextlib
import importlib
from dataclasses import dataclass, field
from typing import Callable, Optional

from case import Case

_SIZES = {"chosen": "full"}


def size(full, small, middle=None):
    """One of the three: as measured, to see whether all is right, and beside interpreters (the small one unless given)."""
    return {"full": full, "small": small, "middle": small if middle is None else middle}[_SIZES["chosen"]]


@contextlib.contextmanager
def sizes(chosen):
    """Cases that are made in here have the sizes "full", "middle" or "small"."""
    before, _SIZES["chosen"] = _SIZES["chosen"], chosen
    yield
    _SIZES["chosen"] = before


@dataclass
class Kernel(Case):
    """`ours` is made from `kernel(lib, pl, **options)`, which gives a function of the inputs; options are pallas_call's.
    Kernels that come with Kolam have none.

    `beside` says for each peer which share of its time over ours is to be reached. `unmatched` are calls that do as much work
    and give something else: name to (framework, function, inputs).
    """

    kernel: Optional[Callable] = None
    beside: dict = field(default_factory=dict)
    unmatched: dict = field(default_factory=dict)
    pallas: bool = True  # whether JAX's interpreter runs the text
    checked: bool = True  # whether the text is measured with checks
    scales: bool = False  # whether arithmetic limits it, so that two threads are to be faster
    expected: object = None  # what the reference gives, once it was asked for


class KolamNames:
    """Kolam's functions, and a few under one name for both libraries."""

    def __init__(self, ko):
        self.ko, self.pallas = ko, importlib.import_module("kolam.pallas")

    def __getattr__(self, name):
        return getattr(self.ko, name)

    def product(self, x, y, seen=None):
        """x y of matrices; sums in f32, of the terms that a column of y sees, where not of all."""
        return self.ko.matmul(x, y, dtype=self.ko.float32, where=None if seen is None else seen.T)

    def scratch(self, shape, dtype):
        return self.ko.ShapeDtypeStruct(shape, dtype)

    def prefetched(self, **parts):
        return self.pallas.PrefetchScalarGridSpec(**parts)

    def padded(self, shape, index_map):
        """A BlockSpec whose elements outside of the array are zeros."""
        return self.pallas.BlockSpec(shape, index_map, pad=0)


class JaxNames:
    """jax.numpy, jax.lax, jax.nn and jax under one name, as Kolam has its functions."""

    def __init__(self, jax):
        self.modules = (jax.numpy, jax.lax, jax.nn, jax)
        self.pallas = importlib.import_module("jax.experimental.pallas")

    def __getattr__(self, name):
        for module in self.modules:
            if hasattr(module, name):
                return getattr(module, name)
        raise AttributeError(name)

    def product(self, x, y, seen=None):
        """Terms that are not seen have a factor of zero."""
        return self.matmul(x, y, preferred_element_type=self.float32)

    def scratch(self, shape, dtype):
        return self.pallas.MemorySpace.ANY(shape, dtype)

    def prefetched(self, **parts):
        return importlib.import_module("jax.experimental.pallas.tpu").PrefetchScalarGridSpec(**parts)

    def padded(self, shape, index_map):
        """Where all elements are inside."""
        return self.pallas.BlockSpec(shape, index_map)


def kernel_case(ko, name, inputs, kernel, reference, peers=None, **given):
    """`peers`: name to (framework, function, share to reach or None); frameworks are those of bench/peers."""
    lib, peers = KolamNames(ko), peers or {}
    return Kernel(
        name, inputs, ours=kernel(lib, lib.pallas), reference=reference, kernel=kernel,
        more={peer: (framework, function) for peer, (framework, function, _) in peers.items()},
        beside={**{peer: share for peer, (_, _, share) in peers.items() if share}, **given.pop("beside", {})},
        **given,
    )  # fmt: skip
