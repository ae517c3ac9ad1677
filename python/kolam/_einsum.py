"""einsum in both of NumPy's forms."""

from kolam import _kolam
from kolam.errors import KolamValueError

_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def _letters(sublist):
    """`[0, Ellipsis, 1]` as `a...b`."""
    text = ""
    for index in sublist:
        if index is Ellipsis:
            text += "..."
        elif isinstance(index, int) and not isinstance(index, bool) and 0 <= index < len(_LETTERS):
            text += _LETTERS[index]
        else:
            raise KolamValueError.make(
                "einsum", "bad-einsum", f"expected indices from 0 to {len(_LETTERS) - 1} or ..., but got {index!r}"
            )
    return text


def einsum(*operands, dtype=None, where=None, accumulate=None):
    """The sum over all letters that the result lacks of the product of the operands, by NumPy's subscripts.

    >>> import kolam as ko
    >>> x, y = ko.asarray([[1, 2], [3, 4]]), ko.asarray([1, 10])
    >>> ko.einsum("ij,j->i", x, y).tolist(), ko.einsum("ii", x).item()
    ([21, 43], 5)

    Without an arrow the result has the ellipsis dims, then the letters that occur once, sorted. A letter twice within an operand
    takes its diagonal; dims of extent 1 stretch. Also as `einsum(x, [0, 1], y, [1, 2], [0, 2])`: each operand with the numbers of
    its indices, then the result's. Letters that only one operand has are summed first; then pairs are contracted in the order of
    least multiplications (exact up to 10 operands, greedy above; a dynamic extent counts as 1000). Where that takes several
    steps, bfloat16 and float16 compute in float32 and round once. `dtype`, `where` and `accumulate` as for matmul, the last two for two
    operands, which are then contracted in one step. Throws `[bad-einsum]` for malformed
    subscripts, `[shape-mismatch]`.
    """
    if len(operands) < 2 or isinstance(operands[0], str):
        return _kolam.einsum(*operands, dtype=dtype, where=where, accumulate=accumulate)
    pairs = len(operands) // 2
    subscripts = ",".join(_letters(operands[2 * i + 1]) for i in range(pairs))
    if len(operands) % 2:
        subscripts += "->" + _letters(operands[-1])
    return _kolam.einsum(subscripts, *operands[: 2 * pairs : 2], dtype=dtype, where=where, accumulate=accumulate)
