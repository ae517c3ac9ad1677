"""Kolam: a tensor compiler for programs written as parallel patterns."""

import os as _os

try:
    from kolam import _kolam
except ImportError as error:  # built with -DKOLAM_SHARED_LLVM=ON
    if "libMLIR" not in str(error) and "libLLVM" not in str(error):
        raise
    raise ImportError(f"{error}; install Debian's package libmlir-22, or a wheel of Kolam, which needs none") from None
from kolam import _callables, debug, dtypes, errors, pytree, tree
from kolam._checkpoint import checkpoint, checkpoint_name, checkpoint_policies, remat
from kolam._kolam import *  # noqa: F403
from kolam._kolam import __version__
from kolam._composites import *  # noqa: F403
from kolam._checkify import ErrorValue, check, checkify
from kolam._collectives import axis_index, axis_size, pmax, pmean, pmin, psum
from kolam._control import associative_scan, cond, fori_loop, map, scan, switch, while_loop
from kolam._custom_partitioning import custom_partitioning
from kolam._creation import array, asarray, from_dlpack, fromfunction
from kolam._dtype_functions import can_cast, finfo, iinfo, isdtype, result_type
from kolam.dtypes import *  # noqa: F403
from kolam._derive import grad, jvp, linear_transpose, linearize, stop_gradient, value_and_grad, vjp
from kolam._einsum import einsum
from kolam.errors import KolamError
from kolam._jacobians import hessian, jacfwd, jacobian, jacrev
from kolam._jit import jit, tune
from kolam._namespace import __array_api_version__, __array_namespace_info__, e, inf, nan, pi
from kolam._opaque_call import opaque_call
from kolam._shapes import ShapeDtypeStruct, eval_shape
from kolam._vmap import vmap
from kolam._plan import KeptResults, Level, Machine, Plan, choice_rows, plan, possible_choices, rewritten, source
from kolam._pattern import Monoid, check_monoid_laws, reduce, zip_map_reduce
from kolam._rules import check_grads, custom_jvp, custom_vjp, custom_vmap
from kolam._sets import unique, unique_all, unique_counts, unique_inverse, unique_values
from kolam.random import dropout

#: In an index, a dim of extent 1: x[:, kolam.newaxis].
newaxis = None

_callables.check_arguments_of(globals())

# These use what stands above.
from kolam import _interop, _methods, _pickling, fractal, kernels, layout, pallas, samba  # noqa: E402, F401

__all__ = sorted(name for name in globals() if name[0] != "_")


def __getattr__(name):
    """Names that are not here: those of other libraries are told what to write."""
    from kolam import _hints

    raise _hints.unknown_name("kolam", name, __all__)


_kolam._register(
    dtypes.DTYPES, dtypes.as_dtype, _interop.np.ndarray, _interop.as_plain, _interop.dlpack_capsule, errors.BY_KIND, f"{_os.path.dirname(__file__)}/"
)
_interop.attach()
_methods.attach()
_pickling.attach()
