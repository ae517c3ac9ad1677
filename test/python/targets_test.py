"""A part of the suite for three kinds of processors, wherever it is run: the recorded numbers, and short programs of each
family beside the interpreter. Where this machine cannot run the code, it is made up to its text."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kolam as ko

HERE = Path(__file__).parent
GOLDENS = HERE.parent / "golden" / "random.npz"
#: What a machine must have to run code for a target.
NEEDS = {"haswell": {"avx2", "fma", "bmi2"}, "skylake-avx512": {"avx512f", "avx512bw", "avx512dq", "avx512vl"}, "x86-64": set()}


def runs_here(target):
    return NEEDS[target] <= set(Path("/proc/cpuinfo").read_text().split())


def check_goldens():
    with np.load(GOLDENS) as goldens:
        for seed in (0, 42, -1, 0x123456789ABCDEF):
            key = ko.random.key(seed)
            for dtype in ("float32", "float64", "float16"):
                draw = ko.jit(lambda key, dtype=dtype: ko.random.uniform(key, (4, 7), dtype))
                np.testing.assert_array_equal(np.asarray(draw(key)), goldens[f"uniform.{seed}.{dtype}"])
            bits = ko.jit(lambda key: ko.random.bits(key, (2, 3, 5), 32))
            np.testing.assert_array_equal(np.asarray(bits(key)), goldens[f"bits.{seed}.32.cube"])


def programs(x, w, places):
    rows = ko.softmax(x @ w + 1.0, axis=-1)
    return (
        rows,
        ko.sum(x, axis=0), ko.sum(x, axis=1), ko.argmax(x, axis=1), ko.max(ko.abs(x)),
        ko.cumulative_sum(x, axis=1), ko.sort(x, axis=1), ko.take(x, places, axis=0), ko.permute_dims(x, (1, 0)) * 2.0,
        ko.exp(x) + ko.tanh(x) * ko.sin(x), x**2 + x**3, ko.astype(x, "bfloat16") @ ko.astype(w, "bfloat16"),
        ko.einsum("ij,kj->ik", x, x), ko.astype(x * 9.0, "int8") // 3, ko.scatter(x, x[:2, None], places[:2, None], [0], "kAdd"),
    )  # fmt: skip


def arguments():
    random = np.random.default_rng(0)
    return random.standard_normal((19, 37)).astype("f4"), random.standard_normal((37, 21)).astype("f4"), np.array([3, 0, 18, 3])


def check_programs():
    native, meant = (ko.jit(programs, backend=backend)(*arguments()) for backend in ("cpu", "interpret"))
    for number, (x, y) in enumerate(zip(native, meant, strict=True)):
        assert np.asarray(x).tobytes() == np.asarray(y).tobytes(), number


def check_text():
    text = ko.jit(programs).lower(*arguments()).as_text("assembly")
    assert "kolam_nest" in text
    with pytest.raises(ko.KolamError, match=r"\[unknown-target\].*, which needs .*, not run"):
        ko.jit(programs)(*arguments())


def run(check, target):
    environment = {**os.environ, "KOLAM_TARGET": target, "KOLAM_CACHE": "off", "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    code = f"import targets_test as test\ntest.{check}()"
    child = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert child.returncode == 0, f"for {target}: exit status {child.returncode}\n{child.stderr}"


@pytest.mark.parametrize("target", NEEDS)
@pytest.mark.parametrize("check", ["check_goldens", "check_programs"])
def test_targets(check, target):
    if runs_here(target):
        run(check, target)
    elif check == "check_programs":
        run("check_text", target)
    else:
        pytest.skip(f"this CPU runs no code for {target}")


#: KOLAM_ALL_TARGETS=1 tries more than SOME for AVX2, and plain x86-64, a quarter of an hour.
ALL_TARGETS = bool(os.environ.get("KOLAM_ALL_TARGETS"))
#: Files whose cases take paths of their own, and which of these are tried in every run.
PATHS = (
    "borders", "called_functions", "elementary", "few_rows", "fractal/combined_rows", "fractal/one_pass", "fractal/segment_nests", "histograms", "narrow_integers",
    "orders", "pieces", "pooling", "scatters_in_place", "segments", "short_rows", "short_sorts", "small_states", "special_values",
)  # fmt: skip
SOME = "special or views or two_bytes or rests or numbers_on_the_way or where_results or sums_go_by_lanes or test_functions"
MORE = "random or test_one or test_two or every_width or chains or side_by_side or results_alone or many_rows or columns"


def run_paths(target, chosen):
    environment = {**os.environ, "KOLAM_TARGET": target, "KOLAM_CACHE": "off", "PYTHONPATH": os.pathsep.join(sys.path)}
    files = [str(HERE / f"{path}_test.py") for path in PATHS]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "not slow", "-k", chosen, *files]
    child = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert child.returncode == 0, f"for {target}:\n{child.stdout[-5000:]}"


@pytest.mark.parametrize("target", ["haswell", "x86-64"] if ALL_TARGETS else ["haswell"])
@pytest.mark.parametrize("chosen", [SOME, MORE] if ALL_TARGETS else [SOME])
def test_paths_on_other_targets(chosen, target):
    if not runs_here(target):
        pytest.skip(f"this CPU runs no code for {target}")
    if target == "haswell" and not runs_here("skylake-avx512"):
        pytest.skip("this CPU has no wider registers: all tests are of such code")
    run_paths(target, chosen)


def test_code_for_more_than_this_machine_has_is_text():
    if {"amx_tile", "amx-tile"} & set(Path("/proc/cpuinfo").read_text().split()):
        pytest.skip("this CPU has all that a target of LLVM needs")
    run("check_text", "sapphirerapids")


@pytest.mark.parametrize(
    ("target", "words"),
    [("i386", "expected a CPU of 64 bits, but got 'i386'"), ("pentium9", "expected a CPU that LLVM knows, but got 'pentium9'")],
)
def test_targets_that_kolam_does_not_make_code_for(target, words):
    environment = {**os.environ, "KOLAM_TARGET": target, "KOLAM_CACHE": "off", "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path])}
    code = "import kolam as ko, numpy as np\nko.jit(lambda x: ko.exp(x) + 1)(np.ones(99999, np.float32))"
    child = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert child.returncode == 1 and "[unknown-target] KOLAM_TARGET: " + words in child.stderr


def check_shuffles():
    """SSE4a's shuffles take 130 ns on the processors that have them: tails of bytes are put together without."""
    x = np.ones((20, 7), np.uint8)
    function = ko.jit(lambda x: ko.astype(x, ko.float32) * 2)
    assert not set(function.lower(x).as_text("assembly").split()) & {"insertq", "extrq"}


def check_squares():
    """Which way is the cheapest for norms along the last axis of turned programs depends on the vectors: this is that of AVX-512."""
    from axis_orders_test import array, turned_norm

    text = ko.jit(turned_norm).lower(array(3, 640, 512)).as_text("nests")
    assert text.count(" by squares lanes 16") == 2
    assert "float32[512, 640]" not in text


def test_turned_norms_go_by_squares():
    run("check_squares", "skylake-avx512")


def test_slow_shuffles_are_not_used():
    run("check_shuffles", "znver3")
