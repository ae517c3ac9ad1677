"""Kernels over blocks: functions over Refs, run for each point of a grid; names and order of arguments are those of Pallas.

Source: Pallas, the kernel language of JAX. Where it leaves something open, or targets differ, docs/kernels.md says what holds
here: points of the grid run as if one after the other, the last axis fastest; what lies outside of an array is read as
`pad` and not written; results and scratch arrays hold zeros at first.
"""

import dataclasses
import enum
import functools
import inspect
import math

import numpy

import kolam
from kolam import _kolam, debug
from kolam._callables import check_callable
from kolam._control import cond, fori_loop, scan, switch, while_loop
from kolam._pytree import flatten, leaf_paths, part_names, split, unflatten
from kolam._refs import (
    KERNELS,
    Ref,
    Slice,
    atomic_add,
    atomic_and,
    atomic_cas,
    atomic_max,
    atomic_min,
    atomic_or,
    atomic_xchg,
    atomic_xor,
    ds,
    dslice,
    fail_kernel,
    load,
    store,
    swap,
    view_of,
)
from kolam._shapes import ShapeDtypeStruct
from kolam.errors import KolamAttributeError, KolamTypeError

__all__ = [
    "align_to", "ANY", "atomic_add", "atomic_and", "atomic_cas", "atomic_max", "atomic_min", "atomic_or", "atomic_xchg",
    "atomic_xor", "axis_index", "axis_size", "BlockDim", "Blocked", "BlockSpec", "BoundedSlice", "broadcast_to", "Buffered",
    "cdiv", "CompilerParams", "cond", "CostEstimate", "debug_check", "debug_print", "dot", "ds", "dslice", "Element",
    "empty", "empty_like", "empty_ref_like", "estimate_cost", "fori_loop", "GridSpec", "HOST", "Indirect",
    "InterpretParams", "load", "loop", "MemorySpace", "multiple_of", "next_power_of_2", "no_block_spec", "NoBlockSpec",
    "num_programs", "pallas_call", "PrefetchScalarGridSpec", "program_id", "reciprocal", "Ref", "RevisitMode", "run_scoped",
    "run_state", "scan", "select_ref", "ShapeDtypeStruct", "Slice", "Squeezed", "squeezed", "store", "strides_from_shape",
    "swap", "switch", "when", "while_loop", "with_scoped",
]  # fmt: skip


# The grid.


def cdiv(a, b):
    """The quotient of integers, rounded up: of the elements of an array and of a block, the number of blocks.

    >>> from kolam import pallas as pl
    >>> pl.cdiv(7, 2)
    4
    """
    return (a + (b - 1)) // b


def align_to(x, a):
    """The least multiple of `a` that is not less than `x`.

    >>> from kolam import pallas as pl
    >>> pl.align_to(7, 4)
    8
    """
    return cdiv(x, a) * a


def next_power_of_2(x):
    """The least power of two that is not less than `x`, an int of at least 0.

    >>> from kolam import pallas as pl
    >>> pl.next_power_of_2(9)
    16
    """
    if not isinstance(x, int) or x < 0:
        fail_kernel("next_power_of_2", f"argument 'x': expected an integer of at least 0, but got {x!r}", slug="bad-value")
    return 1 if x == 0 else 1 << (x - 1).bit_length()


def multiple_of(x, values):
    """`x`, which the caller says to be a multiple of `values`; nothing depends on it."""
    return x


def program_id(axis):
    """In a kernel: the coordinate of its point along an axis of the grid, an int32 scalar."""
    return _kolam._program_id(axis)


def num_programs(axis):
    """In a kernel or a map: the extent of an axis of the grid, an int, or an Extent where it is symbolic."""
    return _kolam._num_programs(axis)


def axis_index(axis_name):
    """As `program_id`, of an axis by its name: `grid=(("i", 4), ("j", 2))`."""
    return _kolam._axis_index(_axis_name("axis_index", axis_name))


def axis_size(axis_name):
    """As `num_programs`, of an axis by its name."""
    return _kolam._axis_size(_axis_name("axis_size", axis_name))


def _axis_name(function, name):
    if not isinstance(name, str):
        fail_kernel(function, f"argument 'axis_name': expected the name of an axis of the grid, but got {name!r}", KolamTypeError, "argument-type")
    return name


