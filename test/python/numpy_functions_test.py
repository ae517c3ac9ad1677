"""NumPy's functions on our arrays give what they give on NumPy's; PyTorch's likewise, or are refused."""

import sys
import types

import numpy as np
import pytest

import kolam as ko

A = np.arange(24, dtype=np.float32).reshape(2, 3, 4) % 7
B = np.arange(24, dtype=np.float32).reshape(2, 4, 3) % 5
CALLS = {
    "take": lambda a, b: np.take(a, [3, 20]), "take along": lambda a, b: np.take(a, [1, 0], axis=1),
    "take method": lambda a, b: a.take([3, 20]), "take method along": lambda a, b: a.take([1], 2),
    "dot": lambda a, b: np.dot(a, b), "dot method": lambda a, b: a.dot(b), "dot of vectors": lambda a, b: np.dot(a[0, 0], b[0, :, 0]),
    "dot of scalars": lambda a, b: np.dot(a, 2.0), "dot with a vector": lambda a, b: np.dot(a, b[0, :, 0]),
    "transpose": lambda a, b: np.transpose(a), "transpose axes": lambda a, b: np.transpose(a, (1, 0, 2)),
    "swapaxes": lambda a, b: np.swapaxes(a, 0, 2), "ravel": lambda a, b: np.ravel(a), "vstack": lambda a, b: np.vstack([a[0], a[1]]),
    "vstack of vectors": lambda a, b: np.vstack([a[0, 0], a[0, 1]]), "hstack": lambda a, b: np.hstack([a, a]),
    "hstack of vectors": lambda a, b: np.hstack((a[0, 0], a[0, 1])), "cumsum": lambda a, b: np.cumsum(a),
    "cumsum along": lambda a, b: np.cumsum(a, axis=1), "cumsum method": lambda a, b: a.cumsum(), "cumprod": lambda a, b: np.cumprod(a[0]),
    "round": lambda a, b: np.round(a / 2), "around": lambda a, b: np.around(a / 2, 0), "var": lambda a, b: np.var(a, axis=0, ddof=1),
    "std": lambda a, b: np.std(a, ddof=2, keepdims=True), "var of all": lambda a, b: np.var(a), "sum": lambda a, b: np.sum(a, (0, 1)),
    "sum keepdims": lambda a, b: np.sum(a, axis=1, keepdims=True), "mean": lambda a, b: np.mean(a, 1), "max": lambda a, b: np.max(a),
    "amin": lambda a, b: np.amin(a, axis=-1), "sort": lambda a, b: np.sort(a), "sort all": lambda a, b: np.sort(a, axis=None),
    "concatenate": lambda a, b: np.concatenate([a, a], 1), "concatenate all": lambda a, b: np.concatenate([a, b], axis=None),
    "stack": lambda a, b: np.stack([a, a], -1), "where": lambda a, b: np.where(a > 2, a, 0), "clip": lambda a, b: np.clip(a, 1, 3),
    "outer": lambda a, b: np.outer(a[0], b[0]), "tensordot": lambda a, b: np.tensordot(a, b, ([2], [1])),
    "einsum": lambda a, b: np.einsum("bij,bjk->bik", a, b), "reshape": lambda a, b: np.reshape(a, (4, 6)),
    "repeat": lambda a, b: np.repeat(a, 2), "roll": lambda a, b: np.roll(a, 2), "expand_dims": lambda a, b: np.expand_dims(a, 1),
    "flip": lambda a, b: np.flip(a), "split": lambda a, b: np.split(a, 2)[1], "tril": lambda a, b: np.tril(a),
    "moveaxis": lambda a, b: np.moveaxis(a, 0, -1), "full_like": lambda a, b: np.full_like(a, 7), "pad": lambda a, b: np.pad(a, 1),
    "select": lambda a, b: np.select([a > 5, a > 2], [a, -a], 7), "dstack": lambda a, b: np.dstack([a, a]),
    "column_stack": lambda a, b: np.column_stack([a[0, 0], a[0, 1]]), "append": lambda a, b: np.append(a, b),
}  # fmt: skip


