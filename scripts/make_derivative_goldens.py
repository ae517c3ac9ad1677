#!/usr/bin/env python3
"""Writes test/golden/derivatives.npz: gradients and products with Hessians, by JAX in float64.

    python3 -m venv /tmp/jax && /tmp/jax/bin/pip install 'jax[cpu]==0.10.2'
    /tmp/jax/bin/python scripts/make_derivative_goldens.py

Of f(x0, x1, ...) it holds the arguments, and the first and second derivatives of the sum of f's elements times cos(0), cos(1),
...: `f.gradient.0` to x0, `f.second.0` the Hessian times ones, its part of x0. test/python/derive_golden_test.py compares Kolam's
functions of the same names, those of test/python/derivatives/cases.py and its own.
"""

import pathlib

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax, nn

jax.config.update("jax_enable_x64", True)
SIZES = {"n": 3, "m": 4, "k": 5}
PLACES = np.array([2, 0, 2, 1, 1])
CASES = {}


def case(name, function, *shapes, low=-2.0, high=2.0):
    CASES[name] = (function, [tuple(SIZES.get(letter) or int(letter) for letter in word) for word in shapes], low, high)


def normed(x, is_centred=True):
    if is_centred:
        x = x - x.mean(-1, keepdims=True)
    return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)


def attention(q, k, v, causal=False):
    scores = jnp.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(q.shape[-1])
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
    return jnp.einsum("bhij,bhje->bhie", nn.softmax(scores, -1), v)


def conv(**options):
    def apply(x, w):
        padding = [(options.get("padding", 0),) * 2] * 2
        stride, dilation = (options.get("stride", 1),) * 2, (options.get("dilation", 1),) * 2
        return lax.conv_general_dilated(x, w, stride, padding, rhs_dilation=dilation, feature_group_count=options.get("groups", 1))

    return apply


for _name in "abs sin cos cosh exp exp2 expm1 negative sinh square tanh cbrt".split():
    case(_name, getattr(jnp, _name), "nm", low=0.1 if _name in ("abs", "cbrt") else -2.0)
for _name, _function in {"asinh": jnp.arcsinh, "atan": jnp.arctan, "erf": lax.erf, "erfc": lax.erfc}.items():
    case(_name, _function, "nm")
for _name in "log log10 log1p log2 reciprocal sqrt".split():
    case(_name, getattr(jnp, _name), "nm", low=0.3)
case("rsqrt", lax.rsqrt, "nm", low=0.3)
for _name, _function in {"acos": jnp.arccos, "asin": jnp.arcsin, "atanh": jnp.arctanh, "erf_inv": lax.erf_inv, "tan": jnp.tan}.items():
    case(_name, _function, "nm", low=-0.8, high=0.8)
case("acosh", jnp.arccosh, "nm", low=1.3, high=3)
for _name in "add subtract multiply logaddexp maximum minimum".split():
    case(_name, getattr(jnp, _name), "nm", "nm")
case("divide", jnp.divide, "nm", "nm", low=0.4)
case("pow", jnp.power, "nm", "nm", low=0.4)
case("hypot", jnp.hypot, "nm", "nm", low=0.2)
case("atan2", jnp.arctan2, "nm", "nm", low=0.2)
case("copysign", jnp.copysign, "nm", "nm", low=0.1)
case("remainder", lambda x, y: jnp.remainder(x * 3, y + 2), "nm", "nm", low=0.4)
case("fmod", lambda x, y: jnp.fmod(x * 3, y + 2), "nm", "nm", low=0.4)
case("broadcasting", lambda x, y: jnp.sin(x) * y, "nm", "m")

case("relu", nn.relu, "nm")
case("sigmoid", nn.sigmoid, "nm")
case("silu", nn.silu, "nm")
case("softplus", nn.softplus, "nm")
case("gelu", lambda x: nn.gelu(x, approximate=False), "nm")
case("gelu_tanh", lambda x: nn.gelu(x, approximate=True), "nm")
case("softmax", lambda x: nn.softmax(x, -1), "nm")
case("softmax axis", lambda x: nn.softmax(x, 0), "nm")
case("log_softmax", lambda x: nn.log_softmax(x, -1), "nm")
case("logsumexp", lambda x: nn.logsumexp(x, 1), "nm")
case("layer_norm", lambda x, w, b: normed(x) * w + b, "nm", "m", "m")
case("rms_norm", lambda x, w: normed(x, False) * w, "nm", "m")
case("clip", lambda x, y: jnp.clip(x, -1.0, y), "nm", "nm")
case("std", lambda x: jnp.std(x, 1), "nm")
case("var", lambda x: jnp.var(x, 0, ddof=1), "nm")
case("mean", lambda x: jnp.mean(x, 1), "nm")
case("cross_entropy", lambda x: -nn.log_softmax(x)[jnp.arange(3), jnp.array([1, 3, 0])], "34")

