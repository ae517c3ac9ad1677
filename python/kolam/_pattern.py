"""zip_map_reduce and monoids: parallel patterns whose bodies are Python functions of scalars."""

from dataclasses import dataclass
from typing import Any, Callable

from kolam import _kolam
from kolam._callables import check_callable, require_given
from kolam.errors import KolamTypeError, KolamValueError
from kolam._pytree import LEAF, flatten, unflatten


@dataclass(frozen=True)
class Monoid:
    """An associative combination with an identity, on states that are scalars or pytrees of them.

        reduce(x_0, ..., x_n) = unwrap(merge(wrap(x_0), merge(..., wrap(x_n))))   and unwrap(zero) of nothing

    `zero` is a pytree of scalars with dtypes; `merge(a, b)` combines two states; `wrap(x, ...)` makes the state of one
    element (else the element is the state), `unwrap(state)` says what a state means (else itself), `wrap_all(xs, ...)`
    makes the state of a chunk at once. That the laws hold is the caller's promise; check_monoid_laws tries it.
    `commutative` allows the faster order, `exact` says that the laws hold for every bit.
    """

    zero: Any
    merge: Callable
    wrap: Callable | None = None
    unwrap: Callable | None = None
    wrap_all: Callable | None = None
    commutative: bool = False
    exact: bool = False
    name: str = "monoid"

    def parts(self, function, results):
        """The parts as functions of lists, for `function`; the structure of what unwrap gives is appended to `results`."""
        structure = flatten(self.zero, zero := [])

        def state(leaves):
            return unflatten(structure, iter(leaves))

        def state_leaves(part, value):
            given = flatten(value, leaves := [])
            if repr(given) != repr(structure):
                raise KolamValueError.make(
                    function, "monoid-state",
                    f"expected {part} of monoid '{self.name}' to give a state as zero, {structure}, but got {given}",
                )  # fmt: skip
            return leaves

        def merge(a, b):
            return state_leaves("merge", self.merge(state(a), state(b)))

        def unwrap(leaves):
            results.append(flatten(self.unwrap(state(leaves)), out := []))
            return out

        if self.unwrap is None:
            results.append(structure)
        return {
            "name": self.name, "zero": zero, "merge": merge, "commutative": self.commutative, "exact": self.exact,
            "wrap": self.wrap and (lambda element: state_leaves("wrap", self.wrap(*element))),
            "unwrap": self.unwrap and unwrap,
            "wrap_all": self.wrap_all and (lambda elements: state_leaves("wrap_all", self.wrap_all(*elements))),
        }  # fmt: skip


def _parts(function, monoid, results):
    if not isinstance(monoid, Monoid):
        message = f"argument 'monoid': expected a kolam.Monoid, but got {type(monoid).__name__}"
        raise KolamTypeError.make(function, "argument-type", message)
    return monoid.parts(function, results)


def _result(structure, leaves):
    return leaves[0] if structure is LEAF else unflatten(structure, iter(leaves))


def zip_map_reduce(f, inputs, reduce=None, axis=None, keepdims=False):
    """result[i] = f(x[i], y[i], ...), then reduced over axes.

    >>> import kolam as ko
    >>> x, y = ko.asarray([1.0, 2.0, 3.0]), ko.asarray([10.0, 20.0, 30.0])
    >>> ko.zip_map_reduce(lambda x, y: x * y, [x, y], reduce="sum").item()
    140.0
    >>> ko.zip_map_reduce(lambda x: (x, -x), [x])[1].tolist()
    [-1.0, -2.0, -3.0]

    The inputs broadcast, of any dtypes; f is called once, on traced scalars, and gives a scalar or a pytree of them, each of
    which becomes a result. It may use `iter_idx`, `imm`, `select`, any elementwise function, `while_loop`, `fori_loop` and `cond`
    of scalars, and outer arrays: scalars as they are, larger ones by gathering from them. `reduce` is "sum" or "add", "prod" or "mul", "min", "max", "mean", "any", "all",
    "argmin" or "argmax" in any case, or a Monoid; `axis` is of the iteration space, all unless given. The results have no
    reduced axes, or extents of 1 with `keepdims`. Throws `[pattern-body]` where f makes or gives anything but scalars,
    `[unknown-reduction]`, `[shape-mismatch]`, `[axis-out-of-range]`, `[empty-reduction]`. Source: SambaFlow's sn_zipmapreduce.
    """
    require_given("zip_map_reduce", inputs=inputs)
    inputs = list(inputs) if isinstance(inputs, list | tuple) else inputs
    check_callable("zip_map_reduce", "f", f, len(inputs) if isinstance(inputs, list) else 1)
    structures = []

    def body(cells):
        structures.append(flatten(f(*cells), leaves := []))
        return leaves

    results = []
    reduction = reduce.parts("zip_map_reduce", results) if isinstance(reduce, Monoid) else reduce
    leaves = _kolam._zip_map_reduce("zip_map_reduce", body, inputs, reduction, axis, keepdims)
    return _result((results or structures)[0], leaves)


def reduce(inputs, monoid, axis=None, keepdims=False):
    """The elements of the inputs (broadcast) combined by a monoid over axes: what it unwraps.

    >>> import kolam as ko
    >>> product = ko.Monoid(zero=ko.asarray(1), merge=lambda a, b: a * b)
    >>> ko.reduce([ko.asarray([[1, 2], [3, 4]])], product, axis=1).tolist()
    [2, 12]

    Throws `[shape-mismatch]`, `[axis-out-of-range]`, and `[monoid-state]` where merge gives another state than zero.
    """
    results = []
    leaves = _kolam._reduce(inputs, _parts("reduce", monoid, results), axis, keepdims)
    return _result(results[0], leaves)


def check_monoid_laws(monoid, elements=None, trials=100, seed=0, tolerance=1e-4):
    """Tries the laws of a monoid on random elements: zero is neutral, merge is associative, and commutative if it says so.

    >>> import kolam as ko
    >>> ko.check_monoid_laws(ko.Monoid(zero=ko.asarray(0), merge=lambda a, b: a + b, commutative=True))
    >>> ko.check_monoid_laws(ko.Monoid(zero=ko.asarray(0), merge=lambda a, b: a - b))
    Traceback (most recent call last):
        ...
    kolam.errors.KolamValueError: ...

    `elements` are the dtypes of an element's parts; those of zero unless given. Floats may differ by `tolerance`, unless the
    monoid says that it is exact. Throws `[monoid-laws]` with the elements that break one.
    """
    _kolam._check_monoid_laws(_parts("check_monoid_laws", monoid, []), elements, trials, seed, tolerance)
