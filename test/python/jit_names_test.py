"""Options of jit name arguments that a `**rest` takes, and those of functions in C++."""

import numpy as np
import pytest

import kolam as ko

X = np.arange(6, dtype=np.float32).reshape(2, 3)


def test_a_static_in_the_rest():
    traces = []

    @ko.jit(static_argnames="n")
    def f(a, **rest):
        traces.append(rest["n"])
        return a * rest["n"] + rest.get("m", 0)

    for n, m in ((3, 1), (3, 2), (4, 1)):
        np.testing.assert_array_equal(np.asarray(f(X, n=n, m=m)), X * n + m)
    assert traces == [3, 4]
    assert ko.jit(lambda x: f(x, n=2))(X).tolist() == (X * 2).tolist()
    assert ko.jit(lambda a, **rest: a if rest else -a, static_argnames="n")(X).tolist() == (-X).tolist()


def test_dims_and_donations_in_the_rest():
    f = ko.jit(lambda **rest: rest["x"] + 1, dynamic={"x": [0]})
    assert f(x=X).shape == (2, 3) and f(x=X[:1]).shape == (1, 3) and f.cache_size == 1
    x = ko.asarray(X + 0)
    ko.jit(lambda **rest: rest["x"] + 1, donate_argnames="x")(x=x)
    with pytest.raises(ko.KolamError, match="donated"):
        x.tolist()


def test_functions_in_cpp():
    total = ko.jit(ko.sum, static_argnames=("axis", "dtype"))
    for given in (((X,), {"axis": 0}), ((X, 1), {}), ((X,), {}), ((X,), {"axis": (0, 1), "dtype": ko.float64})):
        np.testing.assert_array_equal(np.asarray(total(*given[0], **given[1])), X.sum(*given[0][1:], **{k: v for k, v in given[1].items() if k == "axis"}))
    assert ko.jit(ko.sum, static_argnums=1)(X, 0).shape == (3,)
    soft = ko.jit(ko.softmax, dynamic={"x": [0]}, static_argnames="axis")
    assert soft(X, axis=-1).shape == (2, 3) and soft(X[:1], axis=-1).shape == (1, 3) and soft.cache_size == 1
    x = ko.asarray(X + 0)
    ko.jit(ko.exp, donate_argnames="x")(x)
    with pytest.raises(ko.KolamError, match="donated"):
        x.tolist()
    with pytest.raises(ko.KolamError, match=r"expected names of \(x, axis=None, dtype=None, keepdims=False\), but got 'axes'"):
        ko.jit(ko.sum, static_argnames="axes")


@pytest.mark.parametrize("module", [ko, ko.random])
def test_every_function_of_cpp_tells_its_parameters(module):
    from kolam._signatures import signature_of

    for name in module.__all__:
        if type(function := getattr(module, name)).__name__ == "nb_func":
            assert "positional" not in str(signature_of(function)), name
