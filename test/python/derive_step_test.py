"""A training step as users write it: donated parameters, a memory limit, a batch with a ragged list, several trees in one map."""

import numpy as np
import pytest

import kolam as ko
from kolam import fractal
from kolam.fractal import FractalTensor

RNG = np.random.default_rng(5)
LENGTHS = (3, 1, 4)


def make_params():
    random = np.random.default_rng(6)
    return {"w": random.standard_normal((2, 3)) * 0.5, "out": [random.standard_normal(3), np.zeros(1)]}


BATCH = {
    "pieces": FractalTensor([FractalTensor(list(RNG.standard_normal((length, 2)))) for length in LENGTHS]),
    "target": RNG.standard_normal(3),
    "scale": RNG.standard_normal(3),
}


def model(params, batch):
    rows = fractal.map(lambda piece: fractal.fold(lambda h, x: ko.tanh(h + x @ params["w"]), piece, ko.zeros(3, dtype=ko.float64)), batch["pieces"])
    logits = fractal.stack(rows) @ params["out"][0] + params["out"][1]
    return ko.mean((logits - batch["target"]) ** 2), logits


def model_in_numpy(params, pieces):
    states = []
    for piece in pieces:
        h = np.zeros(3)
        for x in piece:
            h = np.tanh(h + x @ params["w"])
        states.append(h)
    logits = np.stack(states) @ params["out"][0] + params["out"][1]
    return np.mean((logits - BATCH["target"]) ** 2)


def pieces_of(batch):
    return [[np.asarray(x) for x in piece] for piece in batch["pieces"]]


@ko.jit(donate_argnames="params")
def step(params, batch):
    (loss, logits), g = ko.value_and_grad(model, has_aux=True, memory_limit="2GiB")(params, batch)
    return ko.pytree.map(lambda p, d: p - 0.1 * d, params, g), loss


def moved(params, place, by):
    """The parameters, element number `place` of all moved."""
    params = {"w": params["w"].copy(), "out": [part.copy() for part in params["out"]]}
    parts = [params["w"].reshape(-1), *params["out"]]
    for part in parts:
        if place < part.size:
            part[place] += by
            break
        place -= part.size
    return params


def test_a_step_is_a_step_down_the_differences():
    params, pieces = make_params(), pieces_of(BATCH)
    new, loss = step(ko.pytree.map(ko.asarray, params), BATCH)
    assert loss.item() == pytest.approx(model_in_numpy(params, pieces), rel=1e-12)
    after = np.concatenate([np.asarray(new["w"]).reshape(-1), *map(np.asarray, new["out"])])
    before = np.concatenate([params["w"].reshape(-1), *params["out"]])
    h = 1e-6
    slopes = [(model_in_numpy(moved(params, k, h), pieces) - model_in_numpy(moved(params, k, -h), pieces)) / (2 * h) for k in range(before.size)]
    np.testing.assert_allclose(after, before - 0.1 * np.array(slopes), rtol=1e-7, atol=1e-9)


def test_steps_lower_the_loss():
    params = ko.pytree.map(ko.asarray, make_params())
    losses = []
    for _ in range(20):
        params, loss = step(params, BATCH)
        losses.append(loss.item())
    assert losses[-1] < losses[0] / 4, losses


def test_a_ragged_list_is_a_leaf_whose_gradient_is_a_list():
    params, pieces = make_params(), pieces_of(BATCH)
    g = ko.grad(model, argnums=1, has_aux=True)(ko.pytree.map(ko.asarray, params), BATCH)[0]
    assert [len(piece) for piece in g["pieces"]] == list(LENGTHS)
    h = 1e-6
    for number, place in ((0, 2), (1, 0), (2, 3)):
        slope = []
        for by in (h, -h):
            other = [[x.copy() for x in piece] for piece in pieces]
            other[number][place][1] += by
            slope.append(model_in_numpy(params, other))
        assert np.asarray(g["pieces"][number][place])[1] == pytest.approx((slope[0] - slope[1]) / (2 * h), rel=1e-6)


def test_a_map_over_several_trees():
    found = ko.pytree.map(lambda x, y, z: x + y * z, {"a": 1, "b": (2,)}, {"a": 10, "b": (20,)}, {"a": 2, "b": (3,)})
    assert found == {"a": 21, "b": (62,)}
    with pytest.raises(ko.KolamError) as info:
        ko.pytree.map(lambda x, y: x, {"a": 1}, {"b": 1})
    assert info.value.slug == "pytree-mismatch"
