"""Filters of signals and images: windows, recurrences along time, neighbourhoods of pixels."""

from functools import reduce

import numpy as np
from case import floats, named
from program import program
from sizes import size


def moving_average(ko, name):
    """By differences of the running sum, in f64."""
    n, width = size((1_000_000, 25), (60, 5))

    def average(lib, x):
        total = lib.cumulative_sum(x) if hasattr(lib, "cumulative_sum") else lib.cumsum(x, 0)
        return (total[width:] - total[:-width]) / width

    x = floats(1, n).astype(np.float64)
    return program(ko, name, [x], average, average, loops="moving_average", numbers=(width,), tolerance=1e-9)


def fir(ko, name):
    n, taps = size((200_000, 32), (60, 5))

    def arrays(lib, x, w):
        return lib.convolve(x, w, mode="valid")

    def by_torch(torch, x, w):
        return torch.nn.functional.conv1d(x[None, None], torch.flip(w, (0,))[None, None])[0, 0]

    return program(
        ko, name, [floats(1, n), floats(2, taps)], arrays, arrays, loops="fir", torch=by_torch, tolerance=1e-4
    )


def exponential_average(ko, name):
    """y = y + a (x - y), for one long signal: every value waits for the one before."""
    n = size(200_000, 50)

    def arrays(lib, x):
        def step(y, x):
            y = y + 0.1 * (x - y)
            return y, y

        return lib.scan(step, x[0], x)[1]

    return program(ko, name, [floats(1, n)], arrays, loops="exponential_average")


def exponential_averages(ko, name):
    """Of many signals at once, each with a rate of its own."""
    steps, signals = size((1000, 1000), (20, 7))

    def arrays(lib, x, rates):
        def step(y, x):
            y = y + rates * (x - y)
            return y, y

        return lib.scan(step, x[0], x)[1]

    def in_place(lib, x, rates):
        y, now = lib.empty_like(x), x[0]
        for t in range(steps):
            now = now + rates * (x[t] - now)
            y[t] = now
        return y

    inputs = [floats(1, steps, signals), abs(floats(2, signals))]
    return program(ko, name, inputs, arrays, in_place, loops="exponential_averages", compiled=False)


def biquad(ko, name):
    """A second-order filter, transposed direct form II."""
    n = size(100_000, 50)
    b0, b1, b2, a1, a2 = 0.2, 0.4, 0.2, -0.3, 0.2

    def arrays(lib, x):
        def step(state, x):
            s1, s2 = state
            y = b0 * x + s1
            return (b1 * x - a1 * y + s2, b2 * x - a2 * y), y

        zero = lib.zeros_like(x[0])
        return lib.scan(step, (zero, zero), x)[1]

    return program(ko, name, [floats(1, n)], arrays, loops="biquad")


def shifts(x, height, width):
    """The image moved to each element of a window, where the window fits."""
    n, m = x.shape[0] - height + 1, x.shape[1] - width + 1
    return [x[i : i + n, j : j + m] for i in range(height) for j in range(width)]


def median(ko, name):
    n = size(256, 12)
    return program(
        ko, name, [floats(1, n, n)], lambda lib, x: lib.median(lib.stack(shifts(x, 3, 3)), axis=0),
        lambda lib, x: np.median(np.stack(shifts(x, 3, 3)), axis=0), loops="median_3x3", tolerance=0,
        torch=lambda torch, x: torch.stack(shifts(x, 3, 3)).median(0).values,
    )  # fmt: skip


def running_max(ko, name):
    n, width = size((200_000, 31), (60, 4))

    def greatest(lib, x):
        return reduce(lib.maximum, [x[i : n - width + 1 + i] for i in range(width)])

    return program(
        ko, name, [floats(1, n)], greatest, greatest, loops="running_max", numbers=(width,), tolerance=0,
        torch=lambda torch, x: torch.nn.functional.max_pool1d(x[None], width, 1)[0],
    )  # fmt: skip


def dilation(ko, name):
    """The greatest of 5 x 5 bytes; beyond the image is 0."""
    n = size(512, 12)

    def dilate(lib, x):
        return reduce(lib.maximum, shifts(lib.pad(x, ((2, 2), (2, 2))), 5, 5))

    def by_torch(torch, x):
        return reduce(torch.maximum, shifts(torch.nn.functional.pad(x, (2, 2, 2, 2)), 5, 5))

    x = np.random.default_rng(1).integers(0, 255, (n, n), np.uint8)
    return program(ko, name, [x], dilate, dilate, loops="dilation", tolerance=0, torch=by_torch)


def savitzky_golay(ko, name):
    """The slope of the parabola nearest to seven values, along every row."""
    n, m = size((1000, 1000), (5, 20))
    weights = [k / 28 for k in range(-3, 4)]

    def slope(lib, x):
        return sum(w * x[:, i : m - 6 + i] for i, w in enumerate(weights) if w)

    return program(ko, name, [floats(1, n, m)], slope, slope, loops="savitzky_golay")


def kalman(ko, name):
    """Positions and speeds of many objects from noisy positions: a state of two, a covariance of three numbers."""
    steps, objects = size((200, 1000), (10, 5))
    noise, error = 0.01, 0.5

    def step(state, z):
        x, v, p, c, q = state
        x, p, c, q = x + v, p + 2 * c + q + noise, c + q, q + noise
        gain, speed_gain = p / (p + error), c / (p + error)
        rest = z - x
        x, v = x + gain * rest, v + speed_gain * rest
        return (x, v, (1 - gain) * p, (1 - gain) * c, q - speed_gain * c), x

    def start(lib, z):
        zero, one = lib.zeros_like(z[0]), lib.ones_like(z[0])
        return zero, zero, one, zero, one

    def arrays(lib, z):
        return lib.scan(step, start(lib, z), z)[1]

    def in_place(lib, z):
        state, found = start(lib, z), lib.empty_like(z)
        for t in range(steps):
            state, found[t] = step(state, z[t])
        return found

    return program(
        ko, name, [floats(1, steps, objects)], arrays, in_place, loops="kalman", compiled=False
    )


def haar(ko, name):
    """Haar's wavelets: sums and differences of pairs, then of the sums, down to one."""
    levels = size(18, 5)

    def arrays(lib, x):
        parts = []
        for _ in range(levels):
            parts.append((x[::2] - x[1::2]) * 0.5)
            x = (x[::2] + x[1::2]) * 0.5
        join = lib.concat if hasattr(lib, "concat") else lib.concatenate
        return join([x, *parts[::-1]])

    return program(ko, name, [floats(1, 2**levels)], arrays, arrays, loops="haar")


def cases(ko):
    """See `named`."""
    rows = {
        "moving average f64 1000000, 25 wide": moving_average, "fir 200000, 32 taps": fir,
        "exponential average 200000": exponential_average, "exponential averages 1000x1000": exponential_averages,
        "biquad 100000": biquad, "median 3x3 of 256x256": median, "running max 200000, 31 wide": running_max,
        "dilation 5x5 u8 512x512": dilation, "savitzky-golay 1000x1000": savitzky_golay,
        "kalman 1000 objects, 200 steps": kalman, "haar wavelets 262144": haar,
    }  # fmt: skip
    return named(ko, rows)
