"""Programs on graphs: by lists of edges, by lists of neighbours, and by matrices."""

import numpy as np
from case import Case, floats, loops, named, places
from program import LOOPS
from sizes import size


def random_edges(seed, nodes, edges):
    """(sources, targets, offsets) of edges sorted by source: those of node i stand at offsets[i] .. offsets[i + 1]."""
    pairs = np.sort(np.random.default_rng(seed).integers(0, nodes * nodes, edges))
    sources, targets = (pairs // nodes).astype(np.int32), (pairs % nodes).astype(np.int32)
    return sources, targets, np.searchsorted(sources, np.arange(nodes + 1)).astype(np.int32)


def long_edges(nodes):
    """A ring whose nodes know the next two, and some shortcuts, both ways: paths of many steps."""
    i = np.arange(nodes)
    more = np.random.default_rng(3).integers(0, nodes, (2, nodes // 32))
    one = np.concatenate([i, i, more[0]]), np.concatenate([(i + 1) % nodes, (i + 2) % nodes, more[1]])
    sources, targets = np.concatenate(one), np.concatenate(one[::-1])
    order = np.lexsort((targets, sources))
    return sources[order].astype(np.int32), targets[order].astype(np.int32)


def rows_of(ko, values, offsets):
    return ko.fractal.FractalTensor.from_offsets(values, offsets.astype(np.int64))


def breadth_first(ko, name):
    """After Rodinia's: the level of each node, by masks of the frontier over all edges, until it is empty."""
    nodes = size(4096, 40)
    sources, targets = long_edges(nodes)

    def nest(sources, targets):
        level = np.full(nodes, -1, np.int32)
        level[0] = 0
        depth, found = 0, True
        while found:
            found = False
            for e in range(len(sources)):
                if level[sources[e]] == depth and level[targets[e]] < 0:
                    level[targets[e]] = depth + 1
                    found = True
            depth += 1
        return level

    def by_masks(library, while_loop, sources, targets):
        def step(state):
            level, depth, _ = state
            reached = library.zeros((nodes,), dtype=library.int32).at[targets].max(
                library.astype(level[sources] == depth, library.int32)
            )
            new = (reached > 0) & (level < 0)
            return library.where(new, depth + 1, level), depth + 1, library.any(new)

        start = library.where(library.arange(nodes) == 0, 0, -1)
        first = (start, library.asarray(0), library.asarray(True))
        return while_loop(lambda state: state[2], step, first)[0]

    def by_torch(torch, sources, targets):
        level = torch.full((nodes,), -1, dtype=torch.int32)
        level[0] = 0
        depth, found = 0, True
        while found:
            reached = torch.zeros(nodes, dtype=torch.bool)
            reached[targets[level[sources] == depth]] = True
            new = reached & (level < 0)
            level[new] = depth + 1
            depth, found = depth + 1, bool(new.any())
        return level

    return Case(
        name, [sources, targets], tolerance=0, reference=nest, numba=loops(nest), torch=by_torch, compiled=False,
        ours=lambda *x: by_masks(ko, ko.while_loop, *x),
        jax=lambda jax, *x: by_masks(jax.numpy, jax.lax.while_loop, *x),
    )


def degrees(sources, nodes):
    return np.maximum(np.bincount(sources, minlength=nodes), 1).astype(np.float32)


def page_rank(ko, name):
    """20 steps over the edges: rank = 0.15 / n + 0.85 * the sum over edges of rank / degree."""
    nodes, edges = size((4096, 65536), (40, 200))
    sources, targets, _ = random_edges(1, nodes, edges)
    share = np.float32(0.85) / degrees(sources, nodes)

    def nest(share, sources, targets):
        rank = np.full_like(share, 1 / nodes)
        new = np.empty_like(share)
        for _ in range(20):
            new[:] = 0.15 / nodes
            for e in range(len(sources)):
                new[targets[e]] += rank[sources[e]] * share[sources[e]]
            rank, new = new, rank
        return rank

    def step(added, rank, share, sources, targets):
        return 0.15 / nodes + added((rank * share)[sources], targets)

    def by_loop(library, fori_loop, added, share, sources, targets):
        body = lambda _, rank: step(added, rank, share, sources, targets)
        return fori_loop(0, 20, body, library.full((nodes,), 1 / nodes, dtype=library.float32))

    def by_torch(torch, share, sources, targets):
        rank = torch.full((nodes,), 1 / nodes)
        for _ in range(20):
            rank = step(lambda x, i: torch.zeros(nodes).index_add(0, i, x), rank, share, sources, targets)
        return rank

    return Case(
        name, [share, sources, targets], reference=nest, numba=loops(nest), torch=by_torch, compiled=False,
        ours=lambda *x: by_loop(ko, ko.fori_loop, lambda y, i: ko.segment_sum(y, i, nodes), *x),
        jax=lambda jax, *x: by_loop(jax.numpy, jax.lax.fori_loop, lambda y, i: jax.ops.segment_sum(y, i, nodes), *x),
    )


def page_rank_by_lists(ko, name):
    """The same with the list of each node's predecessors."""
    nodes, edges = size((4096, 65536), (40, 200))
    targets, sources, offsets = random_edges(2, nodes, edges)
    share = np.float32(0.85) / degrees(sources, nodes)

    def nest(share, sources, offsets):
        rank = np.full_like(share, 1 / nodes)
        new = np.empty_like(share)
        given = np.empty_like(share)
        for _ in range(20):
            for i in range(len(share)):
                given[i] = rank[i] * share[i]
            for i in range(len(share)):
                total = given.dtype.type(0.15 / nodes)
                for e in range(offsets[i], offsets[i + 1]):
                    total += given[sources[e]]
                new[i] = total
            rank, new = new, rank
        return rank

    def ours(share, predecessors):
        ops = ko.fractal

        def step(_, rank):
            given = rank * share
            add = lambda total, j: total + given[j]
            sums = ops.map(lambda row: ops.fold(add, row, initializer=np.float32(0)), predecessors)
            return 0.15 / nodes + ops.stack(sums)

        return ko.fori_loop(0, 20, step, ko.full((nodes,), 1 / nodes, dtype=ko.float32))

    def by_jax(jax, share, sources, offsets):
        rows = jax.numpy.repeat(jax.numpy.arange(nodes), offsets[1:] - offsets[:-1], total_repeat_length=edges)
        added = lambda x: jax.ops.segment_sum(x, rows, nodes, indices_are_sorted=True)
        body = lambda _, rank: 0.15 / nodes + added((rank * share)[sources])
        return jax.lax.fori_loop(0, 20, body, jax.numpy.full((nodes,), 1 / nodes))

    def by_torch(torch, share, sources, offsets):
        matrix = torch.sparse_csr_tensor(offsets, sources, torch.ones(edges), (nodes, nodes))
        rank = torch.full((nodes,), 1 / nodes)
        for _ in range(20):
            rank = 0.15 / nodes + matrix @ (rank * share)
        return rank

    return Case(
        name, [share, sources, offsets], lists=[share, rows_of(ko, sources, offsets)], ours=ours, reference=nest,
        numba=loops(nest), jax=by_jax, torch=by_torch, compiled=False,
    )


def shortest_paths(ko, name, nodes):
    """Floyd and Warshall's: all pairs, through one node after the other."""
    n = size(nodes, 20)
    distance = np.where(floats(1, n, n) > -0.9, np.float32(1e6), floats(2, n, n) + np.float32(1.01)).astype(np.float32)

    def by_steps(lib, d):
        for k in range(n):
            d = lib.minimum(d, d[:, k, None] + d[k])
        return d

    def by_loop(library, fori_loop, d):
        return fori_loop(0, n, lambda k, d: library.minimum(d, d[:, k][:, None] + d[k]), d)

    return Case(
        name, [distance], reference=lambda d: by_steps(np, d), source=LOOPS / "floyd_warshall", torch=by_steps, compiled=False,
        ours=lambda d: by_loop(ko, ko.fori_loop, d), jax=lambda jax, d: by_loop(jax.numpy, jax.lax.fori_loop, d),
    )


def bellman_ford(ko, name):
    """Distances from node 0: all edges are relaxed until none gets shorter."""
    nodes = size(4096, 40)
    sources, targets, _ = random_edges(4, nodes, 4 * nodes)
    length = floats(1, len(sources)) + np.float32(1.1)

    def nest(sources, targets, length):
        d = np.full(nodes, 1e6).astype(length.dtype)
        d[0] = 0
        shorter = True
        while shorter:
            shorter = False
            last = d.copy()
            for e in range(len(sources)):
                there = last[sources[e]] + length[e]
                if there < d[targets[e]]:
                    d[targets[e]] = there
                    shorter = True
        return d

    def by_loop(library, while_loop, sources, targets, length):
        def step(state):
            d = state[0]
            new = d.at[targets].min(d[sources] + length)
            return new, library.any(new < d)

        start = library.where(library.arange(nodes) == 0, 0.0, 1e6)
        return while_loop(lambda state: state[1], step, (start, library.asarray(True)))[0]

    def by_torch(torch, sources, targets, length):
        d = torch.full((nodes,), 1e6)
        d[0] = 0
        while True:
            new = d.scatter_reduce(0, targets.long(), d[sources] + length, "amin")
            if torch.equal(new, d):
                return d
            d = new

    return Case(
        name, [sources, targets, length], reference=nest, numba=loops(nest), torch=by_torch, compiled=False,
        ours=lambda *x: by_loop(ko, ko.while_loop, *x), jax=lambda jax, *x: by_loop(jax.numpy, jax.lax.while_loop, *x),
    )


def components(ko, name):
    """Connected components: the least number among a node and its neighbours, until nothing changes."""
    nodes = size(4096, 40)
    sources, targets, _ = random_edges(5, nodes, nodes)

    def nest(sources, targets):
        label = np.arange(nodes).astype(np.int32)
        changed = True
        while changed:
            changed = False
            for one, other in ((sources, targets), (targets, sources)):
                last = label.copy()
                for e in range(len(one)):
                    if last[one[e]] < label[other[e]]:
                        label[other[e]] = last[one[e]]
                        changed = True
        return label

    def by_loop(library, while_loop, sources, targets):
        def step(state):
            label = state[0]
            new = label.at[targets].min(label[sources])
            new = new.at[sources].min(new[targets])
            return new, library.any(new != label)

        start = library.arange(nodes), library.asarray(True)
        return while_loop(lambda state: state[1], step, start)[0]

    def by_torch(torch, sources, targets):
        label, sources, targets = torch.arange(nodes), sources.long(), targets.long()
        while True:
            new = label.scatter_reduce(0, targets, label[sources], "amin")
            new = new.scatter_reduce(0, sources, new[targets], "amin")
            if torch.equal(new, label):
                return label
            label = new

    return Case(
        name, [sources, targets], tolerance=0, reference=nest, numba=loops(nest), torch=by_torch, compiled=False,
        ours=lambda *x: by_loop(ko, ko.while_loop, *x), jax=lambda jax, *x: by_loop(jax.numpy, jax.lax.while_loop, *x),
    )


def triangles(ko, name):
    """How many there are: a sixth of the sum of (A A) * A, as products of matrices."""
    n = size(400, 30)
    upper = np.triu(floats(1, n, n) > 0.8, 1)
    adjacent = (upper | upper.T).astype(np.float32)

    def nest(a):
        count = 0
        for i in range(len(a)):
            for j in range(i + 1, len(a)):
                if a[i, j] != 0:
                    for k in range(j + 1, len(a)):
                        if a[i, k] != 0 and a[j, k] != 0:
                            count += 1
        return np.array([count], np.float32)

    count = lambda library, a: library.sum((a @ a) * a)[None] / 6
    return Case(
        name, [adjacent], reference=nest, numba=loops(nest), ours=lambda a: count(ko, a),
        torch=lambda torch, a: count(torch, a), jax=lambda jax, a: count(jax.numpy, a),
    )


def sparse_product(ko, name):
    """A matrix in CSR times a vector, each row a list of (column, value)."""
    nodes, edges = size((4096, 65536), (40, 200))
    _, columns, offsets = random_edges(6, nodes, edges)
    values, x = floats(1, edges), floats(2, nodes)

    def nest(values, columns, offsets, x):
        y = np.empty_like(x)
        for i in range(len(y)):
            total = x[0] * 0
            for e in range(offsets[i], offsets[i + 1]):
                total += values[e] * x[columns[e]]
            y[i] = total
        return y

    def ours(values, columns, x):
        ops = ko.fractal
        row = lambda pair: ops.reduce(ops.add, ops.map(lambda p: p[0] * x[p[1]], ops.zip(*pair)), initializer=0.0)
        return ops.map(row, ops.zip(values, columns))

    def by_jax(jax, values, columns, offsets, x):
        rows = jax.numpy.repeat(jax.numpy.arange(nodes), offsets[1:] - offsets[:-1], total_repeat_length=edges)
        return jax.ops.segment_sum(values * x[columns], rows, nodes, indices_are_sorted=True)

    return Case(
        name, [values, columns, offsets, x], ours=ours, reference=nest, numba=loops(nest), jax=by_jax, compiled=False,
        lists=[rows_of(ko, values, offsets), rows_of(ko, columns, offsets), x],
        torch=lambda torch, v, c, o, x: torch.sparse_csr_tensor(o, c, v, (nodes, nodes)) @ x,
    )


def graph_layer(ko, name):
    """A graph convolution: messages are added along edges, then a product with weights."""
    nodes, edges = size((4096, 65536), (40, 200))
    sources, targets, _ = random_edges(7, nodes, edges)
    width = size(64, 6)
    x, w = floats(1, nodes, width), floats(2, width, width)

    def nest(x, sources, targets, w):
        added = np.zeros_like(x)
        for e in range(len(sources)):
            for k in range(width):
                added[targets[e], k] += x[sources[e], k]
        y = np.empty_like(x)
        for i in range(nodes):
            for k in range(width):
                y[i, k] = 0
            for m in range(width):
                for k in range(width):
                    y[i, k] += added[i, m] * w[m, k]
            for k in range(width):
                y[i, k] = max(y[i, k], x[0, 0] * 0)
        return y

    def by_numpy(x, sources, targets, w):
        added = np.zeros_like(x)
        np.add.at(added, targets, x[sources])
        return np.maximum(added @ w, 0)

    return Case(
        name, [x, sources, targets], weights=[w], reference=by_numpy, numba=loops(nest),
        ours=lambda x, s, t, w: ko.relu(ko.segment_sum(x[s], t, nodes) @ w),
        torch=lambda torch, x, s, t, w: torch.relu(torch.zeros(nodes, width).index_add(0, t, x[s]) @ w),
        jax=lambda jax, x, s, t, w: jax.nn.relu(jax.ops.segment_sum(x[s], t, nodes) @ w),
    )


def cases(ko):
    """See `named`."""
    rows = {
        "breadth-first search, 4096 nodes, long": breadth_first, "PageRank by edges, 65536": page_rank,
        "PageRank by lists, 65536": page_rank_by_lists, "Floyd-Warshall 256": lambda ko, n: shortest_paths(ko, n, 256),
        "Floyd-Warshall 400": lambda ko, n: shortest_paths(ko, n, 400),
        "Bellman-Ford, 4096 nodes, 16384 edges": bellman_ford, "connected components, 4096 nodes": components,
        "triangles in 400 nodes": triangles, "CSR product by lists, 65536": sparse_product,
        "graph convolution, 65536 edges of 64": graph_layer,
    }  # fmt: skip
    return named(ko, rows)
