"""Random kernels: both backends give what NumPy gives, element by element, after what docs/kernels.md says; kernels that become
programs over whole arrays, and sums of products, give the same bits on both. vmap of a call gives what single calls give.

KOLAM_SEED=... gives the same kernels again, KOLAM_RANDOM_KERNELS=... another number of them.
"""

import pytest
from random_counts import count
from random_kernels import calls, whole

KERNELS = count(1000, "KOLAM_RANDOM_KERNELS")
BATCHES = 20
#: Which kernels, by kind, and how many of a hundred.
KINDS = {
    "statements": (calls.check, 50),
    "blocks": (lambda seed: whole.check_bits(whole.make_blocks_call, seed), 30),
    "products": (lambda seed: whole.check_bits(whole.make_products_call, seed), 20),
    "instances": (calls.check_instances, 10),
}


def run_batch(kind, batch, seed):
    check, share = KINDS[kind]
    for number in range(batch, max(KERNELS * share // 100, BATCHES), BATCHES):
        check((seed, number))


@pytest.mark.parametrize("kind", KINDS)
def test_random_kernels(kind, seed):
    run_batch(kind, 0, seed)


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(1, BATCHES))
@pytest.mark.parametrize("kind", KINDS)
def test_more_random_kernels(kind, batch, seed):
    run_batch(kind, batch, seed)

