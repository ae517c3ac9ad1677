"""Every public function has an example in its docstring, and the examples print what they say."""

import doctest
import importlib
import pkgutil
import re
import types

import numpy as np
import pytest

import kolam as ko

MODULES = ["kolam", *(module.name for module in pkgutil.walk_packages(ko.__path__, "kolam."))]
MODULES = [name for name in MODULES if name not in ("kolam.engines.ray", "kolam.engines.dask")]  # they need not be installed
PUBLIC = {"kolam": ko, "kolam.kernels": ko.kernels, "kolam.random": ko.random, "kolam.fractal": ko.fractal, "kolam.samba": ko.samba, "kolam.layout": ko.layout, "kolam.pytree": ko.pytree}
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def is_function(thing):
    """A function of Python, or one that nanobind bound."""
    return isinstance(thing, types.FunctionType) or type(thing).__name__ == "nb_func"


FUNCTIONS = {
    f"{module}.{name}": getattr(of, name) for module, of in PUBLIC.items() for name in getattr(of, "__all__", ()) if is_function(getattr(of, name))
}


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_modules(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    assert failed == 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_has_an_example_that_runs(name):
    examples = doctest.DocTestParser().get_doctest(FUNCTIONS[name].__doc__ or "", {"ko": ko, "np": np}, name, None, None)
    assert examples.examples, f"{name} has no example: write one in python/docstrings/, or in its docstring"
    assert doctest.DocTestRunner(optionflags=OPTIONS).run(examples).failed == 0


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_speak_python(name):
    words = FUNCTIONS[name].__doc__
    assert not re.search(r"std::|\{\.\w+ =|\bf32\[|\[\]\(|kolam::|nullptr", words), words
    assert not re.search(r"\bcells?\b", words), words


def test_examples_join_the_words_of_headers(load_script):
    extract = load_script("extract_docs.py")
    header = "namespace kolam {\n/// Words.\nTensor f(const Operand& x);\n/// Of C++.\nbool g(const Operand& x, Axis axis = {});\n}\n"
    found = extract.examples("== f\n>>> 1\n1\n\n== g\nOf Python.\n\n>>> 2\n2\n\n== row\n>>> 3\n3\n")
    written = [(f.name, f.doc, f.parameters, f.result) for f in extract.with_examples(list(extract.functions(header)), found)]
    assert written == [
        ("f", "Words.", ["x"], "Tensor"), ("g", "Of Python.", ["x", "axis=None"], "bool"), ("f", ">>> 1\n1", [], ""),
        ("g", ">>> 2\n2", [], ""), ("row", ">>> 3\n3", [], ""),
    ]  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_stand_alone(name):
    words = FUNCTIONS[name].__doc__
    assert not re.search(r"\blikewise\b|^The same (?!as)", words, re.M), words


def test_functions_of_one_name_in_cpp_keep_their_words_apart():
    assert "traced values" not in ko.trace.__doc__
