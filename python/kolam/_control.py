"""Loops, branches and scans that stay loops in the compiled program; states are pytrees."""

from kolam import _kolam
from kolam._callables import check_callable, require_given
from kolam.errors import KolamTypeError, KolamValueError
from kolam._pytree import flatten, unflatten
from kolam._refs import Ref


def _flat(value):
    """(leaves, the text of the structure), as the C++ half takes pytrees."""
    leaves = []
    structure = flatten(value, leaves)
    return leaves, _text(structure, leaves)


def _without_refs(value, function):
    """(structure, leaves without Refs, `full`, `rest`): Refs pass through loops and branches as they are.

    `full(leaves)` puts the Refs back, `rest(value)` takes the same ones away from what a body gives.
    """
    structure = flatten(value, leaves := [])
    refs = {place: leaf for place, leaf in enumerate(leaves) if isinstance(leaf, Ref)}

    def full(others):
        others = iter(others)
        return unflatten(structure, iter([refs[place] if place in refs else next(others) for place in range(len(leaves))]))

    def rest(found):
        given = flatten(found, parts := [])
        for place, ref in refs.items():
            if place >= len(parts) or parts[place] is not ref:
                raise KolamTypeError.make(function, "carry-mismatch", f"expected a Ref in the state to stay the same Ref, but got another at leaf {place}")
        parts = [part for place, part in enumerate(parts) if place not in refs]
        return parts, _text(given, parts)

    return structure, [leaf for leaf in leaves if not isinstance(leaf, Ref)], full, rest


def _text(structure, leaves):
    """The text of a structure; a list of tuples counts as a tuple of lists, as in kolam.fractal."""
    if not any(isinstance(leaf, _kolam.List | _kolam.TracedList) for leaf in leaves):
        return repr(structure)
    from kolam.fractal._values import describe  # which is made of loops and branches

    return describe(structure)


def fori_loop(lower, upper, body_fun, init_val, *, unroll=None):
    """A counted loop: `state = init_val; for i in range(lower, upper): state = body_fun(i, state)`; gives the last state.

    >>> import kolam as ko
    >>> ko.fori_loop(0, 5, lambda i, total: total + i, ko.asarray(0)).item()
    10

    The bounds are integer scalars, numbers or arrays; i is a traced scalar of their dtype (int32, or int64 where one bound
    needs it). With lower >= upper the result is `init_val`. The state is a pytree of arrays; a
    Python number in it takes the dtype that the body gives back for it. The loop stays a loop in the
    compiled program, whereas Python's `for` is unrolled when it is traced. Throws `[carry-mismatch]` where the body gives
    another structure, dtype or shape than it takes, with both. `unroll` is for programs from JAX; it changes nothing.
    """
    check_callable("fori_loop", "body_fun", body_fun, 2)
    require_given("fori_loop", lower=lower, upper=upper)
    structure, leaves, full, rest = _without_refs(init_val, "fori_loop")

    def body(i, state):
        return rest(body_fun(i, full(state)))

    return full(_kolam._fori_loop(lower, upper, (leaves, _text(structure, leaves)), body))


def while_loop(cond_fun, body_fun, init_val):
    """A loop on a condition: `state = init_val; while cond_fun(state): state = body_fun(state)`; gives the last state.

    >>> import kolam as ko
    >>> ko.while_loop(lambda x: x < 100, lambda x: x * 2, ko.asarray(3)).item()
    192

    `cond_fun` gives a bool scalar; the state is a pytree of arrays. A loop that does not end can be stopped with Ctrl-C.
    Throws `[carry-mismatch]` where the body gives another structure, dtype or shape than it takes, with both.
    """
    check_callable("while_loop", "cond_fun", cond_fun, 1)
    check_callable("while_loop", "body_fun", body_fun, 1)
    structure, leaves, full, rest = _without_refs(init_val, "while_loop")

    def condition(state):
        return cond_fun(full(state))

    def body(state):
        return rest(body_fun(full(state)))

    return full(_kolam._while_loop((leaves, _text(structure, leaves)), condition, body))


