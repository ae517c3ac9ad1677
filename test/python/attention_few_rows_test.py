"""Attention of one and two queries, whose keys lie in lanes: the interpreter's bits."""

import numpy as np
import pytest

import kolam as ko


def same(a, b):
    a, b = np.asarray(a.astype(ko.float64)), np.asarray(b.astype(ko.float64))
    return a.shape == b.shape and bool((((a == b) & (np.signbit(a) == np.signbit(b))) | (np.isnan(a) & np.isnan(b))).all())


KINDS = ["open", "window", "causal", "booleans", "numbers", "lengths", "function", "segments"]


def case(seed, kind):
    r = np.random.default_rng((seed, KINDS.index(kind)))
    rows, heads = int(r.integers(1, 3)), int(r.choice([1, 2, 4]))
    keys = int(r.choice([1, 5, 16, 17, 100, 127, 128, 129, 300, 513]))
    depth, width = int(r.choice([1, 3, 8, 16, 20, 64, 100, 600])), int(r.choice([1, 3, 16, 33, 64, 80, 130]))
    shared = int(r.choice([n for n in (1, 2, 4) if heads % n == 0]))
    dtype = getattr(ko, str(r.choice(["float32", "float32", "float64", "bfloat16", "float16"])))
    make = lambda *shape: ko.asarray(r.standard_normal(shape).astype(np.float32)).astype(dtype)
    q, k, v = make(heads, rows, depth), make(shared, keys, depth), make(shared, keys, width)
    if r.random() < 0.2:  # a hidden NaN takes no part, one that is seen does
        held = np.array(v.astype(ko.float32))
        held[:, int(r.integers(0, keys))] = np.nan
        v = ko.asarray(held).astype(dtype)
    masks, options = [], {}
    if kind == "window":
        options["window"] = (int(r.integers(0, 200)), int(r.integers(0, 200)))
    elif kind == "causal":
        options["causal"] = True
    elif kind == "booleans":
        masks = [ko.asarray(r.random((rows, keys)) > 0.5)]
    elif kind == "numbers":
        mask = r.standard_normal((heads, rows, keys)).astype(np.float32)
        mask[r.random(mask.shape) > 0.7] = -np.inf
        masks = [ko.asarray(mask).astype(dtype)]
    elif kind == "lengths":
        masks = [ko.asarray(np.arange(keys)[None] >= int(r.integers(0, keys + 1)))]
    elif kind == "function":
        apart = int(r.integers(1, 50))
        options["mask"] = lambda b, h, i, j: (j % apart) != h
    elif kind == "segments":
        options["segment_ids"] = (ko.asarray(r.integers(0, 2, rows)), ko.asarray(r.integers(0, 2, keys)))
    is_turned = r.random() < 0.3

    def f(q, k, v, *mask):
        if is_turned:  # keys one beside the other
            k = ko.permute_dims(ko.permute_dims(k, (0, 2, 1)) * 1, (0, 2, 1))
        return ko.attention(q, k, v, *mask, **options)

    return f, (q, k, v, *masks)


@pytest.mark.parametrize("kind", KINDS)
def test_bits(kind):
    for seed in range(12):
        f, arguments = case(seed, kind)
        assert same(ko.jit(f)(*arguments), ko.jit(f, backend="interpret")(*arguments)), seed


def test_it_says_so():
    x = ko.ones((2, 1, 8))
    assert "one query at a time with keys in lanes" in ko.jit(lambda x: ko.attention(x, x, x)).explain(x)
