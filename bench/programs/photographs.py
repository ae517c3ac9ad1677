"""More image programs: from a camera's raw pixels to colours, sizes and shapes; SRAD is Rodinia's."""

import numpy as np
from case import Case, floats, loops, named
from forms import same_text
from images import edge, gray, pixels
from sizes import size

F = np.float32


def demosaic(ko, name):
    """Red, green and blue of raw pixels G R / B G: what a pixel lacks is the mean of its neighbours that have it."""
    rows, columns = size((1080, 1920), (24, 32))

    def nest(raw):
        y = np.empty((3, rows - 2, columns - 2), raw.dtype)
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                across = (raw[i, j - 1] + raw[i, j + 1]) * F(0.5)
                down = (raw[i - 1, j] + raw[i + 1, j]) * F(0.5)
                corners = (raw[i - 1, j - 1] + raw[i - 1, j + 1] + raw[i + 1, j - 1] + raw[i + 1, j + 1]) * F(0.25)
                if i % 2 == 0 and j % 2 == 0:
                    red, green, blue = across, raw[i, j], down
                elif i % 2 == 0:
                    red, green, blue = raw[i, j], (across + down) * F(0.5), corners
                elif j % 2 == 0:
                    red, green, blue = corners, (across + down) * F(0.5), raw[i, j]
                else:
                    red, green, blue = down, raw[i, j], across
                y[0, i - 1, j - 1], y[1, i - 1, j - 1], y[2, i - 1, j - 1] = red, green, blue
        return y

    def program(library, raw):
        i, j = library.arange(1, rows - 1)[:, None] % 2 == 0, library.arange(1, columns - 1) % 2 == 0
        a, b, c = raw[:-2], raw[1:-1], raw[2:]
        centre = b[:, 1:-1]
        across, down = 0.5 * (b[:, :-2] + b[:, 2:]), 0.5 * (a[:, 1:-1] + c[:, 1:-1])
        corners = 0.25 * (a[:, :-2] + a[:, 2:] + c[:, :-2] + c[:, 2:])
        where = library.where
        red = where(i, where(j, across, centre), where(j, corners, down))
        green = where(i == j, centre, 0.5 * (across + down))
        blue = where(i, where(j, down, corners), where(j, centre, across))
        return library.stack([red, green, blue])

    return same_text(ko, name, [floats(1, rows, columns)], program, nest)


def srad(ko, name):
    """Rodinia's: ten steps of diffusion that spares edges, with the border repeated."""
    n, steps = size((200, 10), (20, 3))
    image = np.exp(gray()[:n, :n])

    def nest(given):
        image, c, flux = given.copy(), np.empty_like(given), np.empty((4, *given.shape), given.dtype)
        for _ in range(steps):
            total = squares = F(0)
            for i in range(n):
                for j in range(n):
                    total += image[i, j]
                    squares += image[i, j] * image[i, j]
            mean = total / F(n * n)
            spread = (squares / F(n * n) - mean * mean) / (mean * mean)
            for i in range(n):
                for j in range(n):
                    x = image[i, j]
                    up, down = image[max(i - 1, 0), j] - x, image[min(i + 1, n - 1), j] - x
                    left, right = image[i, max(j - 1, 0)] - x, image[i, min(j + 1, n - 1)] - x
                    flux[0, i, j], flux[1, i, j], flux[2, i, j], flux[3, i, j] = up, down, left, right
                    g = (up * up + down * down + left * left + right * right) / (x * x)
                    m = (up + down + left + right) / x
                    q = (F(0.5) * g - m * m / F(16)) / ((F(1) + F(0.25) * m) * (F(1) + F(0.25) * m))
                    v = F(1) / (F(1) + (q - spread) / (spread * (F(1) + spread)))
                    c[i, j] = min(max(v, F(0)), F(1))
            for i in range(n):
                for j in range(n):
                    south, east = c[min(i + 1, n - 1), j], c[i, min(j + 1, n - 1)]
                    flow = c[i, j] * (flux[0, i, j] + flux[2, i, j]) + south * flux[1, i, j] + east * flux[3, i, j]
                    image[i, j] += F(0.125) * flow
        return image

    def step(library, x):
        mean = library.mean(x)
        spread = (library.mean(x * x) - mean * mean) / (mean * mean)
        p = edge(library, x, 1)
        up, down = p[:-2, 1:-1] - x, p[2:, 1:-1] - x
        left, right = p[1:-1, :-2] - x, p[1:-1, 2:] - x
        g = (up**2 + down**2 + left**2 + right**2) / x**2
        m = (up + down + left + right) / x
        q = (0.5 * g - m**2 / 16) / (1 + 0.25 * m) ** 2
        c = library.clip(1 / (1 + (q - spread) / (spread * (1 + spread))), 0, 1)
        p = edge(library, c, 1)
        return x + 0.125 * (c * (up + left) + p[2:, 1:-1] * down + p[1:-1, 2:] * right)

    def in_python(library, x):
        for _ in range(steps):
            x = step(library, x)
        return x

    return Case(
        name, [image], tolerance=1e-4, reference=lambda x: in_python(np, x), numba=loops(nest),
        torch=lambda torch, x: in_python(torch, x), ours=lambda x: ko.fori_loop(0, steps, lambda _, x: step(ko, x), x),
        jax=lambda jax, x: jax.lax.fori_loop(0, steps, lambda _, x: step(jax.numpy, x), x),
    )


