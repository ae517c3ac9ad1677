"""Checks that stop a program, and checkify, which makes values of what went wrong."""

from kolam import _kolam
from kolam._pytree import flatten, unflatten
from kolam._pytree_types import register_pytree_node
from kolam._transformed import Transformed, as_array, is_array, is_list, require_function, split, transformed
from kolam.errors import KolamTypeError, KolamValueError

_KINDS = ("user", "bounds", "nan", "overflow", "all")


def check(pred, message, *values):
    """Stops the program with `[check-failed]` where an element of `pred` is false: the first in row-major order.

    >>> import kolam as ko
    >>> ko.check(ko.ones(3) > 0, "expected positive numbers, but got {}", ko.ones(3))

    Each `{}` of the message is the next of `values` there, which broadcast to `pred`; `{{` and `}}` are braces. Under
    `checkify` nothing stops, and the text is a value. Instances of a vmap that have stopped, and branches that are not taken,
    cannot fail. Throws `[bad-format]` where the message has another number of `{}`.
    """
    if not isinstance(message, str):
        raise KolamTypeError.make("check", "argument-type", f"argument 'message': expected a text, but got {message!r}")
    _kolam._check(pred, message, list(values))


class _Table:
    """What the codes of an error mean: equal for errors that say the same of each."""

    __slots__ = ("native", "key")

    def __init__(self, native):
        self.native, self.key = native, native.key

    def __eq__(self, other):
        return isinstance(other, _Table) and self.key == other.key

    def __hash__(self):
        return hash(self.key)

    def __repr__(self):
        return f"its {max(1, self.key.count(chr(10)))} checks"


class ErrorValue:
    """What went wrong in a call of a function that `checkify` made, if anything did.

    A pytree of one array: it passes through jit, vmap (one an instance), grad (as what stands beside the value), loops.
    """

    __slots__ = ("_state", "_table")

    def __init__(self, state, table):
        self._state, self._table = state, table

    def get(self):
        """What is said of the first error in program order, at its lowest index; None where nothing failed."""
        return self._table.native.text(self._array("get"))

    def throw(self):
        """Raises it, where there is one."""
        self._table.native.throw_error(self._array("throw"))

    def _array(self, method):
        if isinstance(self._state, _kolam.Tensor):
            raise KolamTypeError.make(f"ErrorValue.{method}", "traced-value", "expected an error of a call, but got a traced one; return it from the traced function")
        return self._state

    def __repr__(self):
        return f"ErrorValue({'traced' if isinstance(self._state, _kolam.Tensor) else self.get()})"


register_pytree_node(ErrorValue, lambda error: ((error._state,), error._table), lambda table, children: ErrorValue(*children, table))


def checkify(f, errors="user"):
    """`f` as a function to (error, result): what would stop it becomes a value.

    >>> import kolam as ko
    >>> def f(x):
    ...     ko.check(x > 0, "expected a positive x, but got {}", x)
    ...     return ko.sqrt(x)
    >>> error, y = ko.checkify(f)(ko.asarray(4.0))
    >>> error.get(), y.item()
    (None, 2.0)
    >>> ko.checkify(f)(ko.asarray(-4.0))[0].get().splitlines()[0]
    '[check-failed] expected a positive x, but got -4.0'

    `errors`: "user" (check), "bounds", "nan", "overflow" (as jit's checks), a set of these, or "all". After an error the result
    is what the program computes with total ops. Of several errors the first in program order counts, at its lowest index; in
    loops the first turn comes first. Checks of other kinds, and those that keep memory safe, stop the program as elsewhere.
    Throws `[not-checkified]` for checks where none can be caught: in the condition of a loop that gives a symbol its size.
    """
    require_function(f, "checkify")
    kinds = [errors] if isinstance(errors, str) else sorted(errors, key=str) if isinstance(errors, set | frozenset | list | tuple) else [errors]
    for kind in kinds:
        if kind not in _KINDS:
            raise KolamValueError.make("checkify", "bad-option", f"argument 'errors': expected {', '.join(map(repr, _KINDS))} or a set of these, but got {errors!r}")

    def inline(*args, **named):
        structure = flatten((args, named), leaves := [])
        places = [place for place, leaf in enumerate(leaves) if is_array(leaf) or is_list(leaf)]
        kept = []

        def body(arrays):
            whole = list(leaves)
            for place, array in zip(places, arrays, strict=True):
                whole[place] = array
            positional, keywords = unflatten(structure, iter(whole))
            results, rebuild = split(f(*positional, **keywords))
            kept.append(rebuild)
            return results

        results, state, table = _kolam._checkify(body, [as_array(leaves[place]) for place in places], kinds)
        return ErrorValue(state, _Table(table)), kept[0](results)

    return transformed(f, ("checkify", tuple(kinds)), lambda: Transformed(f, inline))
