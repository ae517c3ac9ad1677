"""Functions whose derivatives are checked: one for each rule, over float64 arrays.

Shapes are words: a letter is an extent that a run may change or leave open, a digit one that stays.
"""

from dataclasses import dataclass
from typing import Callable

import numpy as np

import kolam as ko

SIZES = {"n": 3, "m": 4, "k": 5}


@dataclass
class Case:
    """A function of arrays, where it is smooth."""

    function: Callable
    shapes: tuple
    low: float = -2.0  # the elements of arguments
    high: float = 2.0
    opens: str = "nmk"  # which extents may be open
    least: int = 0  # of the extents
    narrow: float = 1.0  # how many times the usual error narrow floats may have
    is_linear: bool = False

    def shape(self, number, sizes=SIZES):
        return tuple(sizes[letter] if letter.isalpha() else int(letter) for letter in self.shapes[number])

    def arrays(self, seed=0, dtype=np.float64, **sizes):
        rng = np.random.default_rng(seed)
        sizes = {**SIZES, **sizes}
        shapes = [self.shape(number, sizes) for number in range(len(self.shapes))]
        return tuple(np.asarray(rng.uniform(self.low, self.high, shape)).astype(dtype) for shape in shapes)

    def dynamic(self):
        dims = [{dim: letter for dim, letter in enumerate(word) if letter in self.opens} for word in self.shapes]
        return dict(enumerate(dims))


def constant(shape, seed=7):
    return ko.asarray(np.random.default_rng(seed).standard_normal(shape))


def weights_like(x):
    """Different numbers of x's dtype, for results that would be too symmetric."""
    return ko.cos(ko.astype(ko.arange(x.size), x.dtype)).reshape(x.shape)


CASES = {}


def case(name, function, *shapes, **options):
    CASES[name] = Case(function, shapes, **options)


def with_name(name):
    return getattr(ko, name)


# Elementwise functions, by their domain.
for _name in "abs asinh atan cbrt cos cosh erf erfc exp exp2 expm1 negative sin sinh square tanh".split():
    case(_name, with_name(_name), "nm", low=0.1 if _name in ("abs", "cbrt") else -2.0)
for _name in "log log10 log1p log2 reciprocal rsqrt sqrt".split():
    case(_name, with_name(_name), "nm", low=0.3)
for _name in "acos asin atanh erf_inv tan".split():
    case(_name, with_name(_name), "nm", low=-0.8, high=0.8)
case("acosh", ko.acosh, "nm", low=1.3, high=3)
for _name in "add subtract multiply logaddexp".split():
    case(_name, with_name(_name), "nm", "nm")
case("divide", ko.divide, "nm", "nm", low=0.4)
case("lgamma", ko.lgamma, "nm", low=0.3)
case("lgamma below 0", lambda x: ko.lgamma(x - 2.5), "nm", low=-0.3, high=0.3, narrow=8)
case("pow", ko.pow, "nm", "nm", low=0.4)
case("hypot", ko.hypot, "nm", "nm", low=0.2)
case("atan2", ko.atan2, "nm", "nm", low=0.2)
case("maximum", ko.maximum, "nm", "nm")
case("minimum", ko.minimum, "nm", "nm")
case("copysign", ko.copysign, "nm", "nm", low=0.1)
case("remainder", lambda x, y: ko.remainder(x * 3, y + 2), "nm", "nm", low=0.4)
case("fmod", lambda x, y: ko.fmod(x * 3, y + 2), "nm", "nm", low=0.4)
case("pow by numbers", lambda x: (x**3, x**-1, x**0.5, x**2.5, x**2), "nm", low=0.3)
case("number to a power", lambda x: 2.5**x, "nm")
case("where", lambda x, y: ko.where(weights_like(x) > 0, x * y, y), "nm", "nm")
case("steps", lambda x: ko.floor(x) * x + ko.sign(x) + ko.round(x) * x * x + ko.trunc(x) + ko.ceil(x), "nm")
case("broadcasting", lambda x, y: ko.sin(x) * y, "nm", "m")
case("scalars", lambda x: 3 * x + x / 2 - (1 - x) * 2.0, "")

