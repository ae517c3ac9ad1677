"""A step of training Linear > ReLU > Linear on handwritten digits, cut for 1, 2 and 4 workers under three limits of memory.

Forward and backward are written out, so that a plan sees all of it: products over images, rows and columns, sums of gradients
over images. Each plan is checked, run, and compared with the program itself, bit by bit.

    two_layers.py [digits.npz [page.html]]

With a second argument the last plan is drawn on a page.
"""

import sys
from pathlib import Path

import numpy as np

import kolam as ko

DATA = Path(__file__).resolve().parent.parent / "data" / "digits.npz"
IMAGES, HIDDEN, CLASSES, RATE = 1536, 128, 10, 0.1
LIMITS = ("4MiB", "1.75MiB", "1.375MiB")
STEPS = 4


def step(x, truth, w, b, v, c):
    """The loss of one step and the parameters after it."""
    h = x @ w + b
    a = ko.relu(h)
    scores = a @ v + c
    loss = ko.mean(ko.logsumexp(scores, axis=1) - ko.sum(scores * truth, axis=1))
    d_scores = (ko.softmax(scores, axis=1) - truth) / x.shape[0]
    d_h = (d_scores @ v.T) * (h > 0)
    gradients = (x.T @ d_h, ko.sum(d_h, axis=0), a.T @ d_scores, ko.sum(d_scores, axis=0))
    return (loss, *(parameter - RATE * gradient for parameter, gradient in zip((w, b, v, c), gradients, strict=True)))


def read(path):
    data = np.load(path)
    images = data["images"][:IMAGES].astype(np.float32).reshape(IMAGES, -1) / 16
    return images, np.eye(CLASSES, dtype=np.float32)[data["labels"][:IMAGES]]


def start(inputs):
    random = np.random.default_rng(0)
    w = random.standard_normal((inputs, HIDDEN)).astype(np.float32) / np.float32(np.sqrt(inputs))
    v = random.standard_normal((HIDDEN, CLASSES)).astype(np.float32) / np.float32(np.sqrt(HIDDEN))
    return w, np.zeros(HIDDEN, np.float32), v, np.zeros(CLASSES, np.float32)


def same(results, expected):
    return all(np.asarray(one).tobytes() == np.asarray(other).tobytes() for one, other in zip(results, expected, strict=True))


def main(path, page=None):
    images, truth = read(path)
    arguments = (images, truth, *start(images.shape[1]))
    expected = ko.jit(step)(*arguments)
    print(f"loss {float(expected[0]):.4f}")
    print("workers     limit    time, us   bytes in   peak memory   wasted   equal bits")
    plans = []
    for workers in (1, 2, 4):
        for limit in LIMITS:
            try:
                plan = ko.plan(step, *arguments, workers=workers, memory_per_worker=limit, steps=STEPS)
            except ko.KolamError as error:
                print(f"{workers:7} {limit:>9}   {str(error).splitlines()[0]}")
                continue
            plans.append(plan)
            cost = plan.cost
            print(
                f"{workers:7} {limit:>9} {cost['time'] * 1e6:11.1f} {cost['bytes_in']:10,.0f} {cost['peak_memory']:13,.0f}"
                f" {cost['wasted']:8,.0f}   {same(plan.run(*arguments), expected)}"
            )
    if page is not None:
        Path(page).write_text(plans[-1].as_html(), encoding="utf-8")
        print(f"wrote {page}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else DATA, *sys.argv[2:3])
