"""Random kernels and their derivatives: value_and_grad, jvp, vmap of both, with and without memory_limit, on one thread and on two.

A kernel that has none, as atomic_max has none, says so. KOLAM_SEED=... gives the same kernels again, KOLAM_KERNEL_DERIVATIVES=...
another number of them.
"""

import numpy as np
import pytest
from derivatives import twins
from random_counts import count
from random_kernels import calls, whole

import kolam as ko

KERNELS = count(200, "KOLAM_KERNEL_DERIVATIVES")
BATCHES = 10
FLOATS = ["float32", "float64"]
#: Which kernels, by kind, and how many of a hundred.
KINDS = {
    "statements": (lambda rng: calls.make_call(rng, FLOATS)[:2], 50),
    "blocks": (whole.make_blocks_call, 30),
    "products": (whole.make_products_call, 20),
}


def places_of_floats(arrays):
    return [number for number, array in enumerate(arrays) if array.dtype.name in twins.UNITS]


def draw(make, rng):
    """A kernel that takes floats, and its arrays."""
    while True:
        call, inputs = make(rng)
        arrays = [np.asarray(value) for value in inputs]
        if places_of_floats(arrays):
            return call, arrays


def check(call, arrays, rng):
    """Whether the derivatives were compared."""
    places = places_of_floats(arrays)

    def function(*floats):
        given = [ko.asarray(array) for array in arrays]
        for place, value in zip(places, floats, strict=True):
            given[place] = value
        return call(*given)

    def total(results):
        results = results if isinstance(results, tuple | list) else [results]
        parts = [ko.sum(ko.astype(ko.sin(result), ko.float64)) for result in results]
        return sum(parts, ko.zeros((), dtype=ko.float64))

    floats = [arrays[place] for place in places]
    along = [np.asarray(rng.standard_normal(array.shape)).astype(array.dtype) for array in floats]
    units = [twins.UNITS[array.dtype.name] for array in floats]
    return twins.check(function, total, floats, along, None if None in units else max(units))


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_of_random_kernels(kind, batch, seed):
    make, share = KINDS[kind]
    compared, numbers = 0, range(batch, max(KERNELS * share // 100, BATCHES), BATCHES)
    for number in numbers:
        rng = np.random.default_rng([seed, 22, number])
        call, arrays = draw(make, rng)
        try:
            compared += bool(check(call, arrays, rng))
        except (AssertionError, ko.KolamError) as error:
            raise AssertionError(f"KOLAM_SEED={seed}, {kind} {number}: {error}") from error
    assert compared or len(numbers) < 4, "no kernel has derivatives"
