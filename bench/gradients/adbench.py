"""Problems of ADBench, in f64: mixtures, k-means, an LSTM of diagonal weights, bundle adjustment, a hand."""

import jax
import jax.numpy as jnp
import numpy as np
from case import RNG, Case, drawn, gradients_of, row

import kolam as ko

WIDE = np.float64


def gmm(d, k, n=1000):
    places = np.nonzero(np.tril(np.ones((d, d)), -1).T)  # column by column
    rows, columns = places[1], places[0]

    def of(np_like, logsumexp, put):
        def loss(alpha, mu, q, lower, x):
            ls = put(np_like.zeros((k, d, d), dtype=x.dtype), lower)
            centred = x[:, None, :] - mu[None]
            terms = np_like.exp(q)[None] * centred + np_like.einsum("kij,nkj->nki", ls, centred)
            each = alpha + np_like.sum(q, axis=1) - 0.5 * np_like.sum(terms * terms, axis=2)
            prior = np_like.sum(np_like.exp(2 * q)) + np_like.sum(ls * ls)
            return np_like.sum(logsumexp(each, axis=1)) - n * logsumexp(alpha, axis=0) - prior / 2

        return loss

    def by_torch(torch):
        at = torch.from_numpy(rows), torch.from_numpy(columns)

        def put(zero, lower):
            zero[:, at[0], at[1]] = lower
            return zero

        return of(torch, lambda x, axis: torch.logsumexp(x, dim=axis), put)

    ours = of(ko, ko.logsumexp, lambda zero, lower: zero.at[:, ko.asarray(rows), ko.asarray(columns)].set(lower))
    theirs = of(jnp, jax.scipy.special.logsumexp, lambda zero, lower: zero.at[:, rows, columns].set(lower))
    count = d * (d - 1) // 2
    arrays = [drawn(*shape, dtype=WIDE) for shape in ((k,), (k, d), (k, d), (k, count), (n, d))]
    return gradients_of(ours, theirs, arrays, (0, 1, 2, 3), by_torch)


row("GMM d10 K25", 3.5, 1.5)(lambda: gmm(10, 25))
row("GMM d64 K25", 3.5, 3)(lambda: gmm(64, 25))
row("GMM d32 K100", 3.5, 3)(lambda: gmm(32, 100))


@row("k-means k100 n10000 d16, direction", 4.5, 2)
def kmeans():
    """The gradient and the diagonal of the Hessian: jvp of grad with ones."""

    def of(np_like, module):
        def loss(c, p):
            distances = np_like.sum((c[None] - p[:, None]) ** 2, axis=2)
            return np_like.sum(np_like.min(distances, axis=1))

        def both(c, p):
            return module.jvp(module.grad(lambda c: loss(c, p)), (c,), (np_like.ones_like(c),))

        return loss, both

    def by_torch(torch):
        def loss(c, p):
            return torch.amin(((c[None] - p[:, None]) ** 2).sum(2), 1).sum()

        def both(c, p):
            return torch.func.jvp(torch.func.grad(lambda c: loss(c, p)), (c,), (torch.ones_like(c),))

        return loss, both

    return Case([drawn(100, 16, dtype=WIDE), drawn(10_000, 16, dtype=WIDE)], of(ko, ko), of(jnp, jax), by_torch)


def diagonal_lstm(layers, steps, bits=14):
    def of(np_like, scan, sigmoid):
        def loss(main, extra, text):
            def step(states, inputs):
                now, following = inputs
                h, after = now * extra[0], []
                for layer, (hid, cell) in enumerate(states):
                    weights, biases = (main[2 * layer + number].reshape(4, bits) for number in (0, 1))
                    f = sigmoid(h * weights[0] + biases[0])
                    i = sigmoid(hid * weights[1] + biases[1])
                    o = sigmoid(h * weights[2] + biases[2])
                    cell = cell * f + i * np_like.tanh(hid * weights[3] + biases[3])
                    h = o * np_like.tanh(cell)
                    after.append((h, cell))
                p = h * extra[1] + extra[2]
                return after, np_like.sum(following * (p - np_like.log(2 + np_like.sum(np_like.exp(p)))))

            zero = np_like.zeros((bits,), dtype=text.dtype)
            _, parts = scan(step, [(zero, zero)] * layers, (text[:-1], text[1:]))
            return -np_like.sum(parts) / ((steps - 1) * bits)

        return loss

    text = RNG.integers(0, 2, (steps, bits)).astype(WIDE)
    arrays = (drawn(2 * layers, 4 * bits, dtype=WIDE), drawn(3, bits, dtype=WIDE), text)
    return gradients_of(of(ko, ko.scan, ko.sigmoid), of(jnp, jax.lax.scan, jax.nn.sigmoid), arrays, (0, 1))


row("ADBench LSTM l2 c1024", 3.5, 1.3)(lambda: diagonal_lstm(2, 1024))
row("ADBench LSTM l4 c4096", 3.5, 1.3)(lambda: diagonal_lstm(4, 4096))


