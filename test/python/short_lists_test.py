"""Reductions of short lists, ends of rows of narrow elements, filters: what lies behind an end changes nothing and is not needed."""

import ctypes
import mmap

import numpy as np
import pytest
from random_edges.values import specials
from same_bits import require_same_bits

import kolam as ko

LENGTHS = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40, 63, 64, 65, 100, 127, 129, 1, 5]
WITH_EMPTY = [0, *LENGTHS, 0, 0]
OPS = ko.fractal


@pytest.fixture
def rng(seed):
    return np.random.default_rng(seed)


def lists_of(x, lengths):
    return OPS.FractalTensor.from_offsets(x, np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64))


def reduced(combine, function=None, **initial):
    """Of lists: what `combine` makes of each, or of what `function` gives for its elements."""

    def of_list(xs):
        return OPS.reduce(combine, OPS.map(function, xs) if function else xs, **initial)

    return lambda lists: OPS.stack(OPS.map(of_list, lists))


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("combine", [ko.add, ko.multiply, ko.maximum, ko.minimum])
def test_special_values(dtype, combine, rng):
    for values in (specials(dtype), np.array([-0.0, 0.0], specials(dtype).dtype), np.array([-0.0], specials(dtype).dtype)):
        require_same_bits(reduced(combine), lists_of(rng.choice(values, sum(LENGTHS)), LENGTHS))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "bool"])
def test_integers(dtype, rng):
    x = rng.integers(0, 2, sum(LENGTHS)).astype(bool) if dtype == "bool" else rng.integers(-9, 9, sum(LENGTHS)).astype(dtype)
    names = [ko.logical_and, ko.logical_or] if dtype == "bool" else [ko.add, ko.multiply, ko.maximum, ko.bitwise_xor]
    for combine in names:
        require_same_bits(reduced(combine), lists_of(x, LENGTHS))
    require_same_bits(reduced(ko.add, lambda x: ko.astype(x, ko.int64)), lists_of(x, LENGTHS))


def test_empty_lists_and_functions_of_elements(rng):
    lists = lists_of(rng.choice(specials("float32"), sum(WITH_EMPTY)), WITH_EMPTY)
    for function in (None, lambda x: -x, lambda x: ko.exp(x) * x, lambda x: ko.astype(x > 0, ko.float32)):
        require_same_bits(reduced(ko.add, function, initializer=np.float32(-0.0)), lists)


def test_what_elements_read_of_their_list(rng):
    x = lists_of(rng.standard_normal(sum(LENGTHS)).astype(np.float32), LENGTHS)

    def of_list(xs):
        mean = OPS.reduce(ko.add, xs) / ko.astype(OPS.len(xs), ko.float32)
        return OPS.reduce(ko.add, OPS.filter(lambda x: x > mean, xs), initializer=np.float32(0))

    require_same_bits(lambda lists: OPS.stack(OPS.map(of_list, lists)), x)


@pytest.fixture
def at_the_end_of_a_page():
    """Copies an array to where the memory ends that may be read."""
    libc = ctypes.CDLL(None, use_errno=True)
    room = mmap.mmap(-1, 4 * mmap.PAGESIZE)
    begin = ctypes.addressof(ctypes.c_char.from_buffer(room))
    guard = ctypes.c_void_p(begin + 3 * mmap.PAGESIZE)
    assert libc.mprotect(guard, ctypes.c_size_t(mmap.PAGESIZE), 0) == 0

    def place(x):
        memory = (ctypes.c_char * x.nbytes).from_address(begin + 3 * mmap.PAGESIZE - x.nbytes)
        placed = np.frombuffer(memory, x.dtype).reshape(x.shape)
        placed[...] = x
        return placed

    yield place
    libc.mprotect(guard, ctypes.c_size_t(mmap.PAGESIZE), 3)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "bool", "float16"])
@pytest.mark.parametrize("shape", [(1,), (5,), (37,), (3, 5), (4, 37), (1, 100)])
def test_nothing_behind_the_last_page_is_read(dtype, shape, rng, at_the_end_of_a_page):
    x = at_the_end_of_a_page(rng.integers(0, 2, shape).astype(dtype))
    names = {"x": list(range(len(shape)))}
    require_same_bits(lambda x: ko.sum(ko.astype(x, ko.int32), axis=-1), x, dynamic=names)
    require_same_bits(lambda x: (ko.equal(x, 1), ko.where(ko.equal(x, 1), x[..., ::-1], x)), x, dynamic=names)


@pytest.mark.parametrize("dtype", ["float32", "int32", "int8", "bool", "float16", "float64", "int64"])
@pytest.mark.parametrize("length", [0, 7, 8, 1025, 3000])
def test_what_filters_keep(dtype, length, rng):
    x = rng.integers(0, 2, length).astype(dtype) if dtype == "bool" else rng.integers(-99, 99, length).astype(dtype)
    if dtype in ("float32", "float16", "float64"):
        x = rng.choice([*specials(dtype), *x[:9]], length).astype(dtype)
    for share in (0, 0.1, 0.5, 1):
        masks = rng.random(length) < share

        def kept(lists):
            xs = OPS.map(lambda pair: pair[0], OPS.filter(lambda pair: pair[1], OPS.zip(*lists)))
            return OPS.stack(xs) if share else OPS.len(xs)

        if share == 0 or masks.any():
            require_same_bits(kept, tuple(lists_of(part, [length])[0] for part in (x, masks)), moves=True)
