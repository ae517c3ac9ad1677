"""The programs of docs/plans.md run."""

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs/plans.md"


def test_programs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.M | re.S)
    assert len(blocks) == 4
    names = {}
    for block in blocks:
        exec(compile(block, PAGE.name, "exec"), names)
    assert (tmp_path / "plan.html").is_file()
    out = capsys.readouterr().out
    assert "\n[]\n" in out and "associate_products 1 factor=1 side=0 | contract at" in out
