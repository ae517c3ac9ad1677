"""Draws loops over time: a state of some shape, a next state of it and of a row, and what each step gives.

Each library has the loop as its users write it: Kolam and JAX a scan, NumPy and numba a `for` over the rows.
"""

import importlib
import re
from dataclasses import dataclass

import numpy as np

NUMBER = re.compile(r"\b\d+\.\d+\b")
#: What numba has under NumPy's older names alone.
ARRAY_API = {"np.cumsum": "np.cumulative_sum", "np.concatenate": "np.concat"}
#: Next states of `s` and a row `r` of one shape; w is a square matrix.
ANY = (
    "{s} * 0.9 + {r}", "np.maximum({s} * 0.99, {r})", "np.where({r} > {s}, {r}, {s} * 0.5)", "np.tanh({s} * 0.5 + {r})", "np.abs({s} - {r})",
    "np.minimum({s} + {r}, 1.0)", "np.exp(-np.abs({s})) * {r}", "{s} * {r}", "np.sin({s}) + {r} * 0.1", "np.where({s} > 0.5, {s} - {r}, {s} + {r})",
    "np.sqrt(np.abs({s} * {r}))", "({s} + {r}) / 3.0", "np.clip({s} + {r} * 0.1, -1.0, 1.0)",
)  # fmt: skip
ROWS = (
    "np.roll({s}, 1) * 0.5 + {r}", "{s} - np.mean({s}) + {r}", "np.cumsum({s}) * 0.1 + {r}", "w @ {s} * 0.1 + {r}", "{s}[::-1] * 0.5 + {r}",
    "np.concatenate(({s}[1:], {s}[:1])) * 0.5 + {r}", "{s} * 0.5 + np.sum({r}) * 0.1", "np.where({s} > {r}[0], {s} * 0.5, {r})",
    "{s} / (1.0 + np.max(np.abs({s}))) + {r}", "{s} + 0.1 * (np.roll({s}, 1) - {s} - {s} + np.roll({s}, -1)) + {r} * 0.1", "np.sort({s}) * 0.9 + {r}",
    "{s} * 0.5 + {r}[0] * w[0]", "np.tanh(w @ {s} + {r})",
)  # fmt: skip
MATRICES = (
    "{s}.T * 0.5 + {r}", "{s} @ w * 0.1 + {r}", "{s} - np.sum({s}, axis=0) * 0.01 + {r}", "w @ {s} * 0.1 + {r}", "{s} * 0.9 + {r}[0] * 0.1",
    "np.where({s} > {r}, {s} * 0.5, {r})",
)  # fmt: skip
GIVEN = ("np.sum({s})", "np.max({s})", "{s}", "{s}", "np.sum({s} * {r})")


@dataclass
class Drawn:
    """A loop over the rows of `x` from `s`: its texts by library, which `function` compiles."""

    state: str  # the next state
    given: str  # what each step gives; empty where only the last state counts
    arrays: dict
    dtype: str

    is_smooth = False

    @property
    def text(self):
        return f"s = {self.state}" + (f"; gives {self.given}" if self.given else "")

    def function(self, name, namespace):
        """As the library `name` runs it, not jitted yet."""
        names, state, given = ", ".join(self.arrays), self.state, self.given
        if name in ("kolam", "JAX"):
            scan = namespace.scan if name == "kolam" else importlib.import_module("jax").lax.scan
            body = f"lambda s, r: (lambda s: (s, {given or 'None'}))({state})"
            for theirs, ours in ARRAY_API.items():
                body = body.replace(theirs, ours)
            return eval(f"lambda {names}: scan({body}, s, x)[{int(bool(given))}]", {"np": namespace, "scan": scan})
        if name == "numba":  # whose literals are of double precision
            state, given = (NUMBER.sub(rf"np.{self.dtype}(\g<0>)", text) for text in (state, given))
        made = "np.empty(x.shape[0], x.dtype)" if "np." in given else "np.empty_like(x)"  # a number of each step, or a state
        lines = [
            f"def run({names}):", *[f"    out = {made}"] * bool(given), "    for k in range(x.shape[0]):", "        r = x[k]", f"        s = {state}",
            *[f"        out[k] = {given}"] * bool(given), f"    return {'out' if given else 's'}",
        ]  # fmt: skip
        scope = {"np": np}
        exec("\n".join(lines), scope)
        return scope["run"]


def drawn(seed, elements, steps):
    rng = np.random.default_rng(seed)
    pick = lambda choices: choices[int(rng.integers(len(choices)))]  # noqa: E731
    dtype = pick(("float32", "float64"))
    shape = pick(((), (), (2,), (3,), (4,), (8,), (16,), (31,), (64,), (100,), (256,), (1000,), (2, 2), (4, 4), (10, 10), (32, 32)))
    able = ANY if not shape else (*ANY, *ROWS) if len(shape) == 1 else (*ANY, *MATRICES)
    state = "s"
    for _ in range(steps):
        state = pick(able).replace("{r}", "r").replace("{s}", f"({state})" if state != "s" else state)
    if state == "s" or rng.random() < 0.2:
        state = f"({state}) * 0.9 + r"
    given = pick((*GIVEN, "", "")) if shape else pick(("s", "s * r", ""))
    rows = max(2, elements // int(np.prod(shape, dtype=int)))
    arrays = {"s": rng.uniform(-1, 1, shape).astype(dtype), "x": rng.uniform(-1, 1, (rows, *shape)).astype(dtype)}
    if re.search(r"\bw\b", state):
        arrays["w"] = (rng.uniform(-1, 1, (shape[0], shape[0])) / shape[0]).astype(dtype)  # small: errors do not grow
    return Drawn(state, given.replace("{s}", "s").replace("{r}", "r"), arrays, dtype)
