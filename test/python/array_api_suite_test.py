"""The array API's own test suite, where a checkout of it is at hand: at once, and with every call compiled."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SUITE = os.environ.get("KOLAM_ARRAY_API_TESTS", "")


@pytest.mark.slow
@pytest.mark.skipif(not SUITE, reason="KOLAM_ARRAY_API_TESTS names no checkout of github.com/data-apis/array-api-tests")
def test_the_suite_of_the_standard():
    run = subprocess.run([ROOT / "scripts/array_api_tests", SUITE, "--max-examples", "10"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-1000:]


def test_every_skip_has_a_reason():
    reason = None
    for line in (ROOT / "test/array_api/skips.txt").read_text().splitlines():
        assert line == "" or line.startswith(("# ", "array_api_tests/"))
        reason = None if line == "" else line if line.startswith("#") else reason
        assert reason is not None or not line.startswith("array")


def test_a_folder_that_holds_no_suite(tmp_path):
    run = subprocess.run([ROOT / "scripts/array_api_tests", tmp_path], capture_output=True, text=True)
    assert run.returncode == 2 and "expected a git checkout that has 2026.02.26" in run.stderr
