"""Optimisers with gradients written by hand, and searches without gradients."""

import numpy as np
from case import floats, named, places
from program import copied, program
from sizes import size


def adam(ko, name):
    """One step for many weights, with decay."""
    n = size(1_000_000, 50)

    def step(lib, w, g, m, v):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        return lib.stack([w - 0.001 * (m / 0.1 / (lib.sqrt(v / 0.001) + 1e-8) + 0.01 * w), m, v])

    inputs = [floats(1, n), floats(2, n), 0.1 * floats(3, n), 0.1 * abs(floats(4, n))]
    return program(ko, name, inputs, step, step, loops="adam")


def logistic_regression(ko, name):
    """By gradient descent with momentum; labels are 0 and 1."""
    n, features, steps = size((4000, 64, 30), (20, 4, 3))

    def step(lib, w, momentum, x, y):
        p = 1 / (1 + lib.exp(-(x @ w)))
        momentum = 0.9 * momentum + x.T @ (p - y) / n
        return w - 0.1 * momentum, momentum, x, y

    def arrays(lib, w, momentum, x, y):
        return lib.fori_loop(0, steps, lambda _, state: step(lib, *state, x, y)[:2], (w, momentum))[0]

    labels = places(2, 2, n).astype(np.float32)
    inputs = [np.zeros(features, np.float32), np.zeros(features, np.float32), floats(1, n, features), labels]
    return program(ko, name, inputs, arrays, step=step, steps=steps, loops="logistic_regression", numbers=(steps,))


def k_means(ko, name):
    """Every point to its nearest center, every center to the mean of its points."""
    n, features, k, steps = size((5000, 8, 16, 10), (30, 2, 3, 2))

    def distances(lib, centers, x):
        return lib.sum((x[:, None, :] - centers[None, :, :]) ** 2, axis=2)

    def arrays(lib, centers, x):
        def step(_, centers):
            nearest = lib.argmin(distances(lib, centers, x), axis=1)
            total = lib.zeros_like(centers).at[nearest].add(x)
            count = lib.zeros_like(centers[:, 0]).at[nearest].add(1.0)
            return total / lib.maximum(count, 1.0)[:, None]

        return lib.fori_loop(0, steps, step, centers)

    def in_place(lib, centers, x):
        for _ in range(steps):
            nearest = lib.argmin(distances(lib, centers, x), axis=1)
            one_hot = (nearest[:, None] == lib.arange(k)) * 1.0
            centers = one_hot.T @ x / lib.clip(one_hot.sum(0), 1, None)[:, None]
        return centers

    def by_torch(torch, centers, x):
        for _ in range(steps):
            nearest = torch.argmin(distances(torch, centers, x), dim=1)
            total = torch.zeros_like(centers).index_add_(0, nearest, x)
            count = torch.bincount(nearest, minlength=k)
            centers = total / torch.clamp(count, min=1)[:, None]
        return centers

    # In f64: in f32 rounding moves single points to another center, and then the centers.
    x = floats(1, n, features).astype(np.float64)
    return program(
        ko, name, [x[:k].copy(), x], arrays, in_place, loops="k_means", numbers=(steps,), torch=by_torch, tolerance=1e-9
    )


