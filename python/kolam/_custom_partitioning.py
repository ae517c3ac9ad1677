"""Functions that plans cut as their users say."""

import functools

from kolam import _kolam
from kolam.errors import KolamTypeError, KolamValueError


def custom_partitioning(f, *, signature=None, boxes=None):
    """`f`, of which plans know what parts of its results need, as `signature` or `boxes` say.

    >>> import kolam as ko
    >>> import numpy as np
    >>> def rank_rows(x):
    ...     return ko.opaque_call(lambda x: np.argsort(np.asarray(x), axis=1), [x], (x.shape, ko.int64))
    >>> rank_rows = ko.custom_partitioning(rank_rows, signature='''
    ...     dim i: map n
    ...     in x [n, m]: [1 | 0 | 1; 0 | 0 | m]
    ...     out y [n, m]: [1 | 0 | 1; 0 | 0 | m]
    ... ''')
    >>> x = ko.asarray(np.random.default_rng(0).random((8, 5)))
    >>> p = ko.plan(rank_rows, x, workers=4, steps=0)
    >>> bool((np.asarray(p.run(x)) == np.argsort(np.asarray(x), axis=1)).all())
    True

    `f` takes arrays and gives an array or a tuple of arrays; it is the way out where Kolam cannot look into a function
    (`opaque_call`), or where parts are better computed in another way than by parts of its ops. `signature` has a line for
    each index dim, operand and result: point c of the dims owns the elements [A c + b, A c + b + S) of an operand, given
    as rows `A | b | S`. Names are extents, which the operands' shapes bind. `dim k: reduce n add` is a dim along which the
    results of parts are merged by that elementwise function. `boxes(box)` gives instead for a box of the results, which
    then have one shape, the boxes of the operands that it needs; a box is a tuple of (start, stop).

    A plan traces `f` once more for what a part reads. It may use nothing but its arguments, and the bits are those of `f`
    on parts. When a plan is made, what is said is tried by running: on small random operands where extents have names.

    Raises `[bad-partitioning]`, naming the operand and the box, where results change with elements that they do not need,
    or what `f` gives for parts is not a part.
    """
    if not callable(f):
        raise KolamTypeError.make("custom_partitioning", "argument-type", f"argument 'f': expected a function, but got {f!r}")
    if (signature is None) == (boxes is None):
        raise KolamValueError.make(
            "custom_partitioning", "bad-partitioning", "expected 'signature' or 'boxes', one of them, but got "
            + ("neither" if boxes is None else "both"),
        )  # fmt: skip
    if signature is not None and not isinstance(signature, str):
        raise KolamTypeError.make("custom_partitioning", "argument-type", f"argument 'signature': expected a text, but got {signature!r}")
    if boxes is not None and not callable(boxes):
        raise KolamTypeError.make("custom_partitioning", "argument-type", f"argument 'boxes': expected a function, but got {boxes!r}")
    gives_several = [False]

    def traced(*operands):
        results = f(*operands)
        gives_several[0] = isinstance(results, tuple | list)
        return results

    name = getattr(f, "__name__", type(f).__name__)
    own = _kolam._CustomPartitioning(name, traced, boxes if signature is None else signature)

    @functools.wraps(f)
    def partitioned(*operands):
        results = own.call(list(operands))
        return tuple(results) if gives_several[0] else results[0]

    return partitioned
