"""Parts of models of weather and flow: diffusion, vertical advection, shallow water, a driven cavity."""

from case import floats, named
from program import copied, program
from sizes import size


def horizontal_diffusion(ko, name):
    """With a limiter on the fluxes, as COSMO and NPBench have it; levels are the last dim."""
    n, levels = size((96, 64), (8, 3))

    def diffuse(lib, x, coefficient):
        lap = 4 * x[1:-1, 1:-1] - (x[2:, 1:-1] + x[:-2, 1:-1] + x[1:-1, 2:] + x[1:-1, :-2])
        flux = lap[1:, 1:-1] - lap[:-1, 1:-1]
        flux_x = lib.where(flux * (x[2:-1, 2:-2] - x[1:-2, 2:-2]) > 0, 0.0, flux)
        flux = lap[1:-1, 1:] - lap[1:-1, :-1]
        flux_y = lib.where(flux * (x[2:-2, 2:-1] - x[2:-2, 1:-2]) > 0, 0.0, flux)
        return x[2:-2, 2:-2] - coefficient * (flux_x[1:] - flux_x[:-1] + flux_y[:, 1:] - flux_y[:, :-1])

    inputs = [floats(1, n + 4, n + 4, levels), floats(2, n, n, levels)]
    return program(ko, name, inputs, diffuse, diffuse, loops="horizontal_diffusion")


def vertical_advection(ko, name):
    """An implicit step: for every column a tridiagonal system along the levels, solved by Thomas's algorithm."""
    levels, n = size((64, 4096), (5, 8))

    def arrays(lib, u, w):
        a, c = -0.25 * w[:-1], 0.25 * w[1:]
        b = 1 - a - c

        def down(state, row):
            (c_before, d_before), (a, b, c, d) = state, row
            factor = 1 / (b - a * c_before)
            new = c * factor, (d - a * d_before) * factor
            return new, new

        def up(after, row):
            c, d = row
            new = d - c * after
            return new, new

        zero = lib.zeros_like(u[0])
        rows = lib.scan(down, (zero, zero), (a, b, c, u))[1]
        return lib.scan(up, zero, rows, reverse=True)[1]

    def in_place(lib, u, w):
        a, c = -0.25 * w[:-1], 0.25 * w[1:]
        b = 1 - a - c
        c, d = copied(lib, c), copied(lib, u)
        c[0] /= b[0]
        d[0] /= b[0]
        for k in range(1, levels):
            factor = 1 / (b[k] - a[k] * c[k - 1])
            c[k] *= factor
            d[k] = (d[k] - a[k] * d[k - 1]) * factor
        for k in range(levels - 2, -1, -1):
            d[k] -= c[k] * d[k + 1]
        return d

    inputs = [floats(1, levels, n), floats(2, levels + 1, n)]
    return program(ko, name, inputs, arrays, in_place, loops="vertical_advection", compiled=False)


def shallow_water(ko, name):
    """Height and velocities on a torus, forward in time, then the velocities from the new height."""
    n, steps = size((256, 20), (12, 3))

    def step(lib, h, u, v):
        h = h - 0.1 * (lib.roll(u, -1, 0) - u + lib.roll(v, -1, 1) - v)
        u = u - 0.1 * (h - lib.roll(h, 1, 0)) + 0.01 * v
        v = v - 0.1 * (h - lib.roll(h, 1, 1)) - 0.01 * u
        return h, u, v

    def arrays(lib, h, u, v):
        return lib.fori_loop(0, steps, lambda _, state: step(lib, *state), (h, u, v))[0]

    inputs = [floats(seed, n, n) for seed in (1, 2, 3)]
    return program(ko, name, inputs, arrays, step=step, steps=steps, loops="shallow_water", numbers=(steps,))


def cavity_flow(ko, name):
    """A fluid in a box whose lid moves: in every step a Poisson equation for the pressure, by Jacobi's method."""
    n, steps, sweeps = size((100, 10, 30), (10, 2, 3))
    dt, dx, nu = 0.0002, 0.02, 0.1

    def source(u, v):
        du_x, dv_y = (u[1:-1, 2:] - u[1:-1, :-2]) / (2 * dx), (v[2:, 1:-1] - v[:-2, 1:-1]) / (2 * dx)
        du_y, dv_x = (u[2:, 1:-1] - u[:-2, 1:-1]) / (2 * dx), (v[1:-1, 2:] - v[1:-1, :-2]) / (2 * dx)
        return (du_x + dv_y) / dt - du_x * du_x - 2 * du_y * dv_x - dv_y * dv_y

    def pressure(p, b):
        return 0.25 * (p[1:-1, 2:] + p[1:-1, :-2] + p[2:, 1:-1] + p[:-2, 1:-1] - dx * dx * b)

    def moved(q, u, v, slope):
        inner = q[1:-1, 1:-1]
        along = u[1:-1, 1:-1] * (inner - q[1:-1, :-2]) + v[1:-1, 1:-1] * (inner - q[:-2, 1:-1])
        spread = q[1:-1, 2:] + q[1:-1, :-2] + q[2:, 1:-1] + q[:-2, 1:-1] - 4 * inner
        return inner - dt / dx * along - dt / (2 * dx) * slope + nu * dt / (dx * dx) * spread

    def arrays(lib, u, v, p):
        def sweep(b):
            def once(_, p):
                p = p.at[1:-1, 1:-1].set(pressure(p, b))
                p = p.at[:, -1].set(p[:, -2])
                p = p.at[0].set(p[1])
                p = p.at[:, 0].set(p[:, 1])
                return p.at[-1].set(0.0)

            return once

        def step(_, state):
            u, v, p = state
            p = lib.fori_loop(0, sweeps, sweep(source(u, v)), p)
            new_u = moved(u, u, v, p[1:-1, 2:] - p[1:-1, :-2])
            new_v = moved(v, u, v, p[2:, 1:-1] - p[:-2, 1:-1])
            return u.at[1:-1, 1:-1].set(new_u), v.at[1:-1, 1:-1].set(new_v), p

        u, v, p = lib.fori_loop(0, steps, step, (u, v, p))
        return lib.stack([u, v])

    def step(lib, u, v, p):
        b = source(u, v)
        for _ in range(sweeps):
            p[1:-1, 1:-1] = pressure(p, b)
            p[:, -1] = p[:, -2]
            p[0] = p[1]
            p[:, 0] = p[:, 1]
            p[-1] = 0
        new_u = moved(u, u, v, p[1:-1, 2:] - p[1:-1, :-2])
        new_v = moved(v, u, v, p[2:, 1:-1] - p[:-2, 1:-1])
        u[1:-1, 1:-1], v[1:-1, 1:-1] = new_u, new_v
        return u, v, p

    u, v, p = 0.1 * floats(1, n, n), 0.1 * floats(2, n, n), floats(3, n, n)
    u[-1] = 1
    return program(
        ko, name, [u, v, p], arrays, step=step, steps=steps, finish=lambda lib, u, v, p: lib.stack([u, v]),
        loops="cavity_flow", numbers=(steps, sweeps), tolerance=1e-4,
    )  # fmt: skip


def cases(ko):
    """See `named`."""
    rows = {
        "horizontal diffusion 96x96x64": horizontal_diffusion, "vertical advection 64x4096": vertical_advection,
        "shallow water 256x256, 20 steps": shallow_water, "cavity flow 100x100, 10 steps": cavity_flow,
    }  # fmt: skip
    return named(ko, rows)
