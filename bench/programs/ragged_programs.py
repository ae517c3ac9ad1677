"""Programs over lists of unequal lengths, beside plain C++ over elements and offsets."""

import numpy as np
from case import Case, floats, named, places
from program import LOOPS
from sizes import size


def offsets_of(seed, rows, longest, least=1):
    return np.concatenate([[0], np.cumsum(least + places(seed, longest - least + 1, rows))]).astype(np.int64)


def lists_of(ko, x, offsets):
    return ko.fractal.FractalTensor.from_offsets(x, offsets)


def by_rows(function, offsets):
    """What the function gives for each list, one after the other."""
    return [function(slice(begin, end)) for begin, end in zip(offsets[:-1], offsets[1:], strict=True)]


def ragged(ko, name, arrays, lists, ours, reference, source, **more):
    """`arrays` go to C++ and the reference, `lists` to ours."""
    return Case(name, arrays, lists=lists, ours=ours, reference=reference, source=LOOPS / source, goal=1.0, **more)


def normalised(ko, name):
    """Each list less its mean, over its deviation."""
    offsets = offsets_of(1, *size((20_000, 100), (30, 9)))
    x = floats(2, offsets[-1])

    def ours(rows):
        ops = ko.fractal

        def row(xs):
            n = ko.astype(ops.len(xs), ko.float32)
            mean = ops.reduce(ko.add, xs) / n
            apart = ops.map(lambda x: x - mean, xs)
            spread = ops.reduce(ko.add, ops.map(lambda x: x * x, apart)) / n
            return ops.map(lambda x: x / ko.sqrt(spread + 1e-5), apart)

        return ops.map(row, rows)

    def reference(x, offsets):
        return np.concatenate(by_rows(lambda at: (x[at] - x[at].mean()) / np.sqrt(x[at].var() + 1e-5), offsets))

    return ragged(ko, name, [x, offsets], [lists_of(ko, x, offsets)], ours, reference, "ragged_normalised", tolerance=1e-4)


def softmax(ko, name):
    offsets = offsets_of(3, *size((20_000, 100), (30, 9)))
    x = floats(4, offsets[-1]) * np.float32(4)

    def ours(rows):
        ops = ko.fractal

        def row(xs):
            most = ops.reduce(ko.maximum, xs)
            powers = ops.map(lambda x: ko.exp(x - most), xs)
            total = ops.reduce(ko.add, powers)
            return ops.map(lambda p: p / total, powers)

        return ops.map(row, rows)

    def reference(x, offsets):
        def one(at):
            e = np.exp(x[at] - x[at].max())
            return e / e.sum()

        return np.concatenate(by_rows(one, offsets))

    return ragged(ko, name, [x, offsets], [lists_of(ko, x, offsets)], ours, reference, "ragged_softmax")


def decayed(ko, name):
    """s = 0.9 s + x, over each list."""
    offsets = offsets_of(5, *size((5_000, 400), (30, 9)))
    x = floats(6, offsets[-1])

    def ours(rows):
        ops = ko.fractal
        return ops.map(lambda xs: ops.scan(lambda s, x: 0.9 * s + x, xs, initializer=np.float32(0)), rows)

    def reference(x, offsets):
        def one(at):
            s, found = 0.0, []
            for value in x[at]:
                s = 0.9 * s + value
                found.append(s)
            return found

        return np.concatenate(by_rows(one, offsets))

    return ragged(ko, name, [x, offsets], [lists_of(ko, x, offsets)], ours, reference, "ragged_decayed", tolerance=1e-4)


def recurrent(ko, name):
    """h = tanh(x + h U) over each list of rows; the last state."""
    d = size(64, 4)
    offsets = offsets_of(7, *size((256, 60), (5, 6)))
    x, u = floats(8, offsets[-1], d), floats(9, d, d) * np.float32(0.1)

    def ours(rows, u):
        ops = ko.fractal
        zero = ko.zeros((1, d))
        return ops.map(lambda xs: ops.fold(lambda h, x: ko.tanh(ko.reshape(x, (1, d)) + h @ u), xs, initializer=zero), rows)

    def reference(x, offsets, u):
        def one(at):
            h = np.zeros(d)
            for row in x[at]:
                h = np.tanh(row + h @ u)
            return h

        return np.stack(by_rows(one, offsets))[:, None]

    return ragged(
        ko, name, [x, offsets, u], [lists_of(ko, x, offsets), u], ours, reference, "ragged_recurrent", tolerance=1e-4,
    )  # fmt: skip


