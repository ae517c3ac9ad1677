"""Pictures of programs on lists and of lists: the figures of the document, drawn from its own program."""

import importlib
from pathlib import Path

import numpy as np
import pytest

import kolam as ko
from kolam import fractal as ops

ROOT = Path(__file__).parents[3]
GOLDEN = ROOT / "test" / "golden" / "figures"
XSS = ops.FractalTensor([[1.0, 2.0], [3.0]])
FIGURES = [path.stem for path in sorted(GOLDEN.glob("*.txt"))]


@pytest.fixture
def figures(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "examples" / "fractal"))
    return importlib.import_module("figures").figures()


def test_figures(figures):
    """Written anew by `python examples/fractal/figures.py test/golden/figures`."""
    assert sorted(figures) == FIGURES and len(FIGURES) == 7
    for name, (_, text, dot) in figures.items():
        assert text == (GOLDEN / f"{name}.txt").read_text(), name
        assert dot == (GOLDEN / f"{name}.dot").read_text(), name


@ko.jit
def running_sums(xss):
    return ops.map(lambda xs: ops.scan(lambda s, x: s + x, xs, initializer=0.0), xss)


def test_kinds():
    assert running_sums.picture("structure", XSS).startswith("+- map i0 < L0")
    assert "reads xss[i0][i1]" in running_sums.picture("blocks", XSS)
    assert "add" in running_sums.picture("cells", XSS)
    assert "2 cells in 2 steps, as dependences allow: i1, at i0 = 0" in running_sums.picture("domain", XSS)
    for kind in ("structure", "blocks", "cells", "domain"):
        assert running_sums.picture_as_dot(kind, XSS).startswith(f"digraph {kind} {{")
        assert running_sums.lower(XSS).as_dot("cells").startswith("digraph cells")
    assert '[label="list<list<' in running_sums.lower(XSS).as_dot()


def test_explain_shows_maps():
    assert running_sums.explain(XSS).startswith("block b0: map i0 < L0, scan i1 < L1\n  reads ")


def test_lists_of_tuples():
    pairs = ops.FractalTensor([(1, np.float32([2, 3]))])
    assert pairs.picture() == (
        "[0]: list<int32[]>\nbuffer: 1 of int32[], 4 bytes each\n[1]: list<float32[2]>\nbuffer: 1 of float32[2], 8 bytes each\n"
    )
    assert pairs.as_dot().count("digraph list {") == 2


def test_traced_lists_have_none():
    with pytest.raises(ko.KolamError, match=r"\[traced-value\] expected a list with elements"):
        ko.jit(lambda xss: xss.picture())(XSS)


def test_errors():
    with pytest.raises(ValueError, match=r"picture: \[unknown-picture\] expected one of cells, structure, blocks, domain, but got 'soup'"):
        running_sums.picture("soup", XSS)
    with pytest.raises(TypeError, match=r"picture: \[argument-mismatch\] expected 2 arguments, whose lengths 'domain' shows, but got 0"):
        running_sums.lower(XSS).picture("domain")
    with pytest.raises(TypeError, match=r"\[argument-mismatch\] argument 'xss\.offsets\(1\)': expected int64\[n1\], but got float32 of rank 1"):
        running_sums.lower(XSS).picture("domain", [np.float32([1]), np.float32([0])])
