"""What --isa avx2 holds: NumPy, Kolam and compilers, each asked in a process of its own."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).resolve().parents[2] / "bench/instruction_sets.py"


@pytest.fixture(scope="module")
def sets():
    spec = importlib.util.spec_from_file_location("bench_instruction_sets", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    if module.widest() != "AVX-512":
        pytest.skip("this machine has nothing beyond AVX2 to hold back")
    return module


def said(sets, text, isa="avx2"):
    environment = {**sets.environment(isa), "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run([sys.executable, "-c", text], env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout


NUMPY = """
from numpy._core._multiarray_umath import __cpu_dispatch__ as parts, __cpu_features__ as has
print([name for name in parts if ("AVX512" in name or name == "X86_V4") and has[name]])
"""
KOLAM = """
import numpy as np, kolam as ko
print(ko.jit(lambda x: ko.exp(x) * 2).lower(ko.ShapeDtypeStruct((4096,), ko.float32)).as_text("assembly"))
"""


def test_numpy_dispatches_to_nothing_wider(sets):
    assert said(sets, NUMPY).strip() == "[]"
    assert "X86_V4" in said(sets, NUMPY, "native") or "AVX512" in said(sets, NUMPY, "native")


def test_code_has_no_wider_registers(sets):
    assert "zmm" in said(sets, KOLAM, "native")
    text = said(sets, KOLAM)
    assert "ymm" in text and "zmm" not in text


def test_the_compiler_of_torch_compile_makes_none_either(sets, tmp_path):
    source = tmp_path / "sum.cpp"
    source.write_text("float sum(float* a) { float s = 0; for (int i = 0; i < 4096; ++i) s += a[i]; return s; }")
    environment = sets.environment("avx2")
    flags = ["-O3", "-ffast-math", "-march=native", "-mprefer-vector-width=512", "-S", "-o", "-", source]
    code = subprocess.run([environment["CXX"], *flags], env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
    assert "ymm" in code and "zmm" not in code


def test_onnx_runtime_stays_away(sets, monkeypatch):
    """Nothing makes it take fewer instructions."""
    monkeypatch.syspath_prepend(str(PATH.parent / "peers"))
    before = set(sys.modules)
    for name, value in sets.avx2().items():
        monkeypatch.setenv(name, value)
    frameworks = importlib.import_module("frameworks")
    for name in set(sys.modules) - before:
        if str(PATH.parent) in (getattr(sys.modules[name], "__file__", None) or ""):
            del sys.modules[name]
    with pytest.raises(ImportError, match="widest"):
        frameworks.OnnxRuntime(1)


def test_an_option_that_asks_for_all_changes_nothing(sets):
    assert sets.environment("native") == dict(os.environ)
