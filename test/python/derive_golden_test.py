"""Gradients and products with Hessians beside JAX's: test/golden/derivatives.npz, which scripts/make_derivative_goldens.py writes.

JAX and Kolam add up in other orders: they agree to a few units of float64, times what cancels.
"""

from pathlib import Path

import numpy as np
import pytest
from derivatives import cases
from derivatives.checks import assert_near, interpreted

import kolam as ko

GOLDENS = np.load(Path(__file__).parents[1] / "golden" / "derivatives.npz")
NEAR = 1e-11

F64 = {"dtype": ko.float64}
OUTSIDE = ko.asarray(np.array([2, 0, 7, 1, 4], np.int32))


def distances(rows, columns):
    return np.arange(rows)[:, None] - np.arange(columns)


#: Functions that are no case of a rule.
OWN = {
    "scan": lambda x, w: ko.scan(lambda h, row: (ko.tanh(w @ h + row), h * row), ko.zeros(4, **F64), x)[1],
    "scan backwards": lambda x: ko.scan(lambda h, row: (ko.sin(h) + row, h), ko.ones(4, **F64), x, reverse=True)[1],
    "fori_loop": lambda x: ko.fori_loop(0, 5, lambda i, h: ko.sin(h) * x, x),
    "cond": lambda x: ko.cond(ko.sum(x) > 0, lambda: ko.sin(x) * x, lambda: x**3),
    "switch": lambda x: ko.switch(ko.asarray(1), [lambda: x, lambda: x**3, lambda: ko.exp(x)]),
    "associative_scan": lambda x: ko.associative_scan(lambda a, b: a * b, x),
    "pow by a number": lambda x: x**2.5,
    "stop_gradient": lambda x: x * x + ko.stop_gradient(x) * x,
    "square root under where": lambda x: ko.where(x > 0, ko.sqrt(x), 0.0),
    "broadcast_to": lambda x: ko.broadcast_to(x, (2, 3, 4)) ** 2,
    "reshape": lambda x: ko.reshape(x * x, (-1,)),
    "expand_dims": lambda x: ko.squeeze(ko.expand_dims(x * x, axis=1), axis=1),
    "squeeze": lambda x: ko.squeeze(x, axis=1) ** 2,
    "moveaxis": lambda x: ko.moveaxis(x, 0, 2) ** 2,
    "slice one": lambda x: x[1, -1] ** 2,
    "pad value": lambda x, v: ko.pad(x, ((1, 0), (0, 2)), mode="constant", constant_values=v) ** 2,
    "sliding": lambda x: sum((x[i : i + 3] ** 2 for i in range(3)), ko.zeros(3, **F64)),
    "meshgrid": lambda x, y: ko.prod(ko.stack(ko.meshgrid(x, y)), axis=0),
    "outer": lambda x, y: ko.outer(x, y),
    "tensordot": lambda x, y: ko.tensordot(x, y, axes=2),
    "vecdot": lambda x, y: ko.vecdot(x, y),
    "conv 1d": lambda x, w: ko.conv1d(x, w, strides=2, padding=1),
    "conv 3d": lambda x, w: ko.conv3d(x, w, padding=1),
    "conv 3d groups": lambda x, w: ko.conv3d(x, w, strides=2, dilation=2, padding=2, groups=2),
    "conv_transpose": lambda x, w: ko.conv_transpose(x, w, strides=2),
    "attention booleans": lambda q, k, v: ko.attention(q, k, v, mask=ko.asarray(distances(6, 5) % 3 != 1)),
    "attention floats": lambda q, k, v, mask: ko.attention(q, k, v, mask=mask),
    "attention window": lambda q, k, v: ko.attention(q, k, v, window=(2, 1)),
    "sum all": lambda x: ko.sum(x) ** 2,
    "logsumexp all": lambda x: ko.logsumexp(x),
    "norm": lambda x: ko.norm(x, axis=1),
    "norm of one": lambda x: ko.norm(x, axis=1, ord=1),
    "norm of three": lambda x: ko.norm(x, axis=1, ord=3),
    "cumulative_max": lambda x: ko.cumulative_max(x, axis=1) ** 2,
    "cumulative_min": lambda x: ko.cumulative_min(x, axis=0) ** 2,
    "sort": lambda x: ko.sort(x, axis=-1) * cases.weights_like(x) * x,
    "sort descending": lambda x: ko.sort(x, axis=0, descending=True) ** 2,
    "median": lambda x: ko.median(x, axis=1) ** 2,
    "max_pool": lambda x: ko.max_pool(x, (2, 2), strides=(2, 1)) ** 2,
    "avg_pool": lambda x: ko.avg_pool(x, (3, 2), strides=1) ** 2,
    "index arrays": lambda x: x[cases.PLACES] ** 2,
    "take_along_axis": lambda x: ko.take_along_axis(x, ko.argsort(x, axis=1), axis=1) * cases.weights_like(x) * x,
    **{f"gather {mode}": lambda x, mode=mode: ko.gather(x * x, OUTSIDE[:, None], (0,), (1,), mode=mode)[:, 0] for mode in ("clip", "fill", "wrap")},
    "at set": lambda x, u: x.at[cases.PLACES].set(u) ** 2,
    "at set slice": lambda x, u: x.at[1:].set(u) ** 2,
    "at multiply once": lambda x, u: x.at[ko.asarray([2, 0])].multiply(u) ** 2,
    "at min": lambda x, u: x.at[cases.PLACES].min(u) ** 2,
    "at max": lambda x, u: x.at[cases.PLACES].max(u) ** 2,
    "at add outside": lambda x, u: ko.scatter(x, (u * u)[:, None], OUTSIDE[:, None], (0,), "kAdd") ** 2,
    "segment_sum": lambda x: ko.segment_sum(x * x, cases.PLACES, 4),
    "segment_max": lambda x: ko.segment_max(x, cases.PLACES, 3) ** 2,
    "segment_min": lambda x: ko.segment_min(x, cases.PLACES, 3) ** 2,
    "scan of a tree": lambda x, w: ko.scan(
        lambda s, row: ((ko.sin(s[0] @ w), s[1] + s[0] * row), s[1]), (ko.ones(4, **F64), ko.zeros(4, **F64)), x
    )[1],
    "map": lambda x, w: ko.map(lambda row: ko.tanh(row @ w), x),
    "vmap": lambda x, w: ko.vmap(lambda row: ko.tanh(row @ w), in_axes=1, out_axes=1)(x),
    "checkpoint": lambda x, w: ko.checkpoint(lambda x: ko.tanh(ko.tanh(x @ w) @ w))(x),
    "hessian": lambda x: ko.hessian(lambda x: ko.sum(ko.sin(x) * x[0] ** 2))(x),
    "jacobian": lambda x, w: ko.jacfwd(lambda x: ko.tanh(w @ x))(x),
    "while_loop": lambda x: ko.while_loop(
        lambda s: ko.sum(s[0] ** 2) > 1, lambda s: (s[0] * ko.cos(s[0]) / 2, s[1] + ko.sin(s[0])), (x, ko.zeros_like(x))
    )[1],
}
for _name in "nancumprod nancumsum nanmax nanmean nanmedian nanmin nanprod nanstd nansum nanvar".split():
    OWN[_name] = lambda x, _name=_name: getattr(ko, _name)(ko.where(x > 1, ko.nan, x * x), axis=1)
