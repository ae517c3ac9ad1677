"""Physics: particles, lattices, orbits, shocks, and sets drawn by iteration."""

import numpy as np
from case import floats, named
from program import program
from sizes import size


def n_body(ko, name):
    """Gravity between all pairs, softened; positions are [3, n]."""
    n, steps = size((400, 10), (6, 2))
    dt, soft = 0.01, 0.1

    def pull(lib, x, mass):
        d = x[:, None, :] - x[:, :, None]
        squares = lib.sum(d * d, axis=0) + soft
        return lib.sum(d * (mass[None, :] / (squares * lib.sqrt(squares))), axis=2)

    def step(lib, x, v, mass):
        v = v + dt * pull(lib, x, mass)
        return x + dt * v, v, mass

    def arrays(lib, x, v, mass):
        return lib.fori_loop(0, steps, lambda _, state: step(lib, *state, mass)[:2], (x, v))[0]

    inputs = [floats(1, 3, n), 0.1 * floats(2, 3, n), abs(floats(3, n)) / np.float32(n)]
    return program(ko, name, inputs, arrays, step=step, steps=steps, loops="n_body", numbers=(steps,))


def lennard_jones(ko, name):
    """Forces in a periodic box up to a distance, one step of the velocities."""
    side = size(8, 3)
    box, cutoff = side * 1.2, 2.5

    def forces(lib, x):
        d = x[:, :, None] - x[:, None, :]
        d = d - box * lib.round(d / box)
        squares = lib.sum(d * d, axis=0)
        near = (squares < cutoff**2) & (squares > 0)
        inverse = lib.where(near, 1 / lib.where(near, squares, 1.0), 0.0)
        sixth = inverse * inverse * inverse
        return lib.sum(24 * inverse * sixth * (2 * sixth - 1) * d, axis=2)

    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij")).reshape(3, -1)
    x = 1.2 * grid + 0.05 * floats(1, 3, side**3).astype(np.float64)
    return program(
        ko, name, [x], forces, forces, loops="lennard_jones", numbers=(float(box), cutoff), tolerance=1e-9
    )


def life(ko, name):
    """The game of life on a torus."""
    n, steps = size((256, 50), (12, 4))

    def step(lib, x):
        rows = x + lib.roll(x, 1, 0) + lib.roll(x, -1, 0)
        count = rows + lib.roll(rows, 1, 1) + lib.roll(rows, -1, 1) - x
        return (lib.where((count == 3) | ((count == 2) & (x == 1)), lib.ones_like(x), lib.zeros_like(x)),)

    def arrays(lib, x):
        return lib.fori_loop(0, steps, lambda _, x: step(lib, x)[0], x)

    x = np.random.default_rng(1).integers(0, 2, (n, n), np.uint8)
    return program(
        ko, name, [x], arrays, step=step, steps=steps, loops="life", numbers=(steps,), tolerance=0,
    )  # fmt: skip


def ising(ko, name):
    """Spins on a torus, by Metropolis, first the even ones, then the odd ones; the random numbers are given."""
    n, sweeps = size((128, 20), (8, 3))
    even = ((np.arange(n)[:, None] + np.arange(n)) % 2 == 0).astype(np.float32)

    def half(lib, spins, chance, parity):
        around = lib.roll(spins, 1, 0) + lib.roll(spins, -1, 0) + lib.roll(spins, 1, 1) + lib.roll(spins, -1, 1)
        flips = (chance < lib.exp(-0.8 * spins * around)) & (parity == 1)
        return lib.where(flips, -spins, spins)

    def arrays(lib, spins, chances, even):
        def sweep(spins, chances):
            spins = half(lib, spins, chances[0], even)
            return half(lib, spins, chances[1], 1 - even), None

        return lib.scan(sweep, spins, chances)[0]

    def in_place(lib, spins, chances, even):
        for t in range(sweeps):
            spins = half(lib, spins, chances[t, 0], even)
            spins = half(lib, spins, chances[t, 1], 1 - even)
        return spins

    inputs = [np.sign(floats(1, n, n)), abs(floats(2, sweeps, 2, n, n)), even]
    return program(ko, name, inputs, arrays, in_place, loops="ising", tolerance=0, compiled=False)


def mandelbrot(ko, name):
    """How often z = z^2 + c stays within 2, up to a bound."""
    n, most = size((512, 100), (16, 20))

    def step(lib, x, y, count, a, b):
        inside = x * x + y * y <= 4
        new_x, new_y = x * x - y * y + a, 2 * x * y + b
        x, y = lib.where(inside, new_x, x), lib.where(inside, new_y, y)
        return x, y, lib.where(inside, count + 1, count), a, b

    def finish(lib, x, y, count, a, b):
        return count

    def arrays(lib, x, y, count, a, b):
        return lib.fori_loop(0, most, lambda _, state: step(lib, *state, a, b)[:3], (x, y, count))[2]

    a, b = np.meshgrid(np.linspace(-2, 0.5, n, dtype=np.float32), np.linspace(-1.2, 1.2, n, dtype=np.float32))
    inputs = [np.zeros_like(a), np.zeros_like(a), np.zeros((n, n), np.int32), a, b]
    return program(
        ko, name, inputs, arrays, step=step, steps=most, finish=finish, loops="mandelbrot", numbers=(most,), tolerance=0,
        outliers=0.01,
    )  # fmt: skip


