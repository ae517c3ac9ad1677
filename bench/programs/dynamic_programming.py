"""Tables filled by recurrences: distances, alignments, foldings, and cheapest paths."""

import numpy as np
from case import Case, floats, loops, named, places
from sizes import size

GAP, MATCH, MISMATCH = 2, 3, -1


def edit_rows(a, b):
    """The distance of one pair: the last element of the table."""
    d = np.arange(len(a) + 1)
    for i, letter in enumerate(b):
        new = np.empty_like(d)
        new[0] = i + 1
        for j in range(len(a)):
            new[j + 1] = min(d[j + 1] + 1, new[j] + 1, d[j] + (a[j] != letter))
        d = new
    return d[-1]


def edit_distance(ko, name):
    """d[i][j] = min(d[i-1][j] + 1, d[i][j-1] + 1, d[i-1][j-1] + (a[j] != b[i])), of 16 pairs, by lists."""
    pairs, n = size((16, 96), (3, 9))
    a, b = places(1, 4, pairs, n), places(2, 4, pairs, n)

    def ours(a, b):
        ops = ko.fractal

        def element(state, value):
            left, diagonal = state
            above, (x, y) = value
            return ops.minimum(ops.minimum(above, left) + 1, ops.where(x == y, diagonal, diagonal + 1)), above

        def row(above, value):
            i, x, y = value
            return ops.scan(element, ops.zip(above, ops.zip(x, y)), initializer=(i + 1, i))[0]

        def distance(pair):
            first = ops.map(lambda value: value[0] + 1, ops.enumerate(pair[0]))
            return ops.last(ops.fold(row, ops.enumerate(*ops.product(*pair)), initializer=first))

        return ops.map(distance, ops.zip(a, b))

    def nest(a, b):
        result = np.empty(len(a), np.int64)
        d = np.empty(a.shape[1] + 1, np.int64)
        for p in range(len(a)):
            for j in range(len(d)):
                d[j] = j
            for i in range(b.shape[1]):
                diagonal = d[0]
                d[0] = i + 1
                for j in range(a.shape[1]):
                    above = d[j + 1]
                    d[j + 1] = min(above + 1, d[j] + 1, diagonal + (a[p, j] != b[p, i]))
                    diagonal = above
            result[p] = d[-1]
        return result

    def by_jax(jax, a, b):
        jnp, j = jax.numpy, jax.numpy.arange(n + 1)

        def row(d, value):
            i, letters = value
            least = jnp.minimum(d[:, 1:] + 1, d[:, :-1] + (a != letters[:, None]))
            least = jnp.concat([jnp.full((pairs, 1), i + 1), least], axis=1)
            return jax.lax.cummin(least - j, 1) + j, None

        return jax.lax.scan(row, jnp.broadcast_to(j, (pairs, n + 1)), (jnp.arange(n), b.T))[0][:, -1]

    def by_torch(torch, a, b):
        j = torch.arange(n + 1)
        d = j.expand(pairs, n + 1)
        for i in range(n):
            least = torch.minimum(d[:, 1:] + 1, d[:, :-1] + (a != b[:, i, None]))
            least = torch.concat([torch.full((pairs, 1), i + 1), least], 1)
            d = torch.cummin(least - j, 1).values + j
        return d[:, -1]

    as_list = lambda x: ko.fractal.FractalTensor.from_offsets(x.reshape(-1), np.arange(0, pairs * n + 1, n))
    return Case(
        name, [a, b], tolerance=0, lists=[as_list(a), as_list(b)], ours=ours, numba=loops(nest), jax=by_jax,
        torch=by_torch, compiled=False, reference=lambda a, b: np.array([edit_rows(x, y) for x, y in zip(a, b)]),
    )


