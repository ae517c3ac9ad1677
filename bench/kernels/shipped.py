"""The kernels that come with Kolam, in `kolam.kernels`, beside what gives the same; no rows where there are none."""

import importlib
import importlib.util

import numpy as np
from attention import HEADS, WIDTH  # of bench/peers
from attention import attention_of as attention_of_all
from case import floats, places
from decode import attention_of, extents, in_a_row, in_pages, read
from groups import dense_of, few_blocks, in_groups, of_blocks, rows_in_groups
from kernel import kernel_case, size
from layers import correlate
from scans import LOOPS, scan_inputs, scanned


def shipped(ko, name, inputs, function, reference, **given):
    """Checks and interpreters are measured with the texts of the other families."""
    case = kernel_case(ko, name, inputs, lambda lib, pl: function, reference, pallas=False, checked=False, **given)
    case.kernel = None
    return case


def matmul(ko, kernels, name):
    inputs = [floats(seed, *(size(1024, 32),) * 2) for seed in (1, 2)]
    return shipped(
        ko, name, inputs, lambda x, y: kernels.matmul(x, y, activation=ko.relu), lambda x, y: np.maximum(x @ y, 0), scales=True,
        peers={"ko.matmul": ("kolam", lambda x, y: ko.relu(ko.matmul(x, y)), 0.95)},
    )  # fmt: skip


def mlp(ko, kernels, name):
    rows, width, hidden = size((512, 1024, 4096), (16, 12, 32))
    return shipped(
        ko, name, [floats(1, rows, width), floats(2, width, hidden), floats(3, hidden, width)],
        lambda x, w1, w2: kernels.mlp(x, w1, w2, activation=ko.relu), lambda x, w1, w2: np.maximum(x @ w1, 0) @ w2, scales=True,
        peers={"two products": ("kolam", lambda x, w1, w2: ko.matmul(ko.relu(ko.matmul(x, w1)), w2), 0.95)}, tolerance=1e-4,
    )  # fmt: skip


def softmax(lib, x):
    weights = lib.exp(x - lib.max(x, axis=1)[:, None])
    return weights / lib.sum(weights, axis=1)[:, None]


def layer_norm(lib, x):
    return rms_norm(lib, x - lib.mean(x, axis=1)[:, None])


def rms_norm(lib, x):
    return x / lib.sqrt(lib.mean(x * x, axis=1) + 1e-5)[:, None]


def rows_of(ko, kernels, name, function):
    word = function.__name__
    own, array_function = getattr(kernels, word), getattr(ko, word, lambda x: function(ko, x))
    return shipped(
        ko, name, [floats(1, *size((4096, 1024), (16, 20)))], lambda x: own(x), lambda x: function(np, x),
        peers={f"ko.{word}": ("kolam", lambda x: array_function(x), 0.95)},
    )  # fmt: skip


def attention(ko, kernels, name, s, reach=None, **masks):
    """Beside the op, whose bits these are; `reach` of a window is that of all of `s`."""
    whole, s = s, size(s, 64)
    if reach is not None:
        masks["window"] = reach * s // whole
    place = np.arange(s)
    apart = place[:, None] - place
    seen = apart >= 0 if masks.get("causal") else np.abs(apart) <= masks.get("window", s)
    inputs = [floats(seed, 1, HEADS, s, WIDTH) for seed in (1, 2, 3)]
    return shipped(
        ko, name, inputs, lambda q, k, v: kernels.attention(q, k, v, **masks), lambda q, k, v: attention_of_all(q, k, v, seen),
        peers={"ko.attention": ("kolam", lambda q, k, v: ko.attention(q, k, v, **masks), 0.97)}, tolerance=1e-4, scales=True,
    )  # fmt: skip


def decode(ko, kernels, name):
    """k and v are [batch, keys, heads of keys, width] here."""
    batch, heads, shared, width, keys, _, _ = extents()
    k, v = (floats(seed, batch, keys, heads, width) for seed in (2, 3))

    def reference(q, k, v):
        by_head = (np.moveaxis(array, 1, 2) for array in (k, v))
        return attention_of(q.reshape(batch, heads, shared, width), *by_head).reshape(q.shape)

    return shipped(
        ko, name, [floats(1, batch, heads * shared, width), k, v], lambda q, k, v: kernels.decode_attention(q, k, v), reference,
        tolerance=1e-4, beside={"read": 0.8}, unmatched=read(k, v),
    )  # fmt: skip


