"""Random programs as data: inputs, steps, and the arrays that they are called with; and as Python text."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Call:
    """One call of a program: what symbols are bound to, and the inputs by name."""

    sizes: dict
    arrays: dict


@dataclass
class Program:
    """Inputs, steps (result, Step) in order, and calls: two at different sizes where extents are dynamic."""

    inputs: list
    steps: list
    calls: list

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


def array_text(array):
    """The array as an expression that gives its very bits."""
    bits = array if array.dtype.kind in "iub" else np.ascontiguousarray(array).view(f"uint{8 * array.dtype.itemsize}")
    dtype = "bool" if bits.dtype == bool else f"np.{bits.dtype}"
    text = f"np.array({bits.tolist()}, {dtype}).reshape({array.shape})"
    if array.dtype.kind in "iub":
        return text
    return f"{text}.view({'np' if array.dtype.kind == 'f' else 'ml_dtypes'}.{array.dtype})"


def reproducer(program, seed, number):
    """A script that shows a failure."""
    lines = [f"# KOLAM_SEED={seed}, program {number}", "import numpy as np, ml_dtypes, kolam as ko"]
    lines += [program.source(program.outputs()), "calls = ["]
    for call in program.calls:
        lines.append(f"    dict({', '.join(f'{v.name}={array_text(call.arrays[v.name])}' for v in program.inputs)}),")
    lines += ["]", "for backend in ('interpret', 'cpu', 'schedule'):"]
    lines.append(f"    function = ko.jit(program, backend=backend, dynamic={program.dynamic()})")
    lines += ["    for call in calls:", "        try:", "            print(backend, function(**call))"]
    lines += ["        except ko.KolamError as error:", "            print(backend, error)"]
    return "\n".join(lines)
