"""The edit distance of words: how many letters to insert, delete or change, by two scans over the product of their letters.

    d[i][j] = min(d[i-1][j] + 1, d[i][j-1] + 1, d[i-1][j-1] + (a[j] != b[i]))        d[-1][j] = j + 1, d[i][-1] = i + 1

All cells of one i + j are independent of each other: Kolam runs them together, as one wave, for all pairs of words.
"""

import kolam as ko
from draw import Draw
from kolam import fractal as ops
from side_by_side import main


def cell(state, element):
    """The distance, and the one above it, which is diagonal for the next cell."""
    left, diagonal = state
    above, (a, b) = element
    change = ops.where(a == b, diagonal, diagonal + 1)
    return ops.minimum(ops.minimum(above, left) + 1, change), above


def row(above, element):
    i, a, b = element
    distances, _ = ops.scan(cell, ops.zip(above, ops.zip(a, b)), initializer=(i + 1, i))
    return distances


@ko.jit
def edit_distance(batch_a, batch_b):
    """The distance of each pair of words: a list of int64. A word is a list of letters."""

    def distance(pair):
        a, b = pair
        first_row = ops.map(lambda element: element[0] + 1, ops.enumerate(a))
        return ops.last(ops.fold(row, ops.enumerate(*ops.product(a, b)), initializer=first_row))

    return ops.map(distance, ops.zip(batch_a, batch_b))


def edit_distance_with_numpy(batch_a, batch_b):
    results = []
    for a, b in zip(batch_a, batch_b):
        d = [list(range(len(a) + 1))]
        for i in range(len(b)):
            d.append([i + 1])
            for j in range(len(a)):
                d[-1].append(min(d[i][j + 1] + 1, d[-1][j] + 1, d[i][j] + (a[j] != b[i])))
        results.append(d[-1][-1])
    return results


def inputs(batch=64, longest=40, alphabet=4, seed=0):
    draw = Draw(seed)
    return (
        draw.words(batch, draw.lengths(batch, 1, longest), vocabulary=alphabet),
        draw.words(batch, draw.lengths(batch, 1, longest), vocabulary=alphabet),
    )


if __name__ == "__main__":
    main(edit_distance, edit_distance_with_numpy, inputs)
