"""Loops and patterns with Python bodies: pytrees, monoids, kolam.samba and the programs of its document."""

import numpy as np
import pytest

import kolam as ko
from kolam import samba
from kolam.samba import (
    SambaTensor, get_int_or_float_bit_width, get_int_type, sn_fma, sn_gather, sn_imm, sn_iteridx, sn_reduce, sn_scatter,
    sn_select, sn_zipmapreduce, torch,
)  # fmt: skip

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_loops_take_pytrees():
    def body(i, state):
        return {"total": state["total"] + i, "x": state["x"] * 2}

    for run in (lambda f: f, ko.jit):
        result = run(lambda x: ko.fori_loop(0, 4, body, {"total": ko.asarray(0), "x": x}))(ko.asarray(X))
        assert result["total"].item() == 6
        np.testing.assert_array_equal(result["x"], X * 16)


def test_while_cond_switch_and_scan():
    x = ko.asarray(X)
    assert ko.while_loop(lambda s: s[0] < 10, lambda s: (s[0] + 3, s[1]), (ko.asarray(0), x))[0].item() == 12
    assert ko.cond(x.sum() > 0, lambda a: a + 1, lambda a: a - 1, x).sum().item() == 21
    assert ko.switch(ko.asarray(5), [lambda a: a, lambda a: a * 2], x).sum().item() == 30
    state, ys = ko.scan(lambda s, row: (s + row, {"sum": s.sum()}), ko.zeros((3,)), x)
    assert state.tolist() == [3, 5, 7] and ys["sum"].tolist() == [0, 3]
    assert ko.associative_scan(lambda a, b: a + b, x, axis=1).tolist() == np.cumsum(X, 1).tolist()


def test_a_carry_of_another_type_is_refused():
    with pytest.raises(ko.KolamError, match=r"\[carry-mismatch\]"):
        ko.fori_loop(0, 2, lambda i, s: s + 1.5, ko.asarray(1))
    with pytest.raises(ko.KolamError, match=r"\[branch-mismatch\]"):
        ko.cond(True, lambda a: a, lambda a: (a, a), ko.asarray(X))


def test_zip_map_reduce_gives_pytrees_and_takes_names():
    y = ko.asarray([10.0, 20.0])[:, None]
    result = ko.zip_map_reduce(lambda a, b: {"sum": a + b, "product": a * b}, [X, y])
    np.testing.assert_array_equal(result["product"], X * np.array([[10], [20]], np.float32))
    assert ko.zip_map_reduce(lambda a: a * a, [X], reduce="sum", axis=-1).tolist() == [5, 50]


def test_monoids_have_states_of_any_structure():
    mean = ko.Monoid(
        zero={"count": np.float32(0), "sum": np.float32(0)},
        merge=lambda a, b: {"count": a["count"] + b["count"], "sum": a["sum"] + b["sum"]},
        wrap=lambda x: {"count": np.float32(1), "sum": x},
        unwrap=lambda s: (s["sum"] / s["count"], s["count"]),
        commutative=True,
        name="mean",
    )
    average, count = ko.reduce([X], mean, axis=1)
    assert average.tolist() == [1, 4] and count.tolist() == [3, 3]
    ko.check_monoid_laws(mean, elements=[ko.float32])
    with pytest.raises(ko.KolamError, match=r"\[monoid-law\]"):
        ko.check_monoid_laws(ko.Monoid(zero=np.int32(0), merge=lambda a, b: a - b))


def test_random_numbers_are_functions_of_the_key():
    key = ko.random.key(0)
    first = ko.random.uniform(key, (1000,))
    assert first.tolist() == ko.random.uniform(key, (1000,)).tolist() and 0 <= min(first.tolist())
    assert ko.random.uniform(key, (1000,))[3:5].tolist() == first.tolist()[3:5]
    assert ko.random.split(key, 3).shape == (3, 2) and ko.random.randint(key, (5,), 0, 10).dtype == ko.int32


