"""Single steps by ONNX Runtime, with IOBinding on one thread; beside them a session that does nothing."""

import sys
import time

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

rng = np.random.default_rng(1)


def session(nodes, inputs, outputs, weights):
    graph = helper.make_graph(
        nodes, "step",
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in inputs],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])


def bound(made, inputs, outputs):
    """A call of the session on memory that stays; a state's output is the next call's input."""
    binding = made.io_binding()
    for name, shape in inputs:
        binding.bind_ortvalue_input(name, onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(shape, np.float32)))
    for name, shape in outputs:
        binding.bind_ortvalue_output(name, onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros(shape, np.float32)))
    return lambda: made.run_with_iobinding(binding)


def weight(*shape):
    return (rng.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32)


def empty():
    ports = [("x", [1, 256])], [("y", [1, 256])]
    return bound(session([helper.make_node("Identity", ["x"], ["y"])], *ports, {}), *ports)


def lstm(layers, size):
    nodes, weights, inputs, outputs, x = [], {}, [("x0", [1, 1, size])], [], "x0"
    for layer in range(layers):
        weights |= {f"w{layer}": weight(1, 4 * size, size), f"r{layer}": weight(1, 4 * size, size), f"b{layer}": weight(1, 8 * size)}
        weights[f"axes{layer}"] = np.array([1])
        states = [f"h{layer}", f"c{layer}"]
        inputs += [(name, [1, 1, size]) for name in states]
        outputs += [(f"{name}_next", [1, 1, size]) for name in states]
        nodes.append(helper.make_node(
            "LSTM", [x, f"w{layer}", f"r{layer}", f"b{layer}", "", *states],
            [f"y{layer}", *(f"{name}_next" for name in states)], hidden_size=size,
        ))  # fmt: skip
        x = f"x{layer + 1}"
        nodes.append(helper.make_node("Squeeze", [f"y{layer}", f"axes{layer}"], [x]))
    outputs.append((x, [1, 1, size]))
    return bound(session(nodes, inputs, outputs, weights), inputs, outputs)


def mlp(widths):
    nodes, weights, x = [], {}, "x"
    for layer, (rows, columns) in enumerate(zip(widths, widths[1:], strict=False)):
        weights |= {f"w{layer}": weight(rows, columns), f"b{layer}": weight(columns)}
        is_last = layer + 2 == len(widths)
        nodes.append(helper.make_node("Gemm", [x, f"w{layer}", f"b{layer}"], ["y" if is_last else f"z{layer}"]))
        if not is_last:
            x = f"x{layer + 1}"
            nodes.append(helper.make_node("Relu", [f"z{layer}"], [x]))
    ports = [("x", [1, widths[0]])], [("y", [1, widths[-1]])]
    return bound(session(nodes, *ports, weights), *ports)


def main():
    rows = {
        "empty session": empty, "lstm 3x256 f32": lambda: lstm(3, 256), "lstm 2x64 f32": lambda: lstm(2, 64),
        "mlp f32": lambda: mlp((256, 384, 384, 128)),
    }  # fmt: skip
    for name, make in rows.items():
        if len(sys.argv) > 1 and sys.argv[1] not in name:
            continue
        call = make()
        seconds = []
        for turn in range(4200):
            start = time.perf_counter()
            call()
            if turn >= 200:
                seconds.append(time.perf_counter() - start)
        p50, p99 = np.quantile(seconds, [0.5, 0.99]) * 1e6
        print(f"{name}: ONNX Runtime {onnxruntime.__version__} p50 {p50:.2f} us  p99 {p99:.2f} us")


main()
