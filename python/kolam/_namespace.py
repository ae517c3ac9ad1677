"""What the array API asks of a namespace: its version, devices, dtypes and constants."""

import math

from kolam import dtypes as _dtypes
from kolam._dtype_functions import KINDS
from kolam.errors import KolamValueError

__array_api_version__ = "2024.12"

#: The constants of the array API.
e, inf, nan, pi = math.e, math.inf, math.nan, math.pi

#: Versions of the standard whose functions are all here.
_VERSIONS = ("2021.12", "2022.12", "2023.12", "2024.12")
_DEVICE = "cpu"
#: The dtypes that the standard knows; bfloat16 and float16 are beside it.
_STANDARD = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
)  # fmt: skip


def require_device(function, device):
    """Raises for anything but None and the one device."""
    if device is not None and not (isinstance(device, str) and device == _DEVICE):
        raise KolamValueError.make(
            function, "unknown-device", f"argument 'device': expected None or 'cpu', the only device, but got {device!r}"
        )


class _Info:
    """What `__array_namespace_info__` gives."""

    def capabilities(self):
        """What the library can do, by name.

        >>> import kolam as ko
        >>> ko.__array_namespace_info__().capabilities()["boolean indexing"]
        True
        """
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self):
        """The device that arrays are on unless another is asked for."""
        return _DEVICE

    def devices(self):
        """All devices."""
        return [_DEVICE]

    def default_dtypes(self, *, device=None):
        """The dtypes of results whose dtype nothing says.

        >>> import kolam as ko
        >>> ko.__array_namespace_info__().default_dtypes()["real floating"]
        kolam.float32
        """
        require_device("default_dtypes", device)
        return {"real floating": _dtypes.float32, "integral": _dtypes.int32, "indexing": _dtypes.int32}

    def dtypes(self, *, device=None, kind=None):
        """The standard's dtypes of a kind, or of several, by name.

        >>> import kolam as ko
        >>> ko.__array_namespace_info__().dtypes(kind="real floating")
        {'float32': kolam.float32, 'float64': kolam.float64}
        """
        require_device("dtypes", device)
        asked = (kind,) if isinstance(kind, str) else tuple(KINDS) if kind is None else tuple(kind)
        for one in asked:
            if one not in KINDS:
                raise KolamValueError.make(
                    "dtypes", "bad-option", f"argument 'kind': expected one of {', '.join(map(repr, KINDS))}, but got {one!r}"
                )
        kinds = set().union(*(KINDS[one] for one in asked))
        return {name: dtype for name in _STANDARD if (dtype := getattr(_dtypes, name)).kind in kinds}


def __array_namespace_info__():
    """Devices, dtypes and capabilities, as the array API asks for them.

    >>> import kolam as ko
    >>> ko.__array_namespace_info__().devices()
    ['cpu']
    """
    return _Info()


def namespace(self, *, api_version=None):
    """The module whose functions take this array: kolam."""
    import kolam

    if api_version is not None and api_version not in _VERSIONS:
        raise KolamValueError.make(
            "__array_namespace__", "bad-option",
            f"argument 'api_version': expected one of {', '.join(_VERSIONS)}, but got {api_version!r}",
        )  # fmt: skip
    return kolam


def to_device(self, device, /, *, stream=None):
    """The array itself: there is one device, "cpu"."""
    require_device("to_device", device)
    if stream is not None:
        raise KolamValueError.make("to_device", "bad-option", f"argument 'stream': expected None, but got {stream!r}")
    return self


__all__ = ["__array_api_version__", "__array_namespace_info__", "e", "inf", "nan", "pi"]
