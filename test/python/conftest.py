"""What all Python tests share: the seed of random tests, and a way to load the scripts."""

import collections
import importlib.machinery
import importlib.util
import os
import random
import signal
import sys
from pathlib import Path

import hypothesis
import pytest

# Modules that several tests share lie beside them.
sys.path.insert(0, str(Path(__file__).parent))

SCRIPTS = Path(__file__).parents[2] / "scripts"
# scripts/test sets and prints it; KOLAM_SEED=... gives the same cases again.
SEED = int(os.environ.get("KOLAM_SEED") or random.randrange(2**32))

# Cases of each test that KOLAM_CASES_PART leaves alone.
FIRST_CASES = 8

# A shell's background job has Ctrl-C ignored; tests that send it would never end.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Compiled code is not kept on disk unless a test says so: no test depends on what ran before.
os.environ.setdefault("KOLAM_CACHE", "off")

hypothesis.settings.register_profile("kolam", deadline=None, print_blob=True, database=None)
hypothesis.settings.load_profile("kolam")


def pytest_report_header():
    return f"KOLAM_SEED={SEED}"


def pytest_configure(config):
    if config.getoption("hypothesis_seed", None) is None:
        config.option.hypothesis_seed = SEED


def pytest_collection_modifyitems(config, items):
    """Of a test with many cases the first ones and, of the others, KOLAM_CASES_PART: by the seed, the same for the same cases."""
    part = float(os.environ.get("KOLAM_CASES_PART", 1))
    if part >= 1:
        return
    cases, kept, left = collections.Counter(), [], []
    for item in items:
        test = item.nodeid.partition("[")[0]
        cases[test] += 1
        takes = cases[test] <= FIRST_CASES or random.Random(f"{SEED} {item.nodeid}").random() < part
        (kept if takes else left).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = kept


@pytest.fixture
def seed():
    """The seed of this run, for tests with random generators of their own."""
    return SEED


@pytest.fixture
def load_script():
    """Loads a Python script of scripts/, which has no suffix, as a module."""

    def load(name):
        sys.path.insert(0, str(SCRIPTS))
        try:
            loader = importlib.machinery.SourceFileLoader(name, str(SCRIPTS / name))
            module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
            sys.modules[name] = module
            loader.exec_module(module)
        finally:
            sys.path.pop(0)
        return module

    return load
