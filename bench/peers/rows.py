"""Softmax, norms, chains and reductions over rows."""

import numpy as np
from case import Case, floats
from products import by
from sizes import size

EPSILON = 1e-5


def softmax_of(x):
    y = np.exp(x - x.max(1, keepdims=True))
    return y / y.sum(1, keepdims=True)


def numba_softmax(numba, x):
    y = np.empty_like(x)

    @numba.njit(fastmath=True, parallel=True)
    def run(x, y):
        for i in numba.prange(x.shape[0]):
            most = x[i, 0]
            for j in range(x.shape[1]):
                most = max(most, x[i, j])
            total = np.float32(0)
            for j in range(x.shape[1]):
                y[i, j] = np.exp(x[i, j] - most)
                total += y[i, j]
            for j in range(x.shape[1]):
                y[i, j] /= total
        return y

    return lambda: run(x, y)


def softmax(ko, shape):
    return Case(
        f"softmax {by(*shape)}", [floats(1, *shape)], goal=1.0, ours=ko.softmax, reference=softmax_of,
        torch=lambda torch, x: torch.softmax(x, -1), jax=lambda jax, x: jax.nn.softmax(x),
        onnx=lambda: [("Softmax", ["x0"], "y", {})], numba=numba_softmax,
    )


def layer_norm_of(x, w, b):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + EPSILON) * w + b


