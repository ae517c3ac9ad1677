"""Programs of statistics, finance and measurement; go_fast and crc32 are NPBench's."""

import math

import numpy as np
from case import Case, floats, loops, named, places
from forms import same_text
from sizes import size

F, PI = np.float32, math.pi


def k_means(ko, name):
    """One step: the nearest of 32 centres for each point, then the mean of the points of each."""
    points, centres, width = size((10_000, 32, 8), (200, 5, 3))
    x = floats(1, points, width)

    def nest(x, c):
        total, count = np.zeros_like(c), np.zeros(len(c), np.int32)
        for i in range(len(x)):
            nearest, least = 0, np.inf
            for k in range(len(c)):
                d = x[0, 0] * 0
                for j in range(x.shape[1]):
                    d += (x[i, j] - c[k, j]) ** 2
                if d < least:
                    nearest, least = k, d
            count[nearest] += 1
            for j in range(x.shape[1]):
                total[nearest, j] += x[i, j]
        for k in range(len(c)):
            for j in range(x.shape[1]):
                total[k, j] /= max(count[k], 1)
        return total

    def program(library, segment_sum, x, c):
        distance = library.sum((x[:, None] - c) ** 2, axis=2)
        nearest = library.argmin(distance, axis=1)
        count = segment_sum(library.ones_like(x[:, 0]), nearest)
        return segment_sum(x, nearest) / library.clip(count, 1, None)[:, None]

    def by_torch(torch, x, c):
        return program(torch, lambda y, i: y.new_zeros((centres, *y.shape[1:])).index_add(0, i, y), x, c)

    return Case(
        name, [x, x[:centres].copy()], tolerance=1e-4, reference=nest, numba=loops(nest), torch=by_torch,
        ours=lambda *a: program(ko, lambda y, i: ko.segment_sum(y, i, centres), *a),
        jax=lambda jax, *a: program(jax.numpy, lambda y, i: jax.ops.segment_sum(y, i, centres), *a),
    )


def softmax_regression(ko, name):
    """A step down the gradient: W - rate X^T (softmax(X W) - Y) / n."""
    samples, width, classes = size((2000, 64, 10), (50, 6, 4))
    x, w, y = floats(1, samples, width), floats(2, width, classes), places(3, classes, samples)

    def nest(x, y, w):
        r = w.copy()
        z = np.empty_like(w[0])
        for i in range(len(x)):
            for c in range(len(z)):
                z[c] = 0
                for k in range(len(w)):
                    z[c] += x[i, k] * w[k, c]
            most, total = z.max(), z[0] * 0
            for c in range(len(z)):
                z[c] = np.exp(z[c] - most)
                total += z[c]
            for c in range(len(z)):
                z[c] = z[c] / total - F(y[i] == c)
            for k in range(len(w)):
                for c in range(len(z)):
                    r[k, c] -= F(0.1 / samples) * x[i, k] * z[c]
        return r

    def program(library, amax, x, y, w):
        z = x @ w
        z = library.exp(z - amax(z))
        p = z / library.sum(z, axis=1, keepdims=True)
        return w - 0.1 / samples * (x.T @ (p - (y[:, None] == library.arange(classes))))

    def by_torch(torch, x, y, w):
        p = torch.softmax(x @ w, 1) - torch.nn.functional.one_hot(y.long(), classes)
        return w - 0.1 / samples * (x.T @ p)

    return same_text(
        ko, name, [x, y, w], lambda library, *a: program(library, lambda z: library.max(z, axis=1, keepdims=True), *a),
        nest, reference=lambda *a: program(np, lambda z: z.max(axis=1, keepdims=True), *a), torch=by_torch, tolerance=1e-4,
    )


def naive_bayes(ko, name):
    """The best class of each sample by the sum of logarithms of Gaussian densities."""
    samples, width, classes = size((5000, 32, 10), (50, 6, 4))
    x, mean, spread = floats(1, samples, width), floats(2, classes, width), floats(3, classes, width) + F(1.5)

    def nest(x, mean, spread):
        best = np.empty(len(x), np.int64)
        for i in range(len(x)):
            most = -np.inf
            for c in range(len(mean)):
                score = x[0, 0] * 0
                for j in range(x.shape[1]):
                    score -= ((x[i, j] - mean[c, j]) / spread[c, j]) ** 2 * F(0.5) + np.log(spread[c, j])
                if score > most:
                    most, best[i] = score, c
        return best

    def program(library, x, mean, spread):
        scores = -0.5 * ((x[:, None] - mean) / spread) ** 2 - library.log(spread)
        return library.argmax(library.sum(scores, axis=2), axis=1)

    return same_text(ko, name, [x, mean, spread], program, nest, tolerance=0)