@pytest.mark.parametrize("case", CALLS)
def test_like_numpy(case):
    call = CALLS[case]
    for result in (call(ko.asarray(A), ko.asarray(B)), ko.jit(call)(A, B)):
        assert isinstance(result, ko.Array)
        expected = call(A, B)
        assert result.shape == expected.shape
        np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-5)  # sums in another order


def test_what_is_no_array():
    for a in (ko.asarray(A),):
        assert np.ndim(a) == 3 and np.shape(a) == (2, 3, 4) and np.size(a) == 24 and np.size(a, 1) == 3
        assert np.allclose(a, A) and not np.allclose(a, A + 1) and np.array_equal(a, A) and not np.array_equal(a, A[0])
        assert np.isclose(a, A).shape == A.shape and np.allclose(a, [np.inf]).item() is False


@pytest.mark.parametrize("call", [
    lambda a: np.linalg.norm(a), lambda a: np.sum(a, initial=1), lambda a: np.sum(a, where=a > 2), lambda a: np.round(a, 2),
    lambda a: np.take(a, [0], mode="wrap"), lambda a: np.sort(a, kind="heapsort"),
    lambda a: np.apply_along_axis(sum, 0, a), lambda a: np.pad(a, 1, mode="wrap"), lambda a: np.fft.rfft(a), lambda a: np.modf(a)[0],
    lambda a: np.add.reduceat(a[0, 0], [0, 2]), lambda a: np.maximum.accumulate(a, axis=1), lambda a: np.subtract.reduce(a),
    lambda a: np.multiply.outer(a, a), lambda a: np.block([[a[0], a[1]]]), lambda a: np.exp(a, where=a > 2, out=np.zeros(a.shape)),
])  # fmt: skip
def test_what_kolam_lacks_numpy_computes(call):
    result, expected = call(ko.asarray(A)), call(A)
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-6)


def test_traced_values_are_refused_where_only_numpy_has_the_function():
    for call in (lambda a: np.linalg.det(a), lambda a: np.round(a, 2), lambda a: np.subtract.accumulate(a)):
        with pytest.raises(ko.KolamError, match=r"numpy\.\w+: \[(traced-value|bad-option)\]") as info:
            ko.jit(call)(A[0, :2, :2])
        assert info.value.where[0] == __file__


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.int32, np.uint8, np.uint32, np.int64, np.float16, np.float32])
@pytest.mark.parametrize("name", "sum prod cumsum cumprod mean var std max min ptp median".split())
def test_reductions_have_numpys_dtypes(name, dtype):
    a = (A.reshape(-1)[:8] % 3).astype(dtype)
    if name in ("max", "min", "ptp") and dtype == np.bool_:
        pytest.skip("booleans have no largest element here")
    call = getattr(np, name)
    expected = call(a)
    result = call(ko.asarray(a))
    assert result.dtype == expected.dtype
    np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-3)


@pytest.mark.parametrize("name", "add multiply maximum minimum logical_and logical_or".split())
def test_methods_of_ufuncs(name):
    for a in (A, A.astype(np.int32)):
        for result, expected in [
            (getattr(np, name).reduce(ko.asarray(a)), getattr(np, name).reduce(a)),
            (getattr(np, name).reduce(ko.asarray(a), axis=-1, keepdims=True), getattr(np, name).reduce(a, axis=-1, keepdims=True)),
        ]:
            assert isinstance(result, ko.Array) and result.dtype == expected.dtype
            np.testing.assert_array_equal(np.asarray(result), expected)
    assert isinstance(np.add.accumulate(ko.asarray(A), axis=1), ko.Array)


def test_all_axes_and_outer_products():
    x = ko.asarray(A)
    assert np.minimum.reduce(x, axis=None).item() == A.min() and np.add.reduce(x, axis=None).shape == ()
    for result in (np.multiply.outer(x[0, 0], x[1]), ko.jit(lambda x: np.multiply.outer(x[0, 0], x[1]))(x)):
        assert isinstance(result, ko.Array)
        np.testing.assert_array_equal(np.asarray(result), np.multiply.outer(A[0, 0], A[1]))