def sparse_product(ko, name):
    """A sparse matrix, a list of (column, value) for each row, times a vector."""
    n = size(50_000, 40)
    offsets = offsets_of(10, n, *size((30,), (5,)), least=0)
    column, value, x = places(11, n, offsets[-1]), floats(12, offsets[-1]), floats(13, n)

    def ours(columns, values, x):
        ops = ko.fractal

        def row(pair):
            terms = ops.map(lambda entry: entry[1] * x[entry[0]], ops.zip(*pair))
            return ops.reduce(ko.add, terms, initializer=np.float32(0))

        return ops.map(row, ops.zip(columns, values))

    def reference(column, value, offsets, x):
        return np.array(by_rows(lambda at: (value[at] * x[column[at]]).sum(), offsets))

    lists = [lists_of(ko, column, offsets), lists_of(ko, value, offsets), x]
    return ragged(ko, name, [column, value, offsets, x], lists, ours, reference, "ragged_sparse_product", tolerance=1e-4)


def pooled(ko, name):
    """Attention of one query for each list of rows."""
    d = size(64, 4)
    offsets = offsets_of(14, *size((2_000, 80), (6, 7)))
    x, q = floats(15, offsets[-1], d), floats(16, len(offsets) - 1, d)

    def ours(rows, q):
        ops = ko.fractal

        def one(pair):
            xs, query = pair
            scores = ops.map(lambda x: ko.sum(x * query) * 0.125, xs)
            most = ops.reduce(ko.maximum, scores)
            weights = ops.map(lambda s: ko.exp(s - most), scores)
            total = ops.reduce(ko.add, weights)
            return ops.reduce(ko.add, ops.map(lambda p: p[0] * p[1], ops.zip(weights, xs))) / total

        return ops.map(one, ops.zip(rows, q))

    def reference(x, offsets, q):
        found = []
        for i, (begin, end) in enumerate(zip(offsets[:-1], offsets[1:], strict=True)):
            s = x[begin:end] @ q[i] * 0.125
            e = np.exp(s - s.max())
            found.append(e @ x[begin:end] / e.sum())
        return np.stack(found)

    queries = ko.fractal.FractalTensor.from_offsets(q, np.array([0, len(q)]))[0]
    lists = [lists_of(ko, x, offsets), queries]
    return ragged(ko, name, [x, offsets, q], lists, ours, reference, "ragged_pooled", tolerance=1e-4)


def documents(ko, name):
    """The mean of words of a sentence, the greatest of sentences of a document: three levels of lists of rows."""
    d = size(32, 3)
    documents = offsets_of(17, *size((300, 30), (4, 3)))
    sentences = offsets_of(18, documents[-1], *size((25,), (4,)))
    x = floats(19, sentences[-1], d)

    def ours(rows):
        ops = ko.fractal

        def mean(words):
            return ops.reduce(ko.add, words) / ko.astype(ops.len(words), ko.float32)

        return ops.map(lambda document: ops.reduce(ko.maximum, ops.map(mean, document)), rows)

    def reference(x, documents, sentences):
        means = np.stack(by_rows(lambda at: x[at].mean(0), sentences))
        return np.stack(by_rows(lambda at: means[at].max(0), documents))

    given = ko.fractal.FractalTensor.from_offsets(x, documents, sentences)
    return ragged(ko, name, [x, documents, sentences], [given], ours, reference, "ragged_documents", tolerance=1e-4)