def common_subsequence(ko, name):
    """The longest one, row by row; what a row takes from its left is a running maximum."""
    n = size(1000, 30)
    a, b = places(1, 4, n), places(2, 4, n)

    def nest(a, b):
        d = np.zeros(len(a) + 1, np.int32)
        for letter in b:
            diagonal = np.int32(0)
            for j in range(len(a)):
                above = d[j + 1]
                d[j + 1] = diagonal + 1 if a[j] == letter else max(above, d[j])
                diagonal = above
        return d[-1:].copy()

    def by_scan(library, scan, running, a, b):
        def row(d, letter):
            before = library.concat([library.zeros_like(d[:1]), d[:-1]])
            return running(library.maximum(d, library.where(a == letter, before + 1, 0))), None

        return scan(row, library.zeros_like(a), b)[0][-1:]

    def by_torch(torch, a, b):
        d = torch.zeros_like(a)
        for letter in b:
            before = torch.concat([d.new_zeros(1), d[:-1]])
            d = torch.cummax(torch.maximum(d, torch.where(a == letter, before + 1, 0)), 0).values
        return d[-1:]

    return Case(
        name, [a, b], tolerance=0, reference=nest, numba=loops(nest), torch=by_torch, compiled=False,
        ours=lambda a, b: by_scan(ko, ko.scan, lambda x: ko.cumulative_max(x, axis=0), a, b),
        jax=lambda jax, a, b: by_scan(jax.numpy, jax.lax.scan, jax.lax.cummax, a, b),
    )


def smith_waterman(ko, name):
    """The best local alignment with linear gaps; arrays go along the diagonals i + j = d of the table."""
    n = size(1024, 30)
    a, b = places(1, 4, n), places(2, 4, n)

    def nest(a, b):
        row = np.zeros(len(a) + 1, np.int32)
        best = np.int32(0)
        for i in range(len(b)):
            diagonal = np.int32(0)
            for j in range(len(a)):
                above = row[j + 1]
                score = diagonal + (MATCH if a[j] == b[i] else MISMATCH)
                row[j + 1] = max(0, score, above - GAP, row[j] - GAP)
                best = max(best, row[j + 1])
                diagonal = above
        return np.array([best])

    def by_diagonals(library, fori_loop, dynamic_slice, a, b):
        blank = library.full((n,), -1, dtype=library.int32)
        mirrored = library.concat([blank, library.flip(b, (0,)), blank])
        zero = library.zeros((1,), dtype=library.int32)

        def diagonal(d, state):
            before, last, best = state
            letters = dynamic_slice(mirrored, (2 * n - 1 - d,), (n,))
            shift = lambda x: library.concat([zero, x[:-1]])
            score = shift(before) + library.where(a == letters, MATCH, MISMATCH)
            new = library.maximum(library.clip(score, 0, None), library.maximum(last, shift(last)) - GAP)
            new = library.where(letters < 0, 0, new)
            return last, new, library.maximum(best, library.max(new))

        nothing = library.zeros((n,), dtype=library.int32)
        return fori_loop(0, 2 * n - 1, diagonal, (nothing, nothing, zero[0]))[2][None]

    def in_python(library, a, b):
        def fori_loop(low, high, body, state):
            for d in range(low, high):
                state = body(d, state)
            return state

        return by_diagonals(library, fori_loop, lambda x, at, length: x[at[0] : at[0] + length[0]], a, b)

    return Case(
        name, [a, b], tolerance=0, reference=lambda a, b: in_python(np, a, b), numba=loops(nest), compiled=False,
        torch=in_python,
        ours=lambda a, b: by_diagonals(ko, ko.fori_loop, ko.dynamic_slice, a, b),
        jax=lambda jax, a, b: by_diagonals(jax.numpy, jax.lax.fori_loop, jax.lax.dynamic_slice, a, b),
    )


