"""What goes on in another way than the environment asks for is told once, as a warning at the user's line."""

import os
import subprocess
import sys

import pytest

PROGRAM = """
import warnings
warnings.simplefilter("always")
import kolam as ko
for _ in range(3):
    x = ko.ones((300, 300)) @ ko.ones((300, 300))
    ko.jit(lambda x: x @ x + 1)(x)
"""


def run(program=PROGRAM, options=(), **settings):
    command = [sys.executable, *options, "-c", program]
    return subprocess.run(command, env=os.environ | settings, capture_output=True, text=True)


@pytest.mark.parametrize("value", ["abc", "0", "-2", "1.5", "3x", " "])
def test_a_number_of_threads_that_is_none(value):
    result = run(KOLAM_NUM_THREADS=value)
    words = f"RuntimeWarning: kolam: KOLAM_NUM_THREADS: expected a number of threads, at least 1, but got '{value}'"
    assert result.returncode == 0 and result.stderr.count(words) == 1 and result.stderr.count("Warning") == 1, result.stderr
    assert "<string>:" in result.stderr  # the user's line


@pytest.mark.parametrize("value", ["", "1", "2"])
def test_a_number_of_threads(value):
    assert run(KOLAM_NUM_THREADS=value).stderr == ""


def test_a_cache_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below", "/proc/kolam"):
        result = run(KOLAM_CACHE="on", KOLAM_CACHE_DIR=str(path))
        words = f"RuntimeWarning: kolam: compiled code is not kept on disk: '{path}': "
        assert result.returncode == 0 and result.stderr.count(words) == 1 and result.stderr.count("Warning") == 1, result.stderr


def test_a_warning_that_is_an_error():
    result = run(PROGRAM.replace('"always"', '"error"'), KOLAM_NUM_THREADS="abc")
    assert "RuntimeWarning: kolam: KOLAM_NUM_THREADS" in result.stderr