# Blocks.


@dataclasses.dataclass(frozen=True)
class Blocked:
    """A dim of a block of `block_size` elements: the map gives the number of the block. An int is the same."""

    block_size: int


class Squeezed:
    """A dim of one element that the Ref does not have; None is the same."""

    def __repr__(self):
        return "Squeezed()"


squeezed = Squeezed()


@dataclasses.dataclass(frozen=True)
class Element:
    """A window of `block_size` elements that begins where the map says, in the array with padding around it.

    `padding` is (elements in front of the array, elements behind it). Windows may overlap.
    """

    block_size: int
    padding: tuple = (0, 0)


@dataclasses.dataclass(frozen=True)
class BoundedSlice:
    """A dim of at most `block_size` elements: the map gives `ds(start, size)`, whose numbers the run may know alone.

    The Ref has `block_size` elements; those behind `size` lie outside.
    """

    block_size: int


@dataclasses.dataclass(frozen=True)
class Indirect:
    """A dim of `block_size` elements anywhere in the array: the map gives an integer array of their places."""

    block_size: int


@dataclasses.dataclass
class BlockSpec:
    """Which block of an array a point of the grid sees.

    `index_map(*coordinates, *prefetched Refs)` gives for each dim the number of the block, whose first element is number
    times size; for `Element` dims it gives the first element. A dim of `block_shape` is an int, None or `Squeezed()`,
    `Blocked`, `Element`, `BoundedSlice` or `Indirect`; without a shape the block is the whole array, without a map its number is 0. Elements of the block
    that lie outside of the array are read as `pad`, 0 unless given, and writes to them are dropped.
    `memory_space` and `pipeline_mode` are hints of other targets and mean nothing.
    """

    block_shape: tuple | None = None
    index_map: object = None
    pad: object = None
    memory_space: object = None
    pipeline_mode: object = None

    def replace(self, **changed):
        """The same with other fields."""
        return dataclasses.replace(self, **changed)

    def _parts(self, axes, names, prefetched):
        if self.block_shape is None:
            dims = None
        else:
            shape = self.block_shape if isinstance(self.block_shape, tuple | list) else (self.block_shape,)
            dims = [_dim(dim) for dim in shape]
        if self.index_map is None:
            return dims, None, self.pad, ""
        if not callable(self.index_map):
            fail_kernel("pallas_call", f"argument 'index_map' of BlockSpec: expected a function of the coordinates, but got {self.index_map!r}", KolamTypeError, "argument-type")
        refs = len(prefetched.parts)
        of = "a coordinate for each axis of the grid" + (f", {refs} of prefetched inputs" if refs else "")
        check_callable("pallas_call", "index_map", self.index_map, axes + refs, of=of)
        return dims, _map_of(self.index_map, names, prefetched), self.pad, _place_of(self.index_map)


def _dim(dim):
    if dim is None or isinstance(dim, Squeezed) or dim is Squeezed:
        return 1, 1, 0, 0
    if isinstance(dim, Blocked):
        return 0, dim.block_size, 0, 0
    if isinstance(dim, Element):
        if not isinstance(dim.padding, tuple | list) or len(dim.padding) != 2:
            fail_kernel("pallas_call", f"argument 'padding' of Element: expected (elements in front, elements behind), but got {dim.padding!r}", KolamTypeError)
        return 2, dim.block_size, *dim.padding
    if isinstance(dim, BoundedSlice):
        return 3, dim.block_size, 0, 0
    if isinstance(dim, Indirect):
        return 4, dim.block_size, 0, 0
    return 0, dim, 0, 0


def _number(number):
    """What a map gives for a dim: a window as an array of two."""
    if isinstance(number, Slice):
        return kolam.stack([kolam.astype(kolam.asarray(part), kolam.int32) for part in (number.start, number.size)])
    return number[...] if isinstance(number, Ref) else number


def _map_of(index_map, names, prefetched):
    """`prefetched` is the structure of the inputs that maps get."""

    def call(point, refs):
        KERNELS.axes.append(names)
        try:
            numbers = index_map(*point, *unflatten(prefetched, iter([Ref(ref) for ref in refs])))
        finally:
            KERNELS.axes.pop()
        return [_number(number) for number in (numbers if isinstance(numbers, tuple | list) else [numbers])]

    return call


