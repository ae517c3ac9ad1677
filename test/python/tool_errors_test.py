"""The tool `kolam` ends with status 1 and says in one line what was wrong."""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import kolam as ko

TOOL = Path(ko.__file__).parents[2] / "bin/kolam"
PROGRAM = """func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %y = kolam.elementwise "exp" %x : (tensor<3xf32>) -> tensor<3xf32>
  return %y : tensor<3xf32>
}
"""
SWAP = """func.func @main() -> (tensor<f32>, tensor<f32>) {
  %0 = kolam.constant dense<0.0> : tensor<f32>
  %1 = kolam.constant dense<1.0> : tensor<f32>
  return %1, %0 : tensor<f32>, tensor<f32>
}
"""
TWICE = """func.func @main() -> (tensor<f32>, tensor<f32>) {
  %y = kolam.constant dense<0.0> : tensor<f32>
  return %y, %y : tensor<f32>, tensor<f32>
}
"""
# The words after `kolam`, and what it says.
REFUSED = {
    "command": ("fly", "[usage] expected run, explain, layout, plan, check-plan, run-plan, simulate-plan or stages, but got 'fly'"),
    "no file": ("run", "[usage] expected a program file, but got none"),
    "two files": ("run p.mlir p.mlir", "[usage] expected one program file and the options that `kolam help` lists, but got 'p.mlir'"),
    "option": ("run p.mlir --fast", "[usage] expected one program file and the options that `kolam help` lists, but got '--fast'"),
    "no value": ("run p.mlir --input", "[usage] --input: expected a value, but got none"),
    "no name": ("run p.mlir --input x.npy", "[usage] --input: expected NAME=FILE.npy, but got 'x.npy'"),
    "backend": ("run p.mlir --backend gpu", "[usage] --backend: expected cpu, interpret or schedule, but got 'gpu'"),
    "input": ("run p.mlir --input z=x.npy", "[usage] --input: expected one of x, but got 'z'"),
    "no input": ("run p.mlir", "[usage] --input: expected a file for argument %x, but got none"),
    "output": ("run p.mlir --input x=x.npy --output z=z.npy", "[usage] --output: expected one of y, but got 'z'"),
    "input twice": (
        "run p.mlir --input x=x.npy --input 0=i.npy",
        "[usage] --input: expected one file for %x, but got 'x.npy' and 'i.npy'",
    ),
    "output twice": (
        "run swap.mlir --output 0=a.npy --output 0=b.npy",
        "[usage] --output: expected one file for %1, but got 'a.npy' and 'b.npy'",
    ),
    "one name of two results": (
        "run twice.mlir --output y=a.npy",
        "[usage] --output: expected a number, as 'y' stands at 0 and 1, but got 'y'",
    ),
    "no such place": ("run swap.mlir --output 2=a.npy", "[usage] --output: expected one of 0, 1, but got '2'"),
    "option twice": ("run p.mlir --backend cpu --backend cpu", "[usage] --backend: expected it once, but got it twice"),
    "explain with options": (
        "explain p.mlir --input x=x.npy",
        "[usage] explain: expected one program file and no options, but got 'p.mlir', '--input', 'x=x.npy'",
    ),
    "explain without a file": ("explain", "[usage] explain: expected one program file and no options, but got none"),
    "words after stages": ("stages p.mlir", "[usage] stages: expected no more words, but got 'p.mlir'"),
    "words after help": ("help run", "[usage] help: expected no more words, but got 'run'"),
    "stage": (
        "run p.mlir --stop-after soup",
        "[unknown-stage] expected one of program, tensors, rewritten, nests, lowered, llvm, assembly, but got 'soup'",
    ),
    "program": (
        "explain bad.mlir",
        "[bad-program] bad.mlir: line 2: expected values that are defined before they are used, but got %x",
    ),
    "dtype": ("run p.mlir --input x=i.npy", "[argument-mismatch] argument %x ('i.npy'): expected dtype float32, but got int32"),
    "shape": ("run p.mlir --input x=x4.npy", "[argument-mismatch] argument %x ('x4.npy'): expected extent 3 in dim 0, but got 4"),
    "array": ("run p.mlir --input x=p.mlir", r"[bad-npy] 'p.mlir' is no valid .npy file: it does not start with \x93NUMPY"),
    "missing program": ("run none.mlir", "[io-read] cannot read 'none.mlir': No such file or directory"),
    "missing array": ("run p.mlir --input x=none.npy", "[io-read] cannot read 'none.npy': No such file or directory"),
    "no folder": (
        "run p.mlir --input x=x.npy --output y=none/y.npy",
        "[io-write] cannot write 'none/y.npy': No such file or directory",
    ),
}


@pytest.fixture
def run(tmp_path):
    """Runs `kolam` beside the files that the cases name; returns exit status, output and errors."""
    if not TOOL.exists():
        pytest.skip(f"{TOOL} is not built")
    (tmp_path / "p.mlir").write_text(PROGRAM)
    (tmp_path / "swap.mlir").write_text(SWAP)
    (tmp_path / "twice.mlir").write_text(TWICE)
    (tmp_path / "bad.mlir").write_text("func.func @main() -> tensor<3xf32> {\nreturn %x : tensor<3xf32>\n}\n")
    for name, array in {"x": np.zeros(3, "f4"), "i": np.zeros(3, "i4"), "x4": np.zeros(4, "f4")}.items():
        np.save(tmp_path / f"{name}.npy", array)

    def run(words, **environment):
        ended = subprocess.run(
            [TOOL, *words.split()], cwd=tmp_path, capture_output=True, text=True, env=os.environ | environment, timeout=60
        )
        return ended.returncode, ended.stdout, ended.stderr

    return run


@pytest.mark.parametrize("case", REFUSED)
def test_refused_with_words(run, case):
    words, message = REFUSED[case]
    assert run(words) == (1, "", f"kolam: {message}\n")


def test_numbers_are_places(run, tmp_path):
    assert run("run swap.mlir --output 0=a.npy --output 1=b.npy") == (0, "", "")
    assert (np.load(tmp_path / "a.npy"), np.load(tmp_path / "b.npy")) == (1, 0)


def test_a_cpu_that_llvm_does_not_know(run):
    message = "[unknown-target] KOLAM_TARGET: expected a CPU that LLVM knows, but got 'pentium9'"
    assert run("run p.mlir --input x=x.npy", KOLAM_TARGET="pentium9") == (1, "", f"kolam: {message}\n")


def test_a_trace_that_cannot_be_written(run):
    status, output, errors = run("run p.mlir --input x=x.npy", KOLAM_TRACE="none/trace.json")
    assert (status, output) == (0, "y =\n[1. 1. 1.]\n")
    assert errors == "kolam: [io-write] cannot write the trace 'none/trace.json': No such file or directory\n"
