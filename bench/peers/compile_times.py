"""How long the first call of a program takes, ours beside torch.compile and jax.jit; each in a process of its own.

As a program, `compile_times.py FRAMEWORK PROGRAM` writes the seconds of that first call; another small program was
compiled before. Caches on disk are off.
"""

import os
import subprocess
import sys
import time

import numpy as np

GOALS = {"torch": ("torch.compile", 10), "jax": ("jax.jit", 2)}
#: Programs of many lines, beside jax.jit alone: torch.compile takes minutes for some.
LONG = (
    "80 lines of tanh and sin", "800 lines of sin", "25 lines of tanh(x * a + b) + x * c", "16 layers of W[l]",
    "32 decoder layers", "16 decoder layers of W[l]",
)  # fmt: skip
#: Layers of one array compile like one of them: (program, one of its layers, its share of the time that is the goal).
LIKE_ONE = ("16 decoder layers of W[l]", "one decoder layer", 1 / 1.5)
PROGRAMS = ("small kernel", "matmul class", "graph of 100 ops", "32 equal layers", *LONG)
LONG_GOALS = {"jax": ("jax.jit", 1)}
NO_CACHES = {"KOLAM_CACHE": "off", "TORCHINDUCTOR_FORCE_DISABLE_CACHES": "1", "JAX_ENABLE_COMPILATION_CACHE": "false"}


def floats(*shape):
    return np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)


def program(name, functions):
    """(function, arguments); `functions` has exp, relu, tanh, abs and sum(x, axis), which keeps the axis."""
    if name == "small kernel":
        return lambda x: functions.exp(x) * 2 + 1, [floats(64, 64)]
    if name == "matmul class":
        return lambda x, w, b: functions.relu(x @ w + b), [floats(64, 128), floats(128, 256), floats(256)]
    if name == "graph of 100 ops":

        def graph(x):
            for i in range(14):
                x = functions.tanh(x * 1.5 + float(i + 1))
                x = x / (functions.sum(functions.abs(x), i % 2) + 1.0)
            return functions.exp(x) - 1.0

        return graph, [floats(32, 48)]

    if name in LONG or name == LIKE_ONE[1]:
        return long_program(name, functions.numpy)

    def layers(x, weights):
        for w in weights:
            x = functions.relu(x @ w)
        return x

    return layers, [floats(16, 64), [floats(64, 64) for _ in range(32)]]


def long_program(name, xp):
    """The same of a module with numpy's functions."""

    def tanh_and_sin(x):
        for _ in range(40):
            x = xp.tanh(x * 1.5 + 0.1)
            x = xp.sin(x)
        return x

    def sines(x):
        for i in range(800):
            x = xp.sin(x) * float(i) + x
        return x

    def mixed(x, a, b, c):
        for _ in range(25):
            x = xp.tanh(x * a + b) + x * c
        return x

    def stacked(x, weights, biases):
        for i in range(16):
            x = xp.tanh(x @ weights[i] + biases[i])
        return x

    def decoder(x, layers):
        for weights in layers:
            x = decoder_layer(xp, x, *weights)
        return x

    def stacked_decoder(x, weights):
        for i in range(weights[0].shape[0]):
            x = decoder_layer(xp, x, *(each[i] for each in weights))
        return x

    n, size = 64, floats(64, 64)
    shapes = ((n,), (n,), (n, 3 * n), (n, n), (n,), (n,), (n, 4 * n), (4 * n,), (4 * n, n), (n,))
    return {
        LONG[0]: (tanh_and_sin, [size]),
        LONG[1]: (sines, [size]),
        LONG[2]: (mixed, [size] * 4),
        LONG[3]: (stacked, [floats(16, n), floats(16, n, n), floats(16, n)]),
        LONG[4]: (decoder, [floats(32, n), [[floats(*shape) for shape in shapes] for _ in range(32)]]),
        LONG[5]: (stacked_decoder, [floats(32, n), [floats(16, *shape) for shape in shapes]]),
        LIKE_ONE[1]: (decoder, [floats(32, n), [[floats(*shape) for shape in shapes]]]),
    }[name]


