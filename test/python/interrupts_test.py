"""Ctrl-C stops whatever takes long: each case runs in a process of its own, which gets SIGINT once it has begun."""

import os
import select
import signal
import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, sys, threading
import numpy as np
import kolam as ko

signal.signal(signal.SIGINT, signal.default_int_handler)

def begin():
    print("begun", flush=True)

{setup}
try:
    begin()
    {work}
    print("done")
except KeyboardInterrupt:
    print("stopped")
print(ko.arange(3).sum().item())  # all goes on
"""

#: name: (setup, work); each would take minutes or forever.
CASES = {
    "while_loop": ("", "ko.while_loop(lambda s: s >= 0, lambda s: s * 1, ko.asarray(1))"),
    "fori_loop": ("", "ko.fori_loop(0, 2**60, lambda i, s: s + 1, ko.asarray(0))"),
    "scan": ("", "ko.scan(lambda s, _: (s + 1, None), ko.asarray(0), length=2**40)"),
    "jitted loop": ("f = ko.jit(lambda x: ko.while_loop(lambda s: s >= 0, lambda s: s * 1, x))", "f(ko.asarray(1))"),
    "interpreted loop": (
        "f = ko.jit(lambda x: ko.while_loop(lambda s: s >= 0, lambda s: s * 1, x), backend='interpret')", "f(ko.asarray(1))",
    ),
    "interpreted product": (
        "f = ko.jit(lambda x: x @ x, backend='interpret'); x = ko.ones((3000, 3000))", "f(x)",
    ),
    "interpreted dot": (
        "f = ko.jit(lambda x: ko.vecdot(x, x), backend='interpret'); x = ko.ones(10**9, dtype='i8')", "f(x)",
    ),
    "product": ("x = ko.ones((12000, 12000))", "x @ x"),
    "sort": ("x = ko.asarray(np.random.default_rng(1).random(60_000_000))", "\n    ".join(["ko.sort(x)"] * 20)),
    "top_k": ("x = ko.asarray(np.random.default_rng(1).random(60_000_000))", "\n    ".join(["ko.top_k(x, 1000)"] * 40)),
    "tolist": ("x = ko.zeros(40_000_000, dtype='i8')", "\n    ".join(["x.tolist()"] * 20)),
    "nested list": ("x = [[1.0] * 1000] * 30_000", "\n    ".join(["ko.asarray(x)"] * 20)),
    "list of arrays": ("import kolam.fractal as ops; x = [np.ones(2)] * 1_000_000", "\n    ".join(["ops.FractalTensor(x)"] * 40)),
    "laws": ("m = ko.Monoid(0.0, lambda a, b: a + b)", "ko.check_monoid_laws(m, trials=10**9)"),
    "compiling": (
        "f = lambda x: [x := ko.sort(ko.exp(x) + i) for i in range(3000)][-1]", "ko.jit(f)(ko.ones(50))",
    ),
    "compiling one nest": (
        "def f(x):\n    for i in range(6000):\n        x = ko.exp(x) * i - ko.sin(x)\n    return x", "ko.jit(f)(ko.ones(50))",
    ),
    "explaining": (
        "def f(x):\n    for i in range(6000):\n        x = ko.exp(x) * i - ko.sin(x)\n    return x",
        "\n    ".join(["ko.jit(f).explain(ko.ones(50))"] * 10),
    ),
}  # fmt: skip
COMMITTED = ("while_loop", "fori_loop", "interpreted loop", "interpreted dot", "sort", "tolist", "compiling")
#: Far more than the second that people wait: the machine may be busy.
PATIENCE = 20


def run(name):
    setup, work = CASES[name]
    program = PROGRAM.replace("{setup}", setup).replace("{work}", work)
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == "begun\n", process.stderr.read()
        select.select([process.stdout], [], [], 0.5)  # into the midst of the work
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
    return out, err


@pytest.mark.parametrize("name", sorted(COMMITTED if not os.environ.get("KOLAM_ALL_INTERRUPTS") else CASES))
def test_ctrl_c_stops(name):
    out, err = run(name)
    assert out == "stopped\n3\n", err


def test_other_threads_run_meanwhile():
    program = """
import os, threading
import kolam as ko

begun = threading.Event()

def loop():
    begun.set()
    ko.while_loop(lambda s: s >= 0, lambda s: s * 1, ko.asarray(1))

threading.Thread(target=loop, daemon=True).start()
begun.wait()
print(sum(ko.sum(ko.ones(i)).item() for i in range(100)))
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert result.stdout == "4950.0\n" and result.returncode == 0, result.stderr
