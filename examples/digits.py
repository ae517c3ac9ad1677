"""Classifies handwritten digits by their nearest neighbours, with parallel patterns only.

297 images of 8 x 8 are held out of 1,797; each is compared with the other 1,500. Distances are one zip_map_reduce,
the k nearest come from top_k, their labels from gather, and votes are counted by scatter with kAdd.
"""

import sys
import time
from pathlib import Path

import numpy as np

import kolam as ko

DATA = Path(__file__).resolve().parent / "data" / "digits.npz"
NEIGHBOURS, CLASSES = 3, 10


@ko.jit
def classify(images, known, known_labels):
    queries = images.shape[0]
    distances = ko.zip_map_reduce(
        lambda x, y: (x - y) * (x - y), [images[:, None], known[None]], reduce="sum", axis=-1
    )
    _, nearest = ko.top_k(distances, NEIGHBOURS, largest=False)
    labels = ko.gather(known_labels, nearest[..., None], [0], [1])[..., 0]
    rows = ko.broadcast_to(ko.arange(queries, dtype=ko.int32)[:, None], (queries, NEIGHBOURS))
    votes = ko.scatter(
        ko.zeros((queries, CLASSES), ko.int32),
        ko.ones((queries, NEIGHBOURS, 1, 1), ko.int32),
        ko.stack([rows, labels], axis=-1),
        [0, 1],
        "kAdd",
    )
    return ko.argmax(votes, axis=1), nearest


def classify_with_numpy(images, known, known_labels):
    difference = images[:, None] - known[None]
    distances = (difference * difference).sum(axis=-1)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, :NEIGHBOURS]
    votes = np.zeros((len(images), CLASSES), np.int32)
    np.add.at(votes, (np.arange(len(images))[:, None], known_labels[nearest]), 1)
    return votes.argmax(axis=1), nearest


def draw(images):
    ink = " .:-=+*#%@"
    for row in range(8):
        print("   ".join("".join(ink[min(9, int(x * 10 / 17))] for x in image[row]) for image in images))


def article(digit):
    return "an" if digit == 8 else "a"


def milliseconds(function, *args):
    start = time.perf_counter()
    result = function(*args)
    return (time.perf_counter() - start) * 1e3, result


def main(path):
    data = np.load(path)
    images = data["images"].astype(np.float32).reshape(-1, 64)
    labels = data["labels"].astype(np.int32)
    # The data is grouped by writer: every sixth image is held out, so that all writers are on both sides.
    held_out = np.zeros(len(images), bool)
    held_out[: 297 * 6 : 6] = True
    arguments = (images[held_out], images[~held_out], labels[~held_out])

    first, _ = milliseconds(classify, *arguments)
    ours, (guesses, nearest) = milliseconds(classify, *arguments)
    theirs, (expected, expected_nearest) = milliseconds(classify_with_numpy, *arguments)
    guesses, nearest = np.asarray(guesses), np.asarray(nearest)
    truth = labels[held_out]
    print(f"{(guesses == truth).sum()} of {len(truth)} right: {100 * (guesses == truth).mean():.1f} %")
    print(f"first call {first:.1f} ms, run {ours:.1f} ms; NumPy {theirs:.1f} ms")
    print(f"same answers as NumPy: {(guesses == expected).all() and (nearest == expected_nearest).all()}")
    for i in (3, 11, 42):
        print(f"\nimage {i} looks like {article(guesses[i])} {guesses[i]}; its neighbours:")
        draw([images[held_out][i].reshape(8, 8)])
        print()
        draw([images[~held_out][j].reshape(8, 8) for j in nearest[i]])
    print("\nthe first loop nest of explain(), which holds the distances:")
    print("\n".join(line for line in classify.explain(*arguments).splitlines() if line.startswith("nest0")))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else DATA)
