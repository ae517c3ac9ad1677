"""Functions of elements with an order of their own: searches, the first of many, scatters of single elements."""

import numpy as np
import pytest
from same_bits import require_same_bits, ways_to_read

import kolam as ko

BACKENDS = ["cpu", "interpret"]
DTYPES = [np.float32, np.float64, np.float16, np.int64, np.int32, np.uint8]


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


def elements(rng, shape, dtype):
    """Many ties; of floats NaN, infinities and both zeros too."""
    x = (rng.standard_normal(shape) * 4).astype(dtype)
    if x.dtype.kind == "f":
        for value in (np.nan, -np.nan, np.inf, -0.0, 0.0):
            x[rng.random(shape) < 0.06] = value
    return x


def bits(x):
    return np.asarray(x).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
def test_searches_of_any_length(dtype, rng):
    for n in (1, 2, 3, 7, 16, 33, 100, 257):
        rows, values = np.sort(elements(rng, n, dtype)), elements(rng, 50, dtype)
        for side in ("left", "right"):
            for backend in BACKENDS:
                found = ko.jit(lambda x, v: ko.searchsorted(x, v, side=side), backend=backend)(rows, values)
                np.testing.assert_array_equal(np.asarray(found), np.searchsorted(rows, values, side=side))


@pytest.mark.parametrize("dtype", DTYPES)
def test_results_alone_are_those_of_both(dtype, rng):
    """What sorts give does not depend on which of their results is read."""
    for length in (3, 16, 17, 100, 300, 3000):
        x = elements(rng, (4, length), dtype)
        for k in sorted({1, length // 10 + 1, length // 2, length}):
            for largest in (True, False):
                values, places = ko.jit(lambda x: tuple(ko.top_k(x, k, largest=largest)))(x)
                assert bits(ko.jit(lambda x: ko.top_k(x, k, largest=largest)[0])(x)) == bits(values)
                assert bits(ko.jit(lambda x: ko.top_k(x, k, largest=largest)[1])(x)) == bits(places)
                ordered = np.asarray(ko.jit(lambda x: ko.argsort(x, descending=largest))(x))
                np.testing.assert_array_equal(np.asarray(places), ordered[:, :k])
                assert bits(np.take_along_axis(x, ordered, 1)) == bits(ko.jit(lambda x: ko.sort(x, descending=largest))(x))


COMBINERS = {
    "set": lambda x, at, v, mode: x.at[at].set(v, mode=mode),
    "add": lambda x, at, v, mode: x.at[at].add(v, mode=mode),
    "max": lambda x, at, v, mode: x.at[at].max(v, mode=mode),
}


@pytest.mark.parametrize("mode", ["drop", "clip", "promise"])
@pytest.mark.parametrize("places", [np.int8, np.uint8, np.int32, np.uint32, np.int64])
def test_single_elements_in_blocks(places, mode, rng):
    """Blocks and what is left over, some, all or no places outside, one update for all or one for each."""
    for shape in ((90,), (9, 11)):
        for count in (16, 255, 256, 700):
            for reach in (0, 30):
                at = tuple(np.clip(rng.integers(-reach, n + reach, count), np.iinfo(places).min, np.iinfo(places).max) for n in shape)
                if mode == "promise":
                    at = tuple(np.clip(a, 0, n - 1) for a, n in zip(at, shape, strict=True))
                at = tuple(a.astype(places) for a in at)
                x, updates = elements(rng, shape, np.float32), elements(rng, count, np.float32)
                for combine in COMBINERS.values():
                    for update in (updates, np.float32(2)):
                        require_same_bits(lambda x, v, *at: combine(x, at, v, mode), x, update, *at)


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.uint8])
@pytest.mark.parametrize("length", [0, 5, 33, 300])
def test_orders_of_views(length, dtype, rng):
    x, k = elements(rng, (7, length), dtype), length // 3

    def orders(x):
        first, last = ko.top_k(x, k), ko.top_k(x, k, largest=False)
        return *first, *last, ko.sort(x, descending=True), ko.argsort(x, axis=0), *((ko.argmax(x, axis=1), ko.argmin(x, axis=0)) if length else ())

    def single(x, values, at):
        return ko.searchsorted(ko.sort(x), values), x.at[at].max(x)

    for read, array in ways_to_read(x):
        require_same_bits(lambda y: orders(read(y)), array, moves=True)
    for read, array in ways_to_read(x[0]):
        require_same_bits(lambda y, *rest: single(read(y), *rest), array, elements(rng, 40, dtype), rng.integers(-3, length + 3, length))


def test_maxima_of_segments_keep_nan(rng):
    x, at = elements(rng, 1000, np.float32), rng.integers(-3, 40, 1000).astype(np.int32)
    require_same_bits(lambda x, i: (ko.segment_max(x, i, 37), ko.segment_min(x, i, 37)), x, at)
