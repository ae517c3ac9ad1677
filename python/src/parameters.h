/// From a Python object to a parameter of a public function, by the parameter's type.
#pragma once

#include "convert.h"
#include "errors.h"
#include "registered.h"

#include <functional>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace kolam::python {

/// Holds the converted argument; `get` gives what the function takes. `kCallsPython` where the
/// function may call back.
template <class T> struct FromPython;
template <class T> struct FromPython<const T&> : FromPython<T> {
  using FromPython<T>::FromPython;
  const T& get() { return this->value; }
};

/// What every conversion is.
template <class T> struct Converted {
  static constexpr bool kCallsPython = false;
  T value;
  T& get() { return value; }
};

template <> struct FromPython<Operand> : Converted<Operand> {
  FromPython(nb::handle object, const char* argument) : Converted{to_operand(object, argument)} {}
};

template <> struct FromPython<Tensor> : Converted<Tensor> {
  FromPython(nb::handle object, const char* argument) : Converted{to_tensor(object, argument)} {}
};

template <> struct FromPython<Array> : Converted<Array> {
  FromPython(nb::handle object, const char* argument) : Converted{to_array(object, argument)} {}
};

template <> struct FromPython<int64_t> : Converted<int64_t> {
  FromPython(nb::handle object, const char* argument) : Converted{convert(object, argument)} {}
  static int64_t convert(nb::handle object, const char* argument) {
    if (auto integer = try_integer(object, argument))
      return *integer;
    refuse_traced_number(object, argument);
    fail_argument(ErrorKind::type, "argument-type", argument, "an integer", object);
  }
};

template <> struct FromPython<bool> : Converted<bool> {
  FromPython(nb::handle object, const char* argument) : Converted{convert(object, argument)} {}
  static bool convert(nb::handle object, const char* argument) {
    if (PyBool_Check(object.ptr()))
      return object.ptr() == Py_True;
    fail_argument(ErrorKind::type, "argument-type", argument, "True or False", object);
  }
};

template <> struct FromPython<double> : Converted<double> {
  FromPython(nb::handle object, const char* argument) : Converted{convert(object, argument)} {}
  static double convert(nb::handle object, const char* argument) {
    refuse_traced_number(object, argument);
    nb::object number = nb::steal(PyNumber_Float(object.ptr()));
    if (number.is_valid() && !nb::isinstance<nb::str>(object))
      return PyFloat_AS_DOUBLE(number.ptr());
    forget_error();
    fail_argument(ErrorKind::type, "argument-type", argument, "a number", object);
  }
};

template <> struct FromPython<std::string> : Converted<std::string> {
  FromPython(nb::handle object, const char* argument) : Converted{convert(object, argument)} {}
  static std::string convert(nb::handle object, const char* argument) {
    Py_ssize_t size = 0;
    if (const char* text = nb::isinstance<nb::str>(object)
                               ? PyUnicode_AsUTF8AndSize(object.ptr(), &size)
                               : nullptr)
      return std::string(text, size);
    PyErr_Clear(); // a lone surrogate
    fail_argument(ErrorKind::type, "argument-type", argument, "a string", object);
  }
};

template <> struct FromPython<std::string_view> : FromPython<std::string> {
  using FromPython<std::string>::FromPython;
};

template <> struct FromPython<DType> : Converted<DType> {
  FromPython(nb::handle object, const char*) : Converted{dtype_from(object)} {}
};

template <> struct FromPython<Extent> : Converted<Extent> {
  FromPython(nb::handle object, const char* argument) : Converted{convert(object, argument)} {}
  static Extent convert(nb::handle object, const char* argument) {
    if (nb::isinstance<Extent>(object))
      return extent_in(object);
    return FromPython<int64_t>::convert(object, argument);
  }
};

template <> struct FromPython<Number> : Converted<Number> {
  FromPython(nb::handle object, const char* argument) : Converted{convert(object, argument)} {}
  static Number convert(nb::handle object, const char* argument) {
    if (nb::isinstance<Extent>(object))
      return extent_in(object);
    if (auto integer = try_integer(object, argument))
      return *integer;
    return FromPython<double>::convert(object, argument);
  }
};

template <class T> struct FromPython<std::optional<T>> : Converted<std::optional<T>> {
  FromPython(nb::handle object, const char* argument) {
    if (!object.is_none())
      this->value = FromPython<T>(object, argument).get();
  }
};

/// As it is, for functions that tell several kinds of arguments apart.
template <> struct FromPython<nb::handle> {
  static constexpr bool kCallsPython = true;
  nb::handle value;
  FromPython(nb::handle object, const char*) : value(object) {}
  nb::handle get() { return value; }
};

/// Filled in by the call scope.
template <> struct FromPython<std::source_location> : Converted<std::source_location> {
  FromPython(nb::handle, const char*) {}
};

/// Several, or one in place of a sequence of one (an axis, an extent); None is an empty one.
template <class T> struct FromPython<std::vector<T>> : Converted<std::vector<T>> {
  FromPython(nb::handle object, const char* argument) {
    if (object.is_none())
      return;
    if (!PyList_Check(object.ptr()) && !PyTuple_Check(object.ptr()) &&
        !PyAnySet_Check(object.ptr())) {
      this->value.push_back(FromPython<T>(object, argument).get());
      return;
    }
    for (nb::handle item : nb::borrow<nb::object>(object))
      this->value.push_back(FromPython<T>(item, argument).get());
  }
};

template <> struct FromPython<Axes> : Converted<Axes> {
  FromPython(nb::handle object, const char* argument)
      : Converted{FromPython<std::vector<int64_t>>(object, argument).get()} {}
};

template <> struct FromPython<Axis> : Converted<Axis> {
  FromPython(nb::handle object, const char* argument) {
    if (!object.is_none())
      value = FromPython<std::vector<int64_t>>(object, argument).get();
  }
};

template <> struct FromPython<Operands> : Converted<Operands> {
  FromPython(nb::handle object, const char* argument)
      : Converted{FromPython<std::vector<Operand>>(object, argument).get()} {}
};

template <class T> struct FromPython<std::span<const T>> : FromPython<std::vector<T>> {
  using FromPython<std::vector<T>>::FromPython;
  std::span<const T> get() { return this->value; }
};

/// A Python function that works on traced values; its calls have lines of their own.
template <class R, class... Args> struct FromPython<std::function<R(Args...)>> {
  static constexpr bool kCallsPython = true;
  std::function<R(Args...)> value;

  FromPython(nb::handle object, const char* argument) {
    if (!PyCallable_Check(object.ptr()))
      fail_argument(ErrorKind::type, "argument-type", argument, "a function", object);
    value = [function = nb::borrow(object)](Args... args) -> R {
      nb::object result = function(argument_to_python(std::move(args))...);
      return FromPython<R>(result, "result").get();
    };
  }
  std::function<R(Args...)>& get() { return value; }

private:
  static nb::object argument_to_python(Tensor tensor) { return to_python(std::move(tensor)); }
  static nb::object argument_to_python(std::vector<Tensor> tensors) {
    nb::list list;
    for (Tensor& tensor : tensors)
      list.append(to_python(std::move(tensor)));
    return std::move(list);
  }
};

} // namespace kolam::python
