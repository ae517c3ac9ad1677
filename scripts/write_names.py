#!/usr/bin/env python3
"""Writes the table of names at the end of docs/coming_from_numpy.md from the package's own table.

    write_names.py [--check]

With --check it changes nothing, and fails where the page is out of date.
"""

import sys
from pathlib import Path

from kolam import _hints

PAGE = Path(__file__).resolve().parent.parent / "docs/coming_from_numpy.md"
MARK = "<!-- names -->\n"


def page(text):
    """The page with the table as it should be."""
    rows = _hints.table()
    here = [f"`{row.name}`" for row in rows if row.kind == "here"]
    lines = [text.partition(MARK)[0] + MARK, f"Here ({len(here)}): {', '.join(here)}.\n"]
    lines += ["| name | write |", "|---|---|", *(line(row) for row in rows if row.kind == "written")]
    for kind, title in (("later", "not yet"), ("never", "not")):
        lines += ["", f"| {title} here | why |", "|---|---|", *reasons(rows, kind)]
    return "\n".join(lines) + "\n"


def line(row):
    return f"| `{row.name}` | `{row.text}` |".replace("||", "\\|\\|")


def reasons(rows, kind):
    """The names of a kind, those of one reason together."""
    by_reason = {}
    for row in rows:
        if row.kind == kind:
            by_reason.setdefault(row.text, []).append(f"`{row.name}`")
    return [f"| {', '.join(names)} | {reason} |" for reason, names in by_reason.items()]


def main(*arguments):
    text = PAGE.read_text()
    fresh = page(text)
    if "--check" not in arguments:
        PAGE.write_text(fresh)
        return 0
    if fresh != text:
        print(f"{PAGE.name}: the table of names is out of date: run .venv/bin/python scripts/write_names.py")
    return int(fresh != text)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