@row("bundle adjustment n49 m7776 p31843, whole Jacobian", 5, 1.5)
def bundle_adjustment(n=49, m=7776, p=31843):
    of_camera, of_point = RNG.integers(0, n, p), RNG.integers(0, m, p)

    def of(np_like, module, asarray):
        def cross(a, b):
            return np_like.stack([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])

        def residual(camera, point, w, feature):
            r, centre, f, u0, k1, k2 = camera[0:3], camera[3:6], camera[6], camera[7:9], camera[9], camera[10]
            moved = point - centre
            angle = np_like.sqrt(np_like.sum(r * r))
            axis, c, s = r / angle, np_like.cos(angle), np_like.sin(angle)
            turned = c * moved + s * cross(axis, moved) + axis * np_like.sum(axis * moved) * (1 - c)
            u = turned[:2] / turned[2]
            d = np_like.sum(u * u)
            return w * (f * u * (1 + k1 * d + k2 * d * d) + u0 - feature)

        def each(function):
            cameras_at, points_at = asarray(of_camera), asarray(of_point)

            def all_of(cameras, points, w, features):
                return module.vmap(function)(cameras[cameras_at], points[points_at], w, features)

            return all_of

        return each(residual), each(module.jacrev(residual, argnums=(0, 1, 2)))

    def by_torch(torch):
        module = type("", (), {"vmap": torch.func.vmap, "jacrev": torch.func.jacrev})
        return of(torch, module, torch.from_numpy)

    cameras, points = drawn(n, 11, dtype=WIDE), drawn(m, 3, dtype=WIDE) + [0, 0, 10]
    cameras[:, 9:] *= 1e-3
    arrays = [cameras, points, drawn(p, dtype=WIDE), drawn(p, 2, dtype=WIDE)]
    return Case(arrays, of(ko, ko, ko.asarray), of(jnp, jax, jnp.asarray), by_torch)


@row("hand, whole Jacobian forward", None, 1.3)
def hand(chains=5, length=4, vertices=544, chosen=100):
    axes = drawn(chains, length, 3, dtype=WIDE)
    axes /= np.sqrt(np.sum(axes**2, axis=2, keepdims=True))
    places = drawn(chains, length, 3, dtype=WIDE)
    points = drawn(vertices, 3, dtype=WIDE)
    bones = RNG.integers(0, chains * length, (vertices, 4))
    shares = RNG.random((vertices, 4))
    shares /= shares.sum(1, keepdims=True)
    picked = RNG.choice(vertices, chosen, replace=False)
    skew = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        skew[i, j, k], skew[i, k, j] = -1, 1  # (skew . axis) x = axis cross x

    def of(np_like, module, asarray):
        crossing, at = asarray(skew), asarray(bones)
        own_axes, own_places, own_points, own_shares = (asarray(array) for array in (axes, places, points, shares))

        def turn(vectors):
            """Rotations about [..., 3]."""
            angle = np_like.sqrt(np_like.sum(vectors * vectors, axis=-1))[..., None, None]
            k = np_like.einsum("ijk,...i->...jk", crossing, vectors) / angle
            return asarray(np.eye(3)) + np_like.sin(angle) * k + (1 - np_like.cos(angle)) * (k @ k)

        def about(fixed, angle):
            """Rotations about unit vectors."""
            k = np_like.einsum("ijk,ci->cjk", crossing, fixed)
            angle = angle[:, None, None]
            return asarray(np.eye(3)) + np_like.sin(angle) * k + (1 - np_like.cos(angle)) * (k @ k)

        def residuals(parameters, goal):
            r = np_like.broadcast_to(turn(parameters[0:3])[None], (chains, 3, 3))
            t = np_like.broadcast_to(parameters[3:6][None], (chains, 3))
            angles = parameters[6:].reshape(chains, length)
            rotations, translations = [], []
            for i in range(length):
                t = t + np_like.einsum("cjk,ck->cj", r, own_places[:, i])
                r = r @ about(own_axes[:, i], angles[:, i])
                rotations.append(r)
                translations.append(t)
            rotations = np_like.stack(rotations, 1).reshape(chains * length, 3, 3)[at]
            translations = np_like.stack(translations, 1).reshape(chains * length, 3)[at]
            each = np_like.einsum("vbjk,vk->vbj", rotations, own_points) + translations
            moved = np_like.sum(own_shares[:, :, None] * each, axis=1)
            return (moved[asarray(picked)] - goal).reshape(3 * chosen)

        def both(parameters, goal):
            along = lambda direction: module.jvp(lambda given: residuals(given, goal), (parameters,), (direction,))[1]
            return module.vmap(along)(asarray(np.eye(26)))

        return residuals, both

    def by_torch(torch):
        return of(torch, type("", (), {"vmap": torch.func.vmap, "jvp": torch.func.jvp}), torch.from_numpy)

    arrays = [drawn(26, scale=0.5, dtype=WIDE), drawn(chosen, 3, dtype=WIDE)]
    return Case(arrays, of(ko, ko, ko.asarray), of(jnp, jax, jnp.asarray), by_torch)
