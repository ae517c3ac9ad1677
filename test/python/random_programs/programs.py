"""Random programs: made, run on both backends and by NumPy, and made smaller when they fail."""

from dataclasses import dataclass

import numpy as np
from random_programs import reference as ref
from random_programs.operations import table
from random_programs.steps import Step, broadcast_dims
from random_programs.values import DTYPES, Value, numpy_dtype, random_array

import kolam as ko

EXTENTS = (0, 1, 1, 2, 3, 4, 5, 8, 17, 65)
SYMBOLS = ("n", "m")


@dataclass
class Program:
    """Inputs, and steps (result, Step) in order; `sizes` binds the symbols."""

    inputs: list
    steps: list
    sizes: dict
    arrays: dict

    def outputs(self, all_results=False):
        """Results that no step uses; or all."""
        used = {v.name for _, step in self.steps for v in step.operands}
        return [value for value, _ in self.steps if all_results or value.name not in used]

    def source(self, outputs):
        lines = [f"def program({', '.join(v.name for v in self.inputs)}):"]
        lines += [f"    {value.name} = {step.text}" for value, step in self.steps]
        return "\n".join([*lines, f"    return ({', '.join(v.name for v in outputs)},)"])

    def dynamic(self):
        """What jit's option of that name says of the inputs."""
        symbols = {v.name: {i: d for i, d in enumerate(v.dims) if isinstance(d, str)} for v in self.inputs}
        return {name: dims for name, dims in symbols.items() if dims}


class Generator:
    """Makes one program."""

    def __init__(self, rng, entries, dynamic):
        self.rng, self.entries = rng, entries
        self.symbols = SYMBOLS if dynamic else ()
        self.inputs, self.steps, self.values = [], [], []

    def extent(self):
        if self.symbols and self.rng.random() < 0.4:
            return str(self.rng.choice(self.symbols))
        return int(self.rng.choice(EXTENTS))

    def input(self, dtype, dims):
        value = Value(f"x{len(self.inputs)}", dtype, tuple(dims))
        self.inputs.append(value)
        self.values.append(value)
        return value

    def value(self, dtypes, accepts=lambda value: True):
        """An existing value of one of the dtypes, or a new input; None where that does not fit."""
        fitting = [v for v in self.values if v.dtype in dtypes and accepts(v)]
        if fitting and (self.rng.random() < 0.8 or len(self.inputs) >= 4):
            return fitting[int(self.rng.integers(len(fitting)))]
        rank = int(self.rng.choice([0, 1, 1, 2, 2, 2, 3]))
        value = self.input(str(self.rng.choice(dtypes)), [self.extent() for _ in range(rank)])
        return value if accepts(value) else None

    def partner(self, operands, dtypes):
        """A value that broadcasts with the operands: existing, or a new input."""
        dims = [v.dims for v in operands]
        fitting = [v for v in self.values if v.dtype in dtypes and broadcast_dims(v.dims, *dims) is not None]
        if fitting and self.rng.random() < 0.7:
            return fitting[int(self.rng.integers(len(fitting)))]
        kept = operands[0].dims[int(self.rng.integers(0, operands[0].rank + 1)) :]
        return self.input(str(self.rng.choice(dtypes)), [1 if self.rng.random() < 0.2 else d for d in kept])

    def like(self, value):
        """A value of the same type: existing, or a new input."""
        fitting = [v for v in self.values if (v.dtype, v.dims) == (value.dtype, value.dims)]
        if self.rng.random() < 0.6:
            return fitting[int(self.rng.integers(len(fitting)))]
        return self.input(value.dtype, value.dims)

    def program(self, length):
        weights = np.array([entry.weight for entry in self.entries])
        weights /= weights.sum()
        while len(self.steps) < length:
            entry = self.entries[int(self.rng.choice(len(self.entries), p=weights))]
            step = entry.make(self)
            if step is None or _cells(step.dims) > 40000:
                continue
            result = Value(f"v{len(self.steps)}", step.dtype, tuple(step.dims))
            self.steps.append((result, step))
            self.values.append(result)
        sizes = {symbol: int(self.rng.choice([0, 1, 2, 3, 7, 20])) for symbol in self.symbols}
        arrays = {v.name: random_array(self.rng, v.dtype, _shape(v.dims, sizes)) for v in self.inputs}
        return Program(self.inputs, self.steps, sizes, arrays)


