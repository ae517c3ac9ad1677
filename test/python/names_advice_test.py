"""What the table advises in place of a name gives what NumPy's function gives."""

import numpy as np
import pytest

import kolam as ko
from kolam import _hints

ROWS = {row.name: row.text for row in _hints.table() if row.kind == "written"}
ALL = (1, 2, 3)
#: name, what the table advises, NumPy's, and of which ranks.
CASES = [
    ("vstack", "concat([atleast_2d(x), atleast_2d(y)], 0)", "np.vstack([x, y])", ALL), ("hstack", "concat([x, y], 1)", "np.hstack([x, y])", (2, 3)),
    ("hstack", "concat([x, y], 0)", "np.hstack([x, y])", (1,)), ("dstack", "concat([atleast_3d(x), atleast_3d(y)], 2)", "np.dstack([x, y])", ALL),
    ("column_stack", "concat([x, y], 1)", "np.column_stack([x, y])", (2, 3)), ("column_stack", "stack([x, y], -1)", "np.column_stack([x, y])", (1,)),
    ("c_", "concat([x, y], -1)", "np.c_[x, y]", (2, 3)), ("c_", "stack([x, y], -1)", "np.c_[x, y]", (1,)), ("r_", "concat([x, y])", "np.r_[x, y]", ALL),
    ("array_split", "split(x, places, axis)", "np.array_split(x, places, axis)", ALL), ("vsplit", "split(x, places, 0)", "np.vsplit(x, places)", (2, 3)),
    ("hsplit", "split(x, places, 1)", "np.hsplit(x, places)", (2, 3)), ("hsplit", "split(x, places, 0)", "np.hsplit(x, places)", (1,)),
    ("dsplit", "split(x, places, 2)", "np.dsplit(x, places)", (3,)), ("array_equiv", "array_equal(*broadcast_arrays(x, y))", "np.array_equiv(x, y)", ALL),
    ("insert", "concat([x[:i], y, x[i:]])", "np.insert(x, i, y)", (1,)), ("delete", "x[mask]", "np.delete(x, np.nonzero(~mask)[0])", (1,)),
    ("spacing", "nextafter(x, copysign(inf, x)) - x", "np.spacing(x)", ALL), ("append", "concat([ravel(x), ravel(y)])", "np.append(x, y)", ALL),
    ("modf", "(copysign(where(isinf(x), 0.0, x - trunc(x)), x), trunc(x))", "np.modf(x)", ALL), ("append", "concat([x, y], axis)", "np.append(x, y, axis)", ALL),
    ("compress", "x[condition]", "np.compress(condition, x, 0)", ALL), ("extract", "x[condition]", "np.extract(condition, x)", (1,)),
    ("dot", "tensordot(x, y, ((-1,), (-2,)))", "np.dot(x, y)", (2, 3)), ("dot", "vecdot(x, y)", "np.dot(x, y)", (1,)), ("union1d", "unique(concat([ravel(x), ravel(y)]))", "np.union1d(x, y)", ALL),
    ("inner", "tensordot(x, y, ((-1,), (-1,)))", "np.inner(x, y)", ALL), ("vdot", "vecdot(reshape(x, (-1,)), reshape(y, (-1,)))", "np.vdot(x, y)", ALL),
    ("fill_diagonal", "where(eye(*x.shape, dtype=bool), value, x)", "(lambda z: (np.fill_diagonal(z, value), z)[1])(x.copy())", (2,)),
    ("indices", 'stack(meshgrid(arange(n), arange(m), indexing="ij"))', "np.indices((n, m))", (1,)), ("place", "where(mask, value, x)", "(lambda z: (np.place(z, mask, value), z)[1])(x.copy())", (1,)),
    ("mgrid", 'stack(meshgrid(arange(n), arange(m), indexing="ij"))', "np.mgrid[:n, :m]", (1,)), ("put", "x.at[i].set(v)", "(lambda z: (np.put(z, i, v), z)[1])(x.copy())", (1,)),
    ("ogrid", 'meshgrid(arange(n), arange(m), indexing="ij", sparse=True)', "np.ogrid[:n, :m]", ()), ("rollaxis", "moveaxis(x, axis, start)", "np.rollaxis(x, axis, start)", ALL),
    ("cumsum", "cumulative_sum(ravel(x), 0)", "np.cumsum(x)", ALL), ("cumsum", "cumulative_sum(x, axis)", "np.cumsum(x, axis)", ALL), ("partition", "sort(x, axis)", "np.sort(x, axis)", ALL),
    ("cumprod", "cumulative_prod(ravel(x), 0)", "np.cumprod(x)", ALL), ("cumprod", "cumulative_prod(x, axis)", "np.cumprod(x, axis)", ALL), ("argpartition", "argsort(x, axis)", "np.argsort(x, axis, stable=True)", ALL),
    ("choose", "take_along_axis(stack(choices), expand_dims(x, 0), 0)[0]", "np.choose(x, choices)", "choose"), ("block", "concat([concat(row, -1) for row in rows], -2)", "np.block(rows)", (2, 3)),
    ("concatenate", "concat([x, y], axis)", "np.concatenate([x, y], axis)", ALL), ("diagflat", "diag(reshape(x, (-1,)), k)", "np.diagflat(x, k)", ALL), ("ediff1d", "diff(reshape(x, (-1,)))", "np.ediff1d(x)", ALL),
    ("fliplr", "flip(x, 1)", "np.fliplr(x)", (2, 3)), ("flipud", "flip(x, 0)", "np.flipud(x)", ALL), ("float_power", "pow(astype(x, float64), y)", "np.float_power(abs(x), y)", "positive"),
    ("fmax", "where(isnan(x), y, where(isnan(y), x, maximum(x, y)))", "np.fmax(x, y)", ALL), ("fmin", "where(isnan(x), y, where(isnan(y), x, minimum(x, y)))", "np.fmin(x, y)", ALL),
    ("geomspace", "exp(linspace(log(start), log(stop), num))", "np.geomspace(start, stop, num)", "range"), ("logspace", "pow(10.0, linspace(start, stop, num))", "np.logspace(start, stop, num)", "range"),
    ("identity", "eye(n)", "np.identity(n)", (1,)), ("intersect1d", "unique(x[isin(x, y)])", "np.intersect1d(x, y)", ALL), ("setdiff1d", "unique(x[~isin(x, y)])", "np.setdiff1d(x, y)", ALL),
    ("setxor1d", "unique(concat([x[~isin(x, y)], y[~isin(y, x)]]))", "np.setxor1d(x, y)", ALL), ("isneginf", "x == -inf", "np.isneginf(x)", ALL), ("isposinf", "x == inf", "np.isposinf(x)", ALL),
    ("ldexp", "x * exp2(n)", "np.ldexp(x, n)", ALL), ("matvec", "matmul(x, expand_dims(y, -1))[..., 0]", "np.matvec(x, y)", "matvec"), ("vecmat", "matmul(expand_dims(x, -2), y)[..., 0, :]", "np.vecmat(x, y)", "vecmat"),
    ("transpose", "permute_dims(x, axes)", "np.transpose(x, axes)", ALL), ("tril_indices", "nonzero(tri(n, m, k))", "np.tril_indices(n, k, m)", (1,)), ("triu_indices", "nonzero(tri(n, m, k - 1) == 0)", "np.triu_indices(n, k, m)", (1,)),
    ("tril_indices_from", "nonzero(tri(*x.shape, k))", "np.tril_indices_from(x, k)", (2,)), ("triu_indices_from", "nonzero(tri(*x.shape, k - 1) == 0)", "np.triu_indices_from(x, k)", (2,)),
    ("polymul", "convolve(x, y)", "np.polymul(x, y)", (1,)), ("select", "where(first, x, where(second, y, default))", "np.select([first, second], [x, y], default)", ALL),
    ("ravel_multi_index", "i * n + j", "np.ravel_multi_index((i, j), (9, n))", "index"), ("ix_", "x[i[:, None], j]", "x[np.ix_(i, j)]", "index"), ("rint", "round(x)", "np.rint(x)", ALL), ("fabs", "abs(x)", "np.fabs(x)", ALL),
    ("diag_indices", "(arange(n), arange(n))", "np.diag_indices(n)", (1,)), ("piecewise", "where(condition, f(x), g(x))", "np.piecewise(x, [condition, ~condition], [f, g])", "piecewise"), ("mod", "remainder(x, y)", "np.mod(x, y)", ALL),
]  # fmt: skip
#: Rows that are other names of one function, types, or words.
PLAIN = {
    "absolute", "amax", "amin", "arccos", "arccosh", "arcsin", "arcsinh", "arctan", "arctan2", "arctanh", "around", "bitwise_not", "degrees", "invert", "left_shift",
    "power", "radians", "right_shift", "true_divide", "array_repr", "array_str", "apply_along_axis", "apply_over_axes", "diag_indices_from", "floating", "frombuffer",
    "fromfile", "fromiter", "frompyfunc", "fromstring", "get_printoptions", "inexact", "integer", "isscalar", "issubdtype", "iterable", "mask_indices", "number",
    "printoptions", "promote_types", "resize", "savez", "set_printoptions", "signedinteger", "trim_zeros", "unsignedinteger", "vectorize",
}  # fmt: skip


