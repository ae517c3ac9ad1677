"""Transformations inside the bodies of kernels: what they give on arrays, for points of a grid, on both backends, and derivatives of that."""

import numpy as np
import pytest
from derivatives.checks import assert_near, assert_same_bits, interpreted

import kolam as ko
from kolam import pallas as pl

RNG = np.random.default_rng(21)
X = ko.asarray(RNG.uniform(0.3, 1.2, (6, 3)))
W = ko.asarray(RNG.standard_normal((3, 3)) / 2)


def cubes(v):
    return ko.sin(v) * v**3


def mixed(v):
    """What makes each row more than a function of elements."""
    return ko.tanh(W @ v) * v


def scanned(v):
    return ko.scan(lambda h, _: (ko.sin(h * v) + h, None), v, None, length=3)[0]


def pulled_back(v):
    value, pullback = ko.vjp(mixed, v)
    return value * pullback(v)[0]


def checked(v):
    error, value = ko.checkify(cubes)(v)
    return value


#: What a body gives of a row, in its transformations.
BODIES = {
    "jvp": lambda v: ko.jvp(mixed, (v,), (ko.cos(v),))[1],
    "jvp of a scan": lambda v: ko.jvp(scanned, (v,), (v,))[1],
    "vjp": pulled_back,
    "vjp of a scan": lambda v: ko.vjp(scanned, v)[1](v)[0],
    "linearize": lambda v: ko.linearize(mixed, v)[1](v * v),
    "jacfwd": lambda v: ko.jacfwd(mixed)(v) @ v,
    "jacrev": lambda v: ko.jacrev(mixed)(v) @ v,
    "jacrev in chunks": lambda v: ko.jacrev(mixed, chunk=2)(v) @ v,
    "hessian": lambda v: ko.hessian(lambda v: ko.sum(mixed(v)))(v) @ v,
    "linear_transpose": lambda v: ko.linear_transpose(lambda v: W @ v[::-1], v)(v)[0] * v,
    "checkpoint": lambda v: ko.grad(lambda v: ko.sum(ko.checkpoint(mixed)(v)))(v),
    "checkpoint of a policy": lambda v: ko.grad(lambda v: ko.sum(ko.checkpoint(mixed, policy=ko.checkpoint_policies.dots_saveable)(v)))(v),
    "stop_gradient": lambda v: ko.grad(lambda v: ko.sum(v * ko.stop_gradient(mixed(v))))(v),
    "checkify": checked,
    "grad of vmap": lambda v: ko.grad(lambda v: ko.sum(ko.vmap(cubes)(v)))(v),
    "vmap of grad": lambda v: ko.vmap(ko.grad(cubes))(v),
    "grad of a branch": lambda v: ko.grad(lambda v: ko.cond(v[0] > 0.7, lambda: ko.sum(mixed(v)), lambda: ko.sum(cubes(v))))(v),
}
EVERY = pytest.mark.parametrize("name", BODIES)


def call(body):
    """A kernel over rows, whose points do not touch each other."""

    def kernel(x_ref, o_ref):
        o_ref[...] = body(x_ref[...])

    spec = pl.BlockSpec((None, 3), lambda i: (i, 0))
    return pl.pallas_call(kernel, ko.ShapeDtypeStruct((6, 3), ko.float64), grid=(6,), in_specs=[spec], out_specs=spec)


def summed(body):
    """A kernel that runs as a loop over its grid: its points add up in scratch."""

    def kernel(x_ref, o_ref, sum_ref):
        sum_ref[...] = ko.sin(sum_ref[...]) + body(x_ref[...])
        o_ref[...] = sum_ref[...]

    spec = pl.BlockSpec((None, 3), lambda i: (i, 0))
    out, scratch = ko.ShapeDtypeStruct((6, 3), ko.float64), [ko.ShapeDtypeStruct((3,), ko.float64)]
    return pl.pallas_call(kernel, out, grid=(6,), in_specs=[spec], out_specs=spec, scratch_shapes=scratch)


def rows_alone(body):
    return lambda x: ko.stack([body(x[i]) for i in range(6)])


def summed_rows(body):
    def run(x):
        rows, sums = [], ko.zeros(3, dtype=ko.float64)
        for i in range(6):
            sums = ko.sin(sums) + body(x[i])
            rows.append(sums)
        return ko.stack(rows)

    return run


@EVERY
def test_points_of_their_own(name):
    body = BODIES[name]
    found = interpreted(call(body))(X)
    assert_same_bits(ko.jit(call(body))(X), found, "native")
    assert_near(found, rows_alone(body)(X), name, 1e-13)


@EVERY
def test_points_one_after_the_other(name):
    body = BODIES[name]
    found = interpreted(summed(body))(X)
    assert_same_bits(ko.jit(summed(body))(X), found, "native")
    assert_near(found, summed_rows(body)(X), name, 1e-13)


@EVERY
def test_derivatives_around_the_call(name):
    """Those of the same functions of arrays: also of what `stop_gradient` stops, of which differences know nothing."""
    for make, plain in ((call, rows_alone), (summed, summed_rows)):
        gradient, expected = (ko.grad(lambda x, f=how(BODIES[name]): ko.sum(ko.sin(f(x)))) for how in (make, plain))
        found = interpreted(gradient)(X)
        assert_same_bits(ko.jit(gradient)(X), found, "native")
        assert_near(found, expected(X), name, 1e-12)


@EVERY
def test_instances_around_the_call(name):
    stacked = ko.stack([X, X * 0.5 + 0.25, X * 0.75])
    for kernel in (call, summed):
        own = kernel(BODIES[name])
        expected = ko.stack([interpreted(own)(x) for x in stacked])
        assert_same_bits(ko.jit(ko.vmap(own))(stacked), expected, "native")
