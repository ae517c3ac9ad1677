"""What Kolam raises: KolamError, with a slug that docs/errors.md explains."""

from kolam import _kolam

__all__ = [
    "KolamAttributeError", "KolamError", "KolamIndexError", "KolamMemoryError", "KolamOSError", "KolamRuntimeError",
    "KolamTypeError", "KolamValueError",
]  # fmt: skip


class KolamError(Exception):
    """Wrong use of Kolam, or a fault of a run.

    `slug` names the entry in docs/errors.md; `where` is your (file, line), or None. Where one of Python's own errors fits,
    the exception is that too: `except ValueError` catches a wrong shape.
    """

    slug = "internal"
    where = None

    @classmethod
    def make(cls, function, slug, message):
        """An error that Python's half of the package raises; the other half words its own."""
        where = _kolam._user_line()
        error = cls(f"{function}: [{slug}] {message}\n  at {where[0]}:{where[1]}")
        error.slug, error.where = slug, where
        return error


class KolamTypeError(KolamError, TypeError):
    """A KolamError of the wrong kind of argument."""


class KolamValueError(KolamError, ValueError):
    """A KolamError of the wrong value, shape or size."""


class KolamIndexError(KolamError, IndexError):
    """A KolamError of an index or axis that does not exist."""


class KolamMemoryError(KolamError, MemoryError):
    """A KolamError of too little memory."""


class KolamOSError(KolamError, OSError):
    """A KolamError of a file."""


class KolamRuntimeError(KolamError, RuntimeError):
    """A KolamError of the order of calls."""


class KolamAttributeError(KolamError, AttributeError):
    """A name that Kolam, or an array, does not have."""


#: In the order of the C++ enumeration of kinds.
BY_KIND = (
    KolamTypeError, KolamValueError, KolamIndexError, KolamMemoryError, KolamOSError, KolamRuntimeError, KolamError,
)  # fmt: skip


def __getattr__(name):
    """Names that are not here: those of other libraries are told what to write."""
    from kolam import _hints

    raise _hints.unknown_name("kolam.errors", name, __all__)


def __dir__():
    return __all__
