"""What holds of every derivative: differences, adjoints, second order, bits."""

import numpy as np
from random_programs.running import same_bits

import kolam as ko

STEP = 1e-5  # of central differences in float64: their error is about STEP squared, and 1e-16 / STEP
NEAR = 2e-6  # what differences may be off, relative to the largest element


def interpreted(function, **options):
    return ko.jit(function, backend="interpret", **options)


def results_of(value):
    """The results of a function, as a tuple."""
    return tuple(value) if isinstance(value, tuple | list) else (value,)


def directions(arrays, seed=1):
    rng = np.random.default_rng(seed)
    return tuple(np.asarray(rng.standard_normal(a.shape)).astype(a.dtype) for a in arrays)


def weighted(function, weights):
    """The sum of weights and results: a scalar."""

    def scalar(*args):
        total = None
        for result, weight in zip(results_of(function(*args)), weights, strict=True):
            part = ko.sum(result * ko.asarray(weight))
            total = part if total is None else total + part
        return total

    return scalar


def arrays_of(results):
    return tuple(np.asarray(result) for result in results_of(results))


def assert_near(found, expected, what, tolerance=NEAR):
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    assert found.shape == expected.shape, f"{what}: {found.shape} beside {expected.shape}"
    if not found.size:
        return
    scale = max(1.0, np.max(np.abs(expected)))
    apart = np.max(np.abs(found - expected))
    assert apart <= tolerance * scale, f"{what}: {apart} apart\n{found}\n{expected}"


def assert_same_bits(found, expected, what):
    for number, (own, other) in enumerate(zip(arrays_of(found), arrays_of(expected), strict=True)):
        assert same_bits(own, other), f"{what}, result {number}:\n{own!r}\n{other!r}"


def check_instances(function, calls, run=interpreted):
    """By `run`, vmap of a function and single calls have the bits that single calls have in the interpreter."""
    single = interpreted(function)
    results = [arrays_of(single(*call)) for call in calls]
    if run is not interpreted:
        own = run(function)
        for call, expected in zip(calls, results, strict=True):
            assert_same_bits(own(*call), expected, "a single call")
    stacked = [np.stack(each) for each in zip(*calls, strict=True)]
    expected = [np.stack(each) for each in zip(*results, strict=True)]
    assert_same_bits(run(ko.vmap(function))(*stacked), expected, "vmap")


def moved(arrays, along, distance):
    return tuple(a + distance * d for a, d in zip(arrays, along, strict=True))


def dot(left, right):
    return sum(float(np.sum(np.float64(a) * np.float64(b))) for a, b in zip(left, right, strict=True))


def check_forward(function, args):
    """jvp beside central differences; the value has the bits of the function."""
    along = directions(args)
    plain = interpreted(function)
    value, tangent = interpreted(lambda *both: ko.jvp(function, both[: len(args)], both[len(args) :]))(*args, *along)
    assert_same_bits(value, plain(*args), "the value")
    above, below = arrays_of(plain(*moved(args, along, STEP))), arrays_of(plain(*moved(args, along, -STEP)))
    for number, (own, high, low) in enumerate(zip(arrays_of(tangent), above, below, strict=True)):
        assert_near(own, (high - low) / (2 * STEP), f"the tangent of result {number}")
    return arrays_of(tangent)


def check_adjoint(function, args, tangents, tolerance=1e-11):
    """<w, J v> = <J^T w, v>."""
    along, weights = directions(args), directions(tangents, 2)
    count = len(args)

    def pull(*both):
        value, pullback = ko.vjp(function, *both[:count])
        given = both[count:]
        return pullback(tuple(given) if isinstance(value, tuple | list) else given[0])

    cotangents = arrays_of(interpreted(pull)(*args, *weights))
    forward, backward = dot(weights, tangents), dot(cotangents, along)
    sizes = dot(map(np.abs, weights), map(np.abs, tangents)) + dot(map(np.abs, cotangents), map(np.abs, along))
    assert abs(forward - backward) <= tolerance * max(1, sizes), f"{forward} beside {backward}"
    return cotangents


def gradient_of(function, args, weights):
    return ko.grad(weighted(function, weights), argnums=tuple(range(len(args))))


def product_with_hessian(function, args, weights):
    """A function of the arguments and a direction."""
    gradient = gradient_of(function, args, weights)
    count = len(args)
    return lambda *both: ko.jvp(gradient, both[:count], both[count:])[1]


def check_second(function, args, weights):
    """Differences of the gradient beside jvp of grad and beside grad of grad."""
    along, count = directions(args, 3), len(args)
    gradient = gradient_of(function, args, weights)
    plain = interpreted(gradient)
    above, below = arrays_of(plain(*moved(args, along, STEP))), arrays_of(plain(*moved(args, along, -STEP)))

    def along_gradient(*both):
        return sum((ko.sum(g * d) for g, d in zip(gradient(*both[:count]), both[count:], strict=True)), ko.zeros((), dtype=ko.float64))

    forward = interpreted(product_with_hessian(function, args, weights))(*args, *along)
    backward = interpreted(ko.grad(along_gradient, argnums=tuple(range(count))))(*args, *along)
    for number, (own, other, high, low) in enumerate(zip(arrays_of(forward), arrays_of(backward), above, below, strict=True)):
        assert_near(own, (high - low) / (2 * STEP), f"jvp of grad, argument {number}", 2e-5)
        assert_near(other, own, f"grad of grad, argument {number}", 1e-9)
