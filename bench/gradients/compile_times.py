"""Seconds from a function to compiled code, of its value and of its gradient, each in a process of its own.

As a program: `compile_times.py kolam|jax PROGRAM value|gradient`. Caches on disk are off.
"""

import os
import subprocess
import sys
import time

import numpy as np

OFF = {"KOLAM_CACHE": "off", "JAX_ENABLE_COMPILATION_CACHE": "false"}
PROGRAMS = ("graph of 100 ops", "32 LSTM layers T 8", "32 LSTM layers T 1024")


def floats(*shape):
    return np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)


def graph(np_like, total):
    def loss(x):
        for i in range(14):
            x = np_like.tanh(x * 1.5 + float(i + 1))
            x = x / (total(abs(x), i % 2) + 1.0)
        return np_like.sum(np_like.exp(x) - 1.0)

    return loss, [floats(32, 48)], (0,)


def kolam_lstm(ko, steps, layers=32, hidden=64):
    """Layers are a fold over lists of weights, steps a scan."""
    ops = ko.fractal

    def cell(state, x, weights):
        h, c = state
        w, u, b = weights
        i, f, g, o = ko.split(x @ w + h @ u + b, 4, axis=1)
        c = ko.sigmoid(f) * c + ko.sigmoid(i) * ko.tanh(g)
        return ko.sigmoid(o) * ko.tanh(c), c

    def layer(rows, weights):
        zero = ko.zeros((1, hidden))
        return ops.scan(lambda state, x: cell(state, x, weights), rows, initializer=(zero, zero))[0]

    def loss(x, w, u, b):
        y = ops.stack(ops.fold(layer, ops.zip(w, u, b), initializer=x))
        return ko.sum(y * y)

    def as_list(array):
        return ops.FractalTensor.from_offsets(array)

    arrays = [floats(steps, 1, hidden), floats(layers, hidden, 4 * hidden), floats(layers, hidden, 4 * hidden), floats(layers, 1, 4 * hidden)]
    return loss, [as_list(array) for array in arrays], (1, 2, 3)


def jax_lstm(jax, steps, layers=32, hidden=64):
    jnp = jax.numpy

    def loss(x, w, u, b):
        def layer(x, weights):
            w, u, b = weights

            def step(state, x):
                h, c = state
                i, f, g, o = jnp.split(x @ w + h @ u + b, 4, axis=1)
                c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
                h = jax.nn.sigmoid(o) * jnp.tanh(c)
                return (h, c), h

            zero = jnp.zeros((1, hidden))
            return jax.lax.scan(step, (zero, zero), x)[1], None

        y, _ = jax.lax.scan(layer, x, (w, u, b))
        return jnp.sum(y * y)

    arrays = [floats(steps, 1, hidden), floats(layers, hidden, 4 * hidden), floats(layers, hidden, 4 * hidden), floats(layers, 1, 4 * hidden)]
    return loss, [jnp.asarray(array) for array in arrays], (1, 2, 3)


def seconds(framework, name, what):
    steps = int(name.split()[-1]) if "LSTM" in name else None
    if framework == "kolam":
        import kolam as ko

        ko.jit(lambda x: x - 1)(ko.asarray(floats(7, 5)))
        loss, arguments, numbers = kolam_lstm(ko, steps) if steps else graph(ko, lambda x, i: ko.sum(x, axis=i, keepdims=True))
        arguments = [argument if isinstance(argument, ko.fractal.FractalTensor) else ko.asarray(argument) for argument in arguments]
        jit, derived = ko.jit, ko.value_and_grad
    else:
        import jax

        jax.jit(lambda x: x - 1)(floats(7, 5)).block_until_ready()
        loss, arguments, numbers = jax_lstm(jax, steps) if steps else graph(jax.numpy, lambda x, i: x.sum(i, keepdims=True))
        jit, derived = jax.jit, jax.value_and_grad
    function = loss if what == "value" else derived(loss, argnums=numbers)
    start = time.perf_counter()
    jit(function).lower(*arguments).compile()
    return time.perf_counter() - start


def measure(name, runs):
    def least(framework, what):
        times = []
        for _ in range(runs):
            done = subprocess.run([sys.executable, __file__, framework, name, what], env={**os.environ, **OFF}, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"{framework} cannot compile '{name}': {done.stderr.strip().splitlines()[-3:]}")
            times.append(float(done.stdout.splitlines()[-1]))
        return min(times)

    value, gradient, theirs = least("kolam", "value"), least("kolam", "gradient"), least("jax", "gradient")
    print(
        f"{'compile ' + name:52} {value * 1e3:9.1f} {gradient * 1e3:9.1f} {gradient / value:6.2f} (goal 2.5)  jax {theirs * 1e3:9.1f}"
        f"  over {theirs / gradient:6.2f} (goal 2)", flush=True,
    )  # fmt: skip


if __name__ == "__main__":
    print(seconds(*sys.argv[1:4]))
