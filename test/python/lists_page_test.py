"""The snippets of docs/lists.md give what it says."""

import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/lists.md"


def test_snippets():
    lines = ["" if line.startswith("```") else line for line in PAGE.read_text().splitlines()]
    page = doctest.DocTestParser().get_doctest("\n".join(lines), {}, PAGE.name, str(PAGE), 0)
    assert len(page.examples) > 8
    assert doctest.DocTestRunner().run(page).failed == 0
