"""Engines end with the last test; where one is not installed its tests are skipped."""

import pytest

from kolam import engines


@pytest.fixture(scope="session", autouse=True)
def ended():
    yield
    engines.close()


@pytest.fixture(autouse=True)
def installed(request):
    engine = getattr(request.node, "callspec", None) and request.node.callspec.params.get("engine")
    if engine:
        pytest.importorskip({"ray": "ray", "dask": "distributed"}[engine])
