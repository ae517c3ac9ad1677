"""Products, layers and convolutions."""

import math

import ml_dtypes
import numpy as np
from case import Case, floats
from sizes import size

SHAPES = size((
    (128, 128, 128), (256, 256, 256), (512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048), (8, 1024, 1024),
    (32, 1024, 1024), (64, 1024, 1024), (512, 3072, 768),
), ((8, 9, 10), (17, 3, 33)))  # fmt: skip
GOALS = {(128, 128, 128): 0.90, (256, 256, 256): 0.90}


def by(*extents):
    return "x".join(str(extent) for extent in extents)


def matmul_f32(ko, shape):
    m, n, k = shape
    return Case(
        f"matmul f32 {by(*shape)}", [floats(1, m, k)], weights=[floats(2, k, n)], goal=GOALS.get(shape, 0.95),
        ours=ko.matmul, reference=np.matmul,
        torch=lambda torch, x, w: x @ w,
        jax=lambda jax, x, w: x @ w,
        onnx=lambda: [("MatMul", ["x0", "w0"], "y", {})],
    )


def vector_matrix(ko, name):
    n = size(4096, 37)
    return Case(
        name, [floats(1, n)], weights=[floats(2, n, n)], goal=1.0, tolerance=1e-4, ours=ko.matmul, reference=np.matmul,
        torch=lambda torch, x, w: x @ w, jax=lambda jax, x, w: x @ w, onnx=lambda: [("MatMul", ["x0", "w0"], "y", {})],
        more={"NumPy": ("numba", lambda numba, x, w: lambda: x @ w)},
    )


def matmul_bf16(ko, shape):
    m, n, k = shape
    operands = [floats(1, m, k).astype(ml_dtypes.bfloat16)], [floats(2, k, n).astype(ml_dtypes.bfloat16)]
    return Case(
        f"matmul bf16 {by(*shape)}", operands[0], weights=operands[1], goal=0.90, tolerance=1e-2,
        ours=ko.matmul, reference=np.matmul,
        torch=lambda torch, x, w: x @ w,
        jax=lambda jax, x, w: x @ w,
    )


def matmul_i8(ko):
    random = np.random.default_rng(1)
    n = size(1024, 18)
    x, w = (random.integers(-128, 128, (n, n), dtype=np.int8) for _ in range(2))
    return Case(
        "matmul i8 1024x1024x1024", [x], weights=[w], goal=0.85, tolerance=0,
        ours=lambda x, w: ko.matmul(x, w, dtype=ko.int32),
        reference=lambda x, w: np.matmul(x.astype(np.float64), w.astype(np.float64)),
        torch=lambda torch, x, w: torch._int_mm(x, w),
        jax=lambda jax, x, w: jax.lax.dot(x, w, preferred_element_type=jax.numpy.int32),
    )


erf = np.vectorize(math.erf, otypes=[np.float64])


def gelu_residual(ko):
    m, n, k = size((512, 3072, 768), (5, 18, 7))
    return Case(
        "matmul + bias + gelu + residual 512x3072x768", [floats(1, m, k), floats(2, m, n)],
        weights=[floats(3, k, n), floats(4, n)], goal=1.0,
        ours=lambda x, r, w, b: ko.gelu(ko.matmul(x, w) + b) + r,
        reference=lambda x, r, w, b: (y := x @ w + b) / 2 * (1 + erf(y / math.sqrt(2))) + r,
        torch=lambda torch, x, r, w, b: torch.nn.functional.gelu(torch.addmm(b, x, w)) + r,
        jax=lambda jax, x, r, w, b: jax.nn.gelu(x @ w + b, approximate=False) + r,
        onnx=lambda: [
            ("Gemm", ["x0", "w0", "w1"], "a", {}), ("Gelu", ["a"], "b", {}), ("Add", ["b", "x1"], "y", {}),
        ],
    )


def layers(relu, x, *parts):
    """relu(x w + b), layer by layer; the last one without relu."""
    weights, biases = parts[::2], parts[1::2]
    for place, (w, b) in enumerate(zip(weights, biases, strict=True)):
        x = x @ w + b
        x = relu(x) if place + 1 < len(weights) else x
    return x


