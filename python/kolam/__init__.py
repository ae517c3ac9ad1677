"""Kolam: a tensor compiler for programs written as parallel patterns."""

from kolam._kolam import __version__

__all__ = ["__version__"]
