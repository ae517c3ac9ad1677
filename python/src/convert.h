/// Python objects to the values that Kolam's functions take, and back.
#pragma once

#include "kolam/kolam.h"

#include <nanobind/nanobind.h>

#include <optional>
#include <string_view>

namespace kolam::python {

namespace nb = nanobind;

/// A value of a program being traced, as Python holds it (`kolam.Tensor`); concrete ones are
/// `kolam.Array`.
struct Traced {
  Tensor tensor;
};

nb::object to_python(Tensor tensor);
nb::object to_python(Array array);
nb::list to_list(const std::vector<Tensor>& tensors);
nb::object to_python(const Extent& extent);
nb::object to_python(const Shape& shape);

/// The array that a kolam.Array holds; throws `[donated]` where an earlier call used it up.
const Array& held(nb::handle array);

/// A tensor, a scalar of Python (which takes the dtype of the tensors beside it), an array of
/// another library or a nested list; nullopt for anything else. Throws `[ragged-nest]` and
/// `[unsupported-dtype]`.
std::optional<Operand> try_operand(nb::handle object, std::string_view argument);
/// The same; throws `[not-an-array]`.
Operand to_operand(nb::handle object, std::string_view argument);
/// The same, scalars at their default dtype.
Tensor to_tensor(nb::handle object, std::string_view argument);
/// The same; throws `[traced-value]` for a traced one.
Array to_array(nb::handle object, std::string_view argument);

/// A nested list or tuple of scalars and arrays, as one tensor. Scalars alone give bool, int32 or
/// float32.
Tensor from_nested_list(nb::handle nest, std::string_view argument);

/// An exact integer: an int, a numpy integer, anything with `__index__`; nullopt for anything else
/// and for bool. Throws `[integer-too-large]` beyond 64 bits.
std::optional<int64_t> try_integer(nb::handle object, std::string_view argument);

/// Throws `[unknown-device]` for anything but None and "cpu".
void require_cpu(nb::handle device);

/// Throws `[traced-value]` for a traced value where only a number will do.
void refuse_traced_number(nb::handle object, std::string_view argument);

/// Calls `function` while other Python threads may run. Not for functions that call back.
template <class F> auto released(const F& function) {
  nb::gil_scoped_release release;
  return function();
}

/// Python's `True`, 3 or 2.5 (not the scalars of numpy, which have dtypes).
std::optional<Operand> try_scalar(nb::handle object, std::string_view argument);

} // namespace kolam::python
