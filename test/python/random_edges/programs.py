"""Random programs of one argument that steps change one after the other, run by the interpreter and natively."""

from dataclasses import dataclass, field

import numpy as np
from random_edges.lists import list_program
from random_edges.steps import OPEN, step
from random_edges.values import FLOATS, INTEGERS, MOST, shape, viewed

import kolam as ko
from kolam import fractal as ops


@dataclass
class Program:
    """Lines over `x`, the arguments by name, and how it is called."""

    lines: list
    arrays: dict
    results: str = "x,"
    offsets: object = None  # of a list, whose leaves `x` is
    dynamic: dict = field(default_factory=dict)
    cuts: list = field(default_factory=lambda: [{}])  # of each call: the extents of symbols that are not those of the arrays
    donated: tuple = ()
    moves: bool = True  # elements only move

    def source(self):
        if self.offsets is not None:
            return "\n    ".join(["def program(xs):", *self.lines, "return x"])
        return "\n    ".join([f"def program({', '.join(self.arrays)}):", *self.lines, f"return {self.results}"])

    def run(self, backend):
        """Of each call the results as arrays, or the slug of an error."""
        scope = {"ko": ko, "np": np, "ops": ops}
        exec(self.source(), scope)
        options = {"dynamic": self.dynamic} if self.dynamic else {}
        if self.donated and backend == "cpu":
            options["donate_argnums"] = self.donated
        function = ko.jit(scope["program"], backend=backend, **options)
        return [self.call(function, cut, backend) for cut in self.cuts]

    def call(self, function, cut, backend):
        try:
            return list(arrays_of(function(*self.arguments(cut, backend))))
        except ko.KolamError as error:
            if error.slug == "internal":
                raise
            return error.slug

    def arguments(self, cut, backend):
        if self.offsets is not None:
            return [ops.FractalTensor.from_offsets(self.arrays["xs"], self.offsets)]
        arguments = []
        for number, (name, array) in enumerate(self.arrays.items()):
            dims = self.dynamic.get(name, {})
            array = array[tuple(slice(cut.get(dims.get(i))) for i in range(array.ndim))]
            arguments.append(ko.asarray(array.copy()) if backend == "cpu" and number in self.donated else array)
        return arguments


def arrays_of(results):
    for result in results if isinstance(results, tuple) else (results,):
        if not isinstance(result, ops.FractalTensor):
            yield np.asarray(result)
        elif result.depth == 1:
            yield from (np.asarray(element) for element in result)
        else:
            yield from (array for row in result for array in arrays_of(row))


def make_program(seed, number):
    rng = np.random.default_rng([seed, number])
    if rng.random() < 0.15:
        lines, leaves, offsets = list_program(rng)
        return Program(lines, {"xs": leaves}, offsets=offsets, moves=False)
    program = Program([], {})
    names = ("bool", *FLOATS, *FLOATS, *INTEGERS, "uint8", "int8")
    program.arrays["x"] = viewed(rng, str(rng.choice(names)), shape(rng))
    x = program.arrays["x"]
    for _ in range(int(rng.integers(1, 5))):
        x = extend(program, rng, x)
    if rng.random() < 0.3:
        make_dynamic(program, rng)
    program.donated = tuple(i for i in range(len(program.arrays)) if rng.random() < 0.5) if rng.random() < 0.2 else ()
    return program


def make_dynamic(program, rng):
    """Dims of one extent have one symbol; a second call has fewer elements."""
    least = int(rng.choice([0, 1, 2], p=[0.15, 0.15, 0.7]))
    symbols = {name: {i: f"n{n}" for i, n in enumerate(a.shape) if n >= least} for name, a in program.arrays.items()}
    program.dynamic = {name: dims for name, dims in symbols.items() if dims}
    extents = {n for array in program.arrays.values() for n in array.shape if n >= least}
    program.cuts = [{}, {f"n{n}": int(rng.integers(0, n + 1)) for n in sorted(extents)}]


AROUND = ("{}", "ko.fori_loop(0, 3, lambda i, x: {}, x)", "ko.cond(ko.any(x != 0), lambda x: {}, lambda x: x, x)",
          "ko.scan(lambda x, _: ({}, x), x, None, length=2)[1]", "ko.vmap(lambda x: {})(x)")  # fmt: skip


def extend(program, rng, x):
    """Adds a step that has a meaning, mostly, on its own, in a loop, in a branch or for each row; gives the value behind it."""
    arrays = dict(program.arrays)

    def need(dtype, shape, places=None, is_sorted=False):
        name = f"a{len(arrays)}"
        array = viewed(rng, dtype, shape)
        if places is not None:
            near = np.clip(rng.integers(-2, places + 3, shape), np.iinfo(dtype).min, np.iinfo(dtype).max)
            array = np.where(rng.random(shape) < 0.9, near, array).astype(dtype)
            array = np.sort(array, axis=0) if is_sorted else array
        arrays[name] = array
        return name

    around = str(rng.choice(AROUND, p=[0.72, 0.08, 0.06, 0.06, 0.08]))
    is_by_rows = "vmap" in around and x.ndim > 1
    text, moves = step(rng, str(x.dtype), x.shape[1:] if is_by_rows else x.shape, need)
    if text is None or (is_by_rows and text in OPEN):
        return x
    longer = Program([*program.lines, f"x = {around.format(text) if is_by_rows or 'vmap' not in around else text}"], arrays)
    (results,) = longer.run("interpret")
    if isinstance(results, str) or results[0].size > MOST:
        return x
    program.lines, program.arrays = longer.lines, arrays
    program.moves &= moves
    if rng.random() < 0.3:
        kept = f"y{len(program.lines)}"
        program.lines.append(f"{kept} = x")
        program.results += f" {kept},"
    return results[0]
