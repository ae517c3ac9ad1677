"""Types of arguments, for annotations and stubs."""

from collections.abc import Sequence
from typing import Any, TypeAlias

#: Whatever holds numbers: an array of any library, a nested list, a number.
ArrayLike: TypeAlias = Any
#: A dtype of Kolam, NumPy or PyTorch, its name, or bool, int or float.
DTypeLike: TypeAlias = Any
#: One extent, or several; numbers, or expressions over symbols.
ShapeLike: TypeAlias = Any | Sequence[Any]