def mlp(ko, rows):
    widths = size((784, 1024, 1024, 10), (9, 17, 16, 3))
    parts = []
    for place, (inner, outer) in enumerate(zip(widths, widths[1:], strict=False)):
        parts += [floats(2 * place + 2, inner, outer), floats(2 * place + 3, outer)]

    def torch_layers(torch, x, *parts):
        for place in range(0, len(parts), 2):
            x = torch.addmm(parts[place + 1], x, parts[place])
            x = torch.relu(x) if place + 2 < len(parts) else x
        return x

    return Case(
        f"mlp 784-1024-1024-10 of {rows} rows", [floats(1, size(rows, 5), widths[0])], weights=parts, goal=1.0, tolerance=1e-4,
        ours=lambda x, *parts: layers(ko.relu, x, *parts),
        reference=lambda x, *parts: layers(lambda y: np.maximum(y, 0), x, *parts),
        torch=torch_layers,
        jax=lambda jax, x, *parts: layers(jax.nn.relu, x, *parts),
        onnx=lambda: [
            ("Gemm", ["x0", "w0", "w1"], "a", {}), ("Relu", ["a"], "b", {}), ("Gemm", ["b", "w2", "w3"], "c", {}),
            ("Relu", ["c"], "d", {}), ("Gemm", ["d", "w4", "w5"], "y", {}),
        ],
    )


def correlate(x, w, stride, padding):
    """The convolution of one image in f64: a product for each place of the window."""
    window, extent = w.shape[2], (x.shape[2] + 2 * padding - w.shape[2]) // stride + 1
    x = np.pad(x, ((0, 0), (0, 0), (padding, padding), (padding, padding)))
    result = np.zeros((1, w.shape[0], extent, extent))
    for i in range(window):
        for j in range(window):
            part = x[:, :, i : i + stride * (extent - 1) + 1 : stride, j : j + stride * (extent - 1) + 1 : stride]
            result += np.einsum("oc,nchw->nohw", w[:, :, i, j], part)
    return result


def convolution(ko, name, channels, filters, image, window, stride, goal):
    channels, filters, image = size((channels, filters, image), (3, 5, 9))
    padding = window // 2
    pads = ((padding, padding), (padding, padding))

    def torch_convolution(torch, x, w):
        return torch.nn.functional.conv2d(x, w, stride=stride, padding=padding)

    def channels_last(torch, x, w):
        x, w = (array.to(memory_format=torch.channels_last) for array in (x, w))
        return torch.nn.functional.conv2d(x, w, stride=stride, padding=padding)

    return Case(
        f"convolution {name}", [floats(1, 1, channels, image, image)],
        weights=[floats(2, filters, channels, window, window)], goal=goal,
        ours=lambda x, w: ko.conv(x, w, strides=stride, padding=[(padding, padding)] * 2),
        reference=lambda x, w: correlate(x, w, stride, padding),
        torch=torch_convolution,
        jax=lambda jax, x, w: jax.lax.conv(x, w, (stride, stride), "SAME")
        if stride == 1
        else jax.lax.conv_general_dilated(x, w, (stride, stride), pads),
        onnx=lambda: [("Conv", ["x0", "w0"], "y", {"pads": [padding] * 4, "strides": [stride] * 2})],
        more={"PyTorch channels last": ("torch", channels_last)},
    )


CONVOLUTIONS = (
    ("3x3 64 to 64 of 56x56", 64, 64, 56, 3, 1, 0.90),
    ("3x3 256 to 256 of 14x14", 256, 256, 14, 3, 1, 0.90),
    ("1x1 256 to 64 of 56x56", 256, 64, 56, 1, 1, 0.95),
    ("7x7 stride 2 3 to 64 of 224x224", 3, 64, 224, 7, 2, 0.80),
)


def cases(ko):
    """(name, a function that makes the case)."""
    yield from ((f"matmul f32 {by(*shape)}", lambda shape=shape: matmul_f32(ko, shape)) for shape in SHAPES)
    yield "vector times matrix 4096x4096", lambda: vector_matrix(ko, "vector times matrix 4096x4096")
    yield from ((f"matmul bf16 {by(*shape)}", lambda shape=shape: matmul_bf16(ko, shape)) for shape in SHAPES)
    yield "matmul i8 1024x1024x1024", lambda: matmul_i8(ko)
    yield "matmul + bias + gelu + residual 512x3072x768", lambda: gelu_residual(ko)
    yield from ((f"mlp 784-1024-1024-10 of {rows} rows", lambda rows=rows: mlp(ko, rows)) for rows in (64, 512))
    yield from ((f"convolution {row[0]}", lambda row=row: convolution(ko, *row)) for row in CONVOLUTIONS)