class NoBlockSpec:
    """What `no_block_spec` is."""

    def __repr__(self):
        return "NoBlockSpec"


#: In place of a BlockSpec, or of all: the whole array.
no_block_spec = NoBlockSpec()

#: A dim of a block, for annotations.
BlockDim = int | None | Blocked | Squeezed | Element | BoundedSlice | Indirect


@dataclasses.dataclass
class GridSpec:
    """The arguments of `pallas_call` that belong to the grid, in one value."""

    grid: object = ()
    in_specs: object = None
    out_specs: object = None
    scratch_shapes: object = ()


@dataclasses.dataclass
class PrefetchScalarGridSpec:
    """As `GridSpec`; the first `num_scalar_prefetch` inputs are small arrays that kernel and maps get whole, as Refs."""

    num_scalar_prefetch: int
    grid: object = ()
    in_specs: object = None
    out_specs: object = None
    scratch_shapes: object = ()


# Control.


def when(condition):
    """`@when(condition)` runs the function below it where `condition`, a boolean scalar, holds."""

    def decorate(function):
        def run():
            result = function()
            if result is not None:
                fail_kernel("when", f"The function {_place_of(function)} should return None, but returned {type(result).__name__}; write what it computes to a Ref, or use cond", KolamTypeError)

        if not isinstance(condition, bool):
            _kolam._when(condition, run)
        elif condition:
            run()

    return decorate


def loop(lower, upper, *, step=1, init_carry=None, unroll=None):
    """`@loop(lower, upper)` runs the function below it for i = lower, lower + step, ... below `upper`.

    With `init_carry` the function takes (i, carry) and gives the next carry; the name it defines is the last one. `unroll`
    changes nothing.
    """

    if isinstance(step, bool) or not isinstance(step, int) or step == 0:
        fail_kernel("loop", f"argument 'step': expected an integer other than 0 that is known when traced, but got {step!r}", slug="bad-step")
    for name, bound in (("lower", lower), ("upper", upper)):
        if not isinstance(bound, (int, *_SCALARS)):
            fail_kernel("loop", f"argument '{name}': expected an integer scalar, but got {_kind_of(bound)}", KolamTypeError, "argument-type")

    def decorate(body):
        count = cdiv(upper - lower, step)
        if init_carry is None:

            def run(k, carry):
                body(lower + k * step)
                return carry

            fori_loop(0, count, run, ())
            return None
        return fori_loop(0, count, lambda k, carry: body(lower + k * step, carry), init_carry)

    return decorate


def run_scoped(function, *shapes, collective_axes=(), **named):
    """`function(*Refs, **Refs)` with a Ref of zeros for each of the shapes, gone when it returns; gives what it gives."""
    refs = [Ref(ref) for ref in _kolam._scoped_refs([_spec("run_scoped", shape) for shape in (*shapes, *named.values())])]
    return function(*refs[: len(shapes)], **dict(zip(named, refs[len(shapes) :], strict=True)))


def with_scoped(*shapes, collective_axes=(), **named):
    """`@with_scoped(*shapes, **shapes)`: the function below takes, behind its own arguments, Refs as `run_scoped` makes them."""

    def decorate(function):
        @functools.wraps(function)
        def scoped(*args, **options):
            return run_scoped(lambda *refs, **others: function(*args, *refs, **options, **others), *shapes, **named)

        return scoped

    return decorate


def empty_ref_like(ref):
    """A Ref of zeros of the shape and dtype of `ref`, or of anything that has them; gone with the loop or branch around it."""
    return Ref(_kolam._scoped_refs([_spec("empty_ref_like", ref)])[0])


def run_state(function):
    """`run_state(function)(init)`: what Refs that begin with `init`, a pytree of arrays, hold when `function` has changed them.

    >>> import kolam as ko
    >>> from kolam import pallas as pl
    >>> def double(ref):
    ...     ref[...] = ref[...] * 2
    >>> pl.run_state(double)(ko.arange(3)).tolist()
    [0, 2, 4]
    """

    def run(init):
        structure = flatten(init, leaves := [])
        arrays = [kolam.asarray(leaf) for leaf in leaves]

        def change(refs):
            for ref, array in zip(refs, arrays, strict=True):
                ref[...] = array
            function(unflatten(structure, iter(refs)))

        if KERNELS.axes:  # in a kernel
            refs = [empty_ref_like(array) for array in arrays]
            change(refs)
            return unflatten(structure, iter([ref[...] for ref in refs]))
        shapes = tuple(ShapeDtypeStruct(array.shape, array.dtype) for array in arrays)
        return unflatten(structure, iter(pallas_call(lambda *refs: change(refs), shapes)()))

    return run