def lattice_boltzmann(ko, name):
    """Nine directions on a torus (D2Q9): streaming, then relaxing towards the equilibrium."""
    n, steps = size((128, 20), (8, 2))
    ways = [(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)]
    weights = [4 / 9] + [1 / 9] * 4 + [1 / 36] * 4

    def step(lib, f):
        f = lib.stack([lib.roll(lib.roll(f[k], dx, 0), dy, 1) for k, (dx, dy) in enumerate(ways)])
        density = lib.sum(f, axis=0)
        u = (f[1] - f[3] + f[5] - f[6] - f[7] + f[8]) / density
        v = (f[2] - f[4] + f[5] + f[6] - f[7] - f[8]) / density
        squares = 1.5 * (u * u + v * v)

        def relaxed(k):
            along = 3 * (ways[k][0] * u + ways[k][1] * v)
            return f[k] + 0.6 * (weights[k] * density * (1 + along + 0.5 * along * along - squares) - f[k])

        return (lib.stack([relaxed(k) for k in range(9)]),)

    def arrays(lib, f):
        return lib.fori_loop(0, steps, lambda _, f: step(lib, f)[0], f)

    f = np.array(weights, np.float32)[:, None, None] * (1 + 0.1 * floats(1, 9, n, n))
    return program(
        ko, name, [f], arrays, step=step, steps=steps, loops="lattice_boltzmann", numbers=(steps,)
    )


def lorenz(ko, name):
    """Many orbits of Lorenz's system at once, by Runge and Kutta's method of fourth order."""
    n, steps = size((10_000, 100), (20, 5))
    dt = 0.005

    def rate(x, y, z):
        return 10 * (y - x), x * (28 - z) - y, x * y - 8 / 3 * z

    def step(lib, *p):
        def after(rates, by):
            return [q + by * r for q, r in zip(p, rates, strict=True)]

        k1 = rate(*p)
        k2 = rate(*after(k1, dt / 2))
        k3 = rate(*after(k2, dt / 2))
        k4 = rate(*after(k3, dt))
        return tuple(q + dt / 6 * (a + 2 * b + 2 * c + d) for q, a, b, c, d in zip(p, k1, k2, k3, k4, strict=True))

    def arrays(lib, x, y, z):
        return lib.fori_loop(0, steps, lambda _, state: step(lib, *state), (x, y, z))[0]

    inputs = [10 * floats(seed, n) for seed in (1, 2, 3)]
    return program(ko, name, inputs, arrays, step=step, steps=steps, loops="lorenz", numbers=(steps,), tolerance=1e-3)


def shock_tube(ko, name):
    """Euler's equations of a gas along a line, by Rusanov's fluxes."""
    n, steps = size((4096, 50), (20, 3))
    ratio = 0.1

    def step(lib, q):
        density, momentum, energy = q[0], q[1], q[2]
        u = momentum / density
        p = 0.4 * (energy - 0.5 * momentum * u)
        flux = lib.stack([momentum, momentum * u + p, u * (energy + p)])
        speed = lib.abs(u) + lib.sqrt(1.4 * p / density)
        fastest = lib.maximum(speed[1:], speed[:-1])
        between = 0.5 * (flux[:, 1:] + flux[:, :-1]) - 0.5 * fastest * (q[:, 1:] - q[:, :-1])
        change = ratio * (between[:, 1:] - between[:, :-1])
        if hasattr(q, "at"):
            return (q.at[:, 1:-1].add(-change),)
        q[:, 1:-1] -= change
        return (q,)

    def arrays(lib, q):
        return lib.fori_loop(0, steps, lambda _, q: step(lib, q)[0], q)

    left = np.arange(n) < n // 2
    q = np.stack([np.where(left, 1, 0.125), np.zeros(n), np.where(left, 2.5, 0.25)]).astype(np.float32)
    return program(ko, name, [q], arrays, step=step, steps=steps, loops="shock_tube", numbers=(steps,))


def cases(ko):
    """See `named`."""
    rows = {
        "n-body 400, 10 steps": n_body, "lennard-jones f64 512": lennard_jones, "life 256x256, 50 steps": life,
        "ising 128x128, 20 sweeps": ising, "mandelbrot 512x512, 100 iterations": mandelbrot,
        "lattice boltzmann 128x128, 20 steps": lattice_boltzmann, "lorenz 10000 orbits, 100 steps": lorenz,
        "shock tube 4096, 50 steps": shock_tube,
    }  # fmt: skip
    return named(ko, rows)
