"""What the kernels of kolam.kernels say of wrong calls."""

import pytest

import kolam as ko
from kolam import kernels

ONES = ko.ones((4, 4))
TOKENS = {"q": ko.ones((2, 4, 8)), "k": ko.ones((2, 5, 2, 8)), "v": ko.ones((2, 5, 2, 8))}
WRONG = {
    "matmul: [shape-mismatch] argument 'y': expected extent 4 in dim 0 of [k, n], as k is before, but got 3 of float32[3, 2]":
        lambda: kernels.matmul(ONES, ko.ones((3, 2))),
    "matmul: [rank-mismatch] argument 'x': expected dims [m, k], but got float32[4]; reshape it to 2 dims": lambda: kernels.matmul(ONES[0], ONES),
    "matmul: [dtype-mismatch] argument 'x': expected numbers, but got bool[4, 4]; write x.astype(kolam.float32)":
        lambda: kernels.matmul(ONES > 0, ONES),
    "matmul: [bad-block] argument 'block_k': expected an integer of at least 1, but got 0": lambda: kernels.matmul(ONES, ONES, block_k=0),
    "matmul: [argument-type] argument 'activation': expected a function of an array, such as kolam.relu, or None, but got 'relu'":
        lambda: kernels.matmul(ONES, ONES, activation="relu"),
    "mlp: [shape-mismatch] argument 'w2': expected extent 4 in dim 0 of [hidden, n], as hidden is before, but got 5 of float32[5, 4]":
        lambda: kernels.mlp(ONES, ONES, ko.ones((5, 4))),
    "mlp: [shape-mismatch] argument 'b1': expected extent 4 in dim 0 of [hidden], as hidden is before, but got 3 of float32[3]":
        lambda: kernels.mlp(ONES, ONES, ONES, b1=ko.ones(3)),
    "mlp: [bad-block] argument 'block_hidden': expected an integer of at least 1, but got -1": lambda: kernels.mlp(ONES, ONES, ONES, block_hidden=-1),
    "softmax: [rank-mismatch] argument 'x': expected at least one dim, but got float32[]; write x.reshape(1)": lambda: kernels.softmax(1.0),
    "softmax: [dtype-mismatch] argument 'x': expected floats, but got int32[2]; write x.astype(kolam.float32)":
        lambda: kernels.softmax(ko.asarray([1, 2])),
    "layer_norm: [shape-mismatch] argument 'bias': expected extent 4 in dim 0 of [n], as n is before, but got 3 of float32[3]":
        lambda: kernels.layer_norm(ONES, ONES[0], ko.ones(3)),
    "rms_norm: [bad-block] argument 'block_rows': expected an integer of at least 1, but got 0": lambda: kernels.rms_norm(ONES, block_rows=0),
    "decode_attention: [shape-mismatch] argument 'v': expected extent 5 in dim 1 of [batch, keys, kv_heads, e], as keys is before, but got 4 of float32[2, 4, 2, 8]":
        lambda: kernels.decode_attention(**(TOKENS | {"v": ko.ones((2, 4, 2, 8))})),
    "decode_attention: [shape-mismatch] argument 'q': expected a number of heads that those of the keys, 2, divide, but got 3; repeat the keys":
        lambda: kernels.decode_attention(**(TOKENS | {"q": ko.ones((2, 3, 8))})),
    "decode_attention: [dtype-mismatch] argument 'lengths': expected integers, but got float32[2]; write lengths.astype(kolam.int32)":
        lambda: kernels.decode_attention(**TOKENS, lengths=ko.ones(2)),
    "decode_attention: [bad-block] argument 'splits': expected an integer of at least 1, but got 0":
        lambda: kernels.decode_attention(**TOKENS, splits=0),
    "paged_attention: [shape-mismatch] argument 'lengths': expected extent 2 in dim 0 of [batch], as batch is before, but got 3 of int32[3]":
        lambda: kernels.paged_attention(TOKENS["q"], ko.ones((2, 3, 4, 8)), ko.ones((2, 3, 4, 8)), ko.zeros((2, 3), dtype=ko.int32), ko.zeros(3, dtype=ko.int32)),
    "grouped_matmul: [shape-mismatch] argument 'group_sizes': expected extent 2 in dim 0 of [groups], as groups is before, but got 3 of int32[3]":
        lambda: kernels.grouped_matmul(ONES, ko.ones((2, 4, 4)), ko.asarray([1, 1, 1])),
    "grouped_matmul: [dtype-mismatch] argument 'group_sizes': expected integers, but got float32[2]; write group_sizes.astype(kolam.int32)":
        lambda: kernels.grouped_matmul(ONES, ko.ones((2, 4, 4)), ko.ones(2)),
    "block_sparse_matmul: [shape-mismatch] argument 'block_indices': expected extent 2 in dim 1, a row and a column, but got int32[1, 3]":
        lambda: kernels.block_sparse_matmul(ko.ones((1, 2, 2)), ko.asarray([[0, 0, 0]]), ONES, rows=4),
    "block_sparse_matmul: [negative-count] argument 'rows': expected 0 or more, but got -1":
        lambda: kernels.block_sparse_matmul(ko.ones((1, 2, 2)), ko.asarray([[0, 0]]), ONES, rows=-1),
    "conv2d: [shape-mismatch] argument 'w': expected extent 1 in dim 2 of [window_height, window_width, channels, outputs], as channels is before, but got 2 of float32[1, 1, 2, 1]":
        lambda: kernels.conv2d(ko.ones((1, 4, 4, 1)), ko.ones((1, 1, 2, 1))),
    "conv2d: [bad-window] argument 'stride': expected an integer of at least 1, or two, but got 0":
        lambda: kernels.conv2d(ko.ones((1, 4, 4, 1)), ko.ones((1, 1, 1, 1)), stride=0),
    "conv2d: [shape-mismatch] argument 'w': expected a filter that fits into images of [4, 4] with padding [(0, 0), (0, 0)], but got one that reaches over [5, 1]":
        lambda: kernels.conv2d(ko.ones((1, 4, 4, 1)), ko.ones((5, 1, 1, 1))),
    "conv2d: [bad-window] argument 'padding': expected 'valid', 'same', integers or pairs, but got 'full'":
        lambda: kernels.conv2d(ko.ones((1, 4, 4, 1)), ko.ones((1, 1, 1, 1)), padding="full"),
    "selective_scan: [shape-mismatch] argument 'delta': expected extent 4 in dim 2 of [batch, length, channels], as channels is before, but got 3 of float32[1, 4, 3]":
        lambda: kernels.selective_scan(ONES[None], ko.ones((1, 4, 3)), ONES, ONES[None], ONES[None]),
    "selective_scan: [bad-block] argument 'block_channels': expected an integer of at least 1, but got 0":
        lambda: kernels.selective_scan(ONES[None], ONES[None], ONES, ONES[None], ONES[None], block_channels=0),
    "histogram: [negative-count] argument 'bins': expected 1 bin or more, but got 0": lambda: kernels.histogram(ONES, 0),
    "histogram: [argument-type] argument 'bins': expected a number of bins, but got list; write kolam.histogram(x, bins)":
        lambda: kernels.histogram(ONES, [0.0, 1.0]),
    "histogram: [dtype-mismatch] argument 'x': expected numbers, but got bool[2]; write x.astype(kolam.float32)":
        lambda: kernels.histogram(ko.asarray([True, False])),
}  # fmt: skip


def words_of(call):
    with pytest.raises(ko.KolamError) as info:
        call()
    return str(info.value).splitlines()[0]


@pytest.mark.parametrize("words", WRONG)
def test_wrong_calls_say_what_is_expected(words):
    assert words_of(WRONG[words]) == words
