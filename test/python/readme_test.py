"""The programs of README.md and docs/cpp.md print what these pages say."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAMS = {
    "examples/readme.py": ("README.md", [sys.executable, "examples/readme.py"]),
    "examples/readme.cpp": ("README.md", ["build/bin/readme"]),
    "examples/cpp/memory.cpp": ("docs/cpp.md", ["build/bin/cpp_memory"]),
    "examples/cpp/values.cpp": ("docs/cpp.md", ["build/bin/cpp_values"]),
    "examples/cpp/weights.cpp": ("docs/cpp.md", ["build/bin/cpp_weights"]),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_prints_what_its_page_says(program, load_script):
    page, command = PROGRAMS[program]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    _, outputs = load_script("check_readme").read_blocks((ROOT / page).read_text())
    assert run.stdout == outputs[program]