def arguments(of, seed):
    """The names that advices and calls use."""
    generator = np.random.default_rng(seed)
    shape = (4, 4, 4)[: of if isinstance(of, int) else 2]
    x, y = (generator.integers(-5, 5, shape).astype(np.float32) + 0.5 for _ in range(2))  # no zeros, which polymul trims
    if of in ("matvec", "vecmat"):
        x, y = (x, y[0]) if of == "matvec" else (x[0], y)
    if of == "positive":
        x = np.abs(x) + 1
    if of == "choose":
        x = generator.integers(0, 2, (4,)).astype(np.int32)
    i = 2 if isinstance(of, int) else np.asarray([2, 0, 1], np.int32)
    condition = y > 0 if of == "piecewise" else (y if y.ndim == 1 else y[:, 0] if y.ndim == 2 else y[:, 0, 0]) > 0
    rank = x.ndim
    return {
        "x": x, "y": y, "i": i, "j": np.asarray([1, 3, 0], np.int32), "k": 1, "n": 3 if of != "index" else 4, "m": 4, "v": 7.0, "value": 7.0,
        "places": [1, 3], "axis": rank - 1, "start": 0 if isinstance(of, int) else 1.0, "stop": 3.0, "num": 5, "mask": (y if y.ndim == 1 else y) > 0,
        "condition": condition, "choices": [np.float32([1, 2, 3, 4]), np.float32([5, 6, 7, 8])], "rows": [[x, y], [y, x]], "axes": tuple(range(rank))[::-1],
        "first": x > 1, "second": y > 1, "default": 0.5, "f": np.square, "g": np.abs,
    }  # fmt: skip