# Composites with rules.
for _name in "gelu log_softmax relu sigmoid silu softmax softplus".split():
    case(_name, with_name(_name), "nm")
case("gelu_tanh", lambda x: ko.gelu(x, approximate="tanh"), "nm")
case("softmax axis", lambda x: ko.softmax(x, axis=0), "nm")
case("logsumexp", lambda x: ko.logsumexp(x, axis=1), "nm", least=1)
case("layer_norm", ko.layer_norm, "nm", "m", "m", narrow=6)
case("layer_norm plain", ko.layer_norm, "nm", narrow=6)
case("rms_norm", ko.rms_norm, "nm", "m", narrow=4)
case("clip", lambda x, y: ko.clip(x, -1.0, y), "nm", "nm")
case("cross_entropy", lambda x: ko.cross_entropy(x, ko.asarray(np.array([1, 3, 0]))), "34")
case("nll_loss", lambda x: ko.nll_loss(x, ko.asarray(np.array([1, 3, 0])), reduction="none"), "34")
case("kl_div", lambda x, y: ko.kl_div(x, y, reduction="sum"), "nm", "nm", low=0.2)
case("kl_div of logarithms", lambda x, y: ko.kl_div(x, y, log_target=True, reduction="none"), "nm", "nm", narrow=2)
case("hinge_loss", lambda x, y: ko.hinge_loss(x, y, reduction="none"), "nm", "nm")
case("cosine_similarity", ko.cosine_similarity, "nm", "nm", narrow=4)
case("cosine_similarity axis", lambda x, y: ko.cosine_similarity(x, y, axis=0), "nm", "m", narrow=4)
case("std", lambda x: ko.std(x, axis=1), "nm", least=1, narrow=4)
case("var", lambda x: ko.var(x, axis=0, correction=1), "nm", least=2, narrow=4)
case("mean", lambda x: ko.mean(x, axis=1), "nm", least=1)

# Moves.
case("broadcast_to", lambda x: ko.broadcast_to(x, (2, 3, 4)), "31", opens="")
case("reshape", lambda x: ko.reshape(x, (-1,)) * 2, "nm")
case("permute_dims", lambda x: ko.permute_dims(x, (2, 0, 1)), "n2m")
case("expand_dims", lambda x: ko.squeeze(ko.expand_dims(x, axis=1), axis=1), "nm")
case("flip", lambda x: ko.flip(x, axis=1), "nm")
case("roll", lambda x: ko.roll(x, 2, axis=1), "nm", least=1)
case("slice", lambda x: x[1:, ::2], "nm", least=1)
case("slice backwards", lambda x: x[::-1, 1:4:2], "n5")
case("slice one", lambda x: x[1, -1], "nm", least=2)
case("concat", lambda x, y: ko.concat([x, y, x], axis=0), "nm", "2m")
case("stack", lambda x, y: ko.stack([x, y], axis=1), "nm", "nm")
case("split", lambda x: x[:2] * x[1:], "3m")
case("tile", lambda x: ko.tile(x, (2, 3)), "nm", opens="")
case("repeat", lambda x: ko.repeat(x, 3, axis=1), "nm", opens="")
for _name in "constant edge reflect wrap".split():
    case(f"pad {_name}", lambda x, _name=_name: ko.pad(x, ((1, 2), (2, 1)), mode=_name), "nm", least=3, opens="")
case("pad value", lambda x, v: ko.pad(x, ((1, 0), (0, 2)), mode="constant", constant_values=v), "nm", "")
case("triu", lambda x: ko.triu(x) + 2 * ko.tril(x, k=-1), "nm")
case("diagonal", lambda x: ko.diagonal(x), "44")
case("dynamic_slice", lambda x: ko.dynamic_slice(x, (ko.asarray(7), ko.asarray(1)), (2, 2)), "nm", least=3)
case("dynamic_update_slice", lambda x, u: ko.dynamic_update_slice(x, u, (ko.asarray(1), ko.asarray(9))), "nm", "22", least=3)
case("sliding", lambda x: ko.sum(ko.stack([x[i : i + 3] for i in range(3)]), axis=0), "5")

