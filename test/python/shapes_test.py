"""eval_shape and ShapeDtypeStruct; the number of threads."""

import numpy as np
import pytest

import kolam as ko

S = ko.ShapeDtypeStruct


def test_eval_shape_computes_nothing():
    huge = S((1 << 20, 1 << 20), ko.float32)
    f = lambda p, x, n=2: {"y": x @ p["w"], "z": (ko.sum(x, axis=0), None), "n": x[:n]}
    result = ko.eval_shape(f, {"w": huge}, S((3, 1 << 20), "float32"), n=1)
    assert result == {"y": S((3, 1 << 20), ko.float32), "z": (S((1 << 20,), ko.float32), None), "n": S((1, 1 << 20), ko.float32)}
    assert ko.eval_shape(ko.jit(lambda x: x > 0), np.zeros(3)) == S((3,), bool)
    assert ko.eval_shape(lambda x: x.astype(ko.bfloat16), 1.0 * np.ones(())).dtype == ko.bfloat16


def test_eval_shape_inside_a_trace():
    @ko.jit
    def f(x, y):
        inside = ko.eval_shape(lambda x: x @ y, x)
        return ko.zeros(inside.shape, dtype=inside.dtype) + 1

    np.testing.assert_array_equal(f(np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)), np.ones((2, 4)))


def test_eval_shape_of_dynamic_extents():
    n = ko.Extent("n")
    result = ko.eval_shape(lambda x: ko.concat([x, x]), S((n, 2), ko.int32))
    assert result.shape == (n + n, 2) and result.ndim == 2


def test_eval_shape_has_no_word_for_lists():
    xs = ko.fractal.FractalTensor([[1.0, 2.0], [3.0]])
    assert ko.eval_shape(lambda xs: xs[0][0], xs).shape == ()
    with pytest.raises(ko.KolamError, match=r"eval_shape: \[not-an-array\].*a list<list<float.*has no shape.*fractal.flatten") as info:
        ko.eval_shape(lambda xs: (1, xs), xs)
    assert info.value.where[0] == __file__


def test_lower_takes_shapes():
    f = ko.jit(lambda x, y: x * y)
    text = f.lower(S((2, 3), ko.float32), 2.0).as_text()
    assert text == f.lower(np.zeros((2, 3), np.float32), 2.0).as_text()
    assert f.cost(S((2, 3), ko.float32), 1.0) == f.cost(np.zeros((2, 3), np.float32), 1.0)
    g = ko.jit(lambda x: x + 1, dynamic={"x": [0]})
    assert "x.0" in g.lower(S((5, 3), ko.float32)).as_text()
    with pytest.raises(ko.KolamError, match=r"\[not-an-array\].*ShapeDtypeStruct, which has no elements"):
        f(S((2,), ko.float32), 1)


def test_structs():
    struct = S((2, 3), np.float32)
    assert (struct.ndim, struct.size, len(struct)) == (2, 6, 2) and struct == S([2, 3], "float32") and hash(struct) == hash(S((2, 3), ko.float32))
    assert struct != S((2, 3), ko.int32) and S(4, ko.int8).shape == (4,) and S((), ko.int8).size == 1
    with pytest.raises(ko.KolamError, match=r"\[bad-shape\]"):
        S((-1,), ko.int8)
    with pytest.raises(TypeError, match="rank 0"):
        len(S((), ko.int8))


def test_threads():
    before = ko.get_num_threads()
    x = np.random.default_rng(0).standard_normal((300, 300)).astype(np.float32)
    f = ko.jit(lambda x: ko.sum(ko.tanh(x @ x), axis=0))
    results = []
    try:
        for count in (1, 3, 2):
            ko.set_num_threads(count)
            assert ko.get_num_threads() == count
            results.append(np.asarray(f(x)).tobytes())
    finally:
        ko.set_num_threads(before)
    assert len(set(results)) == 1
    for wrong in (0, -1, 1 << 40):
        with pytest.raises(ko.KolamError, match=r"set_num_threads: \[bad-option\] argument 'count': expected a number from 1 to 1024"):
            ko.set_num_threads(wrong)
    with pytest.raises(ko.KolamError, match=r"\[argument-type\]"):
        ko.set_num_threads("2")