for _name in ("pmean", "psum"):
    OWN[_name] = lambda x, _name=_name: ko.vmap(lambda row: row * getattr(ko, _name)(row**2, "i"), axis_name="i")(x)
OWN |= {
    "linspace": lambda x, y: ko.linspace(x, y, 5) ** 2,
    "average": lambda x, w: ko.average(x, axis=1, weights=w),
    "quantile": lambda x: ko.quantile(x, 0.3, axis=1) ** 2,
    "swapaxes": lambda x: ko.swapaxes(x, 0, 2) ** 2,
    "select": lambda x, y: ko.select(x > 0, x * y, y**2),
    "interp": lambda x, y: ko.interp(x, np.array([-2.0, -1.0, 0.5, 2.0]), y),
    "put_along_axis": lambda x, u: ko.put_along_axis(x, ko.asarray([[1], [0], [3]]), u, axis=1) ** 2,
}
NAMES = sorted({key.rsplit(".", 2)[0] for key in GOLDENS.files})
PUSHED = [name for name in NAMES if f"{name}.tangent.0" in GOLDENS]


def of(name, what):
    return [GOLDENS[f"{name}.{what}.{number}"] for number in range(sum(key.startswith(f"{name}.{what}.") for key in GOLDENS.files))]


def gradient_of(name):
    function = OWN.get(name) or (cases.CASES[name].function if name in cases.CASES else getattr(ko, name))

    def total(*args):
        result = function(*args)
        return ko.sum(result * ko.cos(ko.astype(ko.arange(result.size), ko.float64)).reshape(result.shape))

    return total


@pytest.mark.parametrize("name", [name for name in NAMES if name not in PUSHED])
def test_agrees_with_jax(name):
    args = of(name, "argument")
    every = tuple(range(len(args)))
    gradient = ko.grad(gradient_of(name), argnums=every)
    second = ko.grad(lambda *given: sum((ko.sum(part) for part in gradient(*given)), ko.zeros((), **F64)), argnums=every)
    for what, function in (("gradient", gradient), ("second", second)):
        for number, (own, theirs) in enumerate(zip(interpreted(function)(*args), of(name, what), strict=True)):
            assert_near(own, theirs, f"{what} {number}", NEAR)


@pytest.mark.parametrize("name", PUSHED)
def test_pushes_forward_as_jax(name):
    args = of(name, "argument")
    along = [np.asarray(cases.weights_like(ko.asarray(arg))) for arg in args]
    push = lambda *given: ko.jvp(OWN[name], given, along)[1]  # noqa: E731
    again = lambda *given: ko.jvp(push, given, along)[1]  # noqa: E731
    for what, function in (("tangent", push), ("tangent of tangent", again)):
        assert_near(interpreted(function)(*args), of(name, what)[0], what, NEAR)