# Products.
case("matmul", ko.matmul, "nm", "mk")
case("matmul vectors", ko.matmul, "m", "m")
case("matmul batched", ko.matmul, "2nm", "2mk")
case("matmul broadcast", ko.matmul, "2nm", "mk")
case("matmul wide", lambda x, y: x @ y, "n4", "48", opens="n")
case("einsum", lambda x, y: ko.einsum("ij,kj->ik", x, y), "nm", "km")
case("einsum alone", lambda x, y: ko.einsum("ij,kl->ik", x, y), "nm", "km")
case("einsum three", lambda x, y, z: ko.einsum("ij,jk,kl->il", x, y, z), "nm", "mk", "k2")
HIDDEN = ko.asarray(np.random.default_rng(3).uniform(size=(3, 4)) < 0.6)
case("einsum where of a factor alone", lambda x, y: ko.einsum("ij,k->k", x, y, where=HIDDEN[None]), "34", "m")
case("outer", lambda x, y: ko.einsum("i,j->ij", x, y), "n", "m")
case("conv", ko.conv2d, "2365", "4332", opens="")
case("conv strides", lambda x, w: ko.conv2d(x, w, strides=2, padding=1), "2365", "4332", opens="")
case("conv dilation", lambda x, w: ko.conv2d(x, w, dilation=2, padding=1), "2365", "4332", opens="")
case("conv far outside", lambda x, w: ko.conv2d(x, w, padding=((1, 5), (0, 4))), "2322", "4321", opens="")
case("conv groups", lambda x, w: ko.conv2d(x, w, groups=3, padding=1, strides=2), "2365", "6132", opens="")
case("attention", ko.attention, "23k4", "2364", "2364", opens="k", narrow=4)
case("attention causal", lambda q, k, v: ko.attention(q, k, v, causal=True), "2354", "2354", "2354", opens="", narrow=4)

# Reductions.
case("sum", lambda x: ko.sum(x, axis=1), "nm")
case("sum all", lambda x: ko.sum(x), "nm")
case("prod", lambda x: ko.prod(x, axis=1), "nm", narrow=4)
case("prod all", lambda x: ko.prod(x), "nm", narrow=8)
case("max", lambda x: ko.max(x, axis=1), "nm", least=1)
case("min", lambda x: ko.min(x), "nm", least=1)
case("cumulative_sum", lambda x: ko.cumulative_sum(x, axis=1), "nm")
case("cumulative_prod", lambda x: ko.cumulative_prod(x, axis=1), "nm", narrow=4)
case("associative_scan", lambda x: ko.associative_scan(lambda a, b: a + b + a * b, x), "nm", least=1)
case("associative_scan from the end", lambda x: ko.associative_scan(ko.logaddexp, x, axis=1, reverse=True), "nm", least=1, narrow=4)
case("associative_scan of pairs", lambda x, y: ko.associative_scan(lambda a, b: (a[0] * b[0], a[1] * b[0] + b[1]), (x, y)), "nm", "nm", least=1, narrow=4)
case("associative_scan of matrices", lambda x: ko.associative_scan(lambda a, b: a @ b, x), "n22", least=1, narrow=8)
case("associative_scan of what f captures", lambda x, w: ko.associative_scan(lambda a, b: a + b * w + a * b * w, x), "nm", "m", least=1, narrow=8)
case("sort", lambda x: ko.sort(x, axis=-1) * weights_like(x), "nm")
case("sort descending", lambda x: ko.sort(x, axis=0, descending=True) * weights_like(x), "nm")

