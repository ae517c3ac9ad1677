/// Python objects to the values that Kolam's functions take, and back.
#pragma once

#include "thread_exit.h"
#include "warnings.h"

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

/// What a kolam.Extent holds; one that Python made without a symbol is refused.
const Extent& extent_in(nb::handle object);

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
/// As `from_nested_list`, but scalars alone take the dtype of the arrays beside them.
Operand numbers_from_nested_list(nb::handle nest, std::string_view argument);

/// An exact integer: an int, a numpy integer, anything with `__index__`; nullopt for anything else
/// and for bool. Throws `[integer-too-large]` beyond 64 bits.
std::optional<int64_t> try_integer(nb::handle object, std::string_view argument);

/// Throws `[unknown-device]` for anything but None and "cpu".
void require_cpu(nb::handle device);

/// Throws `[traced-value]` for a traced value where only a number will do.
void refuse_traced_number(nb::handle object, std::string_view argument);

/// Throws what Ctrl-C has asked for, KeyboardInterrupt.
inline void check_signals() {
  if (PyErr_CheckSignals() != 0)
    throw nb::python_error();
}

/// Refuses to make an instance from Python: `tp_new` of classes whose values only Kolam makes.
/// Python, and what it unpickles, would get one without a value.
PyObject* refuse_new(PyTypeObject* type, PyObject*, PyObject*);
/// The slots of a class with no more to it.
extern PyType_Slot made_by_kolam[];

/// Calls `function` while other Python threads may run. Not for functions that call back.
template <class F> auto released(const F& function) {
  count_thread();
  check_signals();
  if (has_warnings())
    give_warnings();
  nb::gil_scoped_release release;
  return function();
}

/// Python's `True`, 3 or 2.5 (not the scalars of numpy, which have dtypes).
std::optional<Operand> try_scalar(nb::handle object, std::string_view argument);

} // namespace kolam::python
