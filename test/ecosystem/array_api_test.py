"""array_api_compat and the code that goes by the array API."""

import array_api_compat
import numpy as np
import pytest

import kolam as ko

pytestmark = pytest.mark.skipif(not hasattr(ko.Array, "__array_namespace__"), reason="arrays have no __array_namespace__ yet")


def standardize(x):
    """As a library writes it that knows no arrays but the standard's."""
    xp = array_api_compat.array_namespace(x)
    mean = xp.mean(x, axis=0, keepdims=True)
    return xp.astype((x - mean) / xp.std(x, axis=0, keepdims=True), xp.float64), xp


def test_a_function_of_any_array(pair):
    x, given = pair
    assert array_api_compat.is_array_api_obj(x)
    ours, namespace = standardize(x)
    theirs, _ = standardize(given)
    assert isinstance(ours, ko.Array) and namespace.asarray is not None
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-4, atol=1e-6)


def test_sizes_and_devices(pair):
    x, _ = pair
    assert array_api_compat.size(x) == 240
    assert array_api_compat.to_device(x, array_api_compat.device(x)).shape == (60, 4)