def kernel_density(ko, name):
    """At 1000 points from 2000 samples: mean of exp(-((x - s) / h)^2 / 2)."""
    h = 0.1

    def nest(x, samples):
        y = np.empty_like(x)
        for i in range(len(x)):
            total = x[0] * 0
            for k in range(len(samples)):
                total += np.exp(F(-0.5) * ((x[i] - samples[k]) / F(h)) ** 2)
            y[i] = total / F(len(samples) * h * math.sqrt(2 * PI))
        return y

    def program(library, x, samples):
        z = (x[:, None] - samples) / h
        return library.sum(library.exp(-0.5 * z * z), axis=1) / (len(samples) * h * math.sqrt(2 * PI))

    return same_text(ko, name, [floats(1, size(1000, 30)), floats(2, size(2000, 50))], program, nest)


def mixture(ko, name):
    """The E-step of 16 Gaussians in 4 dimensions: how much each has of each point."""
    points, parts, width = size((10_000, 16, 4), (50, 5, 3))
    x, mean = floats(1, points, width), floats(2, parts, width)
    spread, weight = floats(3, parts, width) + F(1.3), np.full(parts, 1 / parts, F)

    def nest(x, mean, spread, weight):
        r = np.empty((len(x), len(mean)), x.dtype)
        for i in range(len(x)):
            for c in range(len(mean)):
                score = np.log(weight[c])
                for j in range(x.shape[1]):
                    score -= ((x[i, j] - mean[c, j]) / spread[c, j]) ** 2 * F(0.5) + np.log(spread[c, j])
                r[i, c] = score
            most, total = r[i].max(), x[0, 0] * 0
            for c in range(len(mean)):
                r[i, c] = np.exp(r[i, c] - most)
                total += r[i, c]
            for c in range(len(mean)):
                r[i, c] /= total
        return r

    def program(library, softmax, x, mean, spread, weight):
        z = (x[:, None] - mean) / spread
        scores = library.log(weight) - library.sum(0.5 * z * z + library.log(spread), axis=2)
        return softmax(scores)

    return Case(
        name, [x, mean, spread, weight], reference=nest, numba=loops(nest), ours=lambda *a: program(ko, ko.softmax, *a),
        torch=lambda torch, *a: program(torch, lambda s: torch.softmax(s, 1), *a),
        jax=lambda jax, *a: program(jax.numpy, jax.nn.softmax, *a),
    )


def black_scholes(ko, name):
    """Prices of 100,000 calls and puts, by the error function."""
    count, rate, volatility = size(100_000, 200), 0.02, 0.3
    uniform = lambda seed, low, high: (low + (high - low) * (floats(seed, count) + 1) / 2).astype(F)
    inputs = [uniform(1, 5, 30), uniform(2, 1, 100), uniform(3, 0.25, 10)]

    def nest(s, k, t):
        prices = np.empty((2, len(s)), s.dtype)
        for i in range(len(s)):
            root = F(volatility) * np.sqrt(t[i])
            d1 = (np.log(s[i] / k[i]) + F(rate + volatility**2 / 2) * t[i]) / root
            n1 = F(0.5) + F(0.5) * F(math.erf(d1 * F(math.sqrt(0.5))))
            n2 = F(0.5) + F(0.5) * F(math.erf((d1 - root) * F(math.sqrt(0.5))))
            later = k[i] * np.exp(F(-rate) * t[i])
            prices[0, i] = s[i] * n1 - later * n2
            prices[1, i] = later * (F(1) - n2) - s[i] * (F(1) - n1)
        return prices

    def program(library, erf, s, k, t):
        root = volatility * library.sqrt(t)
        d1 = (library.log(s / k) + (rate + volatility**2 / 2) * t) / root
        n1, n2 = (0.5 + 0.5 * erf(d * math.sqrt(0.5)) for d in (d1, d1 - root))
        later = k * library.exp(-rate * t)
        return library.stack([s * n1 - later * n2, later * (1 - n2) - s * (1 - n1)])

    exactly = np.vectorize(math.erf)
    return Case(
        name, inputs, reference=lambda *a: program(np, exactly, *a), numba=loops(nest),
        ours=lambda *a: program(ko, ko.erf, *a), torch=lambda torch, *a: program(torch, torch.erf, *a),
        jax=lambda jax, *a: program(jax.numpy, jax.scipy.special.erf, *a),
    )


def mix(x):
    """Bits that look random of a number: xorshift and products, for unsigned integers of 32 bits."""
    x = (x ^ (x >> 16)) * 0x45D9F3B
    x = (x ^ (x >> 16)) * 0x45D9F3B
    return x ^ (x >> 16)