def areas(ko, name):
    """The areas of polygons, by their corners."""
    offsets = offsets_of(20, *size((50_000, 20), (9, 6)), least=3)
    x = floats(21, offsets[-1], 2)

    def ours(corners):
        ops = ko.fractal

        def area(points):
            following = ops.join(points[1:], points[:1])
            return 0.5 * ops.reduce(ko.add, ops.map(lambda p: p[0][0] * p[1][1] - p[1][0] * p[0][1], ops.zip(points, following)))

        return ops.map(area, corners)

    def reference(x, offsets):
        def one(at):
            p, q = x[at], np.roll(x[at], -1, axis=0)
            return 0.5 * (p[:, 0] * q[:, 1] - q[:, 0] * p[:, 1]).sum()

        return np.array(by_rows(one, offsets))

    return ragged(ko, name, [x, offsets], [lists_of(ko, x, offsets)], ours, reference, "ragged_areas", tolerance=1e-4)


def kept(ko, name):
    """Of each list the sum of what is above its mean."""
    offsets = offsets_of(22, *size((20_000, 100), (30, 9)))
    x = floats(23, offsets[-1])

    def ours(rows):
        ops = ko.fractal

        def row(xs):
            mean = ops.reduce(ko.add, xs) / ko.astype(ops.len(xs), ko.float32)
            return ops.reduce(ko.add, ops.filter(lambda x: x > mean, xs), initializer=np.float32(0))

        return ops.map(row, rows)

    def reference(x, offsets):
        return np.array(by_rows(lambda at: x[at][x[at] > x[at].mean()].sum(), offsets))

    return ragged(ko, name, [x, offsets], [lists_of(ko, x, offsets)], ours, reference, "ragged_kept", tolerance=1e-3)


def warped(ko, name):
    """Dynamic time warping of pairs of sequences of unequal lengths."""
    a_offsets, b_offsets = (offsets_of(k, *size((128, 60), (5, 6))) for k in (24, 25))
    a, b = floats(26, a_offsets[-1]), floats(27, b_offsets[-1])

    def ours(batch_a, batch_b):
        ops = ko.fractal
        far = np.float32(1e9)

        def cell(state, element):
            left, diagonal = state
            above, (x, y) = element
            return abs(x - y) + ko.minimum(ko.minimum(above, left), diagonal), above

        def row(above, element):
            i, xs, ys = element
            first = ko.where(i == 0, np.float32(0), far)
            found, _ = ops.scan(cell, ops.zip(above, ops.zip(xs, ys)), initializer=(far, first))
            return found

        def distance(pair):
            xs, ys = pair
            top = ops.map(lambda x: 0 * x + far, xs)
            return ops.last(ops.fold(row, ops.enumerate(*ops.product(xs, ys)), initializer=top))

        return ops.map(distance, ops.zip(batch_a, batch_b))

    def reference(a, a_offsets, b, b_offsets):
        def one(xs, ys):
            above = np.full(len(xs) + 1, 1e9)
            above[0] = 0
            for y in ys:
                now = np.full(len(xs) + 1, 1e9)
                for j, x in enumerate(xs):
                    now[j + 1] = abs(x - y) + min(above[j + 1], now[j], above[j])
                above = now
            return above[-1]

        return np.array([one(a[s], b[t]) for s, t in zip(by_rows(lambda s: s, a_offsets), by_rows(lambda t: t, b_offsets), strict=True)])

    lists = [lists_of(ko, a, a_offsets), lists_of(ko, b, b_offsets)]
    return ragged(ko, name, [a, a_offsets, b, b_offsets], lists, ours, reference, "ragged_warped", tolerance=1e-4)


def cases(ko):
    """See `named`."""
    rows = {
        "lists: 20000 normalised": normalised, "lists: softmax of 20000": softmax, "lists: decaying sums of 5000": decayed,
        "lists: recurrent cell of 64 over 256": recurrent, "lists: sparse matrix of 50000 rows": sparse_product,
        "lists: one query for each of 2000": pooled, "lists: 300 documents of sentences of words": documents,
        "lists: areas of 50000 polygons": areas, "lists: sums of what is above the mean": kept,
        "lists: warped distances of 128 pairs": warped,
    }  # fmt: skip
    return named(ko, rows)
