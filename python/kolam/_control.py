"""Loops, branches and scans that stay loops in the compiled program; states are pytrees."""

from kolam import _kolam
from kolam._callables import check_callable
from kolam.errors import KolamTypeError
from kolam.pytree import flatten, unflatten


def _flat(value):
    """(leaves, the text of the structure), as the C++ half takes pytrees."""
    leaves = []
    structure = flatten(value, leaves)
    return leaves, repr(structure)


def fori_loop(lower, upper, body_fun, init_val):
    check_callable("fori_loop", "body_fun", body_fun, 2)
    structure = flatten(init_val, leaves := [])

    def body(i, state):
        return _flat(body_fun(i, unflatten(structure, iter(state))))

    return unflatten(structure, iter(_kolam._fori_loop(lower, upper, (leaves, repr(structure)), body)))


def while_loop(cond_fun, body_fun, init_val):
    check_callable("while_loop", "cond_fun", cond_fun, 1)
    check_callable("while_loop", "body_fun", body_fun, 1)
    structure = flatten(init_val, leaves := [])

    def condition(state):
        return cond_fun(unflatten(structure, iter(state)))

    def body(state):
        return _flat(body_fun(unflatten(structure, iter(state))))

    return unflatten(structure, iter(_kolam._while_loop((leaves, repr(structure)), condition, body)))


def cond(pred, true_fun, false_fun, *operands):
    check_callable("cond", "true_fun", true_fun, len(operands))
    check_callable("cond", "false_fun", false_fun, len(operands))
    return _branch("cond", pred, (false_fun, true_fun), operands)


def switch(index, branches, *operands):
    branches = tuple(branches)
    for branch in branches:
        check_callable("switch", "branches", branch, len(operands))
    return _branch("switch", index, branches, operands)


def _branch(function, selector, branches, operands):
    structure = flatten(operands, leaves := [])
    results = []

    def body(branch):
        def traced(state):
            leaves = []
            results.append(flatten(branch(*unflatten(structure, iter(state))), leaves))
            return leaves, repr(results[-1])

        return traced

    values = _kolam._branch(function, selector, leaves, [body(branch) for branch in branches])
    return unflatten(results[0], iter(values))


def scan(f, init, xs=None, length=None, reverse=False):
    check_callable("scan", "f", f, 2)
    state_structure = flatten(init, states := [])
    x_structure = flatten(xs, slices := [])
    results = []

    def body(state, x):
        turn = f(unflatten(state_structure, iter(state)), unflatten(x_structure, iter(x)))
        if not isinstance(turn, tuple) or len(turn) != 2:
            raise KolamTypeError.make("scan", "carry-mismatch", "expected f to give a pair (state, y)")
        results.append(flatten(turn[1], ys := []))
        return _flat(turn[0]), (ys, repr(results[-1]))

    state, ys = _kolam._scan(
        body, (states, repr(state_structure)), (slices, repr(x_structure)), length, reverse
    )
    return unflatten(state_structure, iter(state)), unflatten(results[0], iter(ys))


def associative_scan(f, xs, axis=0, reverse=False, identity=None, segments=None):
    check_callable("associative_scan", "f", f, 2)
    structure = flatten(xs, leaves := [])

    def body(a, b):
        return _flat(f(unflatten(structure, iter(a)), unflatten(structure, iter(b))))

    if identity is not None:
        given = flatten(identity, identities := [])
        if len(identities) == len(leaves) and repr(given) != repr(structure):
            raise KolamTypeError.make(
                "associative_scan", "carry-mismatch", f"argument 'identity': expected structure {structure}, but got {given}"
            )
        identity = identities
    out = _kolam._associative_scan(body, (leaves, repr(structure)), axis, reverse, identity, segments)
    return unflatten(structure, iter(out))


for _function in (associative_scan, fori_loop, while_loop, cond, switch, scan):
    _name = {"switch": "switch_"}.get(_function.__name__, _function.__name__)
    _function.__doc__ = getattr(_kolam, f"_{_name}_doc")
