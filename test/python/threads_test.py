"""Threads: how many the environment asks for, callers that are parallel themselves, fork. The bits are always the same."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import kolam as ko

PROGRAM = """
import json, os, sys, threading
import numpy as np
import kolam as ko

f = ko.jit(lambda x: ko.exp(x @ x.T).sum(axis=0))
x = np.random.default_rng(1).standard_normal((300, 200), np.float32) / 10
bits = np.asarray(f(x)).tobytes().hex()
same = []

def workers():
    "The threads of this process that are Kolam's."
    names = []
    for task in os.listdir("/proc/self/task"):
        try:
            names.append(open(f"/proc/self/task/{task}/comm").read().strip())
        except OSError:
            pass  # a caller's thread that has just ended
    return names.count("kolam")

before = workers()

def call():
    for _ in range(20):
        same.append(np.asarray(f(x)).tobytes().hex() == bits)

if "fork" in sys.argv:
    child = os.fork()
    if child == 0:
        call()
        os._exit(0 if all(same) and workers() == before else 1)
    same.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0)
callers = [threading.Thread(target=call) for _ in range(3 if "callers" in sys.argv else 1)]
for caller in callers:
    caller.start()
for caller in callers:
    caller.join()
print(json.dumps([bits, before, all(same), workers()]))
"""


def run(settings, *arguments):
    environment = {name: value for name, value in os.environ.items() if not name.endswith("NUM_THREADS")}
    command = [sys.executable, "-c", PROGRAM, *arguments]
    result = subprocess.run(command, env=environment | settings, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.fixture(scope="module")
def alone():
    """The bits on one thread."""
    bits, before, same, _ = run({"KOLAM_NUM_THREADS": "1"})
    assert same and before == 0
    return bits


@pytest.mark.parametrize("settings, more", [
    ({"KOLAM_NUM_THREADS": "3"}, 2), ({"OMP_NUM_THREADS": "2"}, 1), ({"KOLAM_NUM_THREADS": "2", "OMP_NUM_THREADS": "4"}, 1),
    ({"KOLAM_NUM_THREADS": "no number", "OMP_NUM_THREADS": "3,2"}, 2),
])  # fmt: skip
def test_the_environment_says_how_many(alone, settings, more):
    bits, before, same, after = run(settings)
    assert same and bits == alone and before == after == more


def test_callers_that_are_parallel_get_no_more_threads(alone):
    bits, before, same, after = run({"KOLAM_NUM_THREADS": "2"}, "callers")
    assert same and bits == alone and before == after == 1


def test_the_child_of_a_fork_makes_threads_of_its_own(alone):
    bits, _, same, _ = run({"KOLAM_NUM_THREADS": "2"}, "fork")
    assert same and bits == alone


@pytest.fixture
def threads():
    count = ko.get_num_threads()
    yield ko.set_num_threads
    ko.set_num_threads(count)


@pytest.mark.parametrize("shape, dim", [((1, 700, 300), "j"), ((1, 1, 700, 300), "k"), ((1, 700, 5000), "j")])
@pytest.mark.parametrize("function", [ko.softmax, lambda x: x - ko.mean(x, axis=-1, keepdims=True)])
def test_dims_behind_those_of_one_element_are_shared(threads, shape, dim, function):
    x = np.random.default_rng(2).standard_normal(shape, np.float32)
    f = ko.jit(function)
    assert f"for {dim}0 in {dim} parallel" in f.lower(x).as_text("nests")
    assert "an op inside it loops" not in f.explain(x)
    threads(1)
    alone = np.asarray(f(x)).tobytes()
    for count in (2, 3):
        threads(count)
        assert np.asarray(f(x)).tobytes() == alone


def test_dims_that_loops_inside_do_not_go_along_are_not_shared():
    x = np.ones((1, 700, 300), np.float32)
    assert "an op inside it loops, and would loop again for each part" in ko.jit(lambda x: x - ko.max(x)).explain(x)
