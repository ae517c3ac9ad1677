#!/usr/bin/env python3
"""Writes test/golden/random.npz: what jax.random gives in partitionable threefry mode.

    python3 -m venv /tmp/jax && /tmp/jax/bin/pip install 'jax[cpu]==0.10.2' ml_dtypes
    /tmp/jax/bin/python scripts/make_random_goldens.py

Names read function.parameters; test/frontend/random/golden_test.cpp calls Kolam's functions with the same ones. Every
step runs as an operation of its own (no jit), so that no multiply-add is fused. bfloat16 is stored as its bits.
"""

import pathlib

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

SEEDS = [0, 42, -1, 0x123456789ABCDEF]
SHAPES = {"scalar": (), "vector": (5,), "matrix": (3, 4), "cube": (2, 3, 5), "empty": (0, 3)}
FLOATS = ["float16", "bfloat16", "float32", "float64"]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def keys_of(seed):
    key = jax.random.PRNGKey(seed)
    yield f"key.{seed}", key
    for num in (1, 2, 5):
        yield f"split.{seed}.{num}", jax.random.split(key, num)
    for data in (0, 7, 2**32 - 1):
        yield f"fold_in.{seed}.{data}", jax.random.fold_in(key, np.uint32(data))


def bits_of(seed):
    key = jax.random.PRNGKey(seed)
    for width in (8, 16, 32, 64):
        for name, shape in SHAPES.items():
            yield f"bits.{seed}.{width}.{name}", jax.random.bits(key, shape, f"uint{width}")


def floats_of(seed):
    key = jax.random.PRNGKey(seed)
    for dtype in FLOATS:
        yield f"uniform.{seed}.{dtype}", jax.random.uniform(key, (4, 7), dtype)
        ranged = jax.random.uniform(key, (4, 7), dtype, -2.5, 3.7)
        yield f"uniform_ranged.{seed}.{dtype}", ranged
        yield f"normal.{seed}.{dtype}", jax.random.normal(key, (200,), dtype)
    for dtype in ("float32", "float64"):
        p = jnp.asarray(0.3, dtype)
        yield f"bernoulli.{seed}.{dtype}", jax.random.bernoulli(key, p, (31,))


def integers_of(seed):
    key = jax.random.PRNGKey(seed)
    for dtype in INTEGERS:
        info = jnp.iinfo(dtype)
        half = np.asarray(info.max // 2, "int64")
        draw = lambda low, high: jax.random.randint(key, (4, 5), low, high, dtype)
        yield f"randint_ten.{seed}.{dtype}", draw(0, 10)
        yield f"randint_empty.{seed}.{dtype}", draw(10, 3)
        yield f"randint_half.{seed}.{dtype}", draw(3, half)
        if info.bits < 64:
            yield f"randint_all.{seed}.{dtype}", draw(int(info.min), int(info.max) + 1)
        if info.min < 0:
            yield f"randint_signed.{seed}.{dtype}", draw(-7, 5)


def main():
    jax.config.update("jax_enable_x64", True)
    jax.config.update("jax_threefry_partitionable", True)
    arrays = {}
    with jax.disable_jit():
        for seed in SEEDS:
            for cases in (keys_of, bits_of, floats_of, integers_of):
                for name, value in cases(seed):
                    value = np.asarray(value)
                    is_bfloat16 = value.dtype == ml_dtypes.bfloat16
                    arrays[name] = value.view(np.uint16) if is_bfloat16 else value
    root = pathlib.Path(__file__).resolve().parent.parent
    path = root / "test" / "golden" / "random.npz"
    path.parent.mkdir(exist_ok=True)
    np.savez_compressed(path, **arrays)
    print(f"{path.relative_to(root)}: {len(arrays)} arrays, {path.stat().st_size} bytes, JAX {jax.__version__}")


if __name__ == "__main__":
    main()
