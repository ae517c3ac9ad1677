"""Loads the suites of bench/ for the tests that run them at small sizes."""

import importlib.util
import os
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parents[2] / "bench"


def load(suite):
    """bench/<suite>/main.py and its families, with small sizes; Python's tables are left as they were."""
    path, before, small = list(sys.path), set(sys.modules), os.environ.get("KOLAM_BENCH_SMALL")
    sys.path.insert(0, str(BENCH / suite))
    os.environ["KOLAM_BENCH_SMALL"] = "1"
    try:
        spec = importlib.util.spec_from_file_location(f"bench_{suite}", BENCH / suite / "main.py")
        main = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(main)
        return main, main.families()
    finally:
        sys.path[:] = path
        os.environ.pop("KOLAM_BENCH_SMALL") if small is None else os.environ.update(KOLAM_BENCH_SMALL=small)
        for name in set(sys.modules) - before:
            if BENCH in Path(getattr(sys.modules[name], "__file__", None) or "/").parents:
                del sys.modules[name]
