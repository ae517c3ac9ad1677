"""Jitted functions and errors, pickled and back."""

import os
import pickle
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import kolam as ko


@ko.jit
def decorated(x, n=2):
    return x * n


def plain(x):
    return x + 1


jitted = ko.jit(plain, backend="interpret", checks=True)


class Holder:
    @ko.jit
    @staticmethod
    def method(x):
        return x - 1


def test_functions_of_modules():
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(decorated, protocol)) is decorated
        assert pickle.loads(pickle.dumps(Holder.method, protocol)) is Holder.method
        again = pickle.loads(pickle.dumps(jitted, protocol))
        assert again is not jitted and again._options == jitted._options
        assert again(1).item() == 2
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(ko.jit(lambda x: x))


def test_bytes_of_something_else():
    reduced = jitted.__reduce__()
    made = reduced[0](*reduced[1])
    for state in (None, (), (1, 2), ("f", {})):
        with pytest.raises(ko.KolamError, match=r"\[argument-type\]"):
            made.__setstate__(state)


def test_errors():
    errors = []
    for call in (lambda: ko.add(np.zeros(2), np.zeros(3)), lambda: ko.load("/nowhere/x.npy"), lambda: ko.jit(3), lambda: ko.nonsense):
        with pytest.raises(ko.KolamError) as info:
            call()
        errors.append(info.value)
    for error in errors:
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is type(error) and str(again) == str(error)
        assert (again.slug, again.where) == (error.slug, error.where)


MAIN = """
    import pickle, sys
    import numpy as np
    import kolam as ko

    @ko.jit
    def twice(x):
        return x * 2 if x.ndim == 0 else ko.stack([twice(x[i]) for i in range(x.shape[0])])

    offset = 3
    shifted = ko.jit(lambda x: x + offset)
    assert pickle.loads(pickle.dumps(twice)) is twice
"""


def _run(code, *args):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    subprocess.run([sys.executable, "-c", textwrap.dedent(code), *args], check=True, env=environment)


def test_main_by_name():
    _run(MAIN)


def test_cloudpickle_takes_functions_by_value(tmp_path):
    pytest.importorskip("cloudpickle")
    file = str(tmp_path / "functions")
    write = MAIN + """
    import cloudpickle
    with open(sys.argv[1], "wb") as file:
        cloudpickle.dump((twice, shifted), file)
    assert pickle.loads(pickle.dumps(twice)) is twice
    """
    _run(write, file)
    read = """
    import pickle, sys
    with open(sys.argv[1], "rb") as file:
        twice, shifted = pickle.load(file)
    assert twice([1.0, 2.0]).tolist() == [2.0, 4.0] and shifted(1).item() == 4
    """
    _run(read, file)
