#!/usr/bin/env python3
"""Writes test/golden/derivatives.npz: gradients and products with Hessians, by JAX in float64.

    python3 -m venv /tmp/jax && /tmp/jax/bin/pip install 'jax[cpu]==0.10.2'
    /tmp/jax/bin/python scripts/make_derivative_goldens.py

Of f(x0, x1, ...) it holds the arguments, and the first and second derivatives of the sum of f's elements times cos(0), cos(1),
...: `f.gradient.0` to x0, `f.second.0` the Hessian times ones, its part of x0. Of loops whose steps data counts it holds
tangents, `f.tangent.0`. test/python/derive_golden_test.py compares Kolam's
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
ONCE = np.array([2, 0])
OUTSIDE = np.array([2, 0, 7, 1, 4])
CASES = {}


def case(name, function, *shapes, low=-2.0, high=2.0):
    CASES[name] = (function, [tuple(SIZES.get(letter) or int(letter) for letter in word) for word in shapes], low, high)


def weights_like(x):
    return jnp.cos(jnp.arange(x.size, dtype=x.dtype)).reshape(x.shape)


def normed(x, is_centred=True):
    if is_centred:
        x = x - x.mean(-1, keepdims=True)
    return x / jnp.sqrt((x * x).mean(-1, keepdims=True) + 1e-5)


def attention(q, k, v, causal=False):
    scores = jnp.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(q.shape[-1])
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
    return jnp.einsum("bhij,bhje->bhie", nn.softmax(scores, -1), v)


def masked(q, k, v, mask):
    """Attention to the keys that a mask of booleans shows, or with numbers added to the scores."""
    scores = jnp.einsum("bhid,bhjd->bhij", q, k) / np.sqrt(q.shape[-1])
    scores = jnp.where(mask, scores, -jnp.inf) if mask.dtype == bool else scores + mask
    return jnp.einsum("bhij,bhje->bhie", nn.softmax(scores, -1), v)


def distances(rows, columns):
    return np.arange(rows)[:, None] - np.arange(columns)


def conv(dims=2, **options):
    def apply(x, w):
        padding = options.get("sides") or [(options.get("padding", 0),) * 2] * dims
        stride, dilation = (options.get("stride", 1),) * dims, (options.get("dilation", 1),) * dims
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

# Later ones stand here: each draws its arguments after those above.
case("where", lambda x, y: jnp.where(weights_like(x) > 0, x * y, y), "nm", "nm")
case("pow by a number", lambda x: x**2.5, "nm", low=0.3)
case("number to a power", lambda x: 2.5**x, "nm")
case("stop_gradient", lambda x: x * x + lax.stop_gradient(x) * x, "nm")
case("square root under where", lambda x: jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1.0)), 0.0), "nm")
case("broadcast_to", lambda x: jnp.broadcast_to(x, (2, 3, 4)) ** 2, "31")
case("reshape", lambda x: jnp.reshape(x * x, -1), "nm")
case("expand_dims", lambda x: jnp.squeeze(jnp.expand_dims(x * x, 1), 1), "nm")
case("squeeze", lambda x: jnp.squeeze(x, 1) ** 2, "n1")
case("moveaxis", lambda x: jnp.moveaxis(x, 0, 2) ** 2, "n2m")
case("slice one", lambda x: x[1, -1] ** 2, "nm")
case("split", lambda x: x[:2] * x[1:], "3m")
case("pad value", lambda x, v: jnp.pad(x, ((1, 0), (0, 2)), constant_values=v) ** 2, "nm", "")
case("sliding", lambda x: sum(x[i : i + 3] ** 2 for i in range(3)), "5")
case("meshgrid", lambda x, y: jnp.prod(jnp.stack(jnp.meshgrid(x, y)), 0), "n", "m")

case("matmul vectors", jnp.matmul, "m", "m")
case("matmul wide", jnp.matmul, "n4", "48")
case("outer", jnp.outer, "n", "m")
case("tensordot", lambda x, y: jnp.tensordot(x, y, 2), "2nm", "nmk")
case("vecdot", lambda x, y: jnp.vecdot(x, y), "nm", "nm")
case("conv far outside", conv(sides=[(1, 5), (0, 4)]), "2322", "4321")
case("conv 1d", conv(1, stride=2, padding=1), "237", "433")
case("conv 3d", conv(3, padding=1), "22433", "32222")
case("conv 3d groups", conv(3, stride=2, dilation=2, padding=2, groups=2), "14544", "62222")
case("conv_transpose", lambda x, w: lax.conv_transpose(x, w, (2, 2), "VALID", dimension_numbers=("NCHW", "OIHW", "NCHW"), transpose_kernel=True), "2333", "3422")
case("attention booleans", lambda q, k, v: masked(q, k, v, distances(6, 5) % 3 != 1), "2364", "2354", "2354")
case("attention floats", masked, "2364", "2354", "2354", "65")
case("attention window", lambda q, k, v: masked(q, k, v, np.abs(distances(6, 6) - 0.5) < 2), "2364", "2364", "2364")

case("sum all", lambda x: jnp.sum(x) ** 2, "nm")
case("prod all", jnp.prod, "nm", low=0.5)
case("logsumexp all", nn.logsumexp, "nm")
case("norm", lambda x: jnp.linalg.vector_norm(x, axis=1), "nm")
case("norm of one", lambda x: jnp.linalg.vector_norm(x, axis=1, ord=1), "nm")
case("norm of three", lambda x: jnp.linalg.vector_norm(x, axis=1, ord=3), "nm")
case("cumulative_max", lambda x: lax.cummax(x, 1) ** 2, "nm")
case("cumulative_min", lambda x: lax.cummin(x, 0) ** 2, "nm")
case("sort", lambda x: jnp.sort(x, -1) * weights_like(x) * x, "nm")
case("sort descending", lambda x: jnp.sort(x, 0, descending=True) ** 2, "nm")
case("median", lambda x: jnp.median(x, 1) ** 2, "nm")
case("max_pool", lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 1), "VALID") ** 2, "2354")
case("avg_pool", lambda x: (lax.reduce_window(x, 0.0, lax.add, (1, 1, 3, 2), (1, 1, 1, 1), "VALID") / 6) ** 2, "2354")

case("index arrays", lambda x: x[PLACES] ** 2, "3m")
case("take_along_axis", lambda x: jnp.take_along_axis(x, jnp.argsort(x, 1), 1) * weights_like(x) * x, "nm")
for _mode in "clip fill wrap".split():
    case(f"gather {_mode}", lambda x, _mode=_mode: jnp.take(x * x, OUTSIDE, 0, mode=_mode), "3m")
case("at set", lambda x, u: x.at[PLACES].set(u) ** 2, "3m", "5m")
case("at set slice", lambda x, u: x.at[1:].set(u) ** 2, "3m", "2m")
case("at multiply once", lambda x, u: x.at[ONCE].multiply(u, unique_indices=True) ** 2, "3m", "2m")
case("at min", lambda x, u: x.at[PLACES].min(u) ** 2, "3m", "5m")
case("at max", lambda x, u: x.at[PLACES].max(u) ** 2, "3m", "5m")
case("at add outside", lambda x, u: x.at[OUTSIDE].add(u * u, mode="drop") ** 2, "3m", "5m")
case("segment_sum", lambda x: jax.ops.segment_sum(x * x, PLACES, 4), "5m")
case("segment_max", lambda x: jax.ops.segment_max(x, PLACES, 3) ** 2, "5m")
case("segment_min", lambda x: jax.ops.segment_min(x, PLACES, 3) ** 2, "5m")

case("scan of a tree", lambda x, w: lax.scan(lambda s, row: ((jnp.sin(s[0] @ w), s[1] + s[0] * row), s[1]), (jnp.ones(4), jnp.zeros(4)), x)[1], "nm", "mm")
case("map", lambda x, w: lax.map(lambda row: jnp.tanh(row @ w), x), "nm", "mm")
case("vmap", lambda x, w: jax.vmap(lambda row: jnp.tanh(row @ w), in_axes=1, out_axes=1)(x), "mn", "mm")
case("checkpoint", lambda x, w: jax.checkpoint(lambda x: jnp.tanh(jnp.tanh(x @ w) @ w))(x), "nm", "mm")
case("hessian", lambda x: jax.hessian(lambda x: jnp.sum(jnp.sin(x) * x[0] ** 2))(x), "m")
case("jacobian", lambda x, w: jax.jacfwd(lambda x: jnp.tanh(w @ x))(x), "m", "nm")

# Functions that are called alike in both.
for _name in "celu elu glu hard_sigmoid hard_silu hard_tanh leaky_relu log_sigmoid mish relu6 selu soft_sign squareplus".split():
    case(_name, getattr(nn, _name), "nm")
for _name in "corrcoef cov deg2rad diff matrix_transpose nan_to_num positive ptp rad2deg ravel rot90 sinc trapezoid".split():
    case(_name, getattr(jnp, _name), "nm")
for _name in "nancumprod nancumsum nanmax nanmean nanmedian nanmin nanprod nanstd nansum nanvar".split():
    case(_name, lambda x, _name=_name: getattr(jnp, _name)(jnp.where(x > 1, jnp.nan, x * x), 1), "nm")
for _name, _shapes in {"cross": ("n3", "n3"), "convolve": ("k", "n"), "correlate": ("k", "n"), "kron": ("nm", "2k"), "logaddexp2": ("nm", "nm"), "polyval": ("m", "n")}.items():
    case(_name, getattr(jnp, _name), *_shapes)
case("diag", jnp.diag, "n")
case("trace", jnp.trace, "44")
case("vander", jnp.vander, "n")
case("linspace", lambda x, y: jnp.linspace(x, y, 5) ** 2, "", "")
case("average", lambda x, w: jnp.average(x, 1, w), "nm", "m", low=0.3)
case("quantile", lambda x: jnp.quantile(x, 0.3, 1) ** 2, "nm")
case("swapaxes", lambda x: jnp.swapaxes(x, 0, 2) ** 2, "n2m")
case("select", lambda x, y: lax.select(x > 0, x * y, y**2), "nm", "nm")
case("interp", lambda x, y: jnp.interp(x, jnp.array([-2.0, -1.0, 0.5, 2.0]), y), "n", "m")
case("put_along_axis", lambda x, u: jnp.put_along_axis(x, jnp.array([[1], [0], [3]]), u, 1, inplace=False) ** 2, "nm", "n1")
case("logit", jax.scipy.special.logit, "nm", low=0.2, high=0.8)
case("xlogy", jax.scipy.special.xlogy, "nm", "nm", low=0.3)
case("xlog1py", jax.scipy.special.xlog1py, "nm", "nm", low=0.3)
for _name in ("pmean", "psum"):
    case(_name, lambda x, _name=_name: jax.vmap(lambda row: row * getattr(lax, _name)(row**2, "i"), axis_name="i")(x), "nm")


def halved(x):
    """Steps that data counts: JAX has them in forward mode alone."""
    return lax.while_loop(lambda s: jnp.sum(s[0] ** 2) > 1, lambda s: (s[0] * jnp.cos(s[0]) / 2, s[1] + jnp.sin(s[0])), (x, jnp.zeros_like(x)))[1]


FORWARD = {"while_loop": (halved, [(3, 4)])}


def scalar(function):
    def total(*args):
        result = function(*args)
        return jnp.sum(result * weights_like(result))

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


def tangents_of(name, rng):
    """Tangents along cos(0), cos(1), ..., and those of the tangents along the same."""
    function, shapes = FORWARD[name]
    args = tuple(rng.uniform(-2, 2, shape) for shape in shapes)
    along = tuple(weights_like(arg) for arg in args)
    push = lambda *given: jax.jvp(function, given, along)[1]  # noqa: E731
    yield f"{name}.tangent.0", push(*args)
    yield f"{name}.tangent of tangent.0", jax.jvp(push, args, along)[1]
    for number, arg in enumerate(args):
        yield f"{name}.argument.{number}", arg


def main():
    rng = np.random.default_rng(0)
    arrays = {key: np.asarray(value) for name in CASES for key, value in derivatives_of(name, rng)}
    arrays |= {key: np.asarray(value) for name in FORWARD for key, value in tangents_of(name, rng)}
    root = pathlib.Path(__file__).resolve().parent.parent
    path = root / "test" / "golden" / "derivatives.npz"
    np.savez_compressed(path, **arrays)
    print(f"{path.relative_to(root)}: {len(arrays)} arrays of {len(CASES) + len(FORWARD)} functions, {path.stat().st_size} bytes, JAX {jax.__version__}")


if __name__ == "__main__":
    main()
