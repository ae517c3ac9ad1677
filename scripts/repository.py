"""What the checks share: the files of the repository, tables of exceptions, and how a problem is printed."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def files(root=ROOT, *suffixes):
    """Paths relative to root, sorted, of what git tracks or would track; of the suffixes given, or of all."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=root, capture_output=True, text=True, check=True,
    ).stdout.splitlines()
    return [Path(name) for name in sorted(set(listing))
            if (root / name).is_file() and (not suffixes or name.endswith(suffixes))]


def exceptions(path):
    """Reads a table of exceptions: a path, then the reason. A missing reason is a fault of the table."""
    table = {}
    for number, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, reason = line.partition(" ")
        if not reason.strip():
            sys.exit(f"{path}:{number}: '{name}' has no reason")
        table[name] = reason.strip()
    return table


def report(problems, check):
    """Prints one problem a line; the exit status of the check."""
    for problem in problems:
        print(problem)
    if problems:
        print(f"{check}: {len(problems)} problem{'s' if len(problems) > 1 else ''}")
    return 1 if problems else 0
