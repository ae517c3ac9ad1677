"""Runs random programs on every backend, and compares them with each other and with NumPy."""

import hashlib
import traceback
import zlib
from dataclasses import dataclass, field

import numpy as np
from random_programs.comparison import agrees
from random_programs.extents import shape_at
from random_programs.programs import Program
from random_programs.values import is_tame, numpy_dtype
from same_bits import bits_of, different_bits, is_nan

import kolam as ko


#: One program of so many runs with its intermediate values in a random order of their dims.
LAYOUTS_EACH = 4
#: Elements of an array, in programs whose schedules are followed.
MOST_FOLLOWED = 1000


@dataclass
class Failure:
    """What is wrong with a program; `kind` stays the same while it is made smaller."""

    kind: str
    text: str


@dataclass(frozen=True)
class Raised:
    """What a call gives that ends in an error."""

    slug: str
    text: str


@dataclass
class Tally:
    """How much a run has looked at."""

    programs: int = 0
    steps: int = 0  # over all calls
    compared: int = 0  # of them, with NumPy
    raised: int = 0  # calls that end in an error, the expected one
    silent: dict = field(default_factory=dict)  # steps that were not compared, by function


def run(program, backend, outputs):
    """For each call the outputs as numpy arrays by name, or Raised; one trace serves all calls."""
    scope = {"ko": ko, "np": np}
    exec(program.source(outputs), scope)
    function = ko.jit(scope["program"], backend=backend, dynamic=program.dynamic())
    results = [_run_call(function, program, call, outputs) for call in program.calls]
    if backend == "cpu" and program.calls and not isinstance(results[0], Raised):
        lowered = function.lower(*[program.calls[0].arrays[v.name] for v in program.inputs])
        faults = lowered._schedule_faults()
        assert not faults, "the schedules compute something else:\n" + "\n".join(faults) + "\n" + lowered.explain()
        _require_any_layout(lowered, program, outputs, results[0])
    assert function.cache_size <= 1, f"expected one trace for all sizes, but got {function.cache_size}"
    return results


def _require_any_layout(lowered, program, outputs, expected):
    """Intermediate values may lie in any order of their dims."""
    seed = zlib.crc32(program.source(outputs).encode())
    if seed % LAYOUTS_EACH:
        return
    results = lowered._with_random_layouts(seed + 1).run([program.calls[0].arrays[v.name] for v in program.inputs])
    for (name, array), other in zip(expected.items(), results, strict=True):
        assert same_bits(array, np.asarray(other)), f"{name} differs where intermediate values lie otherwise"


def _run_call(function, program, call, outputs):
    try:
        results = function(*[call.arrays[v.name] for v in program.inputs])
    except ko.KolamError as error:
        if error.slug == "internal":
            raise
        return Raised(error.slug, str(error))
    return {v.name: np.asarray(result) for v, result in zip(outputs, results, strict=True)}


def failure(program, tally=None):
    """What is wrong with a program, or None."""
    tally = tally or Tally()
    try:
        tally.programs += 1
        every = run(program, "interpret", program.outputs(all_results=True))
        native = run(program, "cpu", program.outputs())
        if _is_small(program):
            followed = run(program, "schedule", program.outputs())
            for call, compiled, by_schedule in zip(program.calls, native, followed, strict=True):
                wrong = _schedule_failure(call, compiled, by_schedule)
                if wrong:
                    return wrong
        for call, interpreted, compiled in zip(program.calls, every, native, strict=True):
            wrong = _call_failure(program, call, interpreted, compiled, tally)
            if wrong:
                return wrong
        program.results = native
    except Exception as error:  # noqa: BLE001  (whatever it is, it is a failure)
        return Failure(type(error).__name__ + getattr(error, "slug", ""), traceback.format_exc(limit=-4))
    return None


def _call_failure(program, call, interpreted, compiled, tally):
    if isinstance(interpreted, Raised) or isinstance(compiled, Raised):
        if interpreted != compiled:
            kind = f"interpreter gives {_outcome(interpreted)}, native code {_outcome(compiled)}"
            return Failure(kind, f"{kind}, sizes {call.sizes}:\n{interpreted}\n{compiled}")
        tally.raised += 1
        return _error_failure(program, call, interpreted.slug)
    if any(step.promises and not step.promises(_operands(step, interpreted, call)) for _, step in program.steps):
        return None  # of an operand that was cut
    for name, array in compiled.items():
        if not same_bits(interpreted[name], array):
            text = f"{name} differs between interpreter and native code, sizes {call.sizes}:\n{interpreted[name]}\n{array}"
            return Failure("bits", text)
    for value, step in program.steps:
        wrong = _step_failure(value, step, interpreted, call, tally)
        if wrong:
            return wrong
    return None


