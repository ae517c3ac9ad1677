"""attention's arguments as Python gives them, beside NumPy in double precision."""

import numpy as np
import pytest

import kolam as ko

RNG = np.random.default_rng(3)
Q, K, V = (RNG.standard_normal(shape).astype(np.float32) for shape in ((2, 4, 5, 3), (2, 2, 7, 3), (2, 2, 7, 6)))
I, J = np.arange(5)[:, None], np.arange(7)
OWN, THEIRS = np.array([[0, 0, 1, 1, 2], [3, 3, 3, 4, 4]]), np.array([[0, 1, 1, 1, 2, 2, 2], [4, 4, 4, 4, 3, 3, 5]])
HIDDEN = ko.asarray([False, True, False, True, False, True, True])


def plain(shown, added=0.0, scale=1 / np.sqrt(3)):
    k, v = (np.repeat(x.astype(np.float64), 2, 1) for x in (K, V))
    scores = np.where(shown, Q @ np.swapaxes(k, -1, -2) * scale + added, -np.inf)
    top = np.max(scores, -1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(top), top, 0))
    total = powers.sum(-1, keepdims=True)
    return np.where(total == 0, 0, powers / np.where(total == 0, 1, total)) @ v


CASES = {
    "all": ({}, lambda: plain(True)),
    "scale": ({"scale": 2}, lambda: plain(True, scale=2)),
    "causal": ({"causal": True}, lambda: plain(J <= I)),
    "window": ({"window": 1}, lambda: plain(np.abs(I - J) <= 1)),
    "window, causal": ({"window": 1, "causal": True}, lambda: plain((I - 1 <= J) & (J <= I))),
    "window, one side": ({"window": (None, 2)}, lambda: plain(J <= I + 2)),
    "window, list": ({"window": [0, 3]}, lambda: plain((I <= J) & (J <= I + 3))),
    "mask": ({"mask": (I + J) % 2 == 0}, lambda: plain((I + J) % 2 == 0)),
    "mask, nested list": ({"mask": [[True]] * 4 + [[False]]}, lambda: plain(I < 4)),
    "bias": ({"mask": np.float16(0.5) * (I - J)}, lambda: plain(True, 0.5 * (I - J))),
    "function": ({"mask": lambda b, h, i, j: (i + j + h) % 3 != b}, lambda: plain((I + J + np.arange(4)[:, None, None]) % 3 != np.arange(2)[:, None, None, None])),
    "function with a capture": ({"mask": lambda b, h, i, j: ~ko.take(HIDDEN, j, axis=0)}, lambda: plain(~np.asarray(HIDDEN))),
    "segments": ({"segment_ids": (OWN, THEIRS)}, lambda: plain((OWN[:, :, None] == THEIRS[:, None, :])[:, None])),
    "segments of lists": ({"segment_ids": (ko.asarray(OWN[0]), list(range(7)))}, lambda: plain(OWN[0][:, None] == J)),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("backend", ["interpret", "cpu"])
def test_like_numpy(case, backend):
    options, expected = CASES[case]
    result = ko.jit(lambda q, k, v: ko.attention(q, k, v, **options), backend=backend)(Q, K, V)
    # Scores are sums of three terms below 10: some ulps of them, then of the values.
    np.testing.assert_allclose(np.asarray(result), expected(), rtol=1e-5, atol=1e-5)
    at_once = ko.attention(Q, K, V, **options)
    np.testing.assert_array_equal(np.asarray(at_once), np.asarray(result))


def test_one_array_of_segments_serves_both():
    ids = np.array([0, 0, 1, 1, 1])
    same = np.asarray(ko.attention(Q, Q, Q, mask=ids[:, None] == ids))
    np.testing.assert_array_equal(np.asarray(ko.attention(Q, Q, Q, segment_ids=ids)), same)


@pytest.mark.parametrize("rows", [1, 15, 16, 17, 31, 33, 47, 49, 65, 97, 113, 143])
@pytest.mark.parametrize("name", ["all", "causal", "bias", "elements", "segments"])
def test_rows_that_fill_no_tile(rows, name):
    """The last tile of rows has some of its vectors, and some lanes of the last of these."""
    rng = np.random.default_rng(rows)
    width = 21 if name == "all" else 5  # with blocks of elements that are turned in registers, or too narrow for one
    q, k, v = (rng.standard_normal((2, n, width)).astype(np.float32) for n in (rows, 150, 150))
    shown, ids = rng.random((rows, 150)) < 0.3, rng.integers(0, 3, rows + 150)
    options = {
        "all": {},
        "causal": {"causal": True},
        "bias": {"mask": rng.standard_normal((rows, 150)).astype(np.float32)},
        "elements": {"mask": shown},
        "segments": {"segment_ids": (ids[:rows], ids[rows:])},
    }[name]
    call = lambda q, k, v: ko.attention(q, k, v, **options)
    meant = np.asarray(ko.jit(call, backend="interpret")(q, k, v))
    np.testing.assert_array_equal(np.asarray(ko.jit(call)(q, k, v)), meant)
    if name in ("all", "causal"):
        np.testing.assert_array_equal(np.asarray(ko.jit(call, dynamic={"q": [1]})(q, k, v)), meant)


def test_lengths_may_be_dynamic():
    f = ko.jit(lambda q, k, v: ko.attention(q, k, v, causal=True), dynamic={"q": [2], "k": [2], "v": [2]})
    for length in (7, 0, 1):
        k, v = K[:, :, :length], V[:, :, :length]
        np.testing.assert_array_equal(np.asarray(f(Q, k, v)), np.asarray(ko.attention(Q, k, v, causal=True)))


REFUSED = {
    "window": (dict(window=2.5), TypeError, "argument 'window': expected an integer, but got 2.5"),
    "window of three": (dict(window=(1, 2, 3)), TypeError, "argument 'window': expected an integer or a pair"),
    "window below 0": (dict(window=(2, -3)), ValueError, "argument 'window': expected numbers of keys >= 0, but got -3"),
    "function of two": (dict(mask=lambda i, j: i < j), TypeError, "expected a function of 4 arguments, but got one of (i, j)"),
    "function of numbers": (dict(mask=lambda b, h, i, j: i), TypeError, "expected a function that gives a boolean, but got int32[]"),
    "three segments": (dict(segment_ids=(OWN, OWN, OWN)), TypeError, "expected an array or a pair (queries, keys)"),
    "integers as a mask": (dict(mask=I + J), TypeError, "argument 'mask': expected booleans or floats, but got"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refuses(case):
    options, kind, words = REFUSED[case]
    with pytest.raises(ko.KolamError) as raised:
        ko.attention(Q, K, V, **options)
    assert isinstance(raised.value, kind) and words in str(raised.value)