def nussinov(ko, name):
    """The most base pairs in a folded sequence: best[i][j] over all k of best[i][k] + best[k+1][j]."""
    n = size(120, 12)
    sequence = places(1, 4, n)

    def nest(s):
        best = np.zeros((len(s) + 1, len(s)), np.int32)
        for i in range(len(s) - 1, -1, -1):
            for j in range(i + 1, len(s)):
                most = max(best[i, j - 1], best[i + 1, j])
                most = max(most, best[i + 1, j - 1] + (1 if i < j - 1 and s[i] + s[j] == 3 else 0))
                for k in range(i + 1, j):
                    most = max(most, best[i, k] + best[k + 1, j])
                best[i, j] = most
        return best[:-1]

    def by_loops(library, fori_loop, update, s):
        k = library.arange(n)

        def element(i, j, best):
            most = library.maximum(best[i, j - 1], best[i + 1, j])
            pair = (i < j - 1) & (s[i] + s[j] == 3)
            most = library.maximum(most, best[i + 1, j - 1] + pair)
            parts = library.where((k > i) & (k < j), best[i] + best[1:, j], 0)
            return update(best, i, j, library.maximum(most, library.max(parts)))

        def row(i, best):
            i = n - 1 - i
            return fori_loop(i + 1, n, lambda j, best: element(i, j, best), best)

        return fori_loop(0, n, row, library.zeros((n + 1, n), dtype=library.int32))[:-1]

    def by_torch(torch, s):
        k = torch.arange(n)
        best = torch.zeros((n + 1, n), dtype=torch.int32)
        for i in range(n - 1, -1, -1):
            for j in range(i + 1, n):
                most = torch.maximum(best[i, j - 1], best[i + 1, j])
                most = torch.maximum(most, best[i + 1, j - 1] + (i < j - 1) * (s[i] + s[j] == 3))
                parts = best[i, i + 1 : j] + best[i + 2 : j + 1, j]
                best[i, j] = torch.maximum(most, parts.max()) if j > i + 1 else most
        return best[:-1]

    put = lambda best, i, j, value: best.at[i, j].set(value)
    return Case(
        name, [sequence], tolerance=0, reference=nest, numba=loops(nest), torch=by_torch, compiled=False,
        ours=lambda s: by_loops(ko, ko.fori_loop, put, s),
        jax=lambda jax, s: by_loops(jax.numpy, jax.lax.fori_loop, put, s),
    )


def knapsack(ko, name):
    """best[c] = max(best[c], best[c - weight] + value), item after item."""
    items, capacity = size((150, 10_000), (9, 700))
    weight, value = 1 + places(1, 400, items), floats(2, items) + 1

    def nest(weight, value):
        best = np.zeros(capacity + 1, value.dtype)
        for i in range(len(weight)):
            for c in range(capacity, weight[i] - 1, -1):
                best[c] = max(best[c], best[c - weight[i]] + value[i])
        return best

    def by_scan(library, scan, weight, value):
        c = library.arange(capacity + 1)

        def item(best, item):
            weight, value = item
            taken = best[library.maximum(c - weight, 0)] + value
            return library.maximum(best, library.where(c >= weight, taken, 0)), None

        return scan(item, library.zeros((capacity + 1,), dtype=library.float32), (weight, value))[0]

    def by_torch(torch, weight, value):
        best = torch.zeros(capacity + 1)
        for w, v in zip(weight.tolist(), value):
            best = torch.concat([best[:w], torch.maximum(best[w:], best[:-w] + v)])
        return best

    return Case(
        name, [weight, value], reference=nest, numba=loops(nest), torch=by_torch, compiled=False,
        ours=lambda *x: by_scan(ko, ko.scan, *x), jax=lambda jax, *x: by_scan(jax.numpy, jax.lax.scan, *x),
    )


def pathfinder(ko, name):
    """Rodinia's: the cheapest way down a grid, straight or to either side in each row."""
    wall = places(1, 10, *size((200, 5000), (9, 40)))

    def nest(wall):
        cost = wall[0].copy()
        new = np.empty_like(cost)
        last = len(cost) - 1
        for i in range(1, len(wall)):
            for j in range(last + 1):
                new[j] = wall[i, j] + min(cost[max(j - 1, 0)], cost[j], cost[min(j + 1, last)])
            cost, new = new, cost
        return cost

    def step(library, cost, row):
        left = library.concat([cost[:1], cost[:-1]])
        right = library.concat([cost[1:], cost[-1:]])
        return row + library.minimum(library.minimum(left, right), cost)

    def by_torch(torch, wall):
        cost = wall[0]
        for row in wall[1:]:
            cost = step(torch, cost, row)
        return cost

    return Case(
        name, [wall], tolerance=0, reference=nest, numba=loops(nest), torch=by_torch, compiled=False,
        ours=lambda wall: ko.scan(lambda cost, row: (step(ko, cost, row), None), wall[0], wall[1:])[0],
        jax=lambda jax, wall: jax.lax.scan(lambda c, row: (step(jax.numpy, c, row), None), wall[0], wall[1:])[0],
    )


def cases(ko):
    """See `named`."""
    rows = {
        "edit distance, 16 pairs of 96": edit_distance, "longest common subsequence 1000x1000": common_subsequence,
        "Smith-Waterman 1024x1024": smith_waterman, "Nussinov 120": nussinov, "knapsack 150 items to 10000": knapsack,
        "pathfinder 200x5000": pathfinder,
    }  # fmt: skip
    return named(ko, rows)
