"""docs/coming_from_numpy.md: its snippets print what it says, and its table is that of the package."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/coming_from_numpy.md"
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def test_snippets():
    lines = ["" if line.startswith("```") else line for line in PAGE.read_text().splitlines()]
    page = doctest.DocTestParser().get_doctest("\n".join(lines), {}, PAGE.name, str(PAGE), 0)
    assert len(page.examples) > 30
    assert doctest.DocTestRunner(optionflags=OPTIONS).run(page).failed == 0


def test_the_table_of_names_is_up_to_date(load_script):
    assert load_script("write_names.py").main("--check") == 0
