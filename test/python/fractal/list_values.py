"""A value of a random list program."""

from typing import NamedTuple


class Value(NamedTuple):
    text: str
    of: object
