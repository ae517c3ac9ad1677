"""The examples on lists: interpreter, native code and C++ give the same bits, and what the twins in NumPy give."""

import importlib
import subprocess
from pathlib import Path

import numpy as np
import pytest

import kolam as ko
from kolam import pytree

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "examples" / "fractal"
OTHERS = {"draw", "figures", "sentence_pairs", "side_by_side"}

# The sizes to run at; the rest as in the example.
SIZES = {
    "back_to_back_matmuls": dict(m=6, n=8, k=4, p=10, block=2),
    "bigbird": dict(batch=2, shortest=16, longest=20, block=2, width=3, drawn=2),
    "convolution": dict(batch=3, channels=2, filters=3, smallest=1, largest=6),
    "dilated_lstm": dict(batch=3, depth=3, hidden=5, longest=9),
    "documents": dict(batch=4, longest_document=4, longest_sentence=5, hidden=4, classes=2),
    "edit_distance": dict(batch=5, longest=6),
    "encoder_decoder": dict(batch=3, hidden=6, longest=5),
    "flash_attention": dict(batch=2, heads=2, longest=12, block=3, width=4),
    "greedy_decoding": dict(batch=5, vocabulary=6, hidden=8, longest=4),
    "grid_rnn": dict(batch=3, depth=2, hidden=5, vocabulary=11, longest=4),
    "multi_head_attention": dict(batch=3, heads=2, width=3, longest=5),
    "selective_scan": dict(batch=3, longest=6, channels=3, states=2),
    "sparse_attention": dict(batch=2, heads=2, width=3),
    "stacked_lstm": dict(batch=3, depth=3, hidden=6, vocabulary=11, shortest=1, longest=5),
    "stacked_rnn": dict(batch=3, depth=2, hidden=5, longest=6),
    "time_major_rnn": dict(batch=4, depth=2, hidden=5, longest=6),
    "transformer": dict(batch=3, depth=2, heads=2, width=4, vocabulary=11, longest=5),
}


@pytest.fixture(autouse=True)
def examples_import_one_another(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))


def arrays_of(value):
    """(the structure of a value, its arrays: of a list the leaves, then the offsets of its levels)."""
    arrays = []
    parts, structure = pytree.tree_flatten(value)
    for part in parts:
        if isinstance(part, ko.List):
            arrays += [part.leaves(), *(part.offsets(level) for level in range(1, part.depth))]
        else:
            arrays.append(part)
    return structure, [np.asarray(array) for array in arrays]


def bits_of(array):
    return array.dtype, array.shape, array.tobytes()


def bits(value):
    structure, arrays = arrays_of(value)
    return structure, list(map(bits_of, arrays))


def run_in_cpp(name, *files):
    return subprocess.run([ROOT / "build/bin/fractal" / name, *files], capture_output=True, text=True, timeout=120)


def test_every_example_is_tested():
    assert {path.stem for path in FOLDER.glob("*.py")} == OTHERS | set(SIZES)
    assert {path.stem for path in FOLDER.glob("*.cpp")} == set(SIZES)


@pytest.mark.parametrize("name", SIZES)
def test_example(name):
    example, side_by_side = importlib.import_module(name), importlib.import_module("side_by_side")
    program, twin = getattr(example, name), getattr(example, f"{name}_with_numpy")
    native, interpreted = ko.jit(program.__wrapped__), ko.jit(program.__wrapped__, backend="interpret")
    for seed in range(3):
        values = example.inputs(**SIZES[name], seed=seed)
        result = native(*values)
        assert bits(result) == bits(interpreted(*values)), f"seed {seed}"
        # Sums of a few dozen float32 numbers, in another order than NumPy's.
        assert side_by_side.difference(side_by_side.plain(result), twin(*side_by_side.plain(values))) < 1e-5, f"seed {seed}"
    assert native.cache_size == 1, "lengths must be no part of what is compiled"


@pytest.mark.parametrize("name", SIZES)
def test_example_in_cpp(name, tmp_path):
    """The bits of the program in Python, which test_example compares with the twin."""
    example = importlib.import_module(name)
    interpreted = ko.jit(getattr(example, name).__wrapped__, backend="interpret")
    arguments, results = tmp_path / "arguments.npz", tmp_path / "results.npz"
    for seed in range(2):
        values = example.inputs(**SIZES[name], seed=seed)
        importlib.import_module("side_by_side").save_arguments(arguments, values)
        run = run_in_cpp(name, arguments, results)
        assert run.returncode == 0, run.stderr
        with np.load(results) as found:
            in_cpp = [bits_of(array) for array in found.values()]
        assert in_cpp == bits(interpreted(*values))[1], f"seed {seed}"


@pytest.mark.parametrize("name", SIZES)
def test_example_in_cpp_has_values_of_its_own(name):
    run = run_in_cpp(name)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("list<")


def test_examples_in_cpp_refuse_other_arguments(tmp_path):
    np.savez(tmp_path / "one.npz", np.zeros(1))
    for files, words in [
        (["one"], "expected no arguments, or two files: arguments.npz result.npz"),
        ([tmp_path / "none.npz", "result.npz"], "[io-read]"),
        ([tmp_path / "one.npz", "result.npz"], "expected 4 arrays, but got 1"),
    ]:
        run = run_in_cpp("edit_distance", *files)
        assert (run.returncode, run.stdout) == (1, "")
        assert words in run.stderr


@pytest.mark.parametrize("name", ["edit_distance", "grid_rnn", "stacked_lstm"])
def test_orders_give_the_same_bits(name):
    example = importlib.import_module(name)
    values = example.inputs(**SIZES[name])
    program = getattr(example, name).__wrapped__
    plain = bits(ko.jit(program, order="sequential")(*values))
    assert bits(ko.jit(program)(*values)) == plain
    assert bits(ko.jit(program, order="waves")(*values)) == plain


def test_difference_sees_what_differs():
    difference = importlib.import_module("side_by_side").difference

    assert difference([[1.0], []], [[1.0], []]) == 0
    assert difference([1.0], [3.0]) == 2 / 3
    for ours, theirs in [([1.0], [[1.0]]), ([1.0], []), ([np.nan], [1.0]), ([np.zeros(2)], [np.zeros((2, 1))]), (1.0, [1.0])]:
        assert difference(ours, theirs) == np.inf


def test_sentence_pairs(capsys):
    example = importlib.import_module("sentence_pairs")
    example.main(example.DATA)
    printed = capsys.readouterr().out
    assert "same states as NumPy: True" in printed
    assert "8104 cells in each of 3 layers, 128 numbers wide, in waves 0 to 62" in printed
    *_, last = printed.splitlines()
    assert last.split() == ["etmelidirler.", *map(str, range(20, 48))]