def monte_carlo(ko, name):
    """The price of an Asian call: 2000 paths of 64 steps, normal numbers by Box and Muller from bits of our own."""
    paths, steps = size((2000, 64), (50, 8))
    seeds = np.random.default_rng(1).integers(1, 2**32, paths, dtype=np.uint32)
    drift, spread = (0.02 - 0.5 * 0.3**2) / steps, 0.3 / math.sqrt(steps)

    def nest(seeds):
        total = seeds[0] * 0.0
        for p in range(len(seeds)):
            price = mean = F(0)
            for t in range(steps):
                a, b = np.uint32(seeds[p] + np.uint32(2 * t)), np.uint32(seeds[p] + np.uint32(2 * t + 1))
                for _ in range(2):
                    a = np.uint32((a ^ (a >> np.uint32(16))) * np.uint32(0x45D9F3B))
                    b = np.uint32((b ^ (b >> np.uint32(16))) * np.uint32(0x45D9F3B))
                a, b = a ^ (a >> np.uint32(16)), b ^ (b >> np.uint32(16))
                u = (F(np.uint32(a >> np.uint32(8))) + F(1)) * F(2**-24)
                v = F(np.uint32(b >> np.uint32(8))) * F(2**-24)
                normal = np.sqrt(F(-2) * np.log(u)) * np.cos(F(2 * PI) * v)
                price += F(drift) + F(spread) * normal
                mean += np.exp(price)
            total += max(mean / F(steps) - F(1), F(0))
        return np.array([total / len(seeds)], F)

    def program(library, f32, running, seeds):
        u32 = library.uint32
        start = seeds[:, None] + 2 * library.arange(steps, dtype=u32)
        u = (library.astype(mix(start) >> 8, f32) + 1) * 2**-24
        v = library.astype(mix(start + 1) >> 8, f32) * 2**-24
        normal = library.sqrt(-2 * library.log(u)) * library.cos(2 * PI * v)
        price = library.exp(running(drift + spread * normal))
        return library.mean(library.maximum(library.mean(price, axis=1) - 1, library.zeros_like(price[:, 0])))[None]

    def by_torch(torch, seeds):
        # Unsigned integers of 32 bits have no products there: 64 bits, of which the lower half counts.
        def mixed(x):
            for _ in range(2):
                x = ((x ^ (x >> 16)) * 0x45D9F3B) & 0xFFFFFFFF
            return ((x ^ (x >> 16)) >> 8).float()

        start = seeds.long()[:, None] + 2 * torch.arange(steps)
        u, v = (mixed(start & 0xFFFFFFFF) + 1) * 2**-24, mixed((start + 1) & 0xFFFFFFFF) * 2**-24
        normal = torch.sqrt(-2 * torch.log(u)) * torch.cos(2 * PI * v)
        price = torch.exp(torch.cumsum(drift + spread * normal, 1))
        return torch.clip(price.mean(1) - 1, 0).mean()[None]

    return Case(
        name, [seeds], tolerance=1e-4, numba=loops(nest), torch=by_torch,
        reference=lambda seeds: program(np, float, lambda x: np.cumsum(x, axis=1), seeds),
        ours=lambda seeds: program(ko, ko.float32, lambda x: ko.cumulative_sum(x, axis=1), seeds),
        jax=lambda jax, seeds: program(jax.numpy, "float32", lambda x: jax.numpy.cumsum(x, axis=1), seeds),
    )


def bootstrap(ko, name):
    """The standard error of a mean: 1000 samples drawn again, each of 1000."""
    n, count = size((1000, 1000), (50, 30))
    x, drawn = floats(1, n), places(2, n, count, n)

    def nest(x, drawn):
        means = np.empty(len(drawn), x.dtype)
        for i in range(len(drawn)):
            total = x[0] * 0
            for k in range(drawn.shape[1]):
                total += x[drawn[i, k]]
            means[i] = total / F(drawn.shape[1])
        mean, total = means.mean(), x[0] * 0
        for i in range(len(means)):
            total += (means[i] - mean) ** 2
        return np.array([np.sqrt(total / F(len(means)))])

    def program(library, x, drawn):
        means = library.mean(x[drawn], axis=1)
        return library.sqrt(library.mean((means - library.mean(means)) ** 2))[None]

    return same_text(ko, name, [x, drawn], program, nest, tolerance=1e-4)


