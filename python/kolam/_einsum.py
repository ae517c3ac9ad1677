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


def einsum(*operands, dtype=None):
    if len(operands) < 2 or isinstance(operands[0], str):
        return _kolam.einsum(*operands, dtype=dtype)
    pairs = len(operands) // 2
    subscripts = ",".join(_letters(operands[2 * i + 1]) for i in range(pairs))
    if len(operands) % 2:
        subscripts += "->" + _letters(operands[-1])
    return _kolam.einsum(subscripts, *operands[: 2 * pairs : 2], dtype=dtype)


einsum.__doc__ = (
    _kolam.einsum.__doc__
    + "\n\nAlso as `einsum(x, [0, 1], y, [1, 2], [0, 2])`: each operand with the numbers of its indices, then the result's."
)
