"""Names of other libraries are told what to write, from one table."""

import pytest

import kolam as ko
from kolam import _hints


@pytest.mark.parametrize("name, words", [
    ("cumsum", "write kolam.cumulative_sum(x, axis)"), ("concatenate", "write kolam.concat([x, y], axis)"), ("fft", "not yet here"),
    ("complex64", "complex numbers"), ("grad", "not yet here: derivatives"), ("object_", "not here: arrays hold numbers"),
    ("sofmax", "did you mean kolam.softmax?"), ("unsqueeze", "write kolam.expand_dims(x, axis)"), ("from_numpy", "write kolam.asarray(x)"),
])  # fmt: skip
def test_names_of_the_module(name, words):
    with pytest.raises(AttributeError) as info:
        getattr(ko, name)
    assert words in str(info.value) and info.value.slug == "unknown-name" and isinstance(info.value, ko.KolamError)


@pytest.mark.parametrize("name, words", [
    ("numpy", "write numpy.asarray(x)"), ("detach", "nothing records gradients"), ("view", "write x.reshape(shape)"),
    ("backward", "not yet here: derivatives"), ("cumsm", "did you mean x.cumsum?"), ("topk", "write kolam.top_k(x, k)"),
])  # fmt: skip
def test_names_of_arrays(name, words):
    def ask(x):
        with pytest.raises(AttributeError, match="no attribute") as info:
            getattr(x, name)
        assert words in str(info.value)
        return x

    ask(ko.arange(3))
    ko.jit(ask)(ko.arange(3))


@pytest.mark.parametrize("name, words", [
    ("PRNGKey", "write kolam.random.key(seed)"), ("default_rng", "write kolam.random.key(seed)"), ("randn", "write kolam.random.normal(key, shape)"),
    ("norml", "did you mean kolam.random.normal?"), ("poisson", "not yet here"), ("softmax", "kolam.softmax may be what you mean"),
])  # fmt: skip
def test_names_of_random(name, words):
    with pytest.raises(AttributeError) as info:
        getattr(ko.random, name)
    assert str(info.value).startswith("kolam.random: [unknown-name]") and words in str(info.value)


def test_names_of_fractal():
    from kolam import fractal as ops

    assert ops.tanh is ko.tanh
    for name, words in [("fld", "did you mean kolam.fractal.fold?"), ("cumsum", "write kolam.cumulative_sum(x, axis)")]:
        with pytest.raises(AttributeError) as info:
            getattr(ops, name)
        assert words in str(info.value)


@pytest.mark.parametrize("call, words", [
    (lambda x: ko.sum(x, dim=0), "an argument 'dim'; write axis="), (lambda x: ko.max(x, keepdim=True), "write keepdims="),
    (lambda x: ko.var(x, ddof=1), "write correction="), (lambda x: ko.add(x, x, out=x), "a result is a new array"),
    (lambda x: ko.exp(x, where=x), "an argument 'where'"), (lambda x: ko.add(x=x, y=x), "it goes by place"),
    (lambda x: ko.softmax(x, dim=0), "write axis="), (lambda x: ko.isclose(x, x, atoll=1), "did you mean atol=?"),
    (lambda x: ko.random.normal(ko.random.key(0), size=(2,)), "write shape="), (lambda x: x.sum(dim=0), "write axis="),
    (lambda x: ko.jit(lambda x: x, backnd="cpu"), "did you mean backend=?"), (lambda x: ko.scan(lambda s, x: (s, x), x, xs=x, revers=True), "did you mean reverse=?"),
])  # fmt: skip
def test_keywords(call, words):
    with pytest.raises(TypeError) as info:
        call(ko.arange(3))
    assert info.value.slug == "call-mismatch" and words in str(info.value) and info.value.where[0] == __file__


def test_a_type_error_of_the_users_own_passes():
    def body(i, x):
        raise TypeError("mine")

    with pytest.raises(TypeError, match="^mine$"):
        ko.fori_loop(0, 1, body, ko.asarray(0))


def test_every_public_function_refuses_unknown_keywords_in_words():
    for module in (ko, ko.random):
        for name in module.__all__:
            thing = getattr(module, name)
            if not callable(thing) or isinstance(thing, type) or name in ("einsum", "tune", "cache_info", "clear_cache", "from_dlpack", "set_num_threads"):
                continue
            with pytest.raises(ko.KolamError, match=r"\[call-mismatch\]"):
                thing(a_keyword_of_no_library=1)


def test_a_name_that_exists_nowhere():
    with pytest.raises(AttributeError, match=r"kolam: \[unknown-name\] no attribute 'zzzz'\n"):
        ko.zzzz
    assert not hasattr(ko, "__wrapped__") and not hasattr(ko.arange(3), "__cuda_array_interface__")


def test_writing_to_an_element():
    x = ko.arange(3)
    with pytest.raises(TypeError, match=r"write x = x.at\[i\].set\(value\)") as info:
        x[0] = 1
    assert info.value.where[0] == __file__


def test_rows_of_the_table():
    rows = _hints.table()
    assert len({row.name for row in rows}) == len(rows) > 400
    assert [row.name for row in rows if row.kind not in ("here", "written", "later", "never")] == []
    assert [row.name for row in rows if row.kind != "here" and not row.text] == []
    here = set(dir(ko)) - {"select"}  # another function, of patterns
    assert [row.name for row in rows if row.kind != "here" and row.name in here] == []
