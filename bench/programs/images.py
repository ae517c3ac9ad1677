"""Image programs after Halide's apps, Rodinia and the text books: filters, features, colours and pyramids."""

import math

import numpy as np
from case import Case, floats, loops, named, places
from forms import same_text
from sizes import size

F = np.float32

def shape():
    return size((480, 640), (24, 32))


def gray(seed=1):
    return (floats(seed, *shape()) + 1) / 2


def pixels(seed, *shape):
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


def edge(library, x, n):
    """The image with its border repeated n times on every side."""
    if library.__name__ == "torch":
        return library.nn.functional.pad(x[None, None], (n, n, n, n), mode="replicate")[0, 0]
    return library.pad(x, n, mode="edge")


def blur(ko, name):
    """A mean of 3 along rows, then of 3 along columns."""

    def nest(x):
        rows, columns = x.shape
        h = np.empty((rows, columns - 2), x.dtype)
        y = np.empty((rows - 2, columns - 2), x.dtype)
        for i in range(rows):
            for j in range(columns - 2):
                h[i, j] = (x[i, j] + x[i, j + 1] + x[i, j + 2]) / F(3)
        for i in range(rows - 2):
            for j in range(columns - 2):
                y[i, j] = (h[i, j] + h[i + 1, j] + h[i + 2, j]) / F(3)
        return y

    def program(library, x):
        h = (x[:, :-2] + x[:, 1:-1] + x[:, 2:]) / 3
        return (h[:-2] + h[1:-1] + h[2:]) / 3

    return same_text(ko, name, [floats(1, *size((1080, 1920), (24, 32)))], program, nest)


TAPS = [math.exp(-i * i / 4.5) / (1.5 * math.sqrt(2 * math.pi)) for i in range(-3, 4)]


def unsharp(ko, name):
    """Each colour times 2 - blurred / gray, with a Gaussian of 7 taps along either axis."""
    rows, columns = shape()
    image = (floats(1, 3, rows, columns) + F(1.1)) / 2
    taps = np.array(TAPS, F)

    def nest(image):
        g = np.empty(image.shape[1:], image.dtype)
        v, y = np.empty_like(g), np.empty_like(image)
        for i in range(rows):
            for j in range(columns):
                g[i, j] = F(0.299) * image[0, i, j] + F(0.587) * image[1, i, j] + F(0.114) * image[2, i, j]
        for i in range(rows):
            for j in range(columns):
                total = F(0)
                for k in range(7):
                    total += taps[k] * g[min(max(i + k - 3, 0), rows - 1), j]
                v[i, j] = total
        for i in range(rows):
            for j in range(columns):
                total = F(0)
                for k in range(7):
                    total += taps[k] * v[i, min(max(j + k - 3, 0), columns - 1)]
                ratio = F(2) - total / g[i, j]
                for c in range(3):
                    y[c, i, j] = ratio * image[c, i, j]
        return y

    def program(library, image):
        g = 0.299 * image[0] + 0.587 * image[1] + 0.114 * image[2]
        padded = edge(library, g, 3)
        v = sum(tap * padded[k : k + rows] for k, tap in enumerate(TAPS))
        h = sum(tap * v[:, k : k + columns] for k, tap in enumerate(TAPS))
        return (2 - h / g) * image

    return same_text(ko, name, [image], program, nest)