case("permute_dims", lambda x: jnp.transpose(x, (2, 0, 1)), "n2m")
case("flip", lambda x: jnp.flip(x, 1), "nm")
case("roll", lambda x: jnp.roll(x, 2, 1), "nm")
case("slice", lambda x: x[1:, ::2], "nm")
case("slice backwards", lambda x: x[::-1, 1:4:2], "n5")
case("concat", lambda x, y: jnp.concatenate([x, y, x]), "nm", "2m")
case("stack", lambda x, y: jnp.stack([x, y], 1), "nm", "nm")
case("tile", lambda x: jnp.tile(x, (2, 3)), "nm")
case("repeat", lambda x: jnp.repeat(x, 3, 1), "nm")
for _name in "constant edge reflect wrap".split():
    case(f"pad {_name}", lambda x, _name=_name: jnp.pad(x, ((1, 2), (2, 1)), mode=_name), "nm")
case("triu", lambda x: jnp.triu(x) + 2 * jnp.tril(x, -1), "nm")
case("diagonal", lambda x: jnp.diagonal(x), "44")
case("dynamic_slice", lambda x: lax.dynamic_slice(x, (7, 1), (2, 2)), "nm")
case("dynamic_update_slice", lambda x, u: lax.dynamic_update_slice(x, u, (1, 9)), "nm", "22")

case("matmul", jnp.matmul, "nm", "mk")
case("matmul batched", jnp.matmul, "2nm", "2mk")
case("matmul broadcast", jnp.matmul, "2nm", "mk")
case("einsum", lambda x, y: jnp.einsum("ij,kj->ik", x, y), "nm", "km")
case("einsum alone", lambda x, y: jnp.einsum("ij,kl->ik", x, y), "nm", "km")
case("einsum three", lambda x, y, z: jnp.einsum("ij,jk,kl->il", x, y, z), "nm", "mk", "k2")
case("conv", conv(), "2365", "4332")
case("conv strides", conv(stride=2, padding=1), "2365", "4332")
case("conv dilation", conv(dilation=2, padding=1), "2365", "4332")
case("conv groups", conv(groups=3, padding=1, stride=2), "2365", "6132")
case("attention", attention, "23k4", "2364", "2364")
case("attention causal", lambda q, k, v: attention(q, k, v, True), "2354", "2354", "2354")

case("sum", lambda x: jnp.sum(x, 1), "nm")
case("prod", lambda x: jnp.prod(x, 1), "nm")
case("max", lambda x: jnp.max(x, 1), "nm")
case("min", jnp.min, "nm")
case("cumulative_sum", lambda x: jnp.cumsum(x, 1), "nm")
case("cumulative_prod", lambda x: jnp.cumprod(x, 1), "nm")
case("take", lambda x: jnp.take(x, PLACES, 0), "3m")
case("at add", lambda x, u: x.at[PLACES].add(u), "3m", "5m")
case("top_k", lambda x: lax.top_k(x, 2)[0], "n4")

# Loops and branches.
case("scan", lambda x, w: lax.scan(lambda h, row: (jnp.tanh(w @ h + row), h * row), jnp.zeros(4), x)[1], "nm", "mm")
case("scan backwards", lambda x: lax.scan(lambda h, row: (jnp.sin(h) + row, h), jnp.ones(4), x, reverse=True)[1], "nm")
case("fori_loop", lambda x: lax.fori_loop(0, 5, lambda i, h: jnp.sin(h) * x, x), "nm")
case("cond", lambda x: lax.cond(jnp.sum(x) > 0, lambda: jnp.sin(x) * x, lambda: x**3), "nm")
case("switch", lambda x: lax.switch(1, [lambda: x, lambda: x**3, lambda: jnp.exp(x)]), "nm")
case("associative_scan", lambda x: lax.associative_scan(lambda a, b: a * b, x), "nm")


def scalar(function):
    def total(*args):
        result = function(*args)
        return jnp.sum(result * jnp.cos(jnp.arange(result.size, dtype=result.dtype)).reshape(result.shape))

    return total


def derivatives_of(name, rng):
    function, shapes, low, high = CASES[name]
    args = [rng.uniform(low, high, shape) for shape in shapes]
    every = tuple(range(len(args)))
    gradient = jax.grad(scalar(function), argnums=every)
    first = gradient(*args)
    second = jax.grad(lambda *given: sum(jnp.sum(part) for part in gradient(*given)), argnums=every)(*args)
    for number, arg in enumerate(args):
        yield f"{name}.argument.{number}", arg
        yield f"{name}.gradient.{number}", first[number]
        yield f"{name}.second.{number}", second[number]


def main():
    rng = np.random.default_rng(0)
    arrays = {key: np.asarray(value) for name in CASES for key, value in derivatives_of(name, rng)}
    root = pathlib.Path(__file__).resolve().parent.parent
    path = root / "test" / "golden" / "derivatives.npz"
    np.savez_compressed(path, **arrays)
    print(f"{path.relative_to(root)}: {len(arrays)} arrays of {len(CASES)} functions, {path.stat().st_size} bytes, JAX {jax.__version__}")


if __name__ == "__main__":
    main()
