"""Measures drawn expressions (expressions.py) beside NumPy and JAX on one thread, and says which fall behind.

With `--gradients` the value and gradient of the sum of squares of each, by its first array, beside JAX; with `--loops` loops over
time (loops.py), beside numba as well.

`scripts/bench_drawn` calls this in the peers' virtual environment, or in the project's, where NumPy is the only peer.
"""

import argparse
import importlib.util
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path[:] = [path for path in sys.path if path != str(HERE)] + [str(HERE.parent), str(HERE.parent / "peers"), str(HERE)]
import expressions  # noqa: E402
import loops  # noqa: E402
import turns  # noqa: E402
from table import FAR, NEAR  # noqa: E402

ROUNDS = 5


def materialized(result):
    """NumPy's views, and what lies in another order, as the others' results are: arrays of their own, row-major."""
    result = np.asarray(result)
    is_own = result.base is None and result.flags.c_contiguous
    return result if is_own else np.array(result, order="C")


def close(ours, theirs):
    """Equal up to rounding; places of extremes and floors may differ where rounding decides."""
    ours, theirs = np.asarray(ours), np.asarray(theirs)
    if ours.shape != theirs.shape:
        return False
    if ours.size == 0:
        return True
    a, b = ours.astype(np.float64), theirs.astype(np.float64)
    scale = np.abs(b, where=np.isfinite(b), out=np.zeros_like(b)).max() + 1
    bad = ~((np.abs(a - b) <= 2e-4 * scale) | (a == b) | (np.isnan(a) & np.isnan(b)))
    return bad.mean() <= 0.01


@dataclass
class Library:
    """One that runs a text."""

    name: str
    namespace: object
    array: object  # from NumPy's
    jit: object = lambda function: function
    wait: object = lambda result: result
    value_and_grad: object = None

    def ready(self, drawn, with_gradient):
        """A call of the expression, or of its value and gradient, that gives one array."""
        function = value = drawn.function(self.name, self.namespace)
        if with_gradient:

            def function(*arrays):
                return self.namespace.sum(value(*arrays) ** 2)

        made = self.jit(self.value_and_grad(function) if with_gradient else function)
        arrays = [self.array(array) for array in drawn.arrays.values()]
        return (lambda: self.wait(made(*arrays)[1])) if with_gradient else (lambda: self.wait(made(*arrays)))


def libraries(options):
    import kolam as ko

    found = [Library("kolam", ko, ko.asarray, ko.jit, value_and_grad=ko.value_and_grad)]
    if not options.gradients:
        found.append(Library("NumPy", np, lambda array: array, wait=materialized))
    if not options.no_jax and importlib.util.find_spec("jax"):
        import jax

        jax.config.update("jax_enable_x64", True)
        found.append(Library("JAX", jax.numpy, jax.numpy.asarray, jax.jit, lambda result: result.block_until_ready(), jax.value_and_grad))
    if options.loops and importlib.util.find_spec("numba"):
        import numba

        found.append(Library("numba", np, lambda array: array if array.ndim else array[()], numba.njit, materialized))
    return found


def measured(drawn, libraries, options):
    """Library to seconds; ours first. Peers that cannot run it, or give what differs, are left out and said."""
    calls, expected, notes = {}, None, []
    for library in libraries:
        try:
            call = library.ready(drawn, options.gradients)
            result = np.asarray(call())
        except Exception as error:  # whatever a library raises
            notes.append(f"{library.name}: {type(error).__name__}: {str(error).splitlines()[0][:100]}")
            continue
        calls[library.name] = call
        if expected is None:
            expected = result
        elif not close(expected, result):
            notes.append(f"{library.name} differs")
    times = turns.measure(list(calls.values()), ROUNDS, options.seconds)
    return {name: min(taken) for name, taken in zip(calls, times, strict=True)}, notes


def shown(drawn):
    shapes = ", ".join(f"{name} {array.dtype}{list(array.shape)}" for name, array in drawn.arrays.items())
    return f"{drawn.text}   [{shapes}]"


def main():
    np.seterr(all="ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0, help="of the first expression")
    parser.add_argument("--seeds", default="", help="those alone, with commas between them")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--elements", type=int, default=200_000, help="of an array, about")
    parser.add_argument("--steps", type=int, default=3, help="ops of an expression, at most")
    parser.add_argument("--seconds", type=float, default=0.008, help="of a measurement")
    parser.add_argument("--gradients", action="store_true")
    parser.add_argument("--loops", action="store_true")
    parser.add_argument("--no-jax", action="store_true")
    options = parser.parse_args()
    ratios, libs = [], libraries(options)
    seeds = map(int, options.seeds.split(",")) if options.seeds else range(options.seed, options.seed + options.count)
    for seed in seeds:
        drawn = (loops if options.loops else expressions).drawn(seed, options.elements, 1 + seed % options.steps)
        if options.gradients and not drawn.is_smooth:
            continue
        times, notes = measured(drawn, libs, options)
        peers = {name: taken for name, taken in times.items() if name != "kolam"}
        if "kolam" in times and peers:
            best = min(peers, key=peers.get)
            ratio = times["kolam"] / peers[best]
            ratios.append(ratio)
            if ratio > NEAR or notes:
                print(f"{seed}: {ratio:.2f}  ours {times['kolam'] * 1e6:.1f} us, {best} {peers[best] * 1e6:.1f}  {shown(drawn)}", flush=True)
        for note in notes:
            print(f"{seed}: {note}  {shown(drawn)}", flush=True)
    if ratios:
        mean = statistics.geometric_mean(ratios)
        near, far = (sum(ratio <= NEAR for ratio in ratios) / len(ratios), sum(ratio > FAR for ratio in ratios))
        print(f"{len(ratios)} expressions: geometric mean of our time over the best peer's {mean:.2f}; {near:.0%} within {NEAR}, {far} above {FAR}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
