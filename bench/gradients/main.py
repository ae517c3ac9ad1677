"""Gradients beside JAX and PyTorch, and over the value alone: `scripts/bench_gradients [--isa avx2] [--only softmax,LSTM]`.

Each row: our value and derivative in milliseconds, their ratio and its goal; each peer's two times; the best peer's derivative
over ours and its goal; the largest difference of our derivative to JAX's in f64, over the largest element. CPU time, least of
several runs, in one process on one thread; of peers that are not there it says so.
"""

import argparse
import os
import time

os.environ.setdefault("KOLAM_NUM_THREADS", "1")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ.setdefault("OMP_NUM_THREADS", "1")

import jax  # noqa: E402

jax.config.update("jax_enable_x64", True)

import adbench  # noqa: E402, F401
import compile_times  # noqa: E402
import layers  # noqa: E402, F401
import numpy as np  # noqa: E402
import ragged  # noqa: E402, F401
import recurrent  # noqa: E402, F401
from case import ROWS  # noqa: E402

import kolam as ko  # noqa: E402

# bound: elements beyond which JAX's f64 would take more memory and minutes than the check is worth
LARGE = 1 << 20


def imported(name):
    try:
        return __import__(name)
    except ImportError:
        return None


def arrays_in(result):
    """All leaves, in order."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, tuple | list):
        return [array for part in result for array in arrays_in(part)]
    return [np.asarray(result, np.float64)]


def least(call, runs):
    call()
    taken = []
    for _ in range(runs):
        start = time.process_time()
        call()
        taken.append(time.process_time() - start)
    return min(taken) * 1e3


def difference(found, expected):
    pairs = zip(arrays_in(found), arrays_in(expected), strict=True)
    return max(np.abs(one.reshape(other.shape) - other).max() / (np.abs(other).max() + 1e-30) for one, other in pairs)


def wait(result):
    return jax.block_until_ready(result)


def peers_of(case, torch, options):
    """(name, call of the value or None, call of the derivative)."""
    given = [jax.numpy.asarray(array) for array in case.arrays]
    value, both = (jax.jit(function) for function in case.jax)
    yield "jax", lambda: wait(value(*given)), lambda: wait(both(*given))
    if torch and case.torch:
        tensors = [torch.from_numpy(np.ascontiguousarray(array)) for array in case.arrays]
        value_of, both_of = case.torch(torch)
        yield "torch", lambda: value_of(*tensors), lambda: both_of(*tensors)
        if options.compiled:
            fast_value, fast = torch.compile(value_of), torch.compile(both_of)
            yield "torch.compile", lambda: fast_value(*tensors), lambda: fast(*tensors)
    for name, calls in case.more.items():
        yield name, *calls(*case.arrays)


def measure(name, torch, options):
    make, over_value, over_peer = ROWS[name]
    case = make()
    given = case.given or [ko.asarray(array) for array in case.arrays]
    value, both = (ko.jit(function) for function in case.ours)
    found = case.in_order(both(*given))
    own_value, own = least(lambda: value(*given), options.runs), least(lambda: both(*given), options.runs)
    text = f"{name:52} {own_value:9.3f} {own:9.3f} {own / own_value:6.2f} (goal {over_value})"
    times = {}
    for peer, peer_value, call in peers_of(case, torch, options):
        try:
            times[peer] = least(call, options.runs)
            before = f"{least(peer_value, options.runs):9.3f} " if peer_value else ""
            text += f"  {peer} {before}{times[peer]:9.3f}"
        except Exception as error:  # a peer that cannot: its words, and the row goes on
            text += f"  {peer}: {str(error).splitlines()[0][:80]}"
    if times:
        best = min(times, key=times.get)
        text += f"  over {best} {times[best] / own:6.2f} (goal {over_peer})"
    is_large = name.startswith("attention") or max(array.size for array in case.arrays) > 8 * LARGE
    exact = case.arrays if is_large else [array.astype(np.float64) if array.dtype == np.float32 else array for array in case.arrays]
    expected = jax.jit(case.jax[1])(*[jax.numpy.asarray(array) for array in exact])
    print(f"{text}  differ {difference(found, expected):.0e}", flush=True)


def main():
    parser = argparse.ArgumentParser(prog="scripts/bench_gradients", description=__doc__)
    parser.add_argument("--only", default="", help="parts of names, with commas between them")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--compiled", action="store_true", help="torch.compile too")
    options = parser.parse_args()
    wanted = lambda name: not options.only or any(part in name for part in options.only.split(","))
    torch = imported("torch")
    if torch:
        torch.set_num_threads(1)
    else:
        print("[SKIP] PyTorch is not installed")
    for name in ROWS:
        if wanted(name):
            measure(name, torch, options)
    for name in compile_times.PROGRAMS:
        if wanted("compile " + name):
            compile_times.measure(name, options.runs)


if __name__ == "__main__":
    main()
