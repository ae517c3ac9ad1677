"""Gradients and training steps, as users write them, beside JAX and PyTorch.

A loss is written once, for libraries whose names agree; loops and a few functions have a form for each library.
"""

import numpy as np
from case import Case, floats, named, places
from program import JaxNames
from sizes import size


class Library:
    """What losses use; `scan(step, state, xs)` gives the last state and what the steps give, stacked."""

    def __init__(self, name, module):
        self.name, self.module = name, module

    def __getattr__(self, name):
        return getattr(self.module, name)

    def scan(self, step, state, xs=None, length=None):
        if self.name != "torch":
            return self.module.scan(step, state, xs, length=length)
        given = []
        for i in range(length if xs is None else len(xs)):
            state, y = step(state, None if xs is None else xs[i])
            given.append(y)
        return state, None if given[0] is None else self.module.stack(given)

    def flat(self, arrays):
        """All elements of the arrays, one after the other."""
        join = {"kolam": "concat", "jax": "concatenate", "torch": "cat"}[self.name]
        return getattr(self.module, join)([array.reshape((-1,)) for array in arrays])

    def flat_last(self, x, y):
        if self.name == "torch":
            return self.module.cat([x, y], -1)
        return (self.module.concat if self.name == "kolam" else self.module.concatenate)([x, y], axis=-1)

    def bordered(self, x):
        """x with zeros around it."""
        if self.name == "torch":
            return self.module.nn.functional.pad(x, (1, 1, 1, 1))
        return self.module.pad(x, ((1, 1), (1, 1)))

    def gradients(self, loss, arrays, numbers):
        """Those of loss(library, *arrays) to the arrays of these numbers."""
        if self.name == "torch":
            with self.module.enable_grad():
                given = [array.detach().requires_grad_(number in numbers) for number, array in enumerate(arrays)]
                return self.module.autograd.grad(loss(self, *given), [given[number] for number in numbers], create_graph=False)
        return self.module.grad(lambda *given: loss(self, *given), argnums=tuple(numbers))(*arrays)


def differences(ko, loss, arrays, numbers, rate):
    """The same from values of the loss in f64, which our interpreter gives."""
    lib, h = Library("kolam", ko), 1e-6
    names = ", ".join(f"x{number}" for number in range(len(arrays)))
    value = ko.jit(eval(f"lambda {names}: loss(lib, {names})", {"loss": loss, "lib": lib}), backend="interpret")
    found = []
    for number in numbers:
        moved = [np.array(array) for array in arrays]
        flat, gradient = moved[number].reshape(-1), np.empty(moved[number].size)
        for place in range(flat.size):
            at = flat[place]
            flat[place] = at + h
            above = float(value(*moved))
            flat[place] = at - h
            gradient[place] = (above - float(value(*moved))) / (2 * h)
            flat[place] = at
        found.append(gradient if rate is None else arrays[number].reshape(-1) - rate * gradient)
    return np.concatenate(found)


def training(ko, name, inputs, loss, numbers, rate=None, tolerance=1e-3, compiled=False):
    """The gradients of a loss to some inputs, or these inputs after a step against them."""

    def result(lib, *arrays):
        found = lib.gradients(loss, arrays, numbers)
        if rate is not None:
            found = [arrays[number] - rate * gradient for number, gradient in zip(numbers, found, strict=True)]
        return lib.flat(found)

    def reference(*arrays):
        """By PyTorch in f64; without it by central differences, one element after the other: for small sizes."""
        try:
            import torch
        except ImportError:
            return differences(ko, loss, arrays, numbers, rate)
        return result(Library("torch", torch), *map(torch.from_numpy, arrays)).detach().numpy()

    return Case(
        name, inputs, ours=lambda *x: result(Library("kolam", ko), *x), reference=reference, tolerance=tolerance,
        torch=lambda torch, *x: result(Library("torch", torch), *x), jax=lambda jax, *x: result(Library("jax", JaxNames(jax)), *x),
        compiled=compiled,
    )  # fmt: skip


def logistic(ko, name):
    n, d = size((8192, 256), (40, 6))

    def loss(lib, w, b, x, y):
        z = x @ w + b
        return lib.sum(lib.log1p(lib.exp(-lib.abs(z))) + lib.maximum(z, z * 0) - z * y) / n

    labels = places(3, 2, n).astype(np.float32)
    return training(ko, name, [floats(1, d), floats(2, 1), floats(4, n, d), labels], loss, (0, 1), rate=0.1)


def autoencoder(ko, name):
    n, d, k = size((512, 784, 64), (8, 20, 4))

    def loss(lib, a, b, x):
        hidden = lib.tanh(x @ a)
        out = lib.sigmoid(hidden @ b)
        return lib.sum((out - x) ** 2) / n

    return training(ko, name, [floats(1, d, k) * 0.05, floats(2, k, d) * 0.05, floats(3, n, d)], loss, (0, 1), rate=0.01)


def gated_recurrent(ko, name):
    steps, n, d = size((64, 32, 128), (5, 2, 6))

    def loss(lib, wz, wr, wh, xs, h):
        def step(h, x):
            both = lib.flat_last(x, h)
            z, r = lib.sigmoid(both @ wz), lib.sigmoid(both @ wr)
            candidate = lib.tanh(lib.flat_last(x, r * h) @ wh)
            h = (1 - z) * h + z * candidate
            return h, lib.sum(h * h)

        return lib.sum(lib.scan(step, h, xs)[1])

    weights = [floats(k, 2 * d, d) * 0.1 for k in (1, 2, 3)]
    return training(ko, name, [*weights, floats(4, steps, n, d), floats(5, n, d)], loss, (0, 1, 2))


