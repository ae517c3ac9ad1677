"""The programs of README.md print what README.md says."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("program", ["examples/readme.py", "examples/readme.cpp"])
def test_prints_what_readme_says(program, load_script):
    command = [sys.executable, program] if program.endswith(".py") else ["build/bin/readme"]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    _, outputs = load_script("check_readme").read_blocks((ROOT / "README.md").read_text())
    assert run.stdout == outputs[program]