def _shape(dims, sizes):
    return tuple(sizes[d] if isinstance(d, str) else d for d in dims)


def _cells(dims):
    return int(np.prod([20 if isinstance(d, str) else d for d in dims], dtype=float))


def make_program(seed, number):
    """Program `number` of a run; every fourth has dynamic extents."""
    rng = np.random.default_rng([seed, number])
    entries = table(ko._kolam._elementwise_rows)
    return Generator(rng, entries, number % 4 == 0).program(int(rng.integers(2, 9)))


def run(program, backend, outputs):
    """The outputs as numpy arrays by name, or the slug of the error."""
    scope = {"ko": ko, "np": np}
    exec(program.source(outputs), scope)
    function = ko.jit(scope["program"], backend=backend, dynamic=program.dynamic())
    try:
        results = function(*[program.arrays[v.name] for v in program.inputs])
    except ko.KolamError as error:
        if error.slug == "internal":
            raise
        return error.slug
    return {v.name: np.asarray(result) for v, result in zip(outputs, results, strict=True)}


def same_bits(a, b):
    """Equal bits, or both NaN."""
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    if a.dtype.kind in "iub":
        return bool(np.array_equal(a, b))
    bits = f"uint{8 * a.dtype.itemsize}"
    equal = np.ascontiguousarray(a).view(bits) == np.ascontiguousarray(b).view(bits)
    return bool(np.all(equal | (np.isnan(a.astype(np.float64)) & np.isnan(b.astype(np.float64)))))


@dataclass
class Failure:
    """What is wrong with a program; `kind` stays the same while it is made smaller."""

    kind: str
    text: str


def failure(program):
    """What is wrong with a program, or None."""
    try:
        every = run(program, "interpret", program.outputs(all_results=True))
        native = run(program, "cpu", program.outputs())
    except Exception as error:  # noqa: BLE001  (whatever it is, it is a failure)
        return Failure(type(error).__name__ + getattr(error, "slug", ""), f"{type(error).__name__}: {error}")
    if isinstance(every, str) or isinstance(native, str):
        same = isinstance(every, str) and every == native
        text = f"interpreter gives {_outcome(every)}, native code {_outcome(native)}"
        return None if same else Failure(text, text)
    for name, array in native.items():
        if not same_bits(every[name], array):
            return Failure("bits", f"{name} differs between interpreter and native code:\n{every[name]}\n{array}")
    for value, step in program.steps:
        wrong = numpy_failure(value, step, every, program)
        if wrong:
            return wrong
    return None


def _outcome(result):
    return f"[{result}]" if isinstance(result, str) else "a result"


def numpy_failure(value, step, every, program):
    """Compares one step with NumPy on the interpreter's own operands."""
    got = every[value.name]
    if str(got.dtype) != str(numpy_dtype(value.dtype)) or got.shape != _shape(value.dims, program.sizes):
        expected = f"{value.dtype}{_shape(value.dims, program.sizes)}"
        return Failure("type", f"{value.name}: expected {expected}, but got {got.dtype}{got.shape}")
    arrays = [every[v.name] if v.name in every else program.arrays[v.name] for v in step.operands]
    if step.expected is None or (step.needs_tame and not ref.all_tame(arrays)):
        return None
    with np.errstate(all="ignore"):
        expected = step.expected(arrays)
        if expected is None:
            return None
        scale = step.scale(arrays) if step.scale else None
    if ref.agrees(got, np.asarray(expected), step.ulps, scale):
        return None
    text = f"{value.name} = {step.text} differs from NumPy:\n{arrays}\n{got}\n{expected}"
    return Failure(step.text.partition("(")[0], text)