# Places.
PLACES = ko.asarray(np.array([2, 0, 2, 1, 1], np.int32))
case("take", lambda x: ko.take(x, PLACES, axis=0), "3m")
case("index arrays", lambda x: x[PLACES] * 2, "3m")
case("take_along_axis", lambda x: ko.take_along_axis(x, ko.argsort(x, axis=1), axis=1) * weights_like(x), "nm")
case("at add", lambda x, u: x.at[PLACES].add(u), "3m", "5m")
case("at set", lambda x, u: x.at[PLACES].set(u), "3m", "5m")
case("at multiply", lambda x, u: x.at[PLACES].multiply(u), "3m", "5m", narrow=4)
for _name in ("kMin", "kMax"):
    case(f"scatter {_name}", lambda x, u, _name=_name: ko.scatter(x, u[:, None], PLACES[:, None], (0,), _name), "3m", "5m")
case("at min", lambda x, u: x.at[PLACES].min(u), "3m", "5m")
case("scatter of a function", lambda x, u: ko.scatter(x, u[:, None], PLACES[:, None], (0,), lambda a, b: a * b + ko.sin(a)), "3m", "5m", narrow=4)
WINDOWS = ko.asarray(np.array([[-1], [3], [1]], np.int32))  # of two rows of four: the first two reach out
for _mode in ("element", "wrap", "drop", "clip"):
    for _name in ("kAdd", "kUpdate", "kMul"):
        case(f"scatter {_name} {_mode}", lambda x, u, _name=_name, _mode=_mode: ko.scatter(x, u, WINDOWS, (0,), _name, mode=_mode), "4m", "32m", narrow=4)
    case(
        f"scatter of a function {_mode}", lambda x, u, _mode=_mode: ko.scatter(x, u, WINDOWS, (0,), lambda a, b: a * b + ko.sin(a), mode=_mode),
        "4m", "32m", narrow=4,
    )  # fmt: skip
INSIDE, APART = ko.asarray(np.array([[2], [0], [1]], np.int32)), ko.asarray(np.array([[2], [0]], np.int32))  # the last of three overlaps both others
PAIRS = ko.asarray(np.array([[[2], [0], [2]], [[1], [1], [3]]], np.int32))
COMBINERS = {"kAdd": "kAdd", "kUpdate": "kUpdate", "kMul": "kMul", "kMin": "kMin", "kMax": "kMax", "of a function": lambda a, b: a * b + ko.sin(a)}
for _name, _by in COMBINERS.items():
    for _mode in ("promise", "check"):
        case(f"scatter {_name} {_mode}", lambda x, u, _by=_by, _mode=_mode: ko.scatter(x, u, INSIDE, (0,), _by, mode=_mode), "4m", "32m", narrow=4)
    case(f"scatter {_name} unique", lambda x, u, _by=_by: ko.scatter(x, u, APART, (0,), _by, unique_indices=True), "4m", "22m", narrow=4)
    case(f"scatter {_name} batched", lambda x, u, _by=_by: ko.scatter(x, u, PAIRS, (0,), _by, batched_dims=1), "24m", "231m", narrow=4)
for _name in ("clip", "fill", "wrap"):
    case(f"gather {_name}", lambda x, _name=_name: ko.where(ko.isnan(y := ko.gather(x, WINDOWS, (0,), (2,), mode=_name)), 0, y), "4m")
for _name in ("promise", "check"):
    case(f"gather {_name}", lambda x, _name=_name: ko.gather(x, INSIDE, (0,), (2,), mode=_name), "4m")
case("at set slice", lambda x, u: x.at[1:].set(u), "3m", "2m")
case("top_k", lambda x: ko.top_k(x, 2)[0], "n4")

# Dtypes and constants.
case("casts", lambda x: ko.astype(ko.astype(x, ko.float32) * 2, x.dtype) if x.dtype == ko.float64 else x * 2, "nm", low=0, high=0)
case("stop_gradient", lambda x: x * 2 + ko.stop_gradient(x) * 0, "nm")
del CASES["casts"]  # differences in float32 say nothing
