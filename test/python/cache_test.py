"""Compiled code kept on disk between processes."""

import json
import os
import subprocess
import sys

import pytest

PROGRAM = """
import json
import kolam as ko
f = ko.jit(lambda x: ko.exp(x) @ x.T + 1)
values = f(ko.asarray([[0.5, 1.5], [2.5, -3.5]])).tolist()
print(json.dumps([values, ko.cache_info()]))
"""


@pytest.fixture
def cache(tmp_path):
    """The environment of a process whose cache lies in a directory of its own."""
    return {**os.environ, "KOLAM_CACHE": "on", "KOLAM_CACHE_DIR": str(tmp_path / "cache")}


def run(environment):
    """What the program computes, what its cache did and what it says on stderr."""
    result = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=True)
    return *json.loads(result.stdout), result.stderr


def test_second_process_loads_what_the_first_compiled(cache):
    first, first_info, _ = run(cache)
    second, second_info, _ = run(cache)
    assert second == first
    assert first_info["compiled"] > 0 and first_info["loaded"] == 0
    assert second_info["compiled"] == 0 and second_info["loaded"] == first_info["compiled"]
    assert second_info["entries"] == first_info["entries"] == first_info["compiled"] + 1  # the program


FAILING = """
import kolam as ko
from kolam import fractal as ops
f = ko.jit(lambda rows: ops.map(lambda row: ops.split(row, 2), rows))
try:
    f(ops.FractalTensor([[1.0, 2.0], [3.0]]))
except ko.KolamError as error:
    print(error)
"""


def test_errors_of_loaded_programs_are_those_of_compiled_ones(cache):
    command = [sys.executable, "-c", FAILING]
    first, second = (subprocess.run(command, env=cache, capture_output=True, text=True, check=True).stdout for _ in range(2))
    assert first == second and "(at [1])" in first


def test_damaged_entries_are_compiled_again(cache, tmp_path):
    first, _, _ = run(cache)
    for path in (tmp_path / "cache").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-1])
    again, info, _ = run(cache)
    assert again == first
    assert info["damaged"] == info["compiled"] > 0
    assert run(cache)[1]["loaded"] == info["compiled"]


def test_directory_that_others_may_write_is_refused_with_a_warning(cache, tmp_path):
    (tmp_path / "cache").mkdir(mode=0o777)
    (tmp_path / "cache").chmod(0o777)
    _, info, stderr = run(cache)
    assert info["directory"] == "" and "others may write it" in info["reason"]
    assert stderr.count("RuntimeWarning: kolam: compiled code is not kept on disk") == 1
    assert list((tmp_path / "cache").iterdir()) == []


def test_processes_at_once_agree(cache):
    processes = [
        subprocess.Popen([sys.executable, "-c", PROGRAM], env=cache, stdout=subprocess.PIPE, text=True) for _ in range(3)
    ]
    results = [json.loads(process.communicate()[0])[0] for process in processes]
    assert results[0] == results[1] == results[2]
    assert run(cache)[1]["compiled"] == 0