def select_ref(idx, *refs):
    """The Ref of number `idx`, clipped into them; all have one dtype and shape."""
    return Ref(_kolam._select_ref(idx, [view_of("select_ref", ref, ...) for ref in refs]))


def debug_print(fmt, *args, **named):
    """`kolam.debug.print`; values of a text without fields are printed behind it."""
    if args and "{" not in fmt:
        fmt += " {}" * len(args)
    debug.print(fmt, *args, **named)


def debug_check(condition, message):
    """Under `checks=True` of the call: stops the run with `[debug-check]` and the message unless `condition` holds everywhere."""
    _kolam._debug_check(condition, message)


@dataclasses.dataclass(frozen=True)
class InterpretParams:
    """How the interpreter runs a kernel: points that differ along "parallel" axes "given", "reversed" or in a "random" order."""

    order: str = "given"
    random_seed: int = 0


def strides_from_shape(shape):
    """How many elements apart neighbours along each dim are, in row-major order.

    >>> from kolam import pallas as pl
    >>> pl.strides_from_shape((2, 3, 4))
    (12, 4, 1)
    """
    return tuple(math.prod(shape[dim + 1 :]) for dim in range(len(shape)))


def broadcast_to(a, shape):
    """`kolam.broadcast_to`."""
    return kolam.broadcast_to(a, shape)


def empty(shape, dtype):
    """An array of zeros: nothing is undefined here."""
    return kolam.zeros(shape, dtype=dtype)


def empty_like(x):
    """The same pytree with an array of zeros for each leaf, which is anything with shape and dtype."""
    structure = flatten(x, leaves := [], is_leaf=_is_spec)
    specs = [_spec("empty_like", leaf) for leaf in leaves]
    return unflatten(structure, iter([empty(shape, dtype) for dtype, shape in specs]))


def dot(a, b, trans_a=False, trans_b=False, allow_tf32=None, precision=None):
    """`a @ b` of matrices, each transposed before where it says so; sums are as those of `kolam.matmul`.

    `allow_tf32` and `precision` are for other targets and change nothing. Raises `[rank-mismatch]` unless both have rank 2.
    """
    a, b = kolam.asarray(a), kolam.asarray(b)
    for name, own in (("a", a), ("b", b)):
        if own.ndim != 2:
            fail_kernel("dot", f"argument '{name}': expected rank 2, but got {own.dtype.name}{list(own.shape)}; write kolam.matmul", slug="rank-mismatch")
    return kolam.matmul(a.T if trans_a else a, b.T if trans_b else b)


def estimate_cost(fun, *args, **kwargs):
    """What `fun(*args, **kwargs)` costs, with the numbers of `jax.experimental.pallas.estimate_cost`: a `CostEstimate`.

    >>> import kolam as ko
    >>> from kolam import pallas as pl
    >>> x, y = ko.ShapeDtypeStruct((8, 16), ko.float32), ko.ShapeDtypeStruct((16, 4), ko.float32)
    >>> pl.estimate_cost(lambda x, y: ko.exp(x @ y), x, y)
    CostEstimate(flops=1024, transcendentals=32, bytes_accessed=896)

    `args` are arrays or ShapeDtypeStructs, in pytrees too; `kwargs` are passed on as they are. An arithmetic operation is a
    flop for each element of its result; exp, log, sqrt, tanh and the trigonometric functions are transcendentals; x ** n of
    a whole n is its squarings and multiplications; a product [m, k] x [k, n] is 2 m k n flops for each element of its
    batch. Bytes are those of all arguments and results. Comparisons, selections, casts, moves, sums of elements, and what
    is inside of loops and branches count nothing. A kernel counts its `cost_estimate`, without one its body once a point of its
    grid.
    """
    if not callable(fun):
        fail_kernel("estimate_cost", f"argument 'fun': expected a function, but got {fun!r}", KolamTypeError, "argument-type")
    program = kolam.jit(lambda *given: fun(*given, **kwargs)).lower(*args)
    return CostEstimate(*_kolam._estimate_cost(program))


