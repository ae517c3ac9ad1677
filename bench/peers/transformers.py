"""Whole layers of transformers."""

import numpy as np
from case import Case, floats
from products import erf
from sizes import size

ROWS, WIDTH, HEADS, INNER, LAYERS = size((128, 768, 12, 3072, 4), (6, 8, 2, 16, 2))
EPSILON = 1e-5


def weights():
    """Of each layer: three projections, the output's, both products of the inner layer, two norms."""
    for layer in range(LAYERS):
        at = 20 * layer
        yield from (floats(at + i, WIDTH, WIDTH) / np.float32(WIDTH**0.5) for i in range(4))
        yield floats(at + 4, WIDTH, INNER) / np.float32(WIDTH**0.5)
        yield floats(at + 5, INNER, WIDTH) / np.float32(INNER**0.5)
        yield from (floats(at + 6 + i, WIDTH) for i in range(4))


def encoder(x, parts, attend, gelu, norm):
    """Layers whose norms stand behind each part, as BERT's do."""
    for layer in range(LAYERS):
        q, k, v, out, up, down, *norms = parts[10 * layer : 10 * (layer + 1)]
        heads = [(x @ w).reshape(ROWS, HEADS, WIDTH // HEADS).swapaxes(0, 1)[None] for w in (q, k, v)]
        x = norm(x + attend(*heads)[0].swapaxes(0, 1).reshape(ROWS, WIDTH) @ out, *norms[:2])
        x = norm(x + gelu(x @ up) @ down, *norms[2:])
    return x


def by_numpy(q, k, v):
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True) @ v


def numpy_norm(x, w, b):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + EPSILON) * w + b


def bert(ko, name):
    def in_jax(jax, x, *parts):
        def attend(q, k, v):
            shares = jax.nn.softmax(q @ k.swapaxes(-1, -2) / np.float32(q.shape[-1] ** 0.5))
            return shares @ v

        def norm(x, w, b):
            return (x - x.mean(1, keepdims=True)) * jax.lax.rsqrt(x.var(1, keepdims=True) + EPSILON) * w + b

        return encoder(x, parts, attend, lambda x: jax.nn.gelu(x, approximate=False), norm)

    def in_torch(torch, x, *parts):
        functions = torch.nn.functional
        return encoder(
            x, parts, functions.scaled_dot_product_attention, functions.gelu, lambda x, w, b: functions.layer_norm(x, (WIDTH,), w, b, EPSILON)
        )

    def ours(x, *parts):
        return encoder(x, parts, ko.attention, ko.gelu, lambda x, w, b: ko.layer_norm(x, w, b, epsilon=EPSILON))

    def reference(x, *parts):
        return encoder(x, parts, by_numpy, lambda y: y / 2 * (1 + erf(y / np.sqrt(2))), numpy_norm)

    return Case(
        name, [floats(1000, ROWS, WIDTH)], weights=list(weights()), goal=1.0, tolerance=1e-4, ours=ours, reference=reference, jax=in_jax, torch=in_torch
    )


def cases(ko):
    """(name, a function that makes the case)."""
    name = f"{LAYERS} encoder layers, {ROWS} rows of {WIDTH}"
    yield name, lambda: bert(ko, name)