def decoder_layer(xp, x, scale_1, shift_1, to_heads, from_heads, scale_2, shift_2, up, bias_up, down, bias_down, heads=4):
    """Causal attention and two layers with tanh's gelu, each behind a layer norm, by numpy's functions alone."""

    def norm(x, scale, shift):
        centred = x - xp.mean(x, axis=-1, keepdims=True)
        return centred / xp.sqrt(xp.mean(centred * centred, axis=-1, keepdims=True) + 1e-5) * scale + shift

    length, size = x.shape
    each = size // heads
    all_heads = norm(x, scale_1, shift_1) @ to_heads
    q, k, v = (
        xp.permute_dims(xp.reshape(all_heads[:, i * size : (i + 1) * size], (length, heads, each)), (1, 0, 2)) for i in range(3)
    )
    scores = q @ xp.permute_dims(k, (0, 2, 1)) * each**-0.5
    scores = xp.where(xp.arange(length)[:, None] >= xp.arange(length)[None, :], scores, -1e9)
    weights = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    seen = weights / xp.sum(weights, axis=-1, keepdims=True) @ v
    x = x + xp.reshape(xp.permute_dims(seen, (1, 0, 2)), (length, size)) @ from_heads
    inner = norm(x, scale_2, shift_2) @ up + bias_up
    inner = 0.5 * inner * (1 + xp.tanh(0.7978845608 * (inner + 0.044715 * inner * inner * inner)))
    return x + inner @ down + bias_down


class Kolam:
    def __init__(self):
        import kolam as ko

        self.numpy = ko

        self.ko, self.exp, self.relu, self.tanh, self.abs = ko, ko.exp, ko.relu, ko.tanh, ko.abs
        self.jit, self.array, self.wait = ko.jit, ko.asarray, lambda result: result.block_until_ready()

    def sum(self, x, axis):
        return self.ko.sum(x, axis=axis, keepdims=True)


class Torch:
    def __init__(self):
        import torch

        self.exp, self.relu, self.tanh, self.abs = torch.exp, torch.relu, torch.tanh, torch.abs
        self.jit, self.array, self.wait = torch.compile, torch.from_numpy, lambda result: result

    def sum(self, x, axis):
        return x.sum(axis, keepdim=True)


class Jax:
    def __init__(self):
        import jax

        self.numpy = jax.numpy
        self.exp, self.relu, self.tanh, self.abs = jax.numpy.exp, jax.nn.relu, jax.numpy.tanh, jax.numpy.abs
        self.jit, self.array, self.wait = jax.jit, jax.device_put, lambda result: result.block_until_ready()

    def sum(self, x, axis):
        return x.sum(axis, keepdims=True)


FRAMEWORKS = {"kolam": Kolam, "torch": Torch, "jax": Jax}


def seconds_of_first_call(framework, name):
    functions = FRAMEWORKS[framework]()
    functions.wait(functions.jit(lambda x: x - 1)(functions.array(floats(7, 5))))
    function, arguments = program(name, functions)
    def arrays(argument):
        return [arrays(each) for each in argument] if isinstance(argument, list) else functions.array(argument)

    arguments = arrays(arguments)
    start = time.perf_counter()
    functions.wait(functions.jit(function)(*arguments))
    return time.perf_counter() - start


def in_new_process(framework, name):
    """Raises where the framework cannot do it."""
    done = subprocess.run(
        [sys.executable, __file__, framework, name], env={**os.environ, **NO_CACHES}, capture_output=True, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(f"{framework} cannot compile '{name}': {done.stderr.strip().splitlines()[-1:]}")
    return float(done.stdout.splitlines()[-1])


def records(name, rounds, available):
    """A record for each peer, as the goals differ; of layers of one array one beside a single layer."""
    ours = [in_new_process("kolam", name) for _ in range(rounds)]
    for framework, (peer, goal) in (LONG_GOALS if name in LONG else GOALS).items():
        times = [in_new_process(framework, name) for _ in range(rounds)] if available[framework] else []
        yield {
            "name": f"compile {name}, beside {peer}", "threads": 1, "goal": goal, "ours": ours,
            "peers": [{"name": peer, "judged": True, "times": times}],
        }
    if name == LIKE_ONE[0]:
        times = [in_new_process("kolam", LIKE_ONE[1]) for _ in range(rounds)]
        yield {
            "name": f"compile {name}, beside {LIKE_ONE[1]}", "threads": 1, "goal": LIKE_ONE[2], "ours": ours,
            "peers": [{"name": LIKE_ONE[1], "judged": True, "times": times}],
        }


if __name__ == "__main__":
    print(seconds_of_first_call(sys.argv[1], sys.argv[2]))