def resize(ko, name):
    """Bilinear, 480x640 to 675x900, by the indices that each row and column comes from."""
    rows, columns, old_rows, old_columns = size((675, 900, 480, 640), (33, 45, 24, 32))

    def nest(x):
        y = np.empty((rows, columns), x.dtype)
        for i in range(rows):
            u = min(max((F(i) + F(0.5)) * F(old_rows / rows) - F(0.5), F(0)), F(old_rows - 1))
            top = np.int32(u)
            below, u = min(top + 1, old_rows - 1), u - F(top)
            for j in range(columns):
                v = min(max((F(j) + F(0.5)) * F(old_columns / columns) - F(0.5), F(0)), F(old_columns - 1))
                left = np.int32(v)
                right, v = min(left + 1, old_columns - 1), v - F(left)
                near = x[top, left] * (F(1) - v) + x[top, right] * v
                far = x[below, left] * (F(1) - v) + x[below, right] * v
                y[i, j] = near * (F(1) - u) + far * u
        return y

    def program(library, x):
        def sources(count, extent):
            u = library.clip((library.arange(count, dtype=library.float32) + 0.5) * (extent / count) - 0.5, 0, extent - 1)
            first = library.asarray(library.floor(u), dtype=library.int32)
            return first, library.clip(first + 1, 0, extent - 1), u - first

        top, below, u = sources(rows, old_rows)
        left, right, v = sources(columns, old_columns)
        u = u[:, None]
        near = x[top[:, None], left] * (1 - v) + x[top[:, None], right] * v
        far = x[below[:, None], left] * (1 - v) + x[below[:, None], right] * v
        return near * (1 - u) + far * u

    def by_interpolate(torch, x):
        return torch.nn.functional.interpolate(x[None, None], (rows, columns), mode="bilinear")[0, 0]

    more = {"interpolate": ("torch", by_interpolate)}
    return same_text(ko, name, [gray()], program, nest, tolerance=1e-4, more=more)


def colours(ko, name):
    """Bytes of red, green and blue to bytes of luma and two chromas, by integers as JPEG's coders do."""
    shape = size((720, 1280), (24, 32))
    table = (77, 150, 29), (-43, -85, 128), (128, -107, -21)

    def nest(image):
        y = np.empty_like(image)
        for i in range(shape[0]):
            for j in range(shape[1]):
                r, g, b = np.int32(image[i, j, 0]), np.int32(image[i, j, 1]), np.int32(image[i, j, 2])
                y[i, j, 0] = (77 * r + 150 * g + 29 * b + 128) >> 8
                y[i, j, 1] = min(max(((-43 * r - 85 * g + 128 * b + 128) >> 8) + 128, 0), 255)
                y[i, j, 2] = min(max(((128 * r - 107 * g - 21 * b + 128) >> 8) + 128, 0), 255)
        return y

    def program(library, astype, image):
        r, g, b = (astype(image[..., c], library.int32) for c in range(3))
        sums = [(u * r + v * g + w * b + 128) >> 8 for u, v, w in table]
        sums = [sums[0], library.clip(sums[1] + 128, 0, 255), library.clip(sums[2] + 128, 0, 255)]
        return astype(library.stack(sums, axis=-1), library.uint8)

    method = lambda x, dtype: x.astype(dtype)
    return Case(
        name, [pixels(1, *shape, 3)], tolerance=0, reference=lambda x: program(np, method, x), numba=loops(nest),
        ours=lambda x: program(ko, ko.astype, x), jax=lambda jax, x: program(jax.numpy, method, x),
        torch=lambda torch, x: program(torch, lambda x, dtype: x.to(dtype), x),
    )


def opening(ko, name):
    """The least of 5x5 bytes, then the greatest of 5x5 of these."""
    rows, columns = size((720, 1280), (24, 32))

    def nest(x):
        low = np.empty((rows - 4, columns - 4), x.dtype)
        y = np.empty((rows - 8, columns - 8), x.dtype)
        for i in range(rows - 4):
            for j in range(columns - 4):
                least = x[i, j]
                for a in range(5):
                    for b in range(5):
                        least = min(least, x[i + a, j + b])
                low[i, j] = least
        for i in range(rows - 8):
            for j in range(columns - 8):
                most = low[i, j]
                for a in range(5):
                    for b in range(5):
                        most = max(most, low[i + a, j + b])
                y[i, j] = most
        return y

    def along(choose, x):
        rows, columns = x.shape
        y = x[: rows - 4]
        for a in range(1, 5):
            y = choose(y, x[a : a + rows - 4])
        z = y[:, : columns - 4]
        for b in range(1, 5):
            z = choose(z, y[:, b : b + columns - 4])
        return z

    program = lambda library, x: along(library.maximum, along(library.minimum, x))
    return same_text(ko, name, [pixels(1, rows, columns)], program, nest, tolerance=0)


