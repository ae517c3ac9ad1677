"""The programs of examples/derivatives run, on less than they learn from."""

import importlib.util
import subprocess
from pathlib import Path

import numpy as np
import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
DIGITS, TEXTS = EXAMPLES / "data/digits.npz", EXAMPLES / "data/udhr_article1.tsv"


def module(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / "derivatives" / f"{name}.py")
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def test_digits_mlp(capsys):
    assert module("digits_mlp").main(DIGITS, 3) > 0.85
    text = capsys.readouterr().out
    assert "of 300 images" in text and "a step of 100 images" in text
    apart = [float(word.rstrip(",")) for word in text.split("beside NumPy:")[1].split("\n")[0].split() if "e-" in word or word == "0.0e+00,"]
    assert len(apart) == 2 and max(apart) < 1e-5


def test_languages(capsys):
    right = module("languages").main(TEXTS, 2)
    assert 0 <= right <= 1 and "held out:" in capsys.readouterr().out


def test_the_gradient_of_languages_beside_differences():
    example, rng = module("languages"), np.random.default_rng(0)
    pieces, languages = [rng.integers(0, 5, n) for n in (8, 11, 9)], np.array([0, 2, 1], np.int32)
    h = example.HIDDEN
    params = {"letters": rng.standard_normal((5, 4 * h)), "hidden": rng.standard_normal((h, 4 * h)) / 7, "out": rng.standard_normal((h, 3)), "bias": np.zeros(3)}
    params = {name: array.astype(np.float32) for name, array in params.items()}
    listed = example.as_list(pieces)
    gradient = example.ko.grad(example.loss)(params, listed, languages)
    along, step = {name: rng.standard_normal(array.shape).astype(np.float32) for name, array in params.items()}, 1e-2
    moved = lambda by: example.loss({name: params[name] + np.float32(by) * along[name] for name in params}, listed, languages).item()  # noqa: E731
    own = sum(float(np.sum(np.asarray(gradient[name], np.float64) * along[name])) for name in params)
    assert own == pytest.approx((moved(step) - moved(-step)) / (2 * step), rel=2e-2)


def printed_by_cpp(name, *arguments):
    program = EXAMPLES.parent / "build/bin" / f"derivatives_{name}"
    if not program.is_file():
        pytest.skip("the examples are not built")
    run = subprocess.run([program, *arguments], capture_output=True, text=True, timeout=300)
    assert run.stderr == "", run.stderr
    return run.stdout


def test_languages_in_cpp():
    assert "held out:" in printed_by_cpp("languages", TEXTS, "2")


@pytest.mark.slow
def test_digits_mlp_in_cpp():
    share = float(printed_by_cpp("digits_mlp", DIGITS).split("held out: ")[1].split(" %")[0])
    assert share >= 97
