"""Trains a multilayer perceptron on handwritten digits, beside a backward pass that is written by hand for NumPy.

1,500 of 1,797 images of 8 x 8 are learned, every sixth is held out. A step is one jitted function, from parameters, velocities and
a batch to the next ones; it uses up the old ones.
"""

import sys
import time
from pathlib import Path

import numpy as np

import kolam as ko

DATA = Path(__file__).resolve().parents[1] / "data" / "digits.npz"
HIDDEN, CLASSES, BATCH, EPOCHS = 128, 10, 100, 40
RATE, MOMENTUM = 0.1, 0.9


def logits(params, images):
    hidden = ko.relu(images @ params["w1"] + params["b1"])
    return hidden @ params["w2"] + params["b2"]


def loss(params, images, labels):
    return ko.mean(ko.cross_entropy(logits(params, images), labels))


@ko.jit(donate_argnames=("params", "velocity"))
def step(params, velocity, images, labels):
    value, gradient = ko.value_and_grad(loss)(params, images, labels)
    velocity = {name: MOMENTUM * velocity[name] + gradient[name] for name in params}
    return value, {name: params[name] - RATE * velocity[name] for name in params}, velocity


def loss_and_gradient_with_numpy(params, images, labels):
    """The same by hand: the softmax minus the labels, and the two products of each layer."""
    before = images @ params["w1"] + params["b1"]
    hidden = np.maximum(before, 0)
    scores = hidden @ params["w2"] + params["b2"]
    scores -= scores.max(axis=1, keepdims=True)
    odds = np.exp(scores)
    odds /= odds.sum(axis=1, keepdims=True)
    rows = np.arange(len(labels))
    value = -np.log(odds[rows, labels]).mean()
    odds[rows, labels] -= 1
    odds /= len(labels)
    behind = (odds @ params["w2"].T) * (before > 0)
    gradient = {"w1": images.T @ behind, "b1": behind.sum(axis=0), "w2": hidden.T @ odds, "b2": odds.sum(axis=0)}
    return value, gradient


def first_params(rng):
    def drawn(rows, columns):
        return (rng.standard_normal((rows, columns)) * np.sqrt(2 / rows)).astype(np.float32)

    zeros = np.zeros
    return {"w1": drawn(64, HIDDEN), "b1": zeros(HIDDEN, np.float32), "w2": drawn(HIDDEN, CLASSES), "b2": zeros(CLASSES, np.float32)}


def timed(function, repeats=50):
    function()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times) * 1e6


def step_with_numpy(params, velocity, images, labels):
    """The step by hand; it changes its arrays."""
    value, gradient = loss_and_gradient_with_numpy(params, images, labels)
    for name, own in velocity.items():
        own *= MOMENTUM
        own += gradient[name]
        params[name] -= np.float32(RATE) * own
    return value


def main(path=DATA, epochs=EPOCHS):
    data = np.load(path)
    images, labels = data["images"].reshape(-1, 64) / np.float32(16), data["labels"]
    held_out = np.arange(len(images)) % 6 == 0
    rng = np.random.default_rng(0)
    start = first_params(rng)
    params = {name: ko.asarray(array) for name, array in start.items()}
    velocity = {name: ko.zeros(array.shape) for name, array in start.items()}
    known, known_labels = images[~held_out], labels[~held_out]
    for epoch in range(int(epochs)):
        order = rng.permutation(len(known))
        for first in range(0, len(known), BATCH):
            rows = order[first : first + BATCH]
            value, params, velocity = step(params, velocity, known[rows], known_labels[rows])
        if epoch % 10 == 9:
            print(f"epoch {epoch + 1}: loss {value.item():.4f}")
    found = np.asarray(ko.argmax(logits(params, ko.asarray(images[held_out])), axis=1))
    right = (found == labels[held_out]).mean()
    print(f"held out: {100 * right:.1f} % of {held_out.sum()} images")

    batch, batch_labels = known[:BATCH], known_labels[:BATCH]
    value, gradient = ko.value_and_grad(loss)(start, batch, batch_labels)
    by_hand, gradient_by_hand = loss_and_gradient_with_numpy(start, batch, batch_labels)
    worst = max(np.abs(np.asarray(gradient[name]) - gradient_by_hand[name]).max() for name in start)
    print(f"beside NumPy: loss differs by {abs(value.item() - by_hand):.1e}, gradients by {worst:.1e}")
    x, y, state = ko.asarray(batch), ko.asarray(batch_labels), [params, velocity]
    own = {name: array.copy() for name, array in start.items()}
    own_velocity = {name: np.zeros_like(array) for name, array in start.items()}

    def one_step():
        _, *state[:] = step(*state, x, y)

    ours = timed(one_step)
    theirs = timed(lambda: step_with_numpy(own, own_velocity, batch, batch_labels))
    print(f"a step of {BATCH} images: {ours:.0f} us, by hand with NumPy {theirs:.0f} us")
    return right


if __name__ == "__main__":
    sys.exit(0 if main(*sys.argv[1:]) >= 0.97 else "held out: expected at least 97 %")