def azimuthal(ko, name):
    """NPBench's: an image integrated over rings around a point: a histogram of the distances, with weights."""
    size, rings = 500, 100
    image = floats(1, size, size) + F(1)

    def nest(image):
        total, count = np.zeros(rings, image.dtype), np.zeros(rings, np.int32)
        for i in range(size):
            for j in range(size):
                x, y = F(i) - F(230), F(j) - F(260)
                ring = np.int32(np.sqrt(x * x + y * y) * F(rings / 400))
                total[ring] += image[i, j]
                count[ring] += 1
        for ring in range(rings):
            total[ring] /= F(max(count[ring], 1))
        return total

    def program(library, astype, added, image):
        x = astype(library.arange(size), library.float32)
        distance = library.sqrt((x[:, None] - 230) ** 2 + (x - 260) ** 2)
        ring = astype(distance * (rings / 400), library.int32).reshape(-1)
        total, count = added(image.reshape(-1), ring), added(library.ones_like(image).reshape(-1), ring)
        return total / library.clip(count, 1, None)

    def by_jax(jnp, image):
        return program(jnp, lambda y, dtype: y.astype(dtype), lambda y, i: jnp.bincount(i, y, length=rings), image)

    def by_torch(torch, image):
        added = lambda y, i: y.new_zeros(rings).index_add(0, i, y)
        return program(torch, lambda y, dtype: y.to(dtype), added, image)

    return Case(
        name, [image], tolerance=1e-4, reference=nest, numba=loops(nest), torch=by_torch,
        ours=lambda image: program(ko, ko.astype, lambda y, i: ko.bincount(i, y, length=rings), image),
        jax=lambda jax, image: by_jax(jax.numpy, image),
    )


def crc32(ko, name):
    """The checksum of 20,000 bytes, bit by bit."""
    data = np.random.default_rng(1).integers(0, 256, size(20_000, 200), dtype=np.uint8)

    def nest(data):
        crc = np.uint32(0xFFFFFFFF)
        for byte in data:
            crc ^= np.uint32(byte)
            for _ in range(8):
                crc = (crc >> np.uint32(1)) ^ (np.uint32(0xEDB88320) * (crc & np.uint32(1)))
        return np.array([crc ^ np.uint32(0xFFFFFFFF)], np.uint32)

    def by_scan(library, scan, u32, data):
        polynomial, ones = (library.asarray(bits, dtype=library.uint32) for bits in (0xEDB88320, 0xFFFFFFFF))

        def step(crc, byte):
            crc = crc ^ u32(byte)
            for _ in range(8):
                crc = library.where((crc & 1) > 0, (crc >> 1) ^ polynomial, crc >> 1)
            return crc, None

        return (scan(step, ones, data)[0] ^ ones)[None]

    return Case(
        name, [data], tolerance=0, reference=nest, numba=loops(nest),
        ours=lambda data: by_scan(ko, ko.scan, lambda x: ko.astype(x, ko.uint32), data),
        jax=lambda jax, data: by_scan(jax.numpy, jax.lax.scan, lambda x: x.astype(jax.numpy.uint32), data),
    )


def go_fast(ko, name):
    """A matrix plus the sum of tanh along its diagonal."""

    def nest(a):
        trace = a[0, 0] * 0
        for i in range(len(a)):
            trace += np.tanh(a[i, i])
        r = np.empty_like(a)
        for i in range(len(a)):
            for j in range(len(a)):
                r[i, j] = a[i, j] + trace
        return r

    program = lambda library, a: a + library.sum(library.tanh(library.diagonal(a)))
    return same_text(ko, name, [floats(1, *size((2000, 2000), (20, 20)))], program, nest)


def compute(ko, name):
    """NPBench's: clip(x, 2, 10) a + y b + c of integers."""
    n = size(1500, 30)

    def nest(x, y):
        r = np.empty_like(x)
        for i in range(len(x)):
            for j in range(x.shape[1]):
                r[i, j] = min(max(x[i, j], 2), 10) * 4 + y[i, j] * 3 + 9
        return r

    program = lambda library, x, y: library.clip(x, 2, 10) * 4 + y * 3 + 9
    return same_text(ko, name, [places(1, 1000, n, n), places(2, 1000, n, n)], program, nest, tolerance=0)


def cases(ko):
    """See `named`."""
    rows = {
        "k-means step, 10000 points, 32 centres": k_means, "softmax regression step, 2000x64": softmax_regression,
        "naive Bayes, 5000 of 10 classes": naive_bayes, "kernel density 1000 from 2000": kernel_density,
        "Gaussian mixture, 10000 of 16": mixture, "Black-Scholes 100000": black_scholes,
        "Asian option, 2000 paths of 64": monte_carlo, "bootstrap 1000 of 1000": bootstrap,
        "azimuthal integration 500x500": azimuthal, "crc32 of 20000 bytes": crc32, "go_fast 2000x2000": go_fast,
        "compute 1500x1500": compute,
    }  # fmt: skip
    return named(ko, rows)
