"""The page of benchmarks: what people wrote stays, tables are replaced, AVX2 stands beside AVX-512."""

import importlib
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[2] / "bench"


@pytest.fixture
def page(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(BENCH))
    before = set(sys.modules)
    module = importlib.import_module("page")
    monkeypatch.setattr(module, "KEPT", tmp_path / "kept")
    monkeypatch.setattr(module, "MEASURED", tmp_path / "measured")
    monkeypatch.setattr(module, "PAGE", tmp_path / "benchmarks.md")
    monkeypatch.setattr(module, "NOTES", tmp_path / "notes.txt")
    monkeypatch.setattr(module, "ROOT", tmp_path)
    module.NOTES.write_text("short:\n  because.\n")
    yield module
    for name in set(sys.modules) - before:
        if BENCH in Path(getattr(sys.modules[name], "__file__", None) or "/").parents:
            del sys.modules[name]


def run(isa, seconds, name="short"):
    record = {"name": name, "threads": 1, "ours": [2.0], "goal": 1.0, "peers": [{"name": "them", "times": [seconds]}]}
    return {"machine": "M", "isa": isa, "said": "", "date": "D", "versions": {"them": "1"}, "records": [record], "failed": []}


BEFORE = """\
# Benchmarks

Old words.

## Beside PyTorch, JAX, ONNX Runtime and numba

an old table

## By hand

words that stay

### Deeper

more words
"""


def test_sections_that_people_wrote_stay(page):
    page.PAGE.write_text(BEFORE)
    page.keep("peers", run("AVX-512", 1.0))
    page.keep("programs", run("AVX-512", 3.0, "good"))
    page.write()
    text = page.PAGE.read_text()
    assert BEFORE[BEFORE.index("## By hand") :].strip() in text
    assert "an old table" not in text and "Old words" not in text
    headings = [heading for heading, _ in page.split(text)][1:]
    peers, programs = page.PARTS["peers"].heading, page.PARTS["programs"].heading
    assert headings == [peers, programs, "By hand"]
    again = text
    page.write()
    assert page.PAGE.read_text() == again


def test_reasons_stand_below_their_table(page):
    page.PAGE.write_text(BEFORE)
    page.keep("peers", run("AVX-512", 1.0))
    page.write()
    body = dict(page.split(page.PAGE.read_text()))[page.PARTS["peers"].heading]
    assert "| short | 1 | 2 s | them | 1 s | 0.50 |" in body
    assert body.strip().endswith("### Where it falls short\n\n- **short**: because.")
    assert "AVX-512: `make bench-peers`, D, M; them 1." in body


def test_avx2_has_columns_where_it_was_measured(page):
    page.PAGE.write_text(BEFORE)
    page.keep("peers", run("AVX-512", 3.0))
    page.keep("peers", run("AVX2", 1.0))
    page.write()
    body = dict(page.split(page.PAGE.read_text()))[page.PARTS["peers"].heading]
    assert "| ours, AVX2 | fastest peer, AVX2 |  | ratio, AVX2 |" in body
    assert "| yes |  |  | 2 s | them | 1 s | 0.50 |" in body
    assert "- **short, AVX2**: because." in body


def test_the_page_says_how_it_was_measured_and_what_failed(page):
    made = {**run("AVX2", 1.0), "said": "--quick --peers JAX", "failed": ["wrong one, 2 threads"]}
    line = "AVX2: `make bench` with `--quick --peers JAX`, D, M; them 1. Failed: wrong one, 2 threads."
    assert page.source_line("bench", made) == line


def test_runs_of_machines_with_other_instructions_come_together(page):
    """One with AVX2 has a section of its own until there is a wider one."""
    heading = page.PARTS["peers"].heading
    page.PAGE.write_text(BEFORE)
    page.keep("peers", run("AVX2", 1.0))
    page.write()
    sections = dict(page.split(page.PAGE.read_text()))
    assert "an old table" in sections[heading]
    assert "| short | 1 | 2 s | them | 1 s | 0.50 |" in sections[heading + page.ALONE]
    assert list(sections) == ["", heading, heading + page.ALONE, "By hand"]
    page.kept_at("peers", "AVX2").unlink()  # another machine
    page.keep("peers", run("AVX-512", 3.0))
    page.write()
    sections = dict(page.split(page.PAGE.read_text()))
    assert list(sections) == ["", heading, "By hand"]
    assert "| ours, AVX2 | fastest peer, AVX2 |  | ratio, AVX2 |" in sections[heading]


def test_the_page_as_it_is_keeps_its_sections(page):
    """Of the true page, nothing is lost but what a table replaces."""
    true = (BENCH.parent / "docs/benchmarks.md").read_text()
    changed = page.replaced(true, {page.PARTS["bench"].heading: "new"})
    kept = [section for section in page.split(true)[1:] if section[0] != page.PARTS["bench"].heading]
    assert [section for section in page.split(changed)[1:] if section[0] != page.PARTS["bench"].heading] == kept
