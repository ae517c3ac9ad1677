"""Functions of single elements, each alone over an array that fits the second cache."""

import math

import numpy as np
from case import Case
from sizes import size

COUNT = size(65_536, 37)
RANGES = {"atanh": (-0.99, 0.99), "asin": (-1, 1), "acos": (-1, 1), "acosh": (1, 50), "log": (0.01, 100), "log2": (0.01, 100), "log10": (0.01, 100), "lgamma": (0.1, 20)}
# The name in Kolam and NumPy, where PyTorch has another.
ONE = {
    "exp": "exp", "log": "log", "tanh": "tanh", "sin": "sin", "tan": "tan", "asin": "arcsin", "acos": "arccos",
    "atan": "arctan", "sinh": "sinh", "cosh": "cosh", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh",
    "expm1": "expm1", "log1p": "log1p", "cbrt": "cbrt", "cos": "cos", "exp2": "exp2", "log2": "log2", "log10": "log10",
}  # fmt: skip
TWO = {"pow": "power", "atan2": "arctan2", "hypot": "hypot", "fmod": "fmod"}
#: Functions that NumPy lacks: the name in JAX, and in Python for one number.
WITHOUT_NUMPY = {"erf": ("erf", math.erf), "erfc": ("erfc", math.erfc), "lgamma": ("gammaln", math.lgamma)}


def operands(name, dtype):
    low, high = RANGES.get(name, (-5, 5) if name not in ("log1p", "pow") else (0.01, 5))
    rng = np.random.default_rng(1)
    return [rng.uniform(low, high, COUNT).astype(dtype) for _ in range(2 if name in TWO else 1)]


def elementary(ko, case_name, name, dtype):
    numpy_name = {**ONE, **TWO}.get(name)
    function = getattr(ko, name, None) or getattr(ko, numpy_name or name)
    inputs = operands(name, dtype)

    def by_loop(numba, *inputs):
        scalar = getattr(np, numpy_name)

        @numba.njit(fastmath=False)
        def one(x):
            y = np.empty_like(x)
            for k in range(x.size):
                y[k] = scalar(x[k])
            return y

        @numba.njit(fastmath=False)
        def two(x, z):
            y = np.empty_like(x)
            for k in range(x.size):
                y[k] = scalar(x[k], z[k])
            return y

        return lambda: (two if len(inputs) == 2 else one)(*inputs)

    def reference(*x):
        if name in WITHOUT_NUMPY:
            return np.vectorize(WITHOUT_NUMPY[name][1], otypes=[np.float64])(*x)
        return getattr(np, numpy_name)(*x)

    def jax(jax, *x):
        if name in WITHOUT_NUMPY:
            return getattr(jax.scipy.special, WITHOUT_NUMPY[name][0])(*x)
        return getattr(jax.numpy, numpy_name)(*x)

    def torch(torch, *x):
        return getattr(torch, numpy_name if name == "cbrt" else name)(*x)

    more = {} if name in WITHOUT_NUMPY else {"NumPy": ("numba", lambda numba, *x: lambda: getattr(np, numpy_name)(*x))}
    return Case(
        case_name, inputs, goal=1.0, ours=lambda *x: function(*x), reference=reference, more=more, jax=jax,
        torch=None if name == "cbrt" else torch, numba=None if name in (*WITHOUT_NUMPY, "fmod") else by_loop, compiled=True,
    )


def constant_power(ko, case_name, dtype):
    """An exponent that the program knows, and that is no integer."""
    x = np.random.default_rng(1).uniform(0.01, 5, COUNT).astype(dtype)

    def by_loop(numba, x):
        @numba.njit(fastmath=False)
        def run(x):
            y = np.empty_like(x)
            for k in range(x.size):
                y[k] = x[k] ** x.dtype.type(2.7)
            return y

        return lambda: run(x)

    def power(x):
        return x**2.7

    return Case(
        case_name, [x], goal=1.0, ours=power, reference=power, more={"NumPy": ("numba", lambda numba, x: lambda: power(x))},
        jax=lambda jax, x: power(x), torch=lambda torch, x: power(x), numba=by_loop,
    )


def cases(ko):
    """(name, a function that makes the case)."""
    for dtype in ("f32", "f64"):
        row = f"x ** 2.7 of {COUNT} {dtype}"
        yield row, lambda row=row, dtype=dtype: constant_power(ko, row, {"f32": "f", "f64": "d"}[dtype])
    for name in (*ONE, *TWO, *WITHOUT_NUMPY):
        for dtype in ("f32", "f64"):
            row = f"{name} of {COUNT} {dtype}"
            yield row, lambda row=row, name=name, dtype=dtype: elementary(ko, row, name, {"f32": "f", "f64": "d"}[dtype])