def reciprocal(x, *, approx=False, full_range=True):
    """`1 / x`; the options are for other targets and change nothing."""
    return kolam.reciprocal(x)


# Hints of other targets, which programs pass and which mean nothing here.


class MemorySpace(enum.Enum):
    """Where other targets keep an operand. `MemorySpace.ANY(shape, dtype)` is a ShapeDtypeStruct, as of a scratch array."""

    ANY = "any"
    DEFAULT = "default"
    HOST = "host"

    def __call__(self, shape, dtype):
        return ShapeDtypeStruct(shape, dtype)


ANY, HOST = MemorySpace.ANY, MemorySpace.HOST


class RevisitMode(enum.Enum):
    """When other targets may come back to a block."""

    IMMEDIATE = "immediate"
    ANY = "any"


@dataclasses.dataclass(frozen=True)
class Buffered:
    """How many buffers other targets give an operand."""

    buffer_count: int = 2
    use_lookahead: bool = False
    revisit: RevisitMode = RevisitMode.IMMEDIATE
    prefetched_count: int = 0


class CompilerParams:
    """Options for compilers of other targets."""

    def __init__(self, **options):
        self.options = options


@dataclasses.dataclass(frozen=True)
class CostEstimate:
    """What `estimate_cost` gives, and what a call costs, as the user says."""

    flops: int
    transcendentals: int
    bytes_accessed: int


# The call.


def _spec(function, value):
    if not _is_spec(value):
        fail_kernel(function, f"expected a ShapeDtypeStruct, or something with shape and dtype, but got {value!r}", KolamTypeError)
    return value.dtype, tuple(value.shape)


def _is_spec(value):
    return hasattr(value, "shape") and hasattr(value, "dtype")


def _specs_for(what, specs, structure, other, value):
    """One BlockSpec for each leaf of a structure; one that stands for a part of it counts for all leaves of that part."""
    if specs is None or specs is no_block_spec:
        return [BlockSpec()] * structure.num_leaves
    if what == "in_specs" and not isinstance(specs, tuple | list):
        fail_kernel("pallas_call", f"`{what}` must be a tuple or a list, but got {type(specs).__name__}; write [spec], one for each input", KolamTypeError)
    found = []
    if not _extend(tuple(specs) if isinstance(specs, list) else specs, structure, found, what, ""):
        fail_kernel("pallas_call", f"Pytree for `{what}` and `{other}` do not match. `{what}` is a {_length(specs)} but `{other}` is a {_length(value)}; give each array a BlockSpec, or one to a part")
    return found


def _extend(spec, structure, found, what, path):
    """Adds the specs of the leaves of a structure; False where the two differ at the top."""
    if spec is None or spec is no_block_spec or isinstance(spec, BlockSpec):
        found += [spec if isinstance(spec, BlockSpec) else BlockSpec()] * structure.num_leaves
        return True
    taken = split(spec)
    if taken is None or structure.kind == "leaf" or len(taken[2]) != len(structure.parts):
        if not path:
            return False
        is_leaf = structure.kind == "leaf"
        fail_kernel(
            "pallas_call",
            f"Pytree for `{what}` and `inputs` do not match. There are 1 mismatches, including: at {path}, `{what}` is a "
            f"{type(spec).__name__} but `inputs` is a {'pytree leaf' if is_leaf else structure.kind}",
        )
    names = part_names(structure.kind, structure.detail, len(structure.parts))
    parts = [spec[key] for key in structure.detail[1]] if structure.kind == "dict" and isinstance(spec, dict) else taken[2]
    for part, inner, name in zip(parts, structure.parts, names, strict=True):
        _extend(part, inner, found, what, path + name)
    return True


def _length(value):
    return f"{type(value).__name__} of length {len(value)}" if isinstance(value, tuple | list) else f"single {type(value).__name__}"


