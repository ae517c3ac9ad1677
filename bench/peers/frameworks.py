"""The peers: each makes calls of a case. What is not installed is None in `load`."""

import importlib
import importlib.metadata
import os
from contextlib import contextmanager

import numpy as np
import sources

PACKAGES = {
    "torch": "PyTorch", "jax": "JAX", "onnxruntime": "ONNX Runtime", "numba": "numba", "pythran": "pythran",
    "mojo": "Mojo", "clang": "clang", "halide": "Halide",
}  # fmt: skip


@contextmanager
def cores(count):
    """What starts threads in here counts so many cores."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(before)[:count])
    yield
    os.sched_setaffinity(0, before)


class Kolam:
    """Ours, through the Python package."""

    def __init__(self):
        self.ko = importlib.import_module("kolam")
        importlib.import_module("kolam.fractal")

    def value(self, given):
        """An array, or a list as it is."""
        return given if isinstance(given, self.ko.fractal.FractalTensor) else self.ko.asarray(given)

    def call(self, function, inputs, weights):
        weights = [self.value(weight) for weight in weights]
        inputs = [self.value(array) for array in inputs]
        # jit looks at the parameters: a fixed number of them, by name.
        names = ", ".join(f"x{place}" for place in range(len(inputs)))
        scope = {"function": function, "weights": weights}
        f = self.ko.jit(eval(f"lambda {names}: function({names}, *weights)", scope))
        return lambda: self.wait(f(*inputs))

    def at_once(self, function, inputs, weights):
        """The function without jit, each of its ops a call, as it is once such calls have come often."""
        given = [self.value(array) for array in inputs + weights]
        for _ in range(300):
            function(*given)
        return lambda: self.wait(function(*given))

    def wait(self, result):
        """Lists are complete when a call ends."""
        return result.block_until_ready() if isinstance(result, self.ko.Tensor) else result

    def to_numpy(self, result):
        """Of a list its leaves; of a list of tuples those of all parts, in one array."""
        if isinstance(result, self.ko.fractal.FractalTensor):
            result = result.parts
        if isinstance(result, tuple):
            return np.stack([self.to_numpy(part) for part in result])
        return np.asarray(result.leaves() if isinstance(result, self.ko.List) else result)


class PyTorch:
    """`call` is eager, `compiled` is torch.compile with max-autotune and freezing."""

    def __init__(self, threads):
        self.torch = importlib.import_module("torch")
        self.torch.set_num_threads(threads)
        self.version = self.torch.__version__

    def tensor(self, array):
        if array.dtype.name == "bfloat16":
            return self.torch.from_numpy(array.view(np.int16)).view(self.torch.bfloat16)
        return self.torch.from_numpy(array)

    def module(self, function, weights):
        torch = self.torch

        class Layer(torch.nn.Module):
            def __init__(self, tensors):
                super().__init__()
                self.weights = torch.nn.ParameterList(
                    torch.nn.Parameter(tensor, requires_grad=False) for tensor in tensors
                )

            def forward(self, *inputs):
                return function(torch, *inputs, *self.weights)

        return Layer([self.tensor(weight) for weight in weights]).eval()

    def run(self, f, inputs):
        inputs = [self.tensor(array) for array in inputs]

        def call():
            with self.torch.no_grad():
                return f(*inputs)

        return call

    def call(self, function, inputs, weights):
        return self.run(self.module(function, weights), inputs)

    def compiled(self, function, inputs, weights):
        self.torch.compiler.reset()
        options = {"max_autotune": True, "freezing": True}
        return self.run(self.torch.compile(self.module(function, weights), options=options), inputs)

    def to_numpy(self, result):
        result = result.detach()
        return (result.float() if result.dtype == self.torch.bfloat16 else result).numpy()


class Jax:
    """jit, with weights as constants; 64 bits wide where an input is."""

    def __init__(self, threads):
        with cores(threads):  # its pool has a thread for each core
            self.jax = importlib.import_module("jax")
            self.jax.devices("cpu")
        self.version = self.jax.__version__

    def call(self, function, inputs, weights):
        wide = any(array.dtype.itemsize == 8 for array in inputs + weights)
        with self.jax.enable_x64(wide):
            inputs = [self.jax.device_put(array) for array in inputs]
            weights = [self.jax.device_put(array) for array in weights]
        f = self.jax.jit(lambda *arguments: function(self.jax, *arguments, *weights))
        return self.in_64_bits(f, inputs) if wide else lambda: f(*inputs).block_until_ready()

    def in_64_bits(self, f, inputs):
        def call():
            with self.jax.enable_x64(True):
                return f(*inputs).block_until_ready()

        return call

    def to_numpy(self, result):
        return np.asarray(result)


class OnnxRuntime:
    """A model made of nodes (op, inputs, output, attributes); names are x0, x1 ..., w0, w1 ..., and y at the end."""

    def __init__(self, threads):
        if sources.CPU:
            raise ImportError("ONNX Runtime takes the widest instructions that there are")
        self.runtime = importlib.import_module("onnxruntime")
        self.onnx = importlib.import_module("onnx")
        self.threads = threads
        self.version = self.runtime.__version__

    def model(self, nodes, inputs, weights):
        helper, numpy_helper = self.onnx.helper, self.onnx.numpy_helper
        made = [helper.make_node(op, takes, [gives], **attributes) for op, takes, gives, attributes in nodes]
        types = {f"x{place}": array for place, array in enumerate(inputs)}
        graph = helper.make_graph(
            made,
            "case",
            [
                helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
                for name, array in types.items()
            ],
            [self.onnx.ValueInfoProto(name="y")],
            [numpy_helper.from_array(array, f"w{place}") for place, array in enumerate(weights)],
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 23)], ir_version=10)

    def call(self, function, inputs, weights):
        options = self.runtime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = self.threads, 1
        options.add_session_config_entry("session.force_spinning_stop", "1")
        model = self.model(function(), inputs, weights)
        session = self.runtime.InferenceSession(
            model.SerializeToString(), options, providers=["CPUExecutionProvider"]
        )
        binding = session.io_binding()
        for place, array in enumerate(inputs):
            binding.bind_ortvalue_input(f"x{place}", self.runtime.OrtValue.ortvalue_from_numpy(array))
        binding.bind_output("y")

        def call():
            session.run_with_iobinding(binding)
            return binding

        return call

    def to_numpy(self, result):
        return result.copy_outputs_to_cpu()[0]


class Numba:
    """Loops; `function` compiles them and gives the call."""

    def __init__(self, threads):
        self.numba = importlib.import_module("numba")
        self.numba.set_num_threads(threads)
        self.threads, self.version = threads, self.numba.__version__

    def call(self, function, inputs, weights):
        return function(self.numba, *inputs, *weights)

    def to_numpy(self, result):
        return result


class Halide:
    """Pipelines with schedules by hand; `function` compiles one and gives the call."""

    def __init__(self, threads):
        self.halide = importlib.import_module("halide")
        os.environ["HL_NUM_THREADS"] = str(threads)
        self.version = importlib.metadata.version("halide")

    def call(self, function, inputs, weights):
        return function(self.halide, *inputs, *weights)

    def to_numpy(self, result):
        return np.asarray(result)


MAKERS = {
    "torch": PyTorch, "jax": Jax, "onnxruntime": OnnxRuntime, "numba": Numba, "pythran": sources.Pythran,
    "mojo": sources.Mojo, "clang": sources.Clang, "halide": Halide,
}  # fmt: skip


def load(threads):
    """{package: the peer, or None where it cannot be imported}."""
    found = {}
    for package, make in MAKERS.items():
        try:
            found[package] = make(threads)
        except ImportError:
            found[package] = None
    return found
