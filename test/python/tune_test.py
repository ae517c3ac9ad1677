"""Tuning from Python: figures, later processes, errors."""

import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import kolam as ko

PROGRAM = """
import json, sys
import numpy as np
import kolam as ko
layer = ko.jit(lambda x, w: ko.relu(x @ w).sum(axis=0))
x = np.linspace(-1, 1, 60 * 33, dtype=np.float32).reshape(60, 33)
w = np.linspace(-2, 2, 33 * 50, dtype=np.float32).reshape(33, 50)
before = layer(x, w).tolist()
nests = ko.tune(layer, x, w, budget=float(sys.argv[1])) if len(sys.argv) > 1 else []
print(json.dumps([before, layer(x, w).tolist(), nests, layer.explain(x, w)]))
"""


def run(environment, *arguments):
    command = [sys.executable, "-c", PROGRAM, *arguments]
    return json.loads(subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout)


@pytest.fixture
def cache(tmp_path):
    return {**os.environ, "KOLAM_CACHE": "on", "KOLAM_CACHE_DIR": str(tmp_path / "cache")}


def test_tuning_goes_on_in_the_next_process_and_changes_no_bit(cache):
    plain, _, _, _ = run(cache)
    before, after, first, _ = run(cache, "1e-6")
    assert plain == before == after
    assert all(nest["measured"] <= 1 for nest in first) and any(nest["measured"] == 1 for nest in first)
    before, after, second, explained = run(cache, "1000")
    assert plain == before == after
    for nest in second:
        assert nest["possible"] == 1 or nest["measured"] == nest["possible"]
        assert nest["best"] <= nest["by_rule"]
        assert textwrap.indent(nest["schedule"], "  ") in explained
    _, _, _, later = run(cache)
    assert [line for line in explained.splitlines() if "tuned" in line] == [
        line for line in later.splitlines() if "tuned" in line
    ]


def test_plain_functions_and_names():
    x = np.ones((8, 8), np.float32)
    nests = ko.tune(lambda x, scale: x * scale, x, scale=2.0, budget=1e-3)
    assert [nest["name"] for nest in nests] == ["nest0"]


@pytest.mark.parametrize("budget", [0, -1, float("nan"), float("inf")])
def test_budgets_are_positive(budget):
    with pytest.raises(ko.KolamError) as caught:
        ko.tune(lambda x: x + 1, np.ones(3), budget=budget)
    assert caught.value.slug == "bad-option" and "expected a positive number of seconds" in str(caught.value)


def test_budgets_are_numbers():
    with pytest.raises(ko.KolamError) as caught:
        ko.tune(lambda x: x + 1, np.ones(3), budget="long")
    assert caught.value.slug == "argument-type"


def test_interpreted_functions_are_refused():
    with pytest.raises(ko.KolamError) as caught:
        ko.tune(ko.jit(lambda x: x + 1, backend="interpret"), np.ones(3))
    assert caught.value.slug == "bad-option"
