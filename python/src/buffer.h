/// Memory of other libraries as arrays, and arrays as Python buffers.
#pragma once

#include "kolam/kolam.h"

#include <nanobind/nanobind.h>

#include <optional>
#include <string_view>

namespace kolam::python {

namespace nb = nanobind;

/// The array that an object with a buffer, `__dlpack__` or `__array__` holds: viewed where its
/// memory is C-contiguous and aligned, copied otherwise. nullopt where the object is no array.
/// Throws `[unsupported-dtype]` where its elements are none of Kolam's (objects, strings, complex
/// numbers).
std::optional<Array> array_from_memory(nb::handle object, std::string_view argument);

/// The same for a numpy.ndarray itself that needs no conversion; nullopt for anything else.
std::optional<Array> array_of_numpy(nb::handle object);

/// A copy where the memory is foreign and may change.
Array owned(const Array& array);

/// An object with a read-only buffer over the array's elements; those of bfloat16 as uint16.
nb::object memory_of(const Array& array);
/// `__array_struct__`: the same for NumPy. Not for bfloat16.
nb::object array_interface(const Array& array);

} // namespace kolam::python