@pytest.mark.parametrize("write", [
    lambda x: np.add.at(x, [0], 1), lambda x: np.copyto(x, A), lambda x: np.put(x, 0, 1), lambda x: np.putmask(x, A > 2, 1),
    lambda x: np.place(x, A > 2, 1), lambda x: np.fill_diagonal(x, 1),
])  # fmt: skip
def test_our_arrays_are_not_written_to(write):
    for call in (write, ko.jit(write)):
        with pytest.raises(ko.KolamError, match=r"numpy\.[\w.]+: \[immutable-array\].*x\.at\[i\]\."):
            call(ko.asarray(A))


def test_a_traced_value_is_written_nowhere():
    def add(x):
        total = np.zeros(A.shape)
        total += x
        return total

    with pytest.raises(ko.KolamError, match=r"numpy\.add: \[traced-value\].*write x = x \+ y"):
        ko.jit(add)(A)


def test_into_arrays_of_numpy():
    a, total = ko.asarray(A), A.copy()
    total += a
    np.testing.assert_array_equal(total, 2 * A)
    out = np.zeros(A.shape, np.float32)
    assert np.add(a, 1, out=out) is out and np.array_equal(out, A + 1)
    np.add(a, 5, out=out, where=A > 3)
    np.testing.assert_array_equal(out, np.where(A > 3, A + 5, A + 1))
    np.sum(a, axis=0, out=(out_sum := np.zeros((3, 4), np.float32)))
    np.testing.assert_array_equal(out_sum, A.sum(0))
    with pytest.raises(ko.KolamError, match=r"numpy\.add: \[immutable-array\]"):
        np.add(A, A, out=a)


@pytest.fixture
def torch(monkeypatch):
    """A module whose functions ask the class of their first argument, as PyTorch's do."""
    module = types.ModuleType("torch")

    def make(name):
        def function(*positional, **named):
            return type(positional[0]).__torch_function__(function, (type(positional[0]),), positional, named)

        function.__name__ = name
        return function

    for name in (
        "ge le gt lt eq ne mul sub div add neg bitwise_not mm bmm permute transpose matmul sum softmax clamp max fft"
    ).split():
        setattr(module, name, make(name))
    monkeypatch.setitem(sys.modules, "torch", module)
    return module


def test_torch_functions_have_torchs_meaning(torch):
    a, b, i = ko.asarray(A), ko.asarray(B), ko.asarray([1, 2])
    for name, expected in [("ge", A >= 2), ("le", A <= 2), ("gt", A > 2), ("lt", A < 2), ("eq", A == 2), ("ne", A != 2)]:
        assert np.array_equal(np.asarray(getattr(torch, name)(a, 2)), expected)
    for result, expected in [
        (torch.mul(a, 2), A * 2), (torch.sub(a, 2, alpha=3), A - 6), (torch.add(a, a), A + A), (torch.neg(a), -A),
        (torch.div(a, 2), A / 2), (torch.div(a, -2, rounding_mode="trunc"), np.trunc(A / -2)), (torch.bitwise_not(i), ~np.asarray(i)),
        (torch.mm(a[0], b[0]), A[0] @ B[0]), (torch.bmm(a, b), A @ B), (torch.matmul(a, b), A @ B),
        (torch.permute(a, (2, 0, 1)), A.transpose(2, 0, 1)), (torch.transpose(a, 0, 2), A.swapaxes(0, 2)),
        (torch.sum(a, dim=1, keepdim=True), A.sum(1, keepdims=True)), (torch.clamp(a, min=1), A.clip(1)), (torch.max(a), A.max()),
    ]:  # fmt: skip
        np.testing.assert_array_equal(np.asarray(result), expected)
    assert torch.softmax(a, dim=-1).shape == A.shape
    assert torch.add(a, a).dtype == ko.float32 and torch.max(a, 1).values.tolist() == A.max(1).tolist()
    with pytest.raises(ko.KolamError, match=r"torch\.fft: \[no-torch-function\]"):
        torch.fft(a)


def test_tensors_that_record_gradients_are_refused(torch):
    class Recorded:
        requires_grad = True

    torch.Tensor, torch.is_grad_enabled = Recorded, lambda: True
    with pytest.raises(ko.KolamError, match=r"torch\.add: \[records-gradients\].*torch\.no_grad"):
        torch.add(ko.asarray(A), Recorded())
