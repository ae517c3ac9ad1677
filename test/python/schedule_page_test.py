"""The schedules of docs/design/schedule.md and docs/schedules.md are those that are printed."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/design/schedule.md").read_text()

PROGRAMS = {
    "softmax": """
        def f(x, w, b):
            return ko.softmax(x @ w + b, axis=-1)

        print(ko.jit(f).lower(array(512, 256), array(256, 1024), array(1024)).as_text("nests"))
    """,
    "stencil": """
        def step(_, u):
            inside = 0.2 * (u[1:-1, 1:-1] + u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:])
            return u.at[1:-1, 1:-1].set(inside)

        print(ko.jit(lambda u: ko.fori_loop(0, 100, step, u)).lower(array(512, 512)).as_text("nests"))
    """,
    "wave": """
        import grid_rnn

        arguments = grid_rnn.inputs(batch=4, depth=1, hidden=64, vocabulary=100, longest=10)
        print(grid_rnn.grid_rnn.lower(*arguments).as_text("nests"))
    """,
}
PRELUDE = """
import numpy as np
import kolam as ko

def array(*shape):
    return np.ones(shape, np.float32)
"""


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_page_shows_what_is_printed(name):
    shown = re.search(rf"```text {name}\n(.*?)```", PAGE, re.S)[1]
    environment = {**os.environ, "KOLAM_TARGET": "skylake", "PYTHONPATH": f"{ROOT / 'examples/fractal'}:{os.environ.get('PYTHONPATH', '')}"}
    source = PRELUDE + textwrap.dedent(PROGRAMS[name])
    done = subprocess.run([sys.executable, "-c", source], env=environment, capture_output=True, text=True, check=True)
    assert shown in done.stdout


def test_the_page_for_users_runs():
    page = (ROOT / "docs/schedules.md").read_text()
    source = "\n".join(re.findall(r"```python\n(.*?)```", page, re.S))
    shown = re.search(r"```\n(nest0.*?)```", page, re.S)[1]
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, check=True)
    assert "nest0\n  ops y exp1\n  dims ij 40000\n" in done.stdout
    lowered = PRELUDE + "print(ko.jit(lambda x: ko.exp(x) + x).lower(array(40, 1000)).as_text('nests'))"
    environment = {**os.environ, "KOLAM_TARGET": "skylake"}
    done = subprocess.run([sys.executable, "-c", lowered], env=environment, capture_output=True, text=True, check=True)
    assert shown in done.stdout
