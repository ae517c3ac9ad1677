"""Loads the suites of bench/ for the tests that run them at small sizes."""

import importlib.util
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench"


def load(suite):
    """bench/<suite>/main.py and its families; Python's tables are left as they were."""
    path, before = list(sys.path), set(sys.modules)
    try:
        spec = importlib.util.spec_from_file_location(f"bench_{suite}", BENCH / suite / "main.py")
        main = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(main)
        return main, main.families()
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - before:
            if BENCH in Path(getattr(sys.modules[name], "__file__", None) or "/").parents:
                del sys.modules[name]
