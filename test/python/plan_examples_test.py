"""The programs of examples/plans run, and their plans give every bit of the program's own result."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples/plans"


def printed(name, *arguments):
    run = subprocess.run([sys.executable, EXAMPLES / name, *arguments], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.mark.slow
def test_two_layers(tmp_path):
    text = printed("two_layers.py", EXAMPLES.parent / "data/digits.npz", tmp_path / "page.html")
    rows = [line.split() for line in text.splitlines()[2:11]]
    assert [(row[0], row[-1]) for row in rows] == [(workers, "True") for workers in ("1", "2", "4") for _ in range(3)]
    assert "</html>" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize("arguments", [(), ("300", "512KiB")])
def test_large_product(arguments):
    text = printed("large_product.py", *arguments)
    assert "equal bits in the first 64 columns: True" in text


def test_figures(tmp_path):
    printed("index_figures.py", tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["convolution.svg", "halved.svg", "linear.svg", "step_1.dot", "step_4.dot"]
    assert "relative start" in (tmp_path / "convolution.svg").read_text()


def test_figures_in_cpp(tmp_path):
    assert len(printed_by_cpp("index_figures", tmp_path).splitlines()) == len(list(tmp_path.glob("*.svg"))) == 11
    assert "adjustment (7)" in (tmp_path / "window_backwards.svg").read_text()


def test_stencils():
    quick, slow = printed("stencils.py", "256", "4").splitlines()
    assert "of 5 values kept" in quick and "equal bits: True" in quick
    assert "1 of 5 values kept" in slow and "equal bits: True" in slow


def printed_by_cpp(name, *arguments):
    program = EXAMPLES.parents[1] / "build/bin" / f"plans_{name}"
    if not program.is_file():
        pytest.skip("the examples are not built")
    run = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_stencils_in_cpp():
    assert printed_by_cpp("stencils", "256", "4").count("equal bits: yes") == 2


def test_large_product_in_cpp(tmp_path):
    assert "equal bits in the first columns: yes" in printed_by_cpp("large_product", tmp_path, "300", str(512 << 10))


@pytest.mark.slow
def test_two_layers_in_cpp(tmp_path):
    text = printed_by_cpp("two_layers", EXAMPLES.parent / "data/digits.npz", tmp_path / "page.html")
    rows = [line.split() for line in text.splitlines()[2:11]]
    assert [(row[0], row[-1]) for row in rows] == [(workers, "yes") for workers in ("1", "2", "4") for _ in range(3)]
    assert "</html>" in (tmp_path / "page.html").read_text()