def ours(value):
    if isinstance(value, list) and value and not isinstance(value[0], int):
        return [ours(one) for one in value]
    return ko.asarray(value) if isinstance(value, np.ndarray) else value


@pytest.mark.filterwarnings("ignore:invalid value")
@pytest.mark.parametrize("name, advice, call, ranks", CASES, ids=[f"{name}-{advice}" for name, advice, *_ in CASES])
def test_advice(name, advice, call, ranks, seed):
    assert advice in ROWS[name]
    for of in ranks if isinstance(ranks, tuple) else (ranks,):
        given = arguments(of, seed)
        expected = eval(call, {"np": np} | given)
        result = eval(advice, {name: getattr(ko, name) for name in ko.__all__} | {key: ours(value) for key, value in given.items()})
        several = isinstance(expected, tuple | list)
        for one, other in zip(result, expected, strict=True) if several else [(result, expected)]:
            assert np.shape(one) == np.shape(other)
            np.testing.assert_allclose(np.asarray(one), other, rtol=1e-5)


@pytest.mark.filterwarnings("ignore:invalid value")
def test_signs_and_infinities():
    x = np.asarray([np.inf, -np.inf, np.nan, -0.0, -2.0, 1.5], np.float32)
    for name, call in (("modf", np.modf), ("spacing", np.spacing)):
        result = eval(ROWS[name], {name: getattr(ko, name) for name in ko.__all__} | {"x": ko.asarray(x)})
        for one, other in zip(result, call(x), strict=True) if name == "modf" else [(result[2:3], call(x)[2:3]), (result[4:], call(x)[4:])]:
            np.testing.assert_array_equal(np.asarray(one), other)
            np.testing.assert_array_equal(np.signbit(np.asarray(one)[4:]), np.signbit(other[4:]))


def test_every_advice_is_tried():
    tried = {name for name, *_ in CASES}
    assert {name for name, text in ROWS.items() if "(" in text} <= tried | PLAIN
