"""Names of other libraries are told what to write, from one table."""

import pytest

import kolam as ko
from kolam import _hints


@pytest.mark.parametrize("name, words", [
    ("cumsum", "write kolam.cumulative_sum(x, axis)"), ("concatenate", "write kolam.concat([x, y], axis)"), ("fft", "not yet here"),
    ("complex64", "complex numbers"), ("object_", "not here: arrays hold numbers"),
    ("sofmax", "did you mean kolam.softmax?"), ("PRNGKey", "write kolam.random.key(seed)"),
    ("vstack", "write kolam.concat([kolam.atleast_2d(x), kolam.atleast_2d(y)], 0)"), ("KolamTypeError", "write kolam.errors.KolamTypeError"), ("chunk", "write kolam.split(x, n, axis)"), ("unfold", "not yet here"), ("repeat_interleave", "write kolam.repeat(x, n, axis)"), ("unsqueeze", "write kolam.expand_dims(x, axis)"), ("from_numpy", "write kolam.asarray(x)"),
])  # fmt: skip
def test_names_of_the_module(name, words):
    with pytest.raises(AttributeError) as info:
        getattr(ko, name)
    assert words in str(info.value) and info.value.slug == "unknown-name" and isinstance(info.value, ko.KolamError)


@pytest.mark.parametrize("name, words", [
    ("numpy", "write numpy.asarray(x)"), ("detach", "nothing records gradients"), ("view", "write x.reshape(shape)"),
    ("fill_", "write kolam.full_like(x, value)"), ("masked_fill_", "write kolam.where(mask, value, x)"), ("append", "write kolam.concat([x, "),
    ("itemsize", "write x.dtype.itemsize"), ("real", "no complex numbers"), ("relu_", "write x = kolam.relu(x)"), ("sqrt_", "write x = kolam.sqrt(x"),
    ("backward", "not here: an array records nothing: kolam.grad(f) gives the gradient"), ("cumsm", "did you mean x.cumsum?"), ("topk", "write kolam.top_k(x, k)"),
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
    (lambda x: ko.sum(x, where=x), "kolam.where(mask, x, neutral)"), (lambda x: ko.sort(x, kind="stable"), "stable=True keeps"),
    (lambda x: ko.one_hot(x, num_classes=3), "write depth="), (lambda x: ko.max_pool(x, kernel_size=2), "write window="),
    (lambda x: ko.interp(x, x, x, period=3), "x % period"), (lambda x: ko.linspace(0, 1, 3, retstep=True), "(stop - start) / (num - 1)"),
    (lambda x: ko.conv2d(x, x, bias=x), "y + bias[:, None, None]"), (lambda x: ko.round(x, decimals=1), "write kolam.round(x * 10**d) / 10**d"),
    (lambda x: x.at[0].set(1, foo=2), "expected set(self, value, *, mode=None"), (lambda x: ko.float32(1, dtype=2), "expected float32(x)"),
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


@pytest.mark.parametrize("ask, words", [
    (lambda: ko.tree.foo, "kolam.tree: "), (lambda: ko.tree.mapp, "did you mean kolam.tree.map?"), (lambda: ko.tree.tree_leaves, "write kolam.pytree.tree_leaves"),
    (lambda: ko.debug.breakpoint, "write kolam.debug.callback(f, x)"), (lambda: ko.dtypes.flot32, "did you mean kolam.dtypes.float32?"),
    (lambda: ko.pytree.tree_mp, "did you mean kolam.pytree.tree_map?"), (lambda: ko.errors.Foo, "kolam.errors: "), (lambda: ko.samba.foo, "kolam.samba: "),
    (lambda: ko.ones(2).at.set(1), "write x.at[index].set(...)"), (lambda: ko.ones(2).at[0].foo, "no attribute 'foo'"),
    (lambda: ko.ones(2).at[0].sett, "did you mean x.at[index].set?"),
])  # fmt: skip
def test_names_of_modules_and_places(ask, words):
    with pytest.raises(AttributeError) as info:
        ask()
    assert info.value.slug == "unknown-name" and words in str(info.value) and info.value.where[0] == __file__


@pytest.mark.parametrize("name, words", [
    ("shape", "write xs.lengths and xs.leaf_shape"), ("append", "write fractal.join("), ("map", "write fractal.map(f, xs)"), ("sum", "fractal.map(lambda x: kolam.sum(x), xs)"),
    ("lenghts", "did you mean xs.lengths?"), ("foo", "no attribute 'foo'"), ("T", "fractal.map(lambda x: x.T, xs)"),
])  # fmt: skip
def test_names_of_lists(name, words):
    def ask(xs):
        with pytest.raises(AttributeError) as info:
            getattr(xs, name)
        assert str(info.value).startswith("FractalTensor: [unknown-name]") and words in str(info.value)
        return xs

    xs = ko.fractal.FractalTensor([[1, 2], [3]])
    ask(xs)
    ko.jit(ask)(xs)


def change(x, kind):
    if kind == "set":
        x[0] = 1
    elif kind == "delete":
        del x[0]
    elif kind == "at":
        x.at[0] = 1
    else:
        x.at(0)


@pytest.mark.parametrize("make, kind, words", [
    (lambda: ko.arange(3), "delete", "write x = kolam.concat([x[:i], x[i + 1:]])"), (lambda: ko.arange(3), "at", "write x = x.at[i].set(value)"),
    (lambda: ko.arange(3), "call", "write x.at[index]"), (lambda: ko.fractal.FractalTensor([1]), "set", "a list never changes"),
    (lambda: ko.fractal.FractalTensor([1]), "delete", "write fractal.join(xs[:i], xs[i + 1:])"),
])  # fmt: skip
def test_nothing_is_changed_in_place(make, kind, words):
    with pytest.raises(ko.errors.KolamTypeError) as info:
        change(make(), kind)
    assert words in str(info.value) and info.value.where[0] == __file__


def test_modules_show_public_names():
    for module in (ko.pytree, ko.debug, ko.tree, ko.random, ko.dtypes, ko.errors, ko.fractal, ko.samba):
        assert sorted(module.__all__) == dir(module) and not {"functools", "np", "KolamValueError"} & set(dir(module)) - {*ko.errors.__all__}


def test_rows_of_the_table():
    rows = _hints.table()
    assert len({row.name for row in rows}) == len(rows) > 400
    assert [row.name for row in rows if row.kind not in ("here", "written", "later", "never")] == []
    assert [row.name for row in rows if row.kind != "here" and not row.text] == []
    here = set(dir(ko)) - {"select"}  # another function, of patterns
    assert [row.name for row in rows if row.kind != "here" and row.name in here] == []
