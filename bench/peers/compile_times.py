"""How long the first call of a program takes, ours beside torch.compile and jax.jit; each in a process of its own.

As a program, `compile_times.py FRAMEWORK PROGRAM` writes the seconds of that first call; another small program was
compiled before. Caches on disk are off.
"""

import os
import subprocess
import sys
import time

import numpy as np

PROGRAMS = ("small kernel", "matmul class", "graph of 100 ops", "32 equal layers")
GOALS = {"torch": ("torch.compile", 10), "jax": ("jax.jit", 2)}
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

    def layers(x, weights):
        for w in weights:
            x = functions.relu(x @ w)
        return x

    return layers, [floats(16, 64), [floats(64, 64) for _ in range(32)]]


class Kolam:
    def __init__(self):
        import kolam as ko

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

        self.exp, self.relu, self.tanh, self.abs = jax.numpy.exp, jax.nn.relu, jax.numpy.tanh, jax.numpy.abs
        self.jit, self.array, self.wait = jax.jit, jax.device_put, lambda result: result.block_until_ready()

    def sum(self, x, axis):
        return x.sum(axis, keepdims=True)


FRAMEWORKS = {"kolam": Kolam, "torch": Torch, "jax": Jax}


def seconds_of_first_call(framework, name):
    functions = FRAMEWORKS[framework]()
    functions.wait(functions.jit(lambda x: x - 1)(functions.array(floats(7, 5))))
    function, arguments = program(name, functions)
    arguments = [
        [functions.array(each) for each in argument] if isinstance(argument, list) else functions.array(argument)
        for argument in arguments
    ]
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
    """A record for each peer, as the goals differ."""
    ours = [in_new_process("kolam", name) for _ in range(rounds)]
    for framework, (peer, goal) in GOALS.items():
        times = [in_new_process(framework, name) for _ in range(rounds)] if available[framework] else []
        yield {
            "name": f"compile {name}, beside {peer}", "threads": 1, "goal": goal, "ours": ours,
            "peers": [{"name": peer, "judged": True, "times": times}],
        }


if __name__ == "__main__":
    print(seconds_of_first_call(sys.argv[1], sys.argv[2]))