def _grid_of(grid):
    """(extents, names)."""
    axes = grid if isinstance(grid, tuple | list) else (grid,)
    extents, names = list(axes), []
    if axes and all(isinstance(axis, tuple) and len(axis) == 2 for axis in axes):
        extents, names = [extent for _, extent in axes], [name for name, _ in axes]
        if not all(isinstance(name, str) for name in names) or len({*names}) < len(names):
            fail_kernel("pallas_call", f"argument 'grid': expected pairs of a name of its own and an extent, (('i', 4), ('j', 2)), but got {grid!r}")
    for axis, extent in enumerate(extents):
        if isinstance(extent, bool) or not isinstance(extent, (int, *_SCALARS)):
            fail_kernel("pallas_call", f"argument 'grid': expected extents from 0 to 2147483647 and integer scalars, but got {_kind_of(extent)} for axis {axis}")
    return extents, names


def _options_of(grid_spec, grid, in_specs, out_specs, scratch_shapes):
    """(the grid's options, the number of prefetched inputs), from one of two places."""
    if grid_spec is None:
        return grid, in_specs, out_specs, scratch_shapes, 0
    if not isinstance(grid_spec, GridSpec | PrefetchScalarGridSpec):
        fail_kernel("pallas_call", f"argument 'grid_spec': expected a GridSpec or a PrefetchScalarGridSpec, but got {grid_spec!r}", KolamTypeError, "argument-type")
    both = {"grid": grid, "in_specs": in_specs, "out_specs": out_specs, "scratch_shapes": scratch_shapes}
    for name, own in both.items():
        if own is not None and not (isinstance(own, tuple) and own == ()):
            fail_kernel("pallas_call", f"argument '{name}': expected it in 'grid_spec' alone, but got it beside one")
    prefetch = getattr(grid_spec, "num_scalar_prefetch", 0)
    if isinstance(prefetch, bool) or not isinstance(prefetch, int):
        fail_kernel("pallas_call", f"argument 'num_scalar_prefetch': expected an integer, but got {prefetch!r}", KolamTypeError, "argument-type")
    return grid_spec.grid, grid_spec.in_specs, grid_spec.out_specs, grid_spec.scratch_shapes, prefetch


#: What may stand for an integer beside an int: values of the program, and NumPy's.
_SCALARS = (kolam.Array, kolam.Tensor, kolam.Extent, numpy.integer, numpy.ndarray)


def _kind_of(value):
    return repr(value) if isinstance(value, str | int | float | None | type(...)) else f"a {type(value).__name__}"


def _mapping_of(aliases):
    """`input_output_aliases` as pairs."""
    if aliases is None:
        return []
    if not isinstance(aliases, dict):
        fail_kernel("pallas_call", f"argument 'input_output_aliases': expected {{input: output}}, but got {aliases!r}", KolamTypeError, "argument-type")
    return list(aliases.items())


def _scratch_of(shapes):
    if not isinstance(shapes, tuple | list | dict):
        fail_kernel("pallas_call", f"argument 'scratch_shapes': expected a list or a dict of ShapeDtypeStructs, but got {shapes!r}", KolamTypeError, "argument-type")
    return shapes if isinstance(shapes, dict) else tuple(shapes)


