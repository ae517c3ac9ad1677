"""Pins inside `jit` bind the order in which the CPU stores values; whatever is pinned, bits are those of row-major order."""

import os
import re

import numpy as np
import pytest
from random_counts import count
from random_programs.generator import make_program
from random_programs.running import same_bits

import kolam as ko

PROGRAMS = count(300)
BATCHES = 10
SEED = int(os.environ.get("KOLAM_SEED", "0"))


def array(*shape):
    return ko.array(np.random.default_rng([SEED, *shape]).standard_normal(shape).astype(np.float32))


def bits(f, *inputs, backend="cpu"):
    results = ko.jit(f, backend=backend)(*inputs)
    return [np.asarray(each).tobytes() for each in (results if isinstance(results, tuple) else (results,))]


def pinned(program, rng):
    """The program's text with a data dimension, drawn at random, for every value that has any."""
    outputs = program.outputs()
    lines = [f"def program({', '.join(v.name for v in program.inputs)}):"]

    def add_pin(value):
        if len(value.dims) > 0:
            lines.append(f"    {value.name} = ko.layout.pin({value.name}, {int(rng.integers(len(value.dims)))})")

    for value in program.inputs:
        add_pin(value)
    for value, step in program.steps:
        lines.append(f"    {value.name} = {step.text}")
        add_pin(value)
    return "\n".join([*lines, f"    return ({', '.join(v.name for v in outputs)},)"])


def outcomes(program, text, backend):
    scope = {"ko": ko, "np": np}
    exec(text, scope)
    function = ko.jit(scope["program"], backend=backend, dynamic=program.dynamic())
    found = []
    for call in program.calls:
        try:
            results = function(*[call.arrays[v.name] for v in program.inputs])
            found.append([np.asarray(result) for result in results])
        except ko.KolamError as error:
            assert error.slug != "internal", f"{error}\n{text}"
            found.append(error.slug)
    return found


def alike(found, expected):
    """Calls that end in the same error, or give the same bits, but for those of NaN."""
    return all(
        x == y if isinstance(x, str) or isinstance(y, str) else all(same_bits(a, b) for a, b in zip(x, y, strict=True))
        for x, y in zip(found, expected, strict=True)
    )


@pytest.mark.parametrize("batch", range(BATCHES))
def test_random_programs_with_all_data_dimensions_pinned(batch):
    for number in range(batch, PROGRAMS, BATCHES):
        program = make_program(SEED, number)
        text = pinned(program, np.random.default_rng([SEED, number]))
        row_major = outcomes(program, program.source(program.outputs()), "cpu")
        for backend in ("cpu", "interpret"):
            found = outcomes(program, text, backend)
            assert alike(found, row_major), f"program {number} of seed {SEED}, {backend}:\n{text}"


def stored(f, *inputs):
    """What explain says of each value that is stored, by op."""
    lines = re.findall(r"^nest\d+ stores ([a-z_]+) .*?: (D is .*)$", ko.jit(f).explain(*inputs), re.M)
    return dict(lines)


def test_a_pinned_value_is_stored_in_its_order():
    def f(x):
        return ko.sin(ko.layout.pin(ko.tanh(x), 0))

    x = array(40, 64)
    program = ko.jit(f).lower(x).as_text("nests")
    assert "float32[64, 40] arena" in program
    assert stored(f, x)["materialize"].startswith("D is dim 0, as it is pinned; without the pin the program costs ")
    assert bits(f, x) == bits(lambda x: ko.sin(ko.tanh(x)), x)


def test_a_pinned_result_of_a_product_is_turned():
    def f(x, y):
        return ko.exp(ko.layout.pin(x @ y, 0))

    x, y = array(40, 64), array(64, 48)
    assert any("transpose" in line for line in ko.jit(f).lower(x, y).as_text("nests").splitlines())
    assert bits(f, x, y) == bits(lambda x, y: ko.exp(x @ y), x, y) == bits(f, x, y, backend="interpret")


def test_a_pin_to_the_last_dim_holds_where_a_transpose_would_turn():
    def f(x, is_pinned):
        y = ko.exp(ko.permute_dims(x, (1, 0)))
        y = ko.layout.pin(y, 1) if is_pinned else y
        return ko.permute_dims(y, (1, 0)) + 1

    x = array(64, 256)
    free, bound = (ko.jit(lambda x: f(x, is_pinned)).lower(x).as_text("nests") for is_pinned in (False, True))
    assert "float32[256, 64]" not in free and "float32[256, 64] arena" in bound
    assert bits(lambda x: f(x, True), x) == bits(lambda x: f(x, False), x)


def test_a_pin_where_a_value_lies_in_vectors_anyway_changes_nothing():
    x = array(64, 256)
    free = ko.jit(lambda x: ko.exp(ko.tanh(x)) + 1).lower(x).as_text("nests")
    assert ko.jit(lambda x: ko.exp(ko.layout.pin(ko.tanh(x), "rows columns!")) + 1).lower(x).as_text("nests") == free


def test_pins_in_the_body_of_a_loop():
    def f(x, w):
        return ko.fori_loop(0, 3, lambda i, y: ko.sin(ko.layout.pin(ko.tanh(y @ w), 0)), x)

    x, w = array(40, 64), array(64, 64)
    assert "float32[64, 40]" in ko.jit(f).lower(x, w).as_text("nests")
    assert bits(f, x, w) == bits(f, x, w, backend="interpret")


def test_a_pin_of_one_element_binds_nothing():
    x = array(1, 64)
    assert "float32[64, 1]" not in ko.jit(lambda x: ko.exp(ko.layout.pin(ko.tanh(x), 0))).lower(x).as_text("nests")


def test_explain_says_of_every_stored_value_its_data_dimension():
    def f(x, w):
        return ko.softmax(ko.tanh(ko.permute_dims(x, (1, 0))) @ w, axis=0)

    x, w = array(256, 128), array(256, 64)
    text = ko.jit(f).explain(x, w)
    nests = re.findall(r"^nest(\d+): ", text, re.M)
    said = re.findall(r"^nest(\d+) stores .*: D is dim \d, .*$", text, re.M)
    assert set(nests) == set(said)
    assert "as its op computes it; to turn it costs " in text


def test_explain_says_what_the_next_best_order_costs():
    x = array(64, 256)
    assert re.search(r"no transpose leads to another; the next best order costs \d+ operations more",
                     stored(lambda x: ko.tanh(x), x)["tanh"])
    assert stored(lambda x: ko.sum(x, axis=1), x)["reduce"] == "D is dim 0, its only one"
