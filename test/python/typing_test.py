"""What editors know: mypy and pyright pass the examples, know every public name, and find what is wrong."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import kolam as ko

ROOT = Path(__file__).parents[2]
PACKAGE = Path(ko.__file__).parent
EXAMPLES = sorted(ROOT.glob("examples/*.py")) + sorted(ROOT.glob("examples/fractal/*.py")) + sorted(ROOT.glob("examples/plans/*.py"))
PATH = f"{PACKAGE.parent}{os.pathsep}{ROOT / 'examples/fractal'}"
WRONG = """
import kolam as ko
x = ko.asarray([1, 2])
ko.cumsum(x)
x.cumsm()
x[0] = 1
ko.sum(x, dim=0)
ko.random.normal(ko.random.key(0), (2, 3)).shape.foo
"""
RIGHT = """
import kolam as ko
from kolam import fractal as ops
def typed(x: ko.Array, dtype: ko.DType = ko.float32) -> ko.Array:
    y: ko.Array = ko.astype(ko.relu(x @ x.T + 1.0).sum(axis=0, keepdims=True), dtype)
    return ops.tanh(ko.where(y > 0, y, -y))
rows: tuple[int, ...] = typed(ko.ones((2, 2))).shape
changed: ko.Array = ko.ones(3).at[0].set(2.0).at[1:, None].add(rows[0], mode="drop")
"""
STRICT = """
import kolam as ko
class Model:
    @ko.jit(static_argnums=0)
    def __call__(self, x: ko.Array) -> ko.Array:
        return x.at[0].set(2.0)
    @ko.jit
    def scaled(self, x: ko.Array, by: float = 2.0) -> ko.Array:
        return x * by
@ko.jit(static_argnames="n")
def power(x: ko.Array, n: int = 2) -> tuple[ko.Array, ko.Array]:
    return x ** n, x
first, second = power(Model()(Model().scaled(ko.ones(3), by=3.0)), n=3)
text: str = power.explain(first) + Model().scaled.explain(second) + power.lower(first).as_text()
power.clear_cache()
"""


def mypy(*files):
    """The errors that mypy finds, a line each."""
    pytest.importorskip("mypy", reason="mypy is not installed: make setup installs it")
    command = [sys.executable, "-m", "mypy", "--no-error-summary", "--cache-dir", os.devnull, "--no-incremental", *map(str, files)]
    path = PATH if "site-packages" not in PATH else ""  # what is installed mypy finds by itself, and refuses here
    run = subprocess.run(command, cwd=ROOT, env={**os.environ, "MYPYPATH": path}, capture_output=True, text=True, timeout=300)
    assert run.returncode in (0, 1), run.stdout + run.stderr
    return [line for line in run.stdout.splitlines() if ": error: " in line]


def pyright(tmp_path, *files):
    """The errors that pyright finds, a line each."""
    pytest.importorskip("basedpyright", reason="basedpyright is not installed: make setup installs it")
    settings = {"include": [str(file) for file in files], "extraPaths": PATH.split(os.pathsep), "typeCheckingMode": "standard"}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    command = [sys.executable, "-m", "basedpyright", "-p", str(tmp_path), "--pythonpath", sys.executable]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert run.returncode in (0, 1), run.stdout + run.stderr
    return [line for line in run.stdout.splitlines() if " - error: " in line]


@pytest.fixture(params=["mypy", "pyright"])
def check(request, tmp_path):
    if not (PACKAGE / "_kolam/__init__.pyi").is_file():
        pytest.skip("the stubs are not built: scripts/build")
    return mypy if request.param == "mypy" else lambda *files: pyright(tmp_path, *files)


def test_the_examples_pass(check):
    assert check(*EXAMPLES) == []


def test_what_is_right_passes(check, tmp_path):
    (tmp_path / "right.py").write_text(RIGHT)
    assert check(tmp_path / "right.py") == []


def test_what_is_wrong_is_found(check, tmp_path):
    (tmp_path / "wrong.py").write_text(WRONG)
    errors = check(tmp_path / "wrong.py")
    assert sorted({int(re.search(r":(\d+)(?::\d+)?(?: -|:) ", error)[1]) for error in errors}) == [4, 5, 6, 7, 8]


def test_every_public_name_is_known(check, tmp_path):
    lines = [f"import kolam.{module}" for module in ("random", "fractal", "samba")] + ["import kolam"]
    for module in (ko, ko.random, ko.fractal, ko.samba):
        lines += [f"{module.__name__}.{name}" for name in module.__all__]
    (tmp_path / "names.py").write_text("\n".join(lines))
    assert check(tmp_path / "names.py") == []


def test_methods_and_options_of_jit_are_typed(check, tmp_path):
    (tmp_path / "strict.py").write_text(STRICT)
    assert check(tmp_path / "strict.py") == []
    strict = [line for line in mypy("--strict", tmp_path / "strict.py") if "strict.py:" in line]
    assert strict == []


def test_every_public_attribute_of_arrays_is_known(check, tmp_path):
    lines = ["import kolam", "x = kolam.ones(3)"] + [f"x.{name}" for name in dir(ko.Array) if name[0] != "_"]
    (tmp_path / "attributes.py").write_text("\n".join(lines))
    assert check(tmp_path / "attributes.py") == []


def test_the_result_of_jit_is_known(check, tmp_path):
    (tmp_path / "wrong.py").write_text(STRICT + "power.foo\nfirst.foo\npower(first, m=1)\n")
    assert len({re.search(r":(\d+)(?::\d+)?(?: -|:) ", error)[1] for error in check(tmp_path / "wrong.py")}) == 3
