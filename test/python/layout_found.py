"""What kolam.layout finds of small programs, under several profiles, and what it refuses."""

import pytest

import kolam as ko

A, B, C, N = 4, 8, 5, 3
S = ko.ShapeDtypeStruct
ALL = ("seed", "vollo27", "relaxed")


def shape(*extents):
    return S(extents, "float32")


def infer(f, *shapes, profiles=ALL, **options):
    """What all profiles find, which is the same."""
    found = [ko.layout.infer(f, *map(lambda s: shape(*s), shapes), profile=profile, **options) for profile in profiles]
    assert all(r.exact and (r.inputs, r.outputs) == (found[0].inputs, found[0].outputs) for r in found)
    assert all([op.cost for op in r.ops] == [op.cost for op in found[0].ops] for r in found)
    return found[0]


def check(f, *shapes, result, cost, profiles=ALL, **options):
    """The D of the result, and the dearest class among the ops."""
    r = infer(f, *shapes, profiles=profiles, **options)
    assert r.outputs == [result]
    classes = ["free", "close to free", "compute", "slower"]
    assert max((op.cost for op in r.ops), key=classes.index) == cost
    return r


def refused(f, *shapes, profiles=ALL, **options):
    for profile in profiles:
        with pytest.raises(ko.KolamError, match=r"\[data-dimension\]") as caught:
            ko.layout.infer(f, *map(lambda s: shape(*s), shapes), profile=profile, **options)
    return caught.value