def pallas_call(
    kernel, out_shape, *, grid_spec=None, grid=(), in_specs=None, out_specs=None, scratch_shapes=(), input_output_aliases=None,
    dimension_semantics=None, name=None, cost_estimate=None, interpret=False, checks=False, debug=False, compiler_params=None, metadata=None,
):  # fmt: skip
    """A function of arrays that runs `kernel` for each point of the grid and gives arrays of `out_shape`.

    >>> import kolam as ko
    >>> from kolam import pallas as pl
    >>> def add(x_ref, y_ref, o_ref):
    ...     o_ref[...] = x_ref[...] + y_ref[...]
    >>> block = pl.BlockSpec((2,), lambda i: (i,))
    >>> call = pl.pallas_call(add, ko.ShapeDtypeStruct((8,), ko.int32), grid=(4,), in_specs=[block, block], out_specs=block)
    >>> call(ko.arange(8), ko.arange(8, 16)).tolist()
    [8, 10, 12, 14, 16, 18, 20, 22]

    The kernel takes Refs: of prefetched inputs, of a block of each input, of a block of each result, of scratch arrays (which
    a dict of `scratch_shapes` names). It returns nothing. `grid` is an int, a tuple, or pairs of a name and an extent; extents may be integer scalars of the program.
    `in_specs` and `out_specs` have a BlockSpec for each input and result; without one a Ref is of the whole array.
    `input_output_aliases` maps the number of an input to that of the result that is its memory. `dimension_semantics` are
    "parallel" or "arbitrary" for each axis, the user's claim. With `interpret`, True or an `InterpretParams`, the
    interpreter runs the kernel, save in a function that is differentiated. `cost_estimate` is what `estimate_cost` counts for the
    call. `debug`, `compiler_params` and `metadata` are hints of other targets and change nothing.

    With `checks` the run fails where a block or an element lies outside. The interpreter also finds results, indices and
    branches that depend on what nobody has written, or on a tail without `pad`, and elements that points along "parallel"
    axes share. What is not written is then poison: NaN, or the least integer (of unsigned ones the greatest).

    Raises `[bad-kernel]` for specs, aliases and shapes that do not fit, naming the operand; `[block-outside]` for a block
    that is surely outside of its array; under `checks` `[block-outside]`, `[index-out-of-range]`, `[undefined-element]`,
    `[kernel-race]` and `[debug-check]`.
    """
    grid, in_specs, out_specs, scratch_shapes, prefetch = _options_of(grid_spec, grid, in_specs, out_specs, scratch_shapes)
    if not callable(kernel):
        fail_kernel("pallas_call", f"argument 'kernel': expected a function, but got {kernel!r}", KolamTypeError, "argument-type")
    extents, names = _grid_of(grid)
    cost = _cost_of(cost_estimate)
    out_leaves = []
    out_structure = flatten(tuple(out_shape) if isinstance(out_shape, list) else out_shape, out_leaves, is_leaf=_is_spec)
    outs = [_spec("pallas_call", leaf) for leaf in out_leaves]
    scratch_leaves = []
    scratch_structure = flatten(_scratch_of(scratch_shapes), scratch_leaves, is_leaf=_is_spec)
    scratch = [_spec("pallas_call", shape) for shape in scratch_leaves]
    ref_names = _parameters_of(kernel) if all(s.kind == "leaf" for s in out_structure.parts) else []
    aliases = _mapping_of(input_output_aliases)
    if isinstance(dimension_semantics, str):
        fail_kernel("pallas_call", f"argument 'dimension_semantics': expected a word for each axis, ['{dimension_semantics}'], but got {dimension_semantics!r}", KolamTypeError, "argument-type")
    own_outs = _specs_for("out_specs", out_specs, out_structure, "out_shape", out_shape)

    def call(*args):
        if not 0 <= prefetch <= len(args):
            fail_kernel("pallas_call", f"argument 'num_scalar_prefetch': expected a number of inputs, from 0 to {len(args)}, but got {prefetch}")
        leaves = []
        structure = flatten(args, leaves)
        prefetched = []
        prefetched_structure = flatten(args[:prefetch], prefetched)
        own_ins = _specs_for("in_specs", in_specs, flatten(args[prefetch:], []), "inputs", args[prefetch:])

        results = len(out_structure.parts) if out_structure.kind in ("tuple", "namedtuple") else 1
        positional, named = (0, list(scratch_shapes)) if isinstance(scratch_shapes, dict) else (len(scratch_shapes), [])
        refs = {"input": len(args), "result": results, "scratch array": positional}
        of = "Refs of " + ", ".join(f"{count} {what}" + "s" * (count != 1) for what, count in refs.items() if count)
        check_callable("pallas_call", "kernel", kernel, len(args) + results + positional, named, of)

        def run(refs):
            known = options["ref_names"]
            given = [Ref(ref, known[place] if place < len(known) else "") for place, ref in enumerate(refs)]
            inputs = list(unflatten(structure, iter(given[: len(leaves)])))
            rest = given[len(leaves) :]
            outputs = unflatten(out_structure, iter(rest[: len(outs)]))
            if not isinstance(outputs, tuple):
                outputs = (outputs,)
            extra = unflatten(scratch_structure, iter(rest[len(outs) :]))
            positional, named = ((), extra) if isinstance(extra, dict) else (extra, {})
            KERNELS.axes.append(names)
            try:
                result = kernel(*inputs, *outputs, *positional, **named)
            finally:
                KERNELS.axes.pop()
            if result is not None:
                fail_kernel("pallas_call", f"The kernel function {_place_of(kernel)} should return None, but returned {type(result).__name__}; write results to Refs, o_ref[...] = value", KolamTypeError)

        options = {
            "out_shape": outs,
            "grid": extents,
            "in_specs": [spec._parts(len(extents), names, prefetched_structure) for spec in own_ins],
            "out_specs": [spec._parts(len(extents), names, prefetched_structure) for spec in own_outs],
            "scratch_shapes": scratch,
            "num_scalar_prefetch": len(prefetched),
            "input_output_aliases": aliases,
            "grid_names": names,
            "cost_estimate": cost,
            "dimension_semantics": list(dimension_semantics or ()),
            "name": name or getattr(kernel, "__name__", "kernel"),
            "interpret": _interpreting(interpret),
            "checks": bool(checks),
            "ref_names": ref_names if all(part.kind == "leaf" for part in structure.parts) else [],
            "input_names": [path.replace('"', "'") for path in leaf_paths(structure, "args")],
        }
        return unflatten(out_structure, iter(_kolam._pallas_call(run, options, leaves)))

    return call


