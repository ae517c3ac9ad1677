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
