"""The programs of bench/programs at small sizes, without a clock: Kolam's results, and those of the loops of the peers."""

import importlib
import os
import sys
from pathlib import Path

import numpy as np
import pytest

import kolam as ko

BENCH = Path(__file__).resolve().parents[2] / "bench"
FOLDERS = (BENCH / "programs", BENCH / "peers")


def load(name):
    """A module of the suite; sizes are small while it makes its cases."""
    before = set(sys.modules)
    sys.path[:0] = map(str, FOLDERS)
    try:
        return importlib.import_module(name)
    finally:
        del sys.path[: len(FOLDERS)]
        for new in set(sys.modules) - before:
            if Path(getattr(sys.modules[new], "__file__", None) or "/").parent in FOLDERS:
                LOADED[new] = sys.modules.pop(new)


LOADED = {}
os.environ["KOLAM_BENCH_SMALL"] = "1"
