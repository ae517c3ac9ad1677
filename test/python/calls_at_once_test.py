"""Calls outside of jit: interpreted at first, compiled once interpreting them took as long as compiling does."""

import os
import subprocess
import sys

import pytest

CALLS = """
import numpy as np, kolam as ko
x = ko.asarray(np.ones({size}, dtype=np.float32))
compiled = []
for calls in {calls}:
    for _ in range(calls):
        total = ko.sum(x)
    compiled.append(ko.cache_info()["compiled"])
print(compiled, float(np.asarray(total)))
"""


def said(size, calls, **variables):
    environment = {**os.environ, "KOLAM_CACHE": "off", **variables, "PYTHONPATH": os.pathsep.join(sys.path)}
    environment.pop("KOLAM_EAGER", None) if "KOLAM_EAGER" not in variables else None
    text = CALLS.format(size=size, calls=calls)
    done = subprocess.run([sys.executable, "-c", text], env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def test_calls_that_come_often_are_compiled_once():
    """A thousand additions each; ten times twenty thousand operations are as much as compiling."""
    assert said(1000, (1, 150, 150, 500)) == "[0, 0, 1, 1] 1000.0"


def test_calls_of_few_elements_are_compiled_late():
    """What they take beside their operations is most of it."""
    assert said(8, (1, 400, 5000)) == "[0, 0, 1] 8.0"


def test_long_calls_are_compiled_at_once():
    assert said(100_000, (1, 10)) == "[1, 1] 100000.0"


@pytest.mark.parametrize("size", [8, 1000])
def test_an_interpreted_sum_has_the_bits_of_a_compiled_one(size):
    interpreted, compiled = said(size, (1,)), said(size, (1,), KOLAM_EAGER="compile")
    assert interpreted.startswith("[0]") and compiled.startswith("[1]")
    assert interpreted.split()[1:] == compiled.split()[1:]