def jax_layer_norm(jax, x, w, b):
    mean = x.mean(1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(x.var(1, keepdims=True) + EPSILON) * w + b


def layer_norm(ko, shape):
    width = shape[1]
    return Case(
        f"layer norm {by(*shape)}", [floats(1, *shape)], weights=[floats(2, width), floats(3, width)],
        ours=lambda x, w, b: ko.layer_norm(x, w, b, epsilon=EPSILON), reference=layer_norm_of,
        torch=lambda torch, x, w, b: torch.nn.functional.layer_norm(x, (width,), w, b, EPSILON),
        jax=jax_layer_norm,
        onnx=lambda: [("LayerNormalization", ["x0", "w0", "w1"], "y", {"epsilon": EPSILON})],
    )


def rms_norm(ko, shape):
    width = shape[1]
    return Case(
        f"rms norm {by(*shape)}", [floats(1, *shape)], weights=[floats(2, width)],
        ours=lambda x, w: ko.rms_norm(x, w, epsilon=EPSILON),
        reference=lambda x, w: x / np.sqrt((x * x).mean(1, keepdims=True) + EPSILON) * w,
        torch=lambda torch, x, w: torch.nn.functional.rms_norm(x, (width,), w, EPSILON),
        jax=lambda jax, x, w: x * jax.lax.rsqrt((x * x).mean(1, keepdims=True) + EPSILON) * w,
        onnx=lambda: [("RMSNormalization", ["x0", "w0"], "y", {"epsilon": EPSILON})],
    )


def numba_chain(numba, x):
    y = np.empty_like(x)

    @numba.njit(fastmath=True, parallel=True)
    def run(x, y):
        for i in numba.prange(x.shape[0]):
            for j in range(x.shape[1]):
                cell = x[i, j]
                root = np.sqrt(abs(cell * np.float32(1.5) + np.float32(0.25)))
                y[i, j] = max(root - cell, np.float32(0))
        return y

    return lambda: run(x, y)


def chain(ko, shape):
    return Case(
        f"chain of six elementwise {by(*shape)}", [floats(1, *shape)], tolerance=1e-4,
        ours=lambda x: ko.maximum(ko.sqrt(ko.abs(x * 1.5 + 0.25)) - x, 0.0),
        reference=lambda x: np.maximum(np.sqrt(np.abs(x * 1.5 + 0.25)) - x, 0),
        torch=lambda torch, x: torch.clamp_min(torch.sqrt(torch.abs(x * 1.5 + 0.25)) - x, 0),
        jax=lambda jax, x: jax.numpy.maximum(jax.numpy.sqrt(jax.numpy.abs(x * 1.5 + 0.25)) - x, 0),
        numba=numba_chain,
    )


def halide_smooth_chain(halide, x):
    """Halide's own exp, vectors and threads; its tanh would be the C library's, element by element."""
    f32, row, column = halide.f32, halide.Var("row"), halide.Var("column")
    given, made = halide.Buffer(x), halide.Buffer(halide.Float(32), list(x.shape[::-1]))
    v = given[column, row]
    tanh = f32(1) - f32(2) / (halide.exp((v * f32(1.5) + f32(0.25)) * f32(2)) + f32(1))
    target, chain = halide.get_jit_target_from_environment(), halide.Func("chain")
    chain[column, row] = tanh * halide.exp(-v * v)
    chain.vectorize(column, target.natural_vector_size(halide.Float(32)), halide.TailStrategy.GuardWithIf).parallel(row, 16)
    chain.compile_jit(target)

    def call():
        chain.realize(made)
        return made

    return call


def smooth_chain(ko, name, shape):
    def by_loop(numba, x):
        y = np.empty_like(x)

        @numba.njit(fastmath=True, parallel=True)
        def run(x, y):
            for i in numba.prange(x.shape[0]):
                for j in range(x.shape[1]):
                    v = x[i, j]
                    y[i, j] = np.tanh(v * np.float32(1.5) + np.float32(0.25)) * np.exp(-v * v)
            return y

        return lambda: run(x, y)

    def values(lib, x):
        return lib.tanh(x * 1.5 + 0.25) * lib.exp(-x * x)

    return Case(
        name, [floats(1, *shape)], goal=1.0, ours=lambda x: values(ko, x), reference=lambda x: values(np, x), numba=by_loop,
        torch=values, jax=lambda jax, x: values(jax.numpy, x), more={"Halide": ("halide", halide_smooth_chain)},
    )  # fmt: skip


def numba_sum(numba, x):
    y = np.empty(x.shape[0], np.float32)

    @numba.njit(fastmath=True, parallel=True)
    def run(x, y):
        for i in numba.prange(x.shape[0]):
            total = np.float32(0)
            for j in range(x.shape[1]):
                total += x[i, j]
            y[i] = total
        return y

    return lambda: run(x, y)


def sum_of_axis(ko, axis, shape):
    return Case(
        f"sum over axis {axis} {by(*shape)}", [floats(1, *shape)], tolerance=1e-4,
        ours=lambda x: ko.sum(x, axis=axis), reference=lambda x: x.sum(axis),
        torch=lambda torch, x: x.sum(axis), jax=lambda jax, x: x.sum(axis),
        onnx=lambda: [
            ("Constant", [], "axes", {"value_ints": [axis]}), ("ReduceSum", ["x0", "axes"], "y", {"keepdims": 0}),
        ],
        numba=numba_sum if axis == 1 else None,
    )


def argmax(ko, shape):
    return Case(
        f"argmax over axis 1 {by(*shape)}", [floats(1, *shape)], tolerance=0,
        ours=lambda x: ko.argmax(x, axis=1), reference=lambda x: x.argmax(1).astype(np.float64),
        torch=lambda torch, x: x.argmax(1), jax=lambda jax, x: x.argmax(1),
        onnx=lambda: [("ArgMax", ["x0"], "y", {"axis": 1, "keepdims": 0})],
    )


def moments(ko):
    """Mean and variance; see bench/reduction.cpp."""

    def merge(a, b):
        count, shift = a[0] + b[0], b[1] - a[1]
        share = b[0] / ko.maximum(count, 1.0)
        return count, a[1] + shift * share, a[2] + b[2] + shift * shift * a[0] * share

    def of_chunk(x):
        mean = ko.mean(x)
        return ko.sum(x * 0 + 1), mean, ko.sum((x - mean) * (x - mean))

    zero = np.float32(0)
    return ko.Monoid(
        zero=(zero, zero, zero), merge=merge, wrap=lambda x: (ko.asarray(np.float32(1)), x, ko.asarray(zero)),
        unwrap=lambda m: (m[1], m[2] / ko.maximum(m[0], 1.0)), wrap_all=of_chunk, commutative=True, name="moments",
    )


def mean_and_variance(ko, shape):
    def ours(x):
        return ko.stack(list(ko.reduce(x, moments(ko), axis=1)), axis=1)

    def torch_moments(torch, x):
        variance, mean = torch.var_mean(x, 1, correction=0)
        return torch.stack((mean, variance), 1)

    return Case(
        f"mean and variance by wrap_all {by(*shape)}", [floats(1, *shape)], ours=ours,
        reference=lambda x: np.stack((x.mean(1), x.var(1)), 1), torch=torch_moments,
        jax=lambda jax, x: jax.numpy.stack((x.mean(1), x.var(1)), 1),
    )


def cases(ko):
    """(name, a function that makes the case)."""
    in_l2, in_l3, in_memory = size(((2048, 1024), (4096, 1024), (32768, 1024)), ((3, 40), (5, 33), (7, 17)))
    for shape in (in_l3, in_memory):
        yield f"softmax {by(*shape)}", lambda shape=shape: softmax(ko, shape)
        yield f"layer norm {by(*shape)}", lambda shape=shape: layer_norm(ko, shape)
        yield f"rms norm {by(*shape)}", lambda shape=shape: rms_norm(ko, shape)
    for shape in (in_l2, in_memory):
        yield f"chain of six elementwise {by(*shape)}", lambda shape=shape: chain(ko, shape)
    yield "chain with tanh and exp 2048x1024", lambda: smooth_chain(ko, "chain with tanh and exp 2048x1024", in_l2)
    yield f"sum over axis 1 {by(*in_memory)}", lambda: sum_of_axis(ko, 1, in_memory)
    yield f"argmax over axis 1 {by(*in_memory)}", lambda: argmax(ko, in_memory)
    yield f"mean and variance by wrap_all {by(*in_memory)}", lambda: mean_and_variance(ko, in_memory)
    for shape in (in_l3, in_memory):
        yield f"sum over axis 0 {by(*shape)}", lambda shape=shape: sum_of_axis(ko, 0, shape)
