"""Every function of the public headers has its Python twin, with the header's words."""

from pathlib import Path

import pytest

import kolam as ko

ROOT = Path(__file__).parents[2]
# Functions that C++ alone has, and why.
CPP_ONLY = {
    "array": "lists are arrays in Python",
    "at": "x.at[...]",
    "as_scalar": "jit takes numbers",
    "index": "x[...]",
    "fractal::length": "kolam.fractal.len",
    "fractal::lengths": "a property of FractalTensor",
    "fractal::list": "kolam.fractal.FractalTensor is its own constructor",
    "fractal::slice": "xs[start:stop:step]",
    "fractal::width_by_depth": "a method of FractalTensor",
    "fractal::unzip": "a zip is unpacked as it is",
    "elementwise": "every row is a function of its own",
    "number_tensor": "Python numbers are taken as they are",
    "numel": "x.size",
    "fractal::numel": "xs.numel",
    "make_monoid": "kolam.Monoid is its own constructor",
    "random_plan": "for tests: kolam._plan._random_plan",
    "local_machine": "kolam.Machine.local()",
    "scalar_fits": "jit takes numbers",
    "switch_": "kolam.switch: no keyword in Python",
    "trace": "jit traces",
    "trace_checked": "jit inlines with its checks",
    "with_dtype": "jit takes numbers",
    "stage_names": "as_text names them in its error",
}
INTERNAL = {"apply.h", "apply_lists.h", "argument_checks.h", "attention_operands.h", "bound_axes.h", "check_text.h", "counted.h", "known_lengths.h", "monoid_captures.h", "monoid_regions.h", "partitioning_check.h", "plan_state.h", "plan_tasks.h", "program_state.h", "read_pin.h", "reduced_dims.h", "scalar_body.h", "stream_arguments.h", "stream_run.h", "trace.h"}


def declared(load_script):
    extract = load_script("extract_docs.py")
    for header in sorted([*(ROOT / "kolam/frontend").glob("*/*.h"), *(ROOT / "kolam/kernels").glob("*.h")]):
        if header.name not in INTERNAL:
            for function in extract.functions(header.read_text()):
                yield header.name, function


def test_every_public_function_is_bound(load_script):
    missing = []
    for header, function in declared(load_script):
        place = ko
        for part in function.name.split("::"):
            place = getattr(place, part, None)
        if place is None and function.name not in CPP_ONLY and not function.name.endswith("_list"):
            missing.append(f"{header}: {function.name}")
    assert not missing, "\n".join(missing)


@pytest.mark.parametrize("name", ["sum", "matmul", "gather", "fori_loop", "zip_map_reduce", "scan", "exp", "relu"])
def test_docstrings_come_along(name):
    assert len(getattr(ko, name).__doc__.strip()) > 3


def test_docstrings_of_the_header(load_script):
    words = {function.name: function.doc for _, function in declared(load_script)}
    assert words["relu"] in ko.relu.__doc__ and "relu(x)" in ko.relu.__doc__