def lasso(ko, name):
    """Coordinate descent with soft thresholds: coordinates one after the other; columns are the rows of x."""
    n, features, sweeps = size((500, 100, 10), (12, 4, 2))
    weight = 0.1

    def shrunk(lib, value):
        return lib.sign(value) * lib.clip(lib.abs(value) - weight, 0.0, None)

    def arrays(lib, x, y):
        squares = lib.sum(x * x, axis=1) / n

        def coordinate(j, state):
            w, rest = state
            new = shrunk(lib, lib.sum(x[j] * rest) / n + w[j] * squares[j]) / squares[j]
            return w.at[j].set(new), rest - x[j] * (new - w[j])

        def sweep(_, state):
            return lib.fori_loop(0, features, coordinate, state)

        return lib.fori_loop(0, sweeps, sweep, (lib.zeros_like(x[:, 0]), y))[0]

    def in_place(lib, x, y):
        squares, rest, w = (x * x).sum(1) / n, copied(lib, y), lib.zeros_like(x[:, 0])
        for _ in range(sweeps):
            for j in range(features):
                new = shrunk(lib, x[j] @ rest / n + w[j] * squares[j]) / squares[j]
                rest -= x[j] * (new - w[j])
                w[j] = new
        return w

    return program(
        ko, name, [floats(1, features, n), floats(2, n)], arrays, in_place, loops="lasso", numbers=(sweeps,),
        tolerance=1e-4, compiled=False,
    )  # fmt: skip


def row_max(lib, x):
    return lib.amax(x, 1) if hasattr(lib, "amax") else lib.max(x, 1)


def perceptron(ko, name):
    """Two layers trained by gradients written by hand: forwards, softmax, backwards, update."""
    batch, features, hidden, classes, steps = size((64, 196, 128, 10, 10), (6, 5, 4, 3, 2))

    def step(lib, w1, w2, x, y):
        h = lib.tanh(x @ w1)
        scores = h @ w2
        e = lib.exp(scores - row_max(lib, scores)[:, None])
        wrong = (e / lib.sum(e, axis=1)[:, None] - y) / batch
        return w1 - 0.5 * (x.T @ (wrong @ w2.T * (1 - h * h))), w2 - 0.5 * (h.T @ wrong), x, y

    def arrays(lib, w1, w2, x, y):
        return lib.fori_loop(0, steps, lambda _, state: step(lib, *state, x, y)[:2], (w1, w2))[0]

    labels = np.eye(classes, dtype=np.float32)[places(2, classes, batch)]
    inputs = [0.1 * floats(3, features, hidden), 0.1 * floats(4, hidden, classes), floats(1, batch, features), labels]
    return program(ko, name, inputs, arrays, step=step, steps=steps, tolerance=1e-4)


def particle_swarm(ko, name):
    """For Rastrigin's function; the random numbers are given."""
    particles, dims, steps = size((1000, 10, 20), (12, 3, 2))

    def cost(lib, x):
        return lib.sum(x * x - 10 * lib.cos(6.2831853 * x) + 10, axis=1)

    def moved(lib, state, chance):
        x, v, best, best_cost = state
        leader = best[lib.argmin(best_cost)]
        v = 0.7 * v + 1.5 * chance[0] * (best - x) + 1.5 * chance[1] * (leader - x)
        x = x + v
        now = cost(lib, x)
        better = now < best_cost
        return x, v, lib.where(better[:, None], x, best), lib.where(better, now, best_cost)

    def arrays(lib, x, chances):
        state = x, lib.zeros_like(x), x, cost(lib, x)
        return lib.scan(lambda state, chance: (moved(lib, state, chance), None), state, chances)[0][3]

    def in_place(lib, x, chances):
        state = x, lib.zeros_like(x), x, cost(lib, x)
        for t in range(steps):
            state = moved(lib, state, chances[t])
        return state[3]

    inputs = [5 * floats(1, particles, dims), abs(floats(2, steps, 2, particles, dims))]
    return program(
        ko, name, inputs, arrays, in_place, loops="particle_swarm", tolerance=1e-3, outliers=0.01, compiled=False
    )


def cases(ko):
    """See `named`."""
    rows = {
        "adam 1000000": adam, "logistic regression 4000x64, 30 steps": logistic_regression,
        "k-means f64 5000x8 to 16, 10 steps": k_means, "lasso 500x100, 10 sweeps": lasso,
        "perceptron 196-128-10, 10 steps": perceptron, "particle swarm 1000x10, 20 steps": particle_swarm,
    }  # fmt: skip
    return named(ko, rows)
