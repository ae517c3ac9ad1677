"""Random signatures, options and ways to pass arguments: a jitted function gives what the function gives."""

import random

import numpy as np
import pytest

import kolam as ko

NAMES = "abcdefghij"


def random_function(rng):
    """A sum of its arguments, each with a factor of its own, and the kinds of its parameters by name."""
    kinds = (
        ["positional"] * rng.randint(0, 2) + ["any"] * rng.randint(1, 2) + ["default"] * rng.randint(0, 1)
        + ["rest"] * rng.randint(0, 1) + ["named"] * rng.randint(0, 1) + ["unknown"] * rng.randint(0, 1)
    )  # fmt: skip
    parameters = dict(zip(rng.sample(NAMES, len(kinds)), kinds))
    parts, terms = [], []
    for factor, (name, kind) in enumerate(parameters.items(), 1):
        if kind != "positional" and "positional" in kinds and "/" not in parts:
            parts.append("/")
        if kind == "named" and "rest" not in kinds:
            parts.append("*")
        parts.append({"default": f"{name}=7", "rest": f"*{name}", "unknown": f"**{name}"}.get(kind, name))
        values = {"rest": f"enumerate({name})", "unknown": f"[(ord(k[1]), v) for k, v in {name}.items()]"}.get(kind)
        term = f"sum((number + 1) * v for number, v in {values})" if values else name
        terms.append(f"{10 * factor} * {term}")
    text = f"lambda {', '.join(parts)}: {' + '.join(terms)}"
    return eval(text), parameters, text  # the text is made above


def random_options(rng, parameters):
    single = [name for name, kind in parameters.items() if kind not in ("rest", "unknown")]
    static = rng.sample(single, rng.randint(0, min(2, len(single) - 1)))
    dynamic = {name: [0] for name in single if name not in static and rng.random() < 0.4}
    return {"static_argnames": tuple(static), "dynamic": dynamic or None}


def random_arguments(rng, parameters, static):
    length = rng.choice([1, 2, 3])

    def value(name):
        return rng.randint(1, 5) if name in static else np.full(length, rng.randint(1, 50), np.float32)

    positional, named, by_place = [], [], True
    for name, kind in parameters.items():
        by_place = by_place and (kind == "positional" or rng.random() < 0.6)
        if kind == "rest":
            positional += [value(name) for _ in range(rng.randint(0, 2) if by_place else 0)]
        elif kind == "unknown":
            named += [(key, value(key)) for key in rng.sample(["kx", "ky", "kz"], rng.randint(0, 2))]
        elif by_place and kind != "named":
            positional.append(value(name))
        elif kind != "default" or rng.random() < 0.5:
            named.append((name, value(name)))
    rng.shuffle(named)
    return positional, dict(named)


@pytest.mark.parametrize("part", range(4))
def test_arguments_reach_their_parameters(part, seed):
    rng = random.Random(seed + part)
    for _ in range(60):
        function, parameters, text = random_function(rng)
        options = random_options(rng, parameters)
        jitted = ko.jit(function, **options)
        for _ in range(5):
            positional, named = random_arguments(rng, parameters, options["static_argnames"])
            expected = function(*positional, **named)
            for _ in range(2):  # traced or found by Python, and found without
                np.testing.assert_array_equal(
                    np.broadcast_to(jitted(*positional, **named), np.shape(expected)), expected,
                    err_msg=f"seed {seed}: {text} with {options}, called with {positional} and {named}",
                )  # fmt: skip
