"""What holds of the derivatives of any program: the same bits on both backends, on one thread and on two, under vmap and with any
memory_limit; gradient and tangent agree where numbers are tame."""

import contextlib

import numpy as np
from random_programs.running import Raised, same_bits

import kolam as ko

REFUSALS = {"not-differentiable"}
LARGEST = 1e3  # beyond it nothing is said of sums that cancel
UNITS = {"float64": 2e-9, "float32": 2e-2, "float16": None, "bfloat16": None}  # of the dtype: what a few ops lose; None: too much
THREADS = (1, 2)
BACKENDS = ("interpret", "cpu")


def arrays_of(tree):
    """The leaves of a tree; of lists their leaves and offsets."""
    found = []
    for leaf in ko.pytree.tree_leaves(tree):
        if isinstance(leaf, ko.List):
            found += [leaf.leaves(), *(leaf.offsets(level) for level in range(1, leaf.depth))]
        else:
            found.append(leaf)
    return [np.asarray(array) for array in found]


def floats_of(tree):
    return [array for array in arrays_of(tree) if array.dtype.name in UNITS]


def outcome(call):
    """The arrays that a call gives, or Raised."""
    try:
        return arrays_of(call())
    except ko.KolamError as error:
        if error.slug == "internal":
            raise
        return Raised(error.slug, str(error).split("\n")[0])


@contextlib.contextmanager
def threads(count):
    before = ko.get_num_threads()
    ko.set_num_threads(count)
    try:
        yield
    finally:
        ko.set_num_threads(before)


def assert_same(found, expected, what):
    assert len(found) == len(expected), what
    for number, (own, other) in enumerate(zip(found, expected, strict=True)):
        assert same_bits(own, other), f"{what}, array {number}:\n{own!r}\nand not\n{other!r}"


def agreed(function, args, what):
    """What a function gives on both backends, natively on any number of threads; or how both refuse."""
    oracle = outcome(lambda: ko.jit(function, backend="interpret")(*args))
    native = ko.jit(function)
    for count in THREADS:
        with threads(count):
            found = outcome(lambda: native(*args))
        if isinstance(found, Raised) or isinstance(oracle, Raised):
            assert getattr(found, "slug", None) == getattr(oracle, "slug", None), f"{what}: {found}\n{oracle}"
        else:
            assert_same(found, oracle, f"{what}, native code on {count} threads")
    return oracle


def are_tame(arrays):
    wide = [np.asarray(a, np.float64) for a in arrays]
    return all(np.isfinite(a).all() and (np.abs(a) <= LARGEST).all() for a in wide)


def check_limits(total, args, expected):
    """Half of the memory, or what there is less a byte: the same bits, or a refusal that says so."""
    every = tuple(range(len(args)))
    arena = ko.jit(ko.value_and_grad(total, argnums=every)).lower(*args).cost()["arena_bytes"]
    for limit in {int(arena) - 1, int(arena) // 2} - {0, -1}:
        limited = ko.jit(ko.value_and_grad(total, argnums=every, memory_limit=limit))
        found = outcome(lambda: limited(*args))  # noqa: B023
        if isinstance(found, Raised):
            assert found.slug == "memory-limit", found
        else:
            assert_same(found, expected, f"memory_limit={limit}")


def check_instances(function, args, expected, what, backends=BACKENDS):
    """Three instances, of which the second has `expected`: the bits of single calls. What one of them refuses, all do."""
    args = [np.asarray(a) for a in args]
    calls = [[a + np.asarray(1, a.dtype) for a in args], args, [a * np.asarray(0.5, a.dtype) for a in args]]
    single = ko.jit(function, backend="interpret")
    results = [expected if call is args else outcome(lambda: single(*call)) for call in calls]  # noqa: B023
    slugs = {result.slug for result in results if isinstance(result, Raised)}
    stacked = [np.stack(each) for each in zip(*calls, strict=True)]
    for backend in backends:
        found = outcome(lambda: ko.jit(ko.vmap(function), backend=backend)(*stacked))  # noqa: B023
        if isinstance(found, Raised):
            assert found.slug in slugs, f"vmap of {what}, {backend}: {found}"
            continue
        assert not slugs, f"vmap of {what}, {backend}: results, but a single call raises {slugs}"
        for number, result in enumerate(results):
            assert_same([each[number] for each in found], result, f"vmap of {what}, {backend}, instance {number}")


def dot(left, right):
    return sum(float(np.sum(np.float64(a) * np.float64(b))) for a, b in zip(left, right, strict=True))


def size(left, right):
    return dot([np.abs(np.float64(a)) for a in left], [np.abs(np.float64(a)) for a in right])


def check(function, total, args, along, unit):
    """Whether the derivatives of `function` were compared: None where it does not run, False where they are refused.

    `total` takes its results to a scalar. `args` are trees of floats, `along` others of the same structure. `unit`: how far gradient and
    tangent may be apart, relative to what they sum up; None: as far as they like.
    """
    count = len(args)
    scalar = lambda *given: total(function(*given))  # noqa: E731
    plain = agreed(function, args, "the program")
    if isinstance(plain, Raised):
        return None
    pair = ko.value_and_grad(scalar, argnums=tuple(range(count)))
    push = lambda *given: ko.jvp(function, given[:count], given[count:])  # noqa: E731
    pulled = agreed(pair, args, "value_and_grad")
    pushed = agreed(push, [*args, *along], "jvp")
    if isinstance(pulled, Raised) or isinstance(pushed, Raised):
        for found in (pulled, pushed):
            assert not isinstance(found, Raised) or found.slug in REFUSALS, found
        return False
    assert_same(pushed[: len(plain)], plain, "the value of jvp")
    gradient = pulled[1:]
    assert [(g.dtype, g.shape) for g in gradient] == [(a.dtype, a.shape) for a in arrays_of(args)]
    check_limits(scalar, args, pulled)
    if all(isinstance(arg, np.ndarray | ko.Array) for arg in args):
        check_instances(pair, args, pulled, "value_and_grad")
        check_instances(push, [*args, *along], pushed, "jvp")
    if unit is None or not are_tame(pulled) or not are_tame(floats_of(pushed)):
        return True
    value, tangent = outcome(lambda: ko.jit(lambda *given: ko.jvp(scalar, given[:count], given[count:]), backend="interpret")(*args, *along))
    directions, gradient = floats_of(along), [array for array in gradient if array.dtype.name in UNITS]
    scale = 1 + size(gradient, directions) + abs(float(tangent)) + abs(float(value))
    forward, backward = float(tangent), dot(gradient, directions)
    assert abs(forward - backward) <= unit * scale, f"<w, J v> = {forward}, <J^T w, v> = {backward}"
    return True
