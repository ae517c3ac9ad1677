/// What the Python half of the package gives to this half when it is imported.
#pragma once

#include "kolam/kolam.h"

#include <nanobind/nanobind.h>

#include <array>
#include <string>

namespace nb = nanobind;

namespace kolam::python {

/// Objects of the package that conversions and errors need. One, made at import, never freed:
/// Python may run code after static objects are gone.
struct Registered {
  std::array<nb::object, std::size(kDTypes)> dtypes; ///< kolam.float32, ...: by DType
  nb::object as_dtype;                               ///< any dtype-like object -> one of `dtypes`
  nb::object ndarray;                                ///< the class numpy.ndarray
  nb::object as_plain;       ///< an array-like object -> (buffer, dtype or None)
  nb::object dlpack_capsule; ///< (a DLPack exporter, None or False for copy=) -> its capsule
  std::array<nb::object, static_cast<size_t>(ErrorKind::internal) + 1> errors; ///< by ErrorKind
  std::string package_folder; ///< its frames are not the user's
};

Registered& registered();

/// Binds `_register(...)`, which fills it.
void bind_registered(nb::module_& module);

nb::object dtype_object(DType dtype);
/// Throws a Python TypeError where `object` is no dtype.
DType dtype_from(nb::handle object);

} // namespace kolam::python
