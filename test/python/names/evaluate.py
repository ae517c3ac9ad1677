"""Lines of jax_numpy.txt on random arguments: what Kolam gives, and what another library gives."""

import re
from pathlib import Path

import numpy as np

import kolam as ko
from kolam import _hints

LINES = [line for line in (Path(__file__).parent / "jax_numpy.txt").read_text().splitlines() if line[:1] != "#"]
#: x64 off: what is 64 bits wide elsewhere.
NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32"}


def arguments(seed):
    """The arguments of the list's head, as NumPy's arrays."""
    generator = np.random.default_rng(seed)
    x, y = generator.normal(size=(2, 3, 4)).astype(np.float32)
    v, w = generator.normal(size=(2, 5)).astype(np.float32)
    i, j = generator.integers(0, 6, (2, 6)).astype(np.int32)
    m, n = generator.integers(0, 2, (2, 3, 4)).astype(bool)
    m[:, 0], m[0] = False, False  # a mean of nothing is NaN everywhere, with a warning
    s = generator.normal(size=(4, 4)).astype(np.float32)
    return dict(x=x, y=y, v=v, w=w, i=i, j=j, m=m, n=n, s=s, p=np.abs(x) + np.float32(0.1))


def parts(line):
    """(our expression, theirs, how Kolam differs)."""
    calls, _, difference = line.partition(" # ")
    ours, _, theirs = calls.partition(" | ")
    return ours, theirs or ours, difference


def evaluate(expression, library, given, convert):
    names = {name: getattr(library, name) for name in dir(library) if name[0] != "_"}
    return eval(expression, {"__builtins__": {}, "int": int} | names | {name: convert(value) for name, value in given.items()})


def missing(line):
    """The names of a line that Kolam does not have yet."""
    used = re.findall(r"(?<![\w.\"'])([a-z_]\w*)", parts(line)[0])
    if ".at[" in line and not hasattr(ko.Array, "at"):
        return ["at"]
    known = set(ko.__all__) | set(arguments(0)) | {"int", "lambda", "dtype", "axis", "for", "in", "ij", "jk"}
    return [name for name in used if name not in known and name in {row.name for row in _hints.table()}]


def check(line, library, given, convert, narrow=False):
    """Raises unless both give the same values and dtypes, or the dtypes that the line says."""
    ours, theirs, difference = parts(line)
    result, expected = evaluate(ours, ko, given, ko.asarray), evaluate(theirs, library, given, convert)
    result, expected = np.asarray(result), np.asarray(expected)
    dtype = NARROW.get(expected.dtype.name, expected.dtype.name) if narrow else expected.dtype.name
    got = NARROW.get(result.dtype.name, result.dtype.name) if narrow else result.dtype.name
    assert got == (difference.partition(":")[0] or dtype)
    assert result.shape == expected.shape
    # Sums in another order; functions within some ulps.
    np.testing.assert_allclose(result.astype(expected.dtype), expected, rtol=3e-5, atol=3e-6)
