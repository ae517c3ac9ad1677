"""Transforms whose stages are reshapes of one array."""

import numpy as np
from case import floats, named
from forms import same_text
from sizes import size


def turns(half):
    """The cosines and sines of a stage's half turn in `half` steps, [half, 1]."""
    angles = -np.pi * np.arange(half)[:, None] / half
    return np.cos(angles).astype(np.float32), np.sin(angles).astype(np.float32)


def fourier(ko, name):
    """Fourier's transform by Stockham's stages: [2, half, done] to [half, 2, done], sums and turned differences."""
    n = size(4096, 16)

    def program(lib, re, im):
        half, done = n // 2, 1
        while half:
            c, s = (lib.asarray(part) for part in turns(half))
            (a, b), (p, q) = lib.reshape(re, (2, half, done)), lib.reshape(im, (2, half, done))
            x, y = a - b, p - q
            re = lib.reshape(lib.stack([a + b, x * c - y * s], 1), (n,))
            im = lib.reshape(lib.stack([p + q, x * s + y * c], 1), (n,))
            half, done = half // 2, 2 * done
        return lib.stack([re, im], 0)

    def nest(re, im):
        re, im, half, done = re.copy(), im.copy(), re.shape[0] // 2, 1
        other_re, other_im = np.empty_like(re), np.empty_like(im)
        while half:
            for j in range(half):
                angle = -np.pi * j / half
                c, s = np.float32(np.cos(angle)), np.float32(np.sin(angle))
                for k in range(done):
                    at, to = j * done + k, 2 * j * done + k
                    x, y = re[at] - re[at + half * done], im[at] - im[at + half * done]
                    other_re[to], other_im[to] = re[at] + re[at + half * done], im[at] + im[at + half * done]
                    other_re[to + done], other_im[to + done] = x * c - y * s, x * s + y * c
            re, other_re, im, other_im = other_re, re, other_im, im
            half, done = half // 2, 2 * done
        return np.stack((re, im))

    def reference(re, im):
        z = np.fft.fft(re + 1j * im)
        return np.stack([z.real, z.imag])

    return same_text(ko, name, [floats(1, n), floats(2, n)], program, nest, reference=reference)


def cases(ko):
    """See `named`."""
    return named(ko, {"Fourier transform of 4096 by reshapes": fourier})