def pyramid(ko, name):
    """A level of a Laplacian pyramid: the image without what remains after going to half its size and back."""
    rows, columns = shape()

    def nest(x):
        m_end, n_end = rows // 2, columns // 2
        small, y = np.empty((m_end, n_end), x.dtype), np.empty_like(x)
        taps = np.array([0.125, 0.375, 0.375, 0.125], F)
        h = np.empty((rows, n_end), x.dtype)
        for i in range(rows):
            for j in range(n_end):
                total = F(0)
                for k in range(4):
                    total += taps[k] * x[i, min(max(2 * j + k - 1, 0), columns - 1)]
                h[i, j] = total
        for i in range(m_end):
            for j in range(n_end):
                total = F(0)
                for k in range(4):
                    total += taps[k] * h[min(max(2 * i + k - 1, 0), rows - 1), j]
                small[i, j] = total
        for i in range(rows):
            m = i // 2
            other = min(max(m - 1 + 2 * (i % 2), 0), m_end - 1)
            for j in range(columns):
                n = j // 2
                beside = min(max(n - 1 + 2 * (j % 2), 0), n_end - 1)
                near = F(0.75) * small[m, n] + F(0.25) * small[m, beside]
                far = F(0.75) * small[other, n] + F(0.25) * small[other, beside]
                y[i, j] = x[i, j] - (F(0.75) * near + F(0.25) * far)
        return y

    def program(library, x):
        p = edge(library, x, 1)
        h = 0.125 * (p[:, :-2:2] + p[:, 3::2]) + 0.375 * (p[:, 1:-2:2] + p[:, 2::2])
        small = 0.125 * (h[:-2:2] + h[3::2]) + 0.375 * (h[1:-2:2] + h[2::2])
        p = edge(library, small, 1)
        v = library.stack([0.75 * p[1:-1] + 0.25 * p[:-2], 0.75 * p[1:-1] + 0.25 * p[2:]], axis=1)
        v = v.reshape((rows, columns // 2 + 2))
        u = library.stack([0.75 * v[:, 1:-1] + 0.25 * v[:, :-2], 0.75 * v[:, 1:-1] + 0.25 * v[:, 2:]], axis=2)
        return x - u.reshape((rows, columns))

    return same_text(ko, name, [gray()], program, nest)


def bilateral(ko, name):
    """A mean of 5x5 neighbours, each weighted by how near it is in position and in value."""
    rows, columns = size((240, 320), (24, 32))

    def nest(x):
        y = np.empty((rows - 4, columns - 4), x.dtype)
        for i in range(rows - 4):
            for j in range(columns - 4):
                centre, total, weights = x[i + 2, j + 2], F(0), F(0)
                for a in range(5):
                    for b in range(5):
                        d = x[i + a, j + b] - centre
                        w = np.exp(-F((a - 2) ** 2 + (b - 2) ** 2) / F(4.5) - d * d / F(0.02))
                        total += w * x[i + a, j + b]
                        weights += w
                y[i, j] = total / weights
        return y

    def program(library, x):
        centre, total, weights = x[2:-2, 2:-2], 0, 0
        for a in range(5):
            for b in range(5):
                there = x[a : a + rows - 4, b : b + columns - 4]
                w = library.exp(-((a - 2) ** 2 + (b - 2) ** 2) / 4.5 - (there - centre) ** 2 / 0.02)
                total, weights = total + w * there, weights + w
        return total / weights

    return same_text(ko, name, [gray()[:rows, :columns].copy()], program, nest)


def sobel(x):
    """Slopes along either axis, without the border."""
    a, b, c = x[:-2], x[1:-1], x[2:]
    across = (a[:, 2:] - a[:, :-2]) + 2 * (b[:, 2:] - b[:, :-2]) + (c[:, 2:] - c[:, :-2])
    down = (c[:, :-2] - a[:, :-2]) + 2 * (c[:, 1:-1] - a[:, 1:-1]) + (c[:, 2:] - a[:, 2:])
    return across, down


def canny(ko, name):
    """Sobel's slopes, kept where they are greatest along their direction; of integers, so that all agree."""
    rows, columns = shape()

    def nest(x):
        m = np.zeros((rows - 2, columns - 2), np.int32)
        gx, gy = np.empty_like(m), np.empty_like(m)
        for i in range(rows - 2):
            for j in range(columns - 2):
                across = x[i, j + 2] - x[i, j] + 2 * (x[i + 1, j + 2] - x[i + 1, j]) + x[i + 2, j + 2] - x[i + 2, j]
                down = x[i + 2, j] - x[i, j] + 2 * (x[i + 2, j + 1] - x[i, j + 1]) + x[i + 2, j + 2] - x[i, j + 2]
                gx[i, j], gy[i, j], m[i, j] = across, down, abs(across) + abs(down)
        y = np.zeros((rows - 4, columns - 4), np.int32)
        for i in range(1, rows - 3):
            for j in range(1, columns - 3):
                w, h = abs(gx[i, j]), abs(gy[i, j])
                if 5 * h < 2 * w:
                    one, other = m[i, j - 1], m[i, j + 1]
                elif 5 * w < 2 * h:
                    one, other = m[i - 1, j], m[i + 1, j]
                elif gx[i, j] * gy[i, j] > 0:
                    one, other = m[i - 1, j - 1], m[i + 1, j + 1]
                else:
                    one, other = m[i - 1, j + 1], m[i + 1, j - 1]
                if m[i, j] >= one and m[i, j] >= other and m[i, j] > 300:
                    y[i - 1, j - 1] = m[i, j]
        return y

    def program(library, x):
        gx, gy = sobel(x)
        m = abs(gx) + abs(gy)
        centre, gx, gy = m[1:-1, 1:-1], gx[1:-1, 1:-1], gy[1:-1, 1:-1]
        w, h = abs(gx), abs(gy)
        flat, steep, falling = 5 * h < 2 * w, 5 * w < 2 * h, gx * gy > 0
        choose = lambda *four: library.where(
            flat, four[0], library.where(steep, four[1], library.where(falling, four[2], four[3]))
        )
        one = choose(m[1:-1, :-2], m[:-2, 1:-1], m[:-2, :-2], m[:-2, 2:])
        other = choose(m[1:-1, 2:], m[2:, 1:-1], m[2:, 2:], m[2:, :-2])
        return library.where((centre >= one) & (centre >= other) & (centre > 300), centre, 0)

    return same_text(ko, name, [places(1, 256, rows, columns)], program, nest, tolerance=0)


def equalise(ko, name):
    """A histogram of 256 grays, its running sum as a table, and the image through the table."""
    image = (pixels(1, *size((1080, 1920), (24, 32))) // 2 + 40).astype(np.uint8)

    def nest(image):
        count = np.zeros(256, np.int32)
        for i in range(image.shape[0]):
            for j in range(image.shape[1]):
                count[image[i, j]] += 1
        table = np.empty(256, np.uint8)
        total = 0
        for k in range(256):
            total += count[k]
            table[k] = total * 255 // image.size
        y = np.empty_like(image)
        for i in range(image.shape[0]):
            for j in range(image.shape[1]):
                y[i, j] = table[image[i, j]]
        return y

    def program(running, index, u8, counts, image):
        total = running(counts(image.reshape(-1)))
        return u8(total * 255 // math.prod(image.shape))[index(image)]

    same = lambda x: x
    return Case(
        name, [image], tolerance=0, reference=nest, numba=loops(nest),
        ours=lambda x: program(
            ko.cumulative_sum, same, lambda x: ko.astype(x, ko.uint8), lambda x: ko.bincount(x, length=256), x
        ),
        jax=lambda jax, x: program(
            jax.numpy.cumsum, same, lambda x: x.astype("uint8"), lambda x: jax.numpy.bincount(x, length=256), x
        ),
        torch=lambda torch, x: program(
            lambda x: torch.cumsum(x, 0), lambda x: x.int(), lambda x: x.to(torch.uint8),
            lambda x: torch.bincount(x, minlength=256), x,
        ),
    )


def harris(ko, name):
    """Corners: the determinant of summed products of slopes, less a share of the squared trace."""
    rows, columns = shape()

    def nest(x):
        gx, gy = np.empty((rows - 2, columns - 2), x.dtype), np.empty((rows - 2, columns - 2), x.dtype)
        for i in range(rows - 2):
            for j in range(columns - 2):
                across = x[i, j + 2] - x[i, j] + F(2) * (x[i + 1, j + 2] - x[i + 1, j])
                gx[i, j] = across + x[i + 2, j + 2] - x[i + 2, j]
                down = x[i + 2, j] - x[i, j] + F(2) * (x[i + 2, j + 1] - x[i, j + 1])
                gy[i, j] = down + x[i + 2, j + 2] - x[i, j + 2]
        y = np.empty((rows - 4, columns - 4), x.dtype)
        for i in range(rows - 4):
            for j in range(columns - 4):
                xx = yy = xy = F(0)
                for a in range(3):
                    for b in range(3):
                        p, q = gx[i + a, j + b], gy[i + a, j + b]
                        xx, yy, xy = xx + p * p, yy + q * q, xy + p * q
                y[i, j] = xx * yy - xy * xy - F(0.04) * (xx + yy) * (xx + yy)
        return y

    def program(library, x):
        gx, gy = sobel(x)
        box = lambda x: sum(x[a : a + rows - 4, b : b + columns - 4] for a in range(3) for b in range(3))
        xx, yy, xy = box(gx * gx), box(gy * gy), box(gx * gy)
        return xx * yy - xy * xy - 0.04 * (xx + yy) ** 2

    return same_text(ko, name, [gray()], program, nest)


def median(ko, name):
    """The median of 3x3: of the least of three greatest, the median of three medians, and the greatest of three least."""

    def nest(x):
        rows, columns = x.shape
        least, mid, most = np.empty((3, rows - 2, columns), x.dtype)
        for i in range(rows - 2):
            for j in range(columns):
                a, b, c = x[i, j], x[i + 1, j], x[i + 2, j]
                low, high = min(a, b), max(a, b)
                least[i, j], mid[i, j], most[i, j] = min(low, c), max(low, min(high, c)), max(high, c)
        y = np.empty((rows - 2, columns - 2), x.dtype)
        for i in range(rows - 2):
            for j in range(columns - 2):
                p = max(max(least[i, j], least[i, j + 1]), least[i, j + 2])
                r = min(min(most[i, j], most[i, j + 1]), most[i, j + 2])
                low, high = min(mid[i, j], mid[i, j + 1]), max(mid[i, j], mid[i, j + 1])
                q = max(low, min(high, mid[i, j + 2]))
                y[i, j] = max(min(p, q), min(max(p, q), r))
        return y

    def program(library, x):
        low, high = library.minimum, library.maximum
        middle = lambda a, b, c: high(low(a, b), low(high(a, b), c))
        a, b, c = x[:-2], x[1:-1], x[2:]
        least, mid, most = low(low(a, b), c), middle(a, b, c), high(high(a, b), c)
        parts = lambda x: (x[:, :-2], x[:, 1:-1], x[:, 2:])
        (a, b, c), (d, e, f) = parts(least), parts(most)
        return middle(high(high(a, b), c), middle(*parts(mid)), low(low(d, e), f))

    return same_text(ko, name, [floats(1, *size((1080, 1920), (24, 32)))], program, nest, tolerance=0)


def cases(ko):
    """See `named`."""
    rows = {
        "blur 3x3 of 1080x1920": blur, "unsharp mask 3x480x640": unsharp, "Laplacian pyramid level 480x640": pyramid,
        "bilateral filter 5x5 of 240x320": bilateral, "Canny edges 480x640": canny,
        "histogram equalisation 1080x1920": equalise, "Harris corners 480x640": harris, "median 3x3 of 1080x1920": median,
    }  # fmt: skip
    return named(ko, rows)