def _cost_of(estimate):
    if estimate is None:
        return None
    try:
        return tuple(int(getattr(estimate, name)) for name in ("flops", "transcendentals", "bytes_accessed"))
    except (AttributeError, TypeError, ValueError):
        fail_kernel("pallas_call", f"argument 'cost_estimate': expected a CostEstimate, but got {estimate!r}", KolamTypeError, "argument-type")


def _interpreting(interpret):
    if interpret is True:
        interpret = InterpretParams()
    if not interpret:
        return None
    if not isinstance(interpret, InterpretParams):
        fail_kernel("pallas_call", f"argument 'interpret': expected a bool or an InterpretParams, but got {interpret!r}", KolamTypeError, "argument-type")
    return interpret.order, interpret.random_seed


def _parameters_of(kernel):
    """The names of the parameters that take Refs; none where they cannot be told."""
    try:
        parameters = inspect.signature(kernel).parameters.values()
    except (TypeError, ValueError):
        return []
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return []
    return [parameter.name for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD]


def _place_of(function):
    """`name at file:line`, as far as it is known."""
    named = inspect.unwrap(getattr(function, "func", function))
    code = getattr(named, "__code__", None)
    name = getattr(function, "__name__", "")
    return " ".join(part for part in (name, code and f"at {code.co_filename}:{code.co_firstlineno}") if part)


#: Names of Pallas that only other targets can mean, and what to write instead.
_OF_OTHER_TARGETS = {
    "kernel": "write pallas_call, whose grid says how often the kernel runs",
    "core_map": "write pallas_call with a grid axis for the cores",
    "MemoryRef": "write ShapeDtypeStruct(shape, dtype): all memory is of one kind",
    "semaphore": "leave it out: points of a grid act one after the other",
    "semaphore_read": "leave it out: points of a grid act one after the other",
    "semaphore_signal": "leave it out: points of a grid act one after the other",
    "semaphore_wait": "leave it out: points of a grid act one after the other",
    "DeviceIdType": "there is one device",
    "get_global": "write run_scoped or scratch_shapes: all memory is of one kind",
    "delay": "leave it out: it changes no value",
    "enable_debug_checks": "write pallas_call(..., checks=True)",
    "debug_checks_enabled": "write pallas_call(..., checks=True)",
    "enable_poison_buffers": "write pallas_call(..., checks=True)",
    "lower_as_mlir": 'write kolam.jit(f).lower(*args).as_text("program")',
    "pallas_export_experimental": "write kolam.jit(f).lower(*args)",
    "pallas_call_p": "write pallas_call: there are no primitives",
}


def __getattr__(name):
    """Refuses by words what other targets alone can mean."""
    if name in _OF_OTHER_TARGETS:
        words = f"expected a name that kernels on a CPU can mean, but got {name!r}, which is for other targets; {_OF_OTHER_TARGETS[name]}"
        raise KolamAttributeError.make("kolam.pallas", "unknown-name", words)
    raise AttributeError(f"module 'kolam.pallas' has no attribute {name!r}")
