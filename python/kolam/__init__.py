"""Kolam: a tensor compiler for programs written as parallel patterns."""

import sys as _sys
from pathlib import Path as _Path

from kolam import _kolam, dtypes, errors, interop, methods, pytree
from kolam._kolam import *  # noqa: F403
from kolam._kolam import __version__
from kolam.control import associative_scan, cond, fori_loop, scan, switch, while_loop
from kolam.creation import array, asarray
from kolam.dtypes import *  # noqa: F403
from kolam.errors import KolamError
from kolam.jit import jit
from kolam.opaque_call import opaque_call
from kolam.pattern import Monoid, check_monoid_laws, reduce, zip_map_reduce

_kolam._register(dtypes.DTYPES, dtypes.as_dtype, interop.as_plain, errors.BY_KIND, f"{_Path(__file__).parent}/")
_sys.modules["kolam.random"] = random  # noqa: F405
interop.attach()
methods.attach()

from kolam import samba  # noqa: E402  (it uses what stands above)