def shrink(program, kind, check=failure):
    """A smaller program that fails in the same way: steps go first, then extents."""
    for _ in range(200):
        for smaller in candidates(program):
            wrong = check(smaller)
            if wrong and wrong.kind == kind:
                program = smaller
                break
        else:
            return program
    return program


def candidates(program):
    """Programs with one thing less."""
    # Without a result that nobody uses.
    unused = program.outputs()
    for value in unused if len(unused) > 1 else []:
        yield without(program, value)
    # A step's result as an input of the same values.
    every = run_or_none(program)
    for value, step in reversed(program.steps[:-1]):
        if every is not None:
            rest = [(v, s) for v, s in program.steps if v is not value]
            yield pruned(Program([*program.inputs, value], rest, program.sizes, program.arrays | {value.name: every[value.name]}))
    # Half of an extent, or one cell: along all dims of equal extent.
    for extent in sorted({e for array in program.arrays.values() for e in array.shape if e > 1}):
        for smaller in {extent // 2, 1, extent - 1}:
            yield cut(program, extent, smaller)


def run_or_none(program):
    try:
        every = run(program, "interpret", program.outputs(all_results=True))
    except Exception:  # noqa: BLE001
        return None
    return None if isinstance(every, str) else every


def without(program, value):
    return pruned(Program(program.inputs, [(v, s) for v, s in program.steps if v is not value], program.sizes, program.arrays))


def pruned(program):
    """Without inputs that nobody uses."""
    used = {v.name for _, step in program.steps for v in step.operands}
    inputs = [v for v in program.inputs if v.name in used]
    return Program(inputs, program.steps, program.sizes, program.arrays)


def cut(program, extent, smaller):
    """Every dim of that extent cut; steps whose text says extents then fail in another way, and are refused."""

    def dims(given):
        return tuple(smaller if d == extent else d for d in given)

    def cut_value(value):
        return Value(value.name, value.dtype, dims(value.dims))

    steps = [
        (cut_value(v), Step(s.text, tuple(cut_value(o) for o in s.operands), s.dtype, dims(s.dims), s.expected, s.ulps, s.scale, s.needs_tame))
        for v, s in program.steps
    ]  # fmt: skip
    arrays = {
        name: array[tuple(slice(smaller if e == extent else e) for e in array.shape)]
        for name, array in program.arrays.items()
    }
    sizes = {symbol: smaller if size == extent else size for symbol, size in program.sizes.items()}
    return Program([cut_value(v) for v in program.inputs], steps, sizes, arrays)


def reproducer(program, seed, number):
    """A script that shows the failure."""
    lines = ["import numpy as np, ml_dtypes, kolam as ko", program.source(program.outputs())]
    for v in program.inputs:
        array = program.arrays[v.name]
        bits = array if array.dtype.kind in "iub" else np.ascontiguousarray(array).view(f"uint{8 * array.dtype.itemsize}")
        dtype = f"np.{bits.dtype}" if bits.dtype != bool else "bool"
        text = f"np.array({bits.tolist()}, {dtype}).reshape({array.shape})"
        if array.dtype.kind not in "iub":
            name = "ml_dtypes.bfloat16" if v.dtype == "bfloat16" else f"np.{v.dtype}"
            text += f".view({name})"
        lines.append(f"{v.name} = {text}")
    arguments = ", ".join(v.name for v in program.inputs)
    lines.append("for backend in ('interpret', 'cpu'):")
    lines.append(f"    print(ko.jit(program, backend=backend, dynamic={program.dynamic()})({arguments}))")
    return f"# KOLAM_SEED={seed}, program {number}\n" + "\n".join(lines)


__all__ = ["DTYPES", "failure", "make_program", "reproducer", "shrink"]
