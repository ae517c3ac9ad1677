// Converts between Python objects and tensors.
#include "convert.h"

#include "buffer.h"
#include "errors.h"

namespace kolam::python {

PyObject* refuse_new(PyTypeObject* type, PyObject*, PyObject*) {
  PyErr_Format(PyExc_TypeError, "%s: only functions of kolam make one, as kolam.asarray does",
               type->tp_name);
  return nullptr;
}

PyType_Slot made_by_kolam[] = {{Py_tp_new, reinterpret_cast<void*>(refuse_new)}, {0, nullptr}};

nb::object to_python(Array array) {
  if (array && array.buffer()->is_foreign())
    array = owned(array);
  static const nb::handle type = nb::type<Array>(); // a cast would look for it each time
  nb::object object = nb::inst_alloc(type);
  new (nb::inst_ptr<Array>(object)) Array(std::move(array));
  nb::inst_mark_ready(object);
  return object;
}

nb::object to_python(Tensor tensor) {
  if (tensor.is_traced())
    return nb::cast(Traced{std::move(tensor)});
  return to_python(tensor.array());
}

nb::list to_list(const std::vector<Tensor>& tensors) {
  nb::list list;
  for (const Tensor& tensor : tensors)
    list.append(to_python(tensor));
  return list;
}

const Array& held(nb::handle object) {
  const Array& array = *nb::inst_ptr<Array>(object);
  if (!array)
    fail(ErrorKind::value, "donated",
         "expected an array, but got one that an earlier call used up (donate_argnames)");
  return array;
}

const Extent& extent_in(nb::handle object) {
  if (!nb::inst_ready(object))
    throw nb::type_error("kolam.Extent: __new__ was called without a symbol");
  return *nb::inst_ptr<Extent>(object);
}

nb::object to_python(const Extent& extent) {
  if (auto number = extent.constant())
    return nb::int_(*number);
  return nb::cast(extent);
}

nb::object to_python(const Shape& shape) {
  nb::list extents;
  for (const Extent& extent : shape)
    extents.append(to_python(extent));
  return nb::tuple(extents);
}

std::optional<int64_t> try_integer(nb::handle object, std::string_view argument) {
  if (PyBool_Check(object.ptr()) || !PyIndex_Check(object.ptr()))
    return std::nullopt;
  nb::object number = nb::steal(PyNumber_Index(object.ptr()));
  if (!number.is_valid()) {
    forget_error(); // an array that is no integer
    return std::nullopt;
  }
  int overflow = 0;
  int64_t value = PyLong_AsLongLongAndOverflow(number.ptr(), &overflow);
  if (overflow)
    fail_argument(ErrorKind::value, "integer-too-large", argument, "an integer of 64 bits", object);
  return value;
}

/// An integer that is uint64 alone.
static std::optional<uint64_t> try_unsigned(nb::handle integer) {
  int overflow = 0;
  PyLong_AsLongLongAndOverflow(integer.ptr(), &overflow);
  if (overflow <= 0)
    return std::nullopt;
  uint64_t value = PyLong_AsUnsignedLongLong(integer.ptr());
  if (!PyErr_Occurred())
    return value;
  PyErr_Clear(); // more than 64 bits
  return std::nullopt;
}

std::optional<Operand> try_scalar(nb::handle object, std::string_view argument) {
  if (PyBool_Check(object.ptr()))
    return Operand(object.ptr() == Py_True);
  if (PyLong_CheckExact(object.ptr())) {
    if (auto large = try_unsigned(object))
      return Operand(*large);
    return Operand(*try_integer(object, argument));
  }
  if (PyFloat_CheckExact(object.ptr()))
    return Operand(PyFloat_AS_DOUBLE(object.ptr()));
  return std::nullopt;
}

void require_cpu(nb::handle device) {
  if (device.is_none() ||
      (PyUnicode_Check(device.ptr()) && PyUnicode_CompareWithASCIIString(device.ptr(), "cpu") == 0))
    return;
  fail_argument(ErrorKind::value, "unknown-device", "device", "None or 'cpu', the only device",
                device);
}

void refuse_traced_number(nb::handle object, std::string_view argument) {
  if (!nb::isinstance<Traced>(object))
    return;
  fail(ErrorKind::type, "traced-value",
       argument_prefix(argument) +
           "expected a number that is known when the function is traced, but got a traced value; "
           "make the "
           "argument of jit that it comes from static (static_argnames), or use "
           "kolam.dynamic_slice for a "
           "box at a traced place and kolam.fori_loop for a loop of traced length");
}

/// What `__jax_array__` of an object gives, which must not have that method itself.
static std::optional<Operand> from_jax_protocol(nb::handle object, std::string_view argument) {
  constexpr const char* kMethod = "__jax_array__";
  auto has_method = [&](nb::handle x) {
    return PyObject_HasAttrString(reinterpret_cast<PyObject*>(Py_TYPE(x.ptr())), kMethod);
  };
  if (!has_method(object))
    return std::nullopt;
  nb::object given;
  try {
    given = object.attr(kMethod)();
  } catch (nb::python_error& error) {
    fail_protocol(error, argument, kMethod);
  }
  if (has_method(given))
    fail_argument(ErrorKind::type, "not-an-array", argument, "an array from __jax_array__", given);
  return to_operand(given, argument);
}

std::optional<Operand> try_operand(nb::handle object, std::string_view argument) {
  if (nb::isinstance<Array>(object))
    return Operand(Tensor(held(object)));
  if (nb::isinstance<Traced>(object))
    return Operand(nb::inst_ptr<Traced>(object)->tensor);
  if (auto scalar = try_scalar(object, argument))
    return scalar;
  if (nb::isinstance<Extent>(object))
    return Operand(extent_in(object));
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()))
    return numbers_from_nested_list(object, argument);
  if (auto given = from_jax_protocol(object, argument))
    return given;
  if (auto array = array_from_memory(object, argument))
    return Operand(Tensor(std::move(*array)));
  return std::nullopt;
}

Operand to_operand(nb::handle object, std::string_view argument) {
  if (auto operand = try_operand(object, argument))
    return std::move(*operand);
  if (nb::hasattr(object, "_words") && nb::hasattr(object, "bitcast"))
    fail(ErrorKind::type, "not-an-array",
         argument_prefix(argument) + "expected an array, a nested list or a number, but got " +
             nb::cast<std::string>(object.attr("_words")()) +
             "; did you forget to read it: ref[...]");
  std::string hint = nb::hasattr(object, "leaf_shape") // a list, in hand or traced
                         ? "; map applies a function to each element, stack and flatten make a "
                           "tensor of them"
                         : "";
  fail(ErrorKind::type, "not-an-array",
       argument_prefix(argument) + "expected an array, a nested list or a number, but got " +
           describe(object) + hint);
}

Tensor to_tensor(nb::handle object, std::string_view argument) {
  if (nb::isinstance<Extent>(object))
    return extent(extent_in(object));
  if (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()))
    return from_nested_list(object, argument);
  if (!try_scalar(object, argument))
    return std::get<Tensor>(with_dtype(to_operand(object, argument)).value());
  return from_nested_list(object, argument);
}

Array to_array(nb::handle object, std::string_view argument) {
  return to_tensor(object, argument).array();
}

} // namespace kolam::python
