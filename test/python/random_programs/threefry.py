"""ko.random in NumPy: threefry2x32-20 as JAX's partitionable mode draws from it, and philox4x32-10."""

import numpy as np
from random_programs.reference import ERF_INV, to_float
from random_programs.values import is_narrow, numpy_dtype

ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


def _rotate(x, count):
    return (x << np.uint32(count)) | (x >> np.uint32(32 - count))


def block(key, counter):
    """Two words of two words under a key; arrays of uint32."""
    schedule = [key[0], key[1], key[0] ^ key[1] ^ np.uint32(0x1BD11BDA)]
    x, y = counter[0] + schedule[0], counter[1] + schedule[1]
    for group in range(5):
        for rotation in ROTATIONS[group % 2]:
            x = x + y
            y = _rotate(y, rotation) ^ x
        x, y = x + schedule[(group + 1) % 3], y + schedule[(group + 2) % 3] + np.uint32(group + 1)
    return x, y


def _words(index):
    return (index >> np.uint64(32)).astype(np.uint32), index.astype(np.uint32)


def philox_block(key, counter):
    low = np.uint64(0xFFFFFFFF)
    key = list(key)
    for _ in range(10):
        first, second = counter[0].astype(np.uint64) * np.uint64(0xD2511F53), counter[2].astype(np.uint64) * np.uint64(0xCD9E8D57)
        high_first, high_second = (p >> np.uint64(32) for p in (first, second))
        counter = [
            high_second.astype(np.uint32) ^ counter[1] ^ key[0], (second & low).astype(np.uint32),
            high_first.astype(np.uint32) ^ counter[3] ^ key[1], (first & low).astype(np.uint32),
        ]  # fmt: skip
        key = [key[0] + np.uint32(0x9E3779B9), key[1] + np.uint32(0xBB67AE85)]
    return counter


def bits(key, shape, width=32, generator="threefry"):
    index = np.arange(int(np.prod(shape, dtype=int)), dtype=np.uint64)
    if generator == "threefry":
        first, second = block(key, _words(index))
        low = first ^ second
    else:
        per_block = 2 if width == 64 else 4
        zero = np.zeros(index.shape, np.uint32)
        high_word, low_word = _words(index // np.uint64(per_block))
        words = np.stack(philox_block(key, [low_word, high_word, zero, zero]), -1)
        place = (index % np.uint64(per_block)).astype(int) * (4 // per_block)
        first, second = (np.take_along_axis(words, (place + i)[:, None] % 4, 1)[:, 0] for i in range(2))
        low = first
    if width == 64:
        return ((first.astype(np.uint64) << np.uint64(32)) | second.astype(np.uint64)).reshape(shape)
    return low.astype(f"uint{width}").reshape(shape)


def key_of(seed):
    """Of a Python integer or an integer scalar; narrow ones extend their sign to 32 bits."""
    narrow = isinstance(seed, (np.ndarray, np.generic)) and seed.dtype.itemsize < 8
    number = int(seed) % (2**32 if narrow else 2**64)
    return np.array([number >> 32, number & 0xFFFFFFFF], np.uint32)


def split(key, count):
    return np.stack(block(key, _words(np.arange(count, dtype=np.uint64))), -1).reshape(count, 2)


def fold_in(key, data):
    return np.stack(block(key, (np.zeros((), np.uint32), np.asarray(int(data) % 2**32, np.uint32))))


FORMS = {"float16": (16, 10, 0x3C00), "bfloat16": (8, 7, 0x3F80), "float32": (32, 23, 0x3F800000), "float64": (64, 52, 0x3FF0000000000000)}


def unit_uniform(key, shape, dtype, generator="threefry"):
    """The mantissa's bits below an exponent of 1, minus 1."""
    drawn, mantissa, one = FORMS[dtype]
    word = np.dtype(f"uint{8 * numpy_dtype(dtype).itemsize}")
    random = bits(key, shape, drawn, generator).astype(word) >> word.type(drawn - mantissa)
    return np.asarray(random | word.type(one)).view(numpy_dtype(dtype)) - np.ones((), numpy_dtype(dtype))


def uniform(key, shape, dtype, low, high, generator="threefry"):
    low, high = (to_float(np.float64(bound), dtype) for bound in (low, high))
    return np.maximum(low, unit_uniform(key, shape, dtype, generator) * (high - low) + low)


def randint(key, shape, low, high, dtype):
    """minval + (2^w h + l) mod span, as JAX wraps it."""
    width = max(32, 8 * np.dtype(dtype).itemsize)
    limits = np.iinfo(dtype)
    low, high = max(low, limits.min), min(high, limits.max + 1)
    if high <= low:
        return np.full(shape, low, dtype)
    span = high - low
    first, second = (bits(child, shape, width).astype(object) for child in split(key, 2))
    scale = (2 ** (width // 2) % span) ** 2 % 2**width % span
    offset = ((first % span * scale) % 2**width + second % span) % 2**width % span
    return np.asarray(low + offset, object).astype(dtype)


def bernoulli(key, p, shape):
    """`p` is an array of floats, or a number, then of float32."""
    p = p if isinstance(p, np.ndarray) else np.float32(p)
    return unit_uniform(key, shape, str(p.dtype)) < p


def normal(key, shape, dtype):
    lowest = 2.0 ** -(FORMS[dtype][1] + 1) - 1
    unit = uniform(key, shape, dtype, lowest, 1.0).astype(np.float64)
    root = to_float(np.float64(np.sqrt(2)), dtype).astype(np.float64)
    inverse = ERF_INV(unit) if unit.size else unit
    return root * (to_float(inverse, dtype).astype(np.float64) if is_narrow(dtype) else inverse)