class _NotGiven:
    def __repr__(self):
        return "<not given>"


_MISSING = _NotGiven()


def cond(pred, true_fun, false_fun, *operands, operand=_MISSING):
    """`true_fun(*operands) if pred else false_fun(*operands)`; only that one runs. `where` computes both sides instead.

    >>> import kolam as ko
    >>> halve = ko.jit(lambda x: ko.cond(x % 2 == 0, lambda x: x // 2, lambda x: 3 * x + 1, x))
    >>> halve(ko.asarray(10)).item(), halve(ko.asarray(7)).item()
    (5, 22)

    `pred` is a scalar; operands and results are pytrees of arrays. Throws `[branch-mismatch]` where the two give different
    structures, dtypes or shapes.
    """
    if operand is not _MISSING:
        operands = (*operands, operand)
    require_given("cond", pred=pred)
    check_callable("cond", "true_fun", true_fun, len(operands))
    check_callable("cond", "false_fun", false_fun, len(operands))
    return _branch("cond", pred, (false_fun, true_fun), operands)


def switch(index, branches, *operands, operand=_MISSING):
    """`branches[clip(index, 0, n - 1)](*operands)`, one of n functions; only that one runs.

    >>> import kolam as ko
    >>> branches = [lambda x: x + 1, lambda x: x * 10, lambda x: -x]
    >>> ko.switch(1, branches, ko.asarray([1, 2])).tolist()
    [10, 20]

    Throws `[branch-mismatch]` where branches give other structures, dtypes or shapes than the first.
    """
    if operand is not _MISSING:
        operands = (*operands, operand)
    if branches is None or callable(branches):
        raise KolamTypeError.make(
            "switch", "argument-type", f"argument 'branches': expected a list of functions, but got {branches!r}"
        )
    require_given("switch", index=index)
    branches = tuple(branches)
    for branch in branches:
        check_callable("switch", "branches", branch, len(operands))
    return _branch("switch", index, branches, operands)


def _branch(function, selector, branches, operands):
    structure = flatten(operands, leaves := [])
    # Numbers of Python come as they are, without a dtype, and so do Refs.
    places = [place for place, leaf in enumerate(leaves) if type(leaf) not in (int, float, Ref)]
    results = []

    def body(branch):
        def traced(state):
            given = list(leaves)
            for place, value in zip(places, state, strict=True):
                given[place] = value
            results.append(flatten(branch(*unflatten(structure, iter(given))), found := []))
            return found, _text(results[-1], found)

        return traced

    values = _kolam._branch(function, selector, [leaves[place] for place in places], [body(branch) for branch in branches])
    return unflatten(results[0], iter(values))


def scan(f, init, xs=None, length=None, reverse=False, unroll=1):
    """A loop over slices: `for t: state, ys[t] = f(state, xs[t])`; gives the last state and the stacked ys.

    >>> import kolam as ko
    >>> total, sums = ko.scan(lambda state, x: (state + x, state + x), ko.asarray(0), ko.asarray([1, 2, 3]))
    >>> total.item(), sums.tolist()
    (6, [1, 3, 6])

    xs[t] is slice t of every array of `xs` along its leading dim, whose extents must agree; without arrays `length` says how
    often, and f gets None. f gives a pair of state and y, pytrees both (None for none). A
    Python number in `init` takes the dtype that f gives back for it. With `reverse` the slices come from
    the last to the first; ys keep their places. Throws `[carry-mismatch]` where f gives another state than it takes,
    `[shape-mismatch]` for xs of different lengths. `unroll` is for programs from JAX; it changes nothing.
    """
    check_callable("scan", "f", f, 2)
    state_structure = flatten(init, states := [])
    x_structure = flatten(xs, slices := [])
    results = []

    def body(state, x):
        turn = f(unflatten(state_structure, iter(state)), unflatten(x_structure, iter(x)))
        if not isinstance(turn, tuple | list) or len(turn) != 2:
            found = f"a {type(turn).__name__}" + (f" of {len(turn)}" if isinstance(turn, tuple | list) else "")
            raise KolamTypeError.make(
                "scan", "carry-mismatch", f"expected f to give a pair (state, y), but got {found}; y is None where there is none"
            )
        results.append(flatten(turn[1], ys := []))
        return _flat(turn[0]), (ys, repr(results[-1]))

    state, ys = _kolam._scan(
        body, (states, repr(state_structure)), (slices, repr(x_structure)), length, reverse
    )
    return unflatten(state_structure, iter(state)), unflatten(results[0], iter(ys))


