"""Run with KOLAM_TARGET set: prints where native products of bf16 differ from what the interpreter gives."""

import sys

import kolam as ko
import ml_dtypes
import numpy as np
from same_bits import different_bits

CASES = [  # of rows, columns and summed elements
    ("ik,kj->ij", (1, 100, 513)), ("ik,kj->ij", (3, 33, 31)), ("ik,kj->ij", (30, 100, 1025)), ("ik,kj->ij", (5, 24, 1)),
    ("ik,kj->ij", (205, 131, 9)), ("ik,jk->ij", (3, 33, 77)), ("ik,jk->ij", (100, 50, 30)), ("ki,kj->ij", (17, 40, 513)),
    ("bik,bkj->bij", (7, 9, 5)), ("bik,kj->bij", (100, 30, 7)), ("ik,k->i", (64, 1, 65)), ("k,kj->j", (1, 48, 64)),
    ("imk,mkj->ij", (100, 40, 6)), ("imk,mkj->ij", (100, 40, 7)),
]  # fmt: skip


def power_of_two(exponents):
    return np.exp2(exponents.astype(np.float32))


def specials(rng, x):
    choice = rng.random(x.shape)
    for limit, value in ((0.5, -0.0), (0.3, 0.0), (0.06, np.nan), (0.04, -np.inf), (0.02, np.inf)):
        x = np.where(choice < limit, np.float32(value), x)
    return x


KINDS = {
    "plain": lambda rng, x: x,
    "sums become denormal": lambda rng, x: x * power_of_two(rng.integers(-75, -55, x.shape)),
    "some tiny columns": lambda rng, x: np.where(np.arange(x.shape[-1]) % 50 == 49, x * np.float32(2.0**-100), x),
    "denormal": lambda rng, x: np.where(rng.random(x.shape) < 0.3, x * np.float32(2.0**-128), x),
    "at the limit": lambda rng, x: np.sign(x) * power_of_two(rng.integers(-58, -52, x.shape)),
    "wide range": lambda rng, x: x * power_of_two(rng.integers(-126, 100, x.shape)),
    "specials": specials,
    "zeros": lambda rng, x: np.where(rng.random(x.shape) < 0.5, np.float32(-0.0), np.float32(0)),
}


def operands(form, sizes, kind, rng):
    extents = dict(zip("ijkbm", (*sizes, 2, 3), strict=True))
    for letters in form.split("->")[0].split(","):
        x = rng.standard_normal([extents[letter] for letter in letters]).astype(np.float32)
        with np.errstate(all="ignore"):
            yield KINDS[kind](rng, x).astype(np.float32).astype(ml_dtypes.bfloat16)


def differences(form, sizes, dtype, rng):
    def product(x, y):
        return ko.einsum(form, x, y, dtype=dtype)

    native, meant = ko.jit(product), ko.jit(product, backend="interpret")
    dynamic = ko.jit(product, dynamic={"x": {0: "m"}})
    some = rng.choice(list(KINDS), 2, replace=False)
    for kind in KINDS:
        x, y = operands(form, sizes, kind, rng)
        weights = ko.asarray(y)
        ways = {"arguments": lambda: native(x, y)}
        if form.startswith("ik,") and form.endswith("ij"):
            ways["rows that the call knows"] = lambda: dynamic(x, y)
        if kind in some:
            ways["captured"] = lambda: ko.jit(lambda x: product(x, weights))(x)
        expected = np.asarray(meant(x, y))
        for way, run in ways.items():
            for threads in (1, 3) if x.size > 3000 else (1,):
                ko.set_num_threads(threads)
                if count := different_bits(np.asarray(run()), expected).sum():
                    yield f"{form} of {sizes}, {kind}, {dtype}, {way}, {threads} threads: {count} elements"


if __name__ == "__main__":
    rng = np.random.default_rng(int(sys.argv[1]))
    for number, (form, sizes) in enumerate(CASES):
        # The sums as they are; rounded ones are few bits of them.
        for found in differences(form, sizes, ko.float32 if number % 4 else ko.bfloat16, rng):
            print(found)
