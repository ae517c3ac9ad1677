"""Kernels that come with Kolam, over blocks in `kolam.pallas`: products, attention of one token, norms, groups, windows, scans.

Each is an ordinary function of arrays, in `jit` and outside, and a text to begin one's own from. Blocks are hints of speed
and of the order of sums; any extents go. `interpret=True` has the interpreter run the kernel, to the same bits.
"""

from kolam.kernels._attention import attention
from kolam.kernels._bins import histogram
from kolam.kernels._convolution import conv2d
from kolam.kernels._decoding import decode_attention, paged_attention
from kolam.kernels._groups import block_sparse_matmul, grouped_matmul
from kolam.kernels._matmul import matmul, mlp
from kolam.kernels._rows import layer_norm, rms_norm, softmax
from kolam.kernels._selective_scan import selective_scan

__all__ = [
    "attention", "block_sparse_matmul", "conv2d", "decode_attention", "grouped_matmul", "histogram", "layer_norm", "matmul", "mlp", "paged_attention",
    "rms_norm", "selective_scan", "softmax",
]  # fmt: skip


def __getattr__(name):
    """Names that are not here: those of other libraries are told what to write."""
    from kolam import _hints

    raise _hints.unknown_name("kolam.kernels", name, __all__)


def __dir__():
    return __all__
