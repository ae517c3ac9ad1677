"""Attention of one sample with eight heads of 64."""

import numpy as np
from case import Case, floats
from sizes import size

HEADS, WIDTH = size((8, 64), (2, 5))


def attention_of(q, k, v, seen):
    """Head by head in f64; `seen` says which keys each query sees, None for all."""
    result = np.empty_like(q)
    for head in range(q.shape[1]):
        scores = q[0, head] @ k[0, head].T / np.sqrt(q.shape[-1])
        if seen is not None:
            scores[~seen] = -np.inf
        scores = np.exp(scores - scores.max(1, keepdims=True))
        result[0, head] = scores @ v[0, head] / scores.sum(1, keepdims=True)
    return result


def attention_case(name, length, ours, seen, rule, scaled, goal, judged):
    """`rule(query, key)` for flex_attention, None for all; `scaled` are options of PyTorch's own function."""

    def flex(torch, q, k, v):
        from torch.nn.attention import flex_attention as flexible

        blocks = rule and flexible.create_block_mask(
            lambda batch, head, i, j: rule(i, j), None, None, length, length, device="cpu"
        )
        run = torch.compile(flexible.flex_attention)
        return lambda: run(q, k, v, block_mask=blocks)

    def jax_attention(jax, q, k, v):
        # [batch, length, heads, width]
        q, k, v = (jax.numpy.swapaxes(array, 1, 2) for array in (q, k, v))
        mask = None if seen is None else jax.numpy.asarray(seen)[None, None]
        return jax.numpy.swapaxes(jax.nn.dot_product_attention(q, k, v, mask=mask), 1, 2)

    return Case(
        name, [floats(seed, 1, HEADS, length, WIDTH) for seed in (1, 2, 3)], goal=goal, judged=judged, ours=ours,
        reference=lambda q, k, v: attention_of(q, k, v, seen),
        torch=lambda torch, q, k, v: torch.nn.functional.scaled_dot_product_attention(q, k, v, **scaled(torch)),
        jax=jax_attention, more={"flex_attention": ("torch-made", flex)},
    )


def full(ko, name, length):
    return attention_case(name, length, ko.attention, None, None, lambda torch: {}, 1.0, ("PyTorch",))


def causal(ko, name, length):
    return attention_case(
        name, length, lambda q, k, v: ko.attention(q, k, v, causal=True), np.tri(length, dtype=bool),
        lambda i, j: i >= j, lambda torch: {"is_causal": True}, 1.0, ("PyTorch",),
    )


def windowed(ko, name, length, reach):
    place = np.arange(length)
    seen = np.abs(place[:, None] - place) <= reach
    return attention_case(
        name, length, lambda q, k, v: ko.attention(q, k, v, window=reach), seen,
        lambda i, j: (i - j <= reach) & (j - i <= reach), lambda torch: {"attn_mask": torch.from_numpy(seen)}, 2.0,
        ("flex_attention",),
    )


def cases(ko):
    """(name, a function that makes the case)."""
    for length in size((512, 2048, 4096), (5, 33)):
        name = f"attention 1x8x{length}x64"
        yield name, lambda name=name, length=length: full(ko, name, length)
        yield f"{name} causal", lambda name=name, length=length: causal(ko, f"{name} causal", length)
    name = "attention 1x8x4096x64 in a window of a quarter"
    yield name, lambda: windowed(ko, name, *size((4096, 548), (21, 3)))