def residual_layers(ko, name):
    layers, n, d = size((12, 128, 256), (3, 4, 8))

    def loss(lib, ws, gains, x, y):
        for layer in range(layers):
            centred = x - lib.mean(x, -1)[:, None]
            normal = centred / lib.sqrt(lib.mean(centred * centred, -1) + 1e-5)[:, None] * gains[layer]
            x = x + lib.relu(normal @ ws[layer])
        return lib.sum((x - y) ** 2) / n

    inputs = [floats(1, layers, d, d) * 0.05, floats(2, layers, d), floats(3, n, d), floats(4, n, d)]
    return training(ko, name, inputs, loss, (0, 1), rate=0.001)


def flow(ko, name):
    """A neural differential equation by the classical Runge-Kutta method."""
    steps, n, d, k = size((50, 256, 16, 64), (4, 5, 3, 4))

    def loss(lib, a, b, x, y):
        def velocity(x):
            return lib.tanh(x @ a) @ b

        def step(x, _):
            h = 1.0 / steps
            k1 = velocity(x)
            k2 = velocity(x + 0.5 * h * k1)
            k3 = velocity(x + 0.5 * h * k2)
            k4 = velocity(x + h * k3)
            return x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

        x, _ = lib.scan(step, x, length=steps)
        return lib.sum((x - y) ** 2) / n

    return training(ko, name, [floats(1, d, k) * 0.3, floats(2, k, d) * 0.3, floats(3, n, d), floats(4, n, d)], loss, (0, 1))


def heat(ko, name):
    """The heat that was there first, from the heat at the end: the gradient of a simulation."""
    steps, n = size((100, 256), (4, 8))

    def loss(lib, u, target):
        def step(u, _):
            inner = u[1:-1, 1:-1] + 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
            return lib.bordered(inner), None

        u, _ = lib.scan(step, u, length=steps)
        return lib.sum((u - target) ** 2)

    return training(ko, name, [floats(1, n, n), floats(2, n, n)], loss, (0,), rate=0.1)


def factorisation(ko, name):
    """A step of matrix factorisation from observed entries: rows of two tables."""
    users, items, d, n = size((20_000, 5_000, 32, 100_000), (9, 7, 4, 30))

    def loss(lib, u, v, rows, columns, seen):
        found = lib.sum(u[rows] * v[columns], -1)
        return lib.sum((found - seen) ** 2) / n

    inputs = [floats(1, users, d), floats(2, items, d), places(3, users, n), places(4, items, n), floats(5, n)]
    return training(ko, name, inputs, loss, (0, 1), rate=0.05)


def transformer_block(ko, name):
    s, d, heads = size((256, 256, 4), (6, 8, 2))

    def loss(lib, wq, wk, wv, wo, a, b, x):
        def split(y):
            return y.reshape((s, heads, d // heads)).swapaxes(0, 1)

        q, k, v = split(x @ wq), split(x @ wk), split(x @ wv)
        scores = q @ k.swapaxes(1, 2) / float(np.sqrt(d // heads))
        weights = lib.exp(scores - lib.logsumexp(scores, -1)[..., None])
        x = x + (weights @ v).swapaxes(0, 1).reshape((s, d)) @ wo
        x = x + lib.relu(x @ a) @ b
        return lib.sum(x * x) / s

    shapes = [(d, d)] * 4 + [(d, 4 * d), (4 * d, d)]
    return training(
        ko, name, [floats(k, *shape) * 0.05 for k, shape in enumerate(shapes)] + [floats(9, s, d)], loss, range(6), rate=0.01
    )


def transport(ko, name):
    """Sinkhorn's distance between two clouds of points, to the points of one."""
    n, d, steps = size((512, 3, 50), (12, 2, 4))

    def loss(lib, x, y):
        cost = lib.sum((x[:, None, :] - y[None, :, :]) ** 2, -1)
        scaled = cost * -10.0

        def step(state, _):
            f, g = state
            f = -lib.logsumexp(scaled + g[None, :], 1)
            g = -lib.logsumexp(scaled + f[:, None], 0)
            return (f, g), None

        (f, g), _ = lib.scan(step, (x[:, 0] * 0, y[:, 0] * 0), length=steps)
        return lib.sum(lib.exp(scaled + f[:, None] + g[None, :]) * cost)

    return training(ko, name, [floats(1, n, d), floats(2, n, d)], loss, (0,), tolerance=5e-3)


def contrast(ko, name):
    """Pairs of views of one picture against all others of the batch."""
    n, d, k = size((1024, 256, 128), (10, 8, 4))

    def loss(lib, w, x, y):
        def embedded(x):
            z = x @ w
            return z / lib.sqrt(lib.sum(z * z, -1) + 1e-6)[:, None]

        a, b = embedded(x), embedded(y)
        scores = a @ b.T * 10.0
        return lib.sum(lib.logsumexp(scores, 1) - lib.sum(a * b, -1) * 10.0) / n

    return training(ko, name, [floats(1, d, k) * 0.1, floats(2, n, d), floats(3, n, d)], loss, (0,), rate=0.1)


def cases(ko):
    """See `named`."""
    rows = {
        "training: logistic regression 8192x256": logistic, "training: autoencoder 784-64-784 of 512": autoencoder,
        "training: gated recurrent unit, 64 steps of 32x128": gated_recurrent, "training: 12 residual layers of 256": residual_layers,
        "training: a flow of 50 steps by Runge-Kutta": flow, "training: heat from the end, 100 steps of 256x256": heat,
        "training: factorisation of 100000 entries": factorisation, "training: transformer block of 256x256": transformer_block,
        "training: Sinkhorn's distance of 512 points": transport, "training: contrast of 1024 pairs": contrast,
    }  # fmt: skip
    return named(ko, rows)
