"""The examples in the docstrings of the Python package run and print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import kolam

MODULES = ["kolam", *(module.name for module in pkgutil.walk_packages(kolam.__path__, "kolam."))]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0
