"""Daemon threads that are inside Kolam when the interpreter ends: the process ends as if they were not."""

import subprocess
import sys

import pytest

PROGRAM = """
import threading
import kolam as ko
f = ko.jit(lambda x: ko.sin(x).sum())
g = ko.jit(lambda x: ko.opaque_call(lambda a: a, [x], [(x.shape, x.dtype)])[0] if {calls} else x)
x = ko.ones({size})
started = threading.Barrier(4)

def run(i):
    f(x)
    g(x)
    started.wait()
    while True:
        {body}

for i in range(3):
    threading.Thread(target=run, args=(i,), daemon=True).start()
started.wait()
"""
BODIES = {
    "jitted": "f(x)", "traced": "ko.jit(lambda y: ko.sin(y) * 2)(x)", "at once": "ko.sort(x + 1)", "called back": "g(x)",
    "loop": "ko.while_loop(lambda s: s[0] < 100, lambda s: (s[0] + 1, s[1] + x), (ko.asarray(0), x))",
    "converted": "ko.asarray([x, x.tolist()])", "compiled": "ko.jit(lambda y: ko.exp(y) + i)(ko.ones(2000 + i)); i += 3",
}  # fmt: skip


@pytest.mark.parametrize("body", BODIES)
def test_daemon_threads_at_exit(body):
    for size in (3, 100_000 if body in ("jitted", "at once") else 100):
        program = PROGRAM.format(size=size, body=BODIES[body], calls=body == "called back")
        result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
        assert result.returncode == 0 and result.stderr == "", (result.returncode, result.stderr)