def paged(ko, kernels, name):
    batch, heads, shared, width, keys, _, _ = extents()
    k, v, tables = in_pages()
    q, lengths = floats(1, batch, heads * shared, width), np.full(batch, keys, np.int32)

    def reference(q, k, v, tables, lengths):
        rows = in_a_row(k, tables), in_a_row(v, tables)
        return attention_of(q.reshape(batch, heads, shared, width), *rows).reshape(q.shape)

    in_rows = [q, *(np.ascontiguousarray(np.moveaxis(in_a_row(pages, tables), 1, 2)) for pages in (k, v))]
    return shipped(
        ko, name, [q, k, v, tables, lengths], lambda *given: kernels.paged_attention(*given), reference, tolerance=1e-4,
        beside={"contiguous": 0.9}, unmatched={"contiguous": ("kolam", lambda q, k, v: kernels.decode_attention(q, k, v), in_rows)},
    )  # fmt: skip


def grouped(ko, kernels, name):
    x, w, sizes = rows_in_groups()
    return shipped(
        ko, name, [x, w, sizes], lambda x, w, sizes: kernels.grouped_matmul(x, w, sizes),
        lambda x, w, sizes: in_groups(x, w, np.concatenate([[0], np.cumsum(sizes)])), scales=True, beside={"dense": 0.95},
        unmatched={"dense": ("kolam", ko.matmul, [x, w[0]])},
    )  # fmt: skip


def block_sparse(ko, kernels, name):
    values, rows, columns, y = few_blocks()
    count = len(y) // values.shape[1]
    return shipped(
        ko, name, [values, np.stack([rows, columns], 1), y],
        lambda values, at, y: kernels.block_sparse_matmul(values, at, y, rows=len(y)),
        lambda values, at, y: of_blocks(values, y, at[:, 0], at[:, 1], range(count + 1)), scales=True,
        beside={"dense": 0.85}, unmatched=dense_of(ko, values, y),
    )  # fmt: skip


def convolution(ko, kernels, name):
    extent, channels = size((56, 64), (12, 5))
    plane, filters = floats(1, 1, channels, extent, extent), floats(2, channels, channels, 3, 3)
    return shipped(
        ko, name, [floats(1, 1, extent, extent, channels), floats(2, 3, 3, channels, channels)],
        lambda x, w: kernels.conv2d(x, w, padding=1), lambda x, w: correlate(x[0], w)[None], tolerance=1e-4, scales=True,
        beside={"ko.conv": 0.9}, unmatched={"ko.conv": ("kolam", lambda x, w: ko.conv(x, w, padding=1), [plane, filters])},
    )  # fmt: skip


def scan(ko, kernels, name):
    def ours(x, delta, a, b, c):
        return kernels.selective_scan(x[None], delta[None], a, b[None], c[None])[0]

    return shipped(
        ko, name, scan_inputs(), ours, scanned, source=LOOPS / "selective_scan", beside={"C++": 0.9}, tolerance=1e-4, scales=True
    )


def histogram(ko, kernels, name):
    n, bins = size((10**7, 256), (600, 16))
    return shipped(
        ko, name, [places(1, bins, n), np.zeros(bins, np.int32)],
        lambda x, zeros: kernels.histogram(x, bins, (0, bins))[0], lambda x, zeros: np.bincount(x, minlength=len(zeros)),
        source=LOOPS / "histogram", beside={"C++": 0.9}, tolerance=0,
        peers={"ko.histogram": ("kolam", lambda x, zeros: ko.histogram(x, bins, (0, bins))[0], 0.9)},
    )  # fmt: skip


ROWS = {
    "kernels.matmul 1024^3": matmul,
    "kernels.mlp 512x1024x4096": mlp,
    "kernels.softmax 4096x1024": lambda *given: rows_of(*given, softmax),
    "kernels.layer_norm 4096x1024": lambda *given: rows_of(*given, layer_norm),
    "kernels.rms_norm 4096x1024": lambda *given: rows_of(*given, rms_norm),
    **{
        f"kernels.attention 1x8x{s}x64{word}": lambda *given, s=s, masks=masks: attention(*given, s, **masks)
        for s in (512, 2048, 4096)
        for word, masks in (("", {}), (" causal", {"causal": True}))
    },
    "kernels.attention 1x8x4096x64 in a window of a quarter": lambda *given: attention(*given, 4096, reach=548),
    "kernels.decode_attention 16x32/8x4096x128": decode,
    "kernels.paged_attention 16x32/8x4096x128": paged,
    "kernels.grouped_matmul, 8 groups of 4096x1024x1024": grouped,
    "kernels.block_sparse_matmul 4096^3, a tenth": block_sparse,
    "kernels.conv2d 3x3 64 to 64 of 56x56": convolution,
    "kernels.selective_scan of 2048 steps of 1024x16": scan,
    "kernels.histogram of 10^7 in 256 bins": histogram,
}


def cases(ko):
    """(name, a function that makes the case)."""
    if importlib.util.find_spec("kolam.kernels"):
        kernels = importlib.import_module("kolam.kernels")
        for name, make in ROWS.items():
            yield name, lambda name=name, make=make: make(ko, kernels, name)
