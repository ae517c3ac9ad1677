"""Random programs and their derivatives: value_and_grad, jvp and vmap of grad, with and without memory_limit.

Native code and interpreter give the same bits; gradient and tangent agree by <w, J v> = <J^T w, v>, where numbers are tame. A
program that has no derivative says so. KOLAM_SEED=... gives the same programs again, KOLAM_PROGRAMS=... another number of them.
"""

import os

import numpy as np
import pytest
from random_programs.generator import Generator
from random_programs.operations import table
from random_programs.running import Raised, same_bits
from random_programs.values import FLOATS

import kolam as ko

PROGRAMS = int(os.environ.get("KOLAM_PROGRAMS", 200))
PARTS = 8
ENTRIES = table(ko._kolam._elementwise_rows)
REFUSALS = {"not-differentiable"}
LARGEST = 1e3  # beyond it nothing is said of sums that cancel
UNITS = {"float64": 2e-9, "float32": 2e-2, "float16": None, "bfloat16": None}  # of the dtype: what a few ops lose; None: too much


def is_float(value):
    return value.dtype in FLOATS


class Derivatives:
    """A program's float inputs and outputs as vectors of arrays."""

    def __init__(self, program):
        self.program = program
        self.outputs = [v for v in program.outputs() if is_float(v)]
        self.inputs = [v for v in program.inputs if is_float(v)]
        self.has_any = bool(self.inputs and self.outputs)
        if not self.has_any:
            return
        scope = {"ko": ko, "np": np}
        exec(program.source(self.outputs), scope)
        self.function = scope["program"]
        arrays = program.calls[0].arrays
        self.floats = [arrays[v.name] for v in self.inputs]
        self.constants = {name: ko.asarray(array) for name, array in arrays.items()}

    def of_floats(self, *floats):
        given = self.constants | dict(zip([v.name for v in self.inputs], floats, strict=True))
        return self.function(*[given[v.name] for v in self.program.inputs])

    def total(self, weights):
        def scalar(*floats):
            parts = [ko.sum(ko.astype(y, ko.float64) * ko.asarray(w)) for y, w in zip(self.of_floats(*floats), weights, strict=True)]
            return sum(parts, ko.zeros((), dtype=ko.float64))

        return scalar


def outcome(call):
    try:
        return [np.asarray(leaf) for leaf in call()]
    except ko.KolamError as error:
        if error.slug == "internal":
            raise
        return Raised(error.slug, str(error).split("\n")[0])


def both(function, args):
    """The results of a function on both backends, which agree."""
    native, oracle = (outcome(lambda b=b: ko.jit(function, backend=b)(*args)) for b in ("cpu", "interpret"))
    if isinstance(native, Raised) or isinstance(oracle, Raised):
        assert getattr(native, "slug", None) == getattr(oracle, "slug", None), f"{native}\n{oracle}"
        return native
    for number, (own, other) in enumerate(zip(native, oracle, strict=True)):
        assert same_bits(own, other), f"result {number}: native code gives\n{own!r}\nand the interpreter\n{other!r}"
    return oracle


def tame(arrays):
    wide = [np.asarray(a, np.float64) for a in arrays]
    return all(np.isfinite(a).all() and (np.abs(a) <= LARGEST).all() for a in wide)


def check_limits(total, gradient, floats, expected):
    """Half of the memory, or what there is less a byte: the same bits, or a refusal that says so."""
    arena = ko.jit(gradient).lower(*floats).cost()["arena_bytes"]
    for limit in {int(arena) - 1, int(arena) // 2} - {0, -1}:
        limited = ko.grad(total, argnums=tuple(range(len(floats))), memory_limit=limit)
        found = outcome(lambda: ko.jit(limited)(*floats))  # noqa: B023
        if isinstance(found, Raised):
            assert found.slug == "memory-limit", found
            continue
        for number, (own, other) in enumerate(zip(found, expected, strict=True)):
            assert same_bits(own, other), f"memory_limit={limit}, argument {number}:\n{own!r}\n{other!r}"


def check(program, rng):
    """Whether a program's derivatives were compared."""
    own = Derivatives(program)
    if not own.has_any:
        return None
    plain = both(lambda *floats: own.of_floats(*floats), own.floats)
    if isinstance(plain, Raised):
        return None
    weights = [rng.standard_normal(y.shape) for y in plain]
    directions = [np.asarray(rng.standard_normal(a.shape)).astype(a.dtype) for a in own.floats]
    count = len(own.floats)
    gradient = ko.grad(own.total(weights), argnums=tuple(range(count)))
    pulled = both(lambda *floats: gradient(*floats), own.floats)
    pushed = both(lambda *given: ko.jvp(own.of_floats, given[:count], given[count:])[1], [*own.floats, *directions])
    if isinstance(pulled, Raised) or isinstance(pushed, Raised):
        for found in (pulled, pushed):
            assert not isinstance(found, Raised) or found.slug in REFUSALS, found
        return False
    check_limits(own.total(weights), gradient, own.floats, pulled)
    assert [g.dtype for g in pulled] == [a.dtype for a in own.floats] and [g.shape for g in pulled] == [a.shape for a in own.floats]
    stacked = [np.stack([a, a + np.asarray(1, a.dtype)]) for a in own.floats]
    mapped = outcome(lambda: ko.jit(ko.vmap(gradient), backend="interpret")(*stacked))
    if not isinstance(mapped, Raised):
        for number, (each, single) in enumerate(zip(mapped, pulled, strict=True)):
            first = each[:1].reshape(single.shape)
            assert same_bits(first, single), f"vmap of grad, argument {number}:\n{first!r}\n{single!r}"
    units = [UNITS[v.dtype] for v in program.inputs + [v for v, _ in program.steps] if is_float(v)]
    if None in units or not tame(pulled) or not tame(pushed) or not tame(plain):
        return True

    def dot(left, right):
        return sum(float(np.sum(np.float64(a) * np.float64(b))) for a, b in zip(left, right, strict=True))

    def sizes(left, right):
        return sum(float(np.sum(np.abs(np.float64(a) * np.float64(b)))) for a, b in zip(left, right, strict=True))

    forward, backward = dot(weights, pushed), dot(pulled, directions)
    scale = 1 + sizes(weights, pushed) + sizes(pulled, directions)
    assert abs(forward - backward) <= max(units) * scale, f"<w, J v> = {forward}, <J^T w, v> = {backward}"
    return True


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_derivatives_of_random_programs(part, seed):
    compared = 0
    for number in range(part, PROGRAMS, PARTS):
        rng = np.random.default_rng([seed, 22, number])
        program = Generator(rng, ENTRIES, dynamic=False).program(int(rng.integers(1, 6)))
        try:
            compared += bool(check(program, rng))
        except (AssertionError, ko.KolamError) as error:
            raise AssertionError(f"KOLAM_SEED={seed}, program {number}: {error}\n{program.source(program.outputs())}") from error
    if PROGRAMS >= 10 * PARTS:
        assert compared >= PROGRAMS // PARTS // 5, f"only {compared} programs have derivatives"