def _is_small(program):
    """Whether schedules can be followed element by element."""
    return all(array.size <= MOST_FOLLOWED for call in program.calls for array in call.arrays.values())


def _schedule_failure(call, compiled, followed):
    """Whether the loops that a schedule says compute what native code does."""
    if isinstance(compiled, Raised) or isinstance(followed, Raised):
        if compiled == followed:
            return None
        kind = f"native code gives {_outcome(compiled)}, schedules {_outcome(followed)}"
        return Failure(kind, f"{kind}, sizes {call.sizes}:\n{compiled}\n{followed}")
    for name, array in compiled.items():
        if not same_bits(array, followed[name]):
            text = f"{name} differs between native code and schedules, sizes {call.sizes}:\n{array}\n{followed[name]}"
            return Failure("schedule", text)
    return None


def _outcome(result):
    return f"[{result.slug}]" if isinstance(result, Raised) else "a result"


def same_bits(a, b):
    """Equal bits, or both NaN."""
    return a.dtype == b.dtype and a.shape == b.shape and not different_bits(a, b).any()


def _error_failure(program, call, slug):
    """Whether the first step that raises should, by its reference on what came before it."""
    for count, (_, step) in enumerate(program.steps):
        prefix = Program(program.inputs, program.steps[: count + 1], [call])
        if not isinstance(run(prefix, "interpret", prefix.outputs(all_results=True))[0], Raised):
            continue
        before = Program(program.inputs, program.steps[:count], [call])
        values = run(before, "interpret", before.outputs(all_results=True))[0] if count else {}
        expected = _expected_error(step, values, call)
        return None if expected == slug else Failure(f"{slug} in {_name(step)}", f"{step.text} gives [{slug}], expected {expected}")
    return Failure(f"late {slug}", f"the program gives [{slug}], but no step does")


def _name(step):
    return step.text.partition("(")[0]


def _operands(step, values, call):
    return [values[v.name] if v.name in values else call.arrays[v.name] for v in step.operands]


def _expected_error(step, values, call):
    return step.raises(_operands(step, values, call)) if step.raises else None


def _step_failure(value, step, values, call, tally):
    """Compares one step with its reference on the interpreter's own operands."""
    got, shape = values[value.name], shape_at(value.dims, call.sizes)
    if got.dtype != numpy_dtype(value.dtype) or got.shape != shape:
        return Failure("type", f"{value.name} = {step.text}: expected {value.dtype}{shape}, but got {got.dtype}{got.shape}")
    slug = _expected_error(step, values, call)
    if slug:
        return Failure(f"no {slug}", f"{value.name} = {step.text}: expected [{slug}], but got a result")
    tally.steps += 1
    arrays = _operands(step, values, call)
    expected = None
    if all(is_tame(array) for array in arrays[: step.tame]):
        with np.errstate(all="ignore"):
            expected = step.expected(arrays)
    if expected is None:
        tally.silent[_name(step)] = tally.silent.get(_name(step), 0) + 1
        return None
    tally.compared += 1
    if agrees(got, np.asarray(expected), step.ulps, step.within and (lambda epsilon: step.within(arrays, epsilon))):
        return None
    return Failure(_name(step), f"{value.name} = {step.text} differs from NumPy:\n{arrays}\n{got}\n{expected}")


def digest(program):
    """A number for the results of a program that did not fail, the same on machines that give the same bits."""
    total = hashlib.sha256()
    for result in program.results:
        if isinstance(result, Raised):
            total.update(result.slug.encode())
            continue
        for name, array in result.items():
            bits = array if array.dtype.kind in "iub" else np.where(is_nan(array), 1, bits_of(array))
            total.update(f"{name}{array.dtype}{array.shape}".encode() + np.ascontiguousarray(bits).tobytes())
    return total.hexdigest()[:16]
