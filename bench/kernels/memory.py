"""The memory that a call of `kernels.attention` takes beyond its arguments and its result.

As a program, `memory.py S` writes the bytes by which the first call of a compiled kernel raises what the process holds at most,
less those of the result.
"""

import ctypes
import re
import sys
from pathlib import Path

from children import PLAIN_MEMORY, number
from kernel import size

A_THREAD = 2**20  # bytes
WIDTH = 64


def held(which):
    """Bytes: VmRSS now, VmHWM at most."""
    found = re.search(rf"^{which}:\s*(\d+) kB", Path("/proc/self/status").read_text(), re.M)
    return int(found.group(1)) * 1024


def bytes_of_a_call(s):
    import kolam as ko
    from case import floats
    from kolam import kernels

    inputs = [ko.asarray(floats(seed, 1, 1, s, WIDTH)) for seed in (1, 2, 3)]
    run = ko.jit(lambda q, k, v: kernels.attention(q, k, v))
    run.lower(*inputs).compile()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # what is held now becomes what is held at most
    before = held("VmRSS")
    result = run(*inputs).block_until_ready()
    return held("VmHWM") - before - 4 * result.size


def measure(run, name):
    s = size(16384, 256)
    ours = [number(__file__, str(s), **PLAIN_MEMORY) for _ in range(2)]
    run.record(name, ours, [("goal", [A_THREAD * run.threads] * len(ours), True)], 1, unit="B")


def measurements(run):
    """(name, a function that measures it)."""
    name = f"attention 1x1x16384x{WIDTH}: memory beside arguments"
    yield name, lambda: measure(run, name)


if __name__ == "__main__":
    print(bytes_of_a_call(int(sys.argv[1])))