def test_the_documents_gather():
    x = [[1, 2, 3], [4, 5, 6], [7, 8, 9]]
    result = sn_gather(x, [[1], [0]], {0}, [2])
    assert result.tolist() == [[[4, 5, 6], [7, 8, 9]], [[1, 2, 3], [4, 5, 6]]]
    published = sn_gather(np.arange(25).reshape(5, 5), [[0, 0], [1, 1], [3, 2]], [0, 1], [2, 3])
    assert published.tolist()[2] == [[17, 18, 19], [22, 23, 24]]


@pytest.mark.parametrize(
    "rmw_op, expected",
    [
        ("kAdd", [[7, 8, 9], [11, 13, 15], [4, 5, 6]]), ("kUpdate", [[7, 8, 9], [10, 11, 12], [4, 5, 6]]),
        ("kMul", [[0] * 3] * 3), ("kMin", [[0] * 3] * 3), ("kMax", [[7, 8, 9], [10, 11, 12], [4, 5, 6]]),
    ],
)  # fmt: skip
def test_the_documents_scatter(rmw_op, expected):
    update = [[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]]
    assert sn_scatter([[0] * 3] * 3, update, [[1], [0]], [0], rmw_op).tolist() == expected


def test_scatter_with_a_function():
    result = ko.scatter(np.zeros(3, np.float32), ko.asarray([[1.0], [2.0]]), [[1], [1]], [0], lambda old, new: old * 10 + new)
    assert result.tolist() == [0, 12, 0]


def diagonal_fill(x: SambaTensor, fill: float):
    def body(attrs, x):
        cond = sn_iteridx(attrs, dim=2) >= sn_iteridx(attrs, dim=3)
        return sn_select(cond, x, sn_imm(fill, dtype=torch.float32))

    return sn_zipmapreduce(body, [x])


def test_the_documents_diagonal_fill():
    x = ko.ones((1, 1, 4, 4))
    for function in (diagonal_fill, ko.jit(diagonal_fill, static_argnames="fill")):
        assert function(x, 0.0)[0, 0].tolist() == np.tril(np.ones((4, 4))).tolist()


def rotary_embedding(x, y, x_roll, y_roll):
    int_type = get_int_type(get_int_or_float_bit_width(x.dtype))

    def body(attrs, x, y, x_roll, y_roll):
        even = x * y - x_roll * y_roll
        odd = x_roll * y + x * y_roll
        is_odd = torch.bitwise_and(sn_iteridx(attrs, 3, dtype=int_type), sn_imm(1, dtype=int_type))
        return sn_select(is_odd, odd, even)

    return sn_zipmapreduce(body, [x, y, x_roll, y_roll])


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float64"])
def test_the_documents_rotary_embedding(dtype):
    given = [ko.asarray([[[pair]]], dtype) for pair in ([1, 2], [3, 4], [2, 1], [4, 3])]
    assert rotary_embedding(*given)[0, 0, 0].tolist() == [-5, 10]


def test_the_documents_torch_comparison():
    result = sn_zipmapreduce(lambda attrs, a, b: torch.ge(a, b), [[1, 2, 3], [2, 2, 2]])
    assert result.tolist() == [False, True, True]


def test_reduced_dims_stay():
    assert sn_zipmapreduce(lambda attrs, a: a, [X], reduce_func="MIN", reduce_dim=[1]).tolist() == [[0], [3]]
    assert sn_reduce(X, (0,), "sum").tolist() == [[3, 5, 7]] and samba.sn_fma is sn_fma
    wide = sn_zipmapreduce(lambda attrs, a, b: sn_iteridx(attrs, 1) + a * 0 + b * 0, [np.ones((2, 1), np.int32), np.ones((1, 3), np.int32)], "max", 1)
    assert wide.tolist() == [[2], [2]]


def test_what_samba_refuses():
    for call, slug in (
        (lambda: sn_zipmapreduce(lambda attrs, x: x, [X], stoc_accum=True), "unsupported-stoc-accum"),
        (lambda: sn_zipmapreduce(lambda attrs, x: sn_iteridx(attrs, 0, torch.int8), [np.ones(200)]), "extent-does-not-fit"),
        (lambda: get_int_type(12), "unknown-width"),
    ):
        with pytest.raises(ko.KolamError) as info:
            call()
        assert info.value.slug == slug