def map(f, xs, *, batch_size=None):
    """f of each slice along the leading dims of `xs`, stacked: `vmap` for one slice after the other, in little memory.

    >>> import kolam as ko
    >>> ko.map(lambda x: x * x, ko.asarray([1, 2, 3])).tolist()
    [1, 4, 9]

    `xs` and what `f` gives are pytrees. With `batch_size` so many slices are computed at once (kolam.vmap). Throws as `scan`.
    """
    check_callable("map", "f", f, 1)
    if batch_size is None:
        return scan(lambda _, x: (None, f(x)), None, xs)[1]
    if not isinstance(batch_size, int) or batch_size < 1:
        raise KolamValueError.make(
            "map", "bad-option", f"argument 'batch_size': expected an int of at least 1, but got {batch_size!r}"
        )
    return _map_in_batches(f, xs, batch_size)


def _map_in_batches(f, xs, size):
    from kolam._creation import asarray
    from kolam._vmap import vmap

    structure = flatten(xs, given := [])
    leaves = [leaf if isinstance(leaf, _kolam.Array | _kolam.Tensor) else asarray(leaf) for leaf in given]
    count = leaves[0].shape[0] if leaves and leaves[0].shape else None
    if not isinstance(count, int):
        raise KolamTypeError.make(
            "map", "bad-option", "argument 'batch_size': expected arrays whose leading extent is known, but got others"
        )
    whole = count // size * size
    part = lambda cut: unflatten(structure, iter([cut(leaf) for leaf in leaves]))
    rows = part(lambda leaf: _kolam.reshape(leaf[:whole], (whole // size, size, *leaf.shape[1:])))
    first = flatten(map(vmap(f), rows), firsts := [])
    firsts = [_kolam.reshape(leaf, (whole, *leaf.shape[2:])) for leaf in firsts]
    if whole < count:
        flatten(vmap(f)(part(lambda leaf: leaf[whole:])), rest := [])
        firsts = [_kolam.concat([a, b]) for a, b in zip(firsts, rest, strict=True)]
    return unflatten(first, iter(firsts))


def associative_scan(f, xs, axis=0, reverse=False, identity=None, segments=None):
    """Running combination along an axis: `out[i] = f(...f(f(x[0], x[1]), x[2])..., x[i])`, up to the grouping.

    >>> import kolam as ko
    >>> ko.associative_scan(ko.maximum, ko.asarray([3, 1, 4, 1, 5])).tolist()
    [3, 3, 4, 4, 5]

    f(a, b) takes and gives pytrees like xs with the axis taken away; it should be associative. The grouping is fixed, so that
    the bits are: elements come in chunks of 4096; with p the prefix inside a chunk, left to right, out is p in the first chunk
    and f(carry, p) in others, where carry is the last out of the chunk before. With `reverse` it runs from the last element to
    the first; f's first argument still holds what came before. With `identity`, one scalar for each array of xs, the scan is
    exclusive: it leaves x[i] out, and the identity stands where nothing comes before. `segments` is a boolean vector along the
    axis, true where a segment starts: each is scanned alone. Throws `[carry-mismatch]` where f gives other dtypes or shapes
    than it takes, `[axis-out-of-range]`, `[shape-mismatch]`.
    """
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