def bilateral_grid(ko, name):
    """Halide's: pixels are summed into a coarse grid of position and value, which is blurred and read in between."""
    rows, columns, side, values = *size((480, 640), (24, 32)), 8, 11
    shape = rows // side + 2, columns // side + 2, values + 2

    def nest(x):
        grid, other = np.zeros((2, *shape), x.dtype), np.zeros((2, *shape), x.dtype)
        for i in range(rows):
            for j in range(columns):
                z = np.int32(x[i, j] * F(10) + F(0.5))
                grid[0, i // side + 1, j // side + 1, z + 1] += x[i, j]
                grid[1, i // side + 1, j // side + 1, z + 1] += F(1)
        for axis in range(3):
            a, b, c = (1 if axis == 0 else 0), (1 if axis == 1 else 0), (1 if axis == 2 else 0)
            other[:] = 0
            for p in range(2):
                for i in range(1, shape[0] - 1):
                    for j in range(1, shape[1] - 1):
                        for k in range(1, shape[2] - 1):
                            ends = grid[p, i - a, j - b, k - c] + grid[p, i + a, j + b, k + c]
                            other[p, i, j, k] = F(0.25) * ends + F(0.5) * grid[p, i, j, k]
            grid, other = other, grid
        y = np.empty_like(x)
        for i in range(rows):
            for j in range(columns):
                z = np.int32(x[i, j] * F(10))
                w = x[i, j] * F(10) - F(z)
                a = grid[:, i // side + 1, j // side + 1]
                total = a[0, z + 1] * (F(1) - w) + a[0, z + 2] * w
                y[i, j] = total / (a[1, z + 1] * (F(1) - w) + a[1, z + 2] * w)
        return y

    def program(library, as_int, add, x):
        i = (library.arange(rows) // side)[:, None]
        j = library.arange(columns) // side
        z = as_int(x * 10 + 0.5)
        empty, pairs = library.zeros((2, *shape), dtype=x.dtype), library.stack([x, library.ones_like(x)])
        grid = add(empty, (i + 1, j + 1, z + 1), pairs)

        def blurred(g, axis):
            ends = {1: (g[:, :-2, 1:-1, 1:-1], g[:, 2:, 1:-1, 1:-1]), 2: (g[:, 1:-1, :-2, 1:-1], g[:, 1:-1, 2:, 1:-1])}
            a, b = ends.get(axis, (g[:, 1:-1, 1:-1, :-2], g[:, 1:-1, 1:-1, 2:]))
            return outside(0.25 * (a + b) + 0.5 * g[:, 1:-1, 1:-1, 1:-1])

        def outside(g):
            if library.__name__ == "torch":
                return library.nn.functional.pad(g, (1, 1) * 3)
            return library.pad(g, ((0, 0), (1, 1), (1, 1), (1, 1)))

        for axis in (1, 2, 3):
            grid = blurred(grid, axis)
        z = as_int(x * 10)
        w = x * 10 - z
        total, weight = (g[i + 1, j + 1, z + 1] * (1 - w) + g[i + 1, j + 1, z + 2] * w for g in grid)
        return total / weight

    def by_torch(torch, x):
        def add(grid, index, values):
            index = [i.expand(rows, columns) for i in index]
            for g, value in zip(grid, values):
                g.index_put_(index, value, accumulate=True)
            return grid

        return program(torch, lambda x: x.int(), add, x)

    def at(library):
        return lambda grid, index, values: library.stack([g.at[index].add(v) for g, v in zip(grid, values)])

    return Case(
        name, [gray()], tolerance=1e-4, numba=loops(nest), torch=by_torch, compiled=False,
        reference=nest, ours=lambda x: program(ko, lambda x: ko.astype(x, ko.int32), at(ko), x),
        jax=lambda jax, x: program(jax.numpy, lambda x: x.astype("int32"), at(jax.numpy), x),
    )


def cases(ko):
    """See `named`."""
    rows = {
        "demosaic 1080x1920": demosaic, "SRAD, 10 steps of 200x200": srad, "bilinear 480x640 to 675x900": resize,
        "colours of 720x1280": colours, "opening 5x5 of 720x1280": opening, "bilateral grid 480x640": bilateral_grid,
    }  # fmt: skip
    return named(ko, rows)
