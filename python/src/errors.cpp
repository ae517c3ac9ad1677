// Raises kolam::Errors in Python and finds the user's line.
#include "errors.h"

#include "kolam/kolam.h"
#include "kolam/support/continued_call.h"
#include "lists.h"
#include "registered.h"
#include "thread_exit.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <new>

namespace kolam::python {
namespace {

/// Sets the Python error for `error`: an instance of the class of its kind, with `slug` and
/// `where`.
void raise(const Error& error) {
  nb::handle type = registered().errors[static_cast<size_t>(error.kind())];
  // A message may quote half a character.
  std::string_view text = error.what();
  nb::object message = nb::steal(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
  nb::object instance = type(message);
  instance.attr("slug") = error.slug();
  if (error.where())
    instance.attr("where") = nb::make_tuple(error.where().file, error.where().line);
  PyErr_SetObject(type.ptr(), instance.ptr());
}

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    if (error.slug() == "cancelled" && PyErr_CheckSignals() != 0)
      return; // Ctrl-C: KeyboardInterrupt is set
    raise(error);
  } catch (const std::bad_alloc&) {
    raise(
        Error(ErrorKind::memory, "out-of-memory", "the allocator refused a request", user_line()));
  }
}

} // namespace

/// The innermost frame outside of the package, and the package's that it called: none where it
/// called this half itself.
struct Caller {
  SourceLocation where;
  nb::object called;

  static Caller find();
};

Caller Caller::find() {
  nb::object frame = nb::borrow(reinterpret_cast<PyObject*>(PyEval_GetFrame())), called;
  const std::string& folder = registered().package_folder;
  while (frame.is_valid()) {
    auto* raw = reinterpret_cast<PyFrameObject*>(frame.ptr());
    nb::object code = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetCode(raw)));
    nb::object file = nb::borrow(reinterpret_cast<PyCodeObject*>(code.ptr())->co_filename);
    const char* text = PyUnicode_AsUTF8(file.ptr());
    if (!text)
      PyErr_Clear();
    else if (std::string_view(text).substr(0, folder.size()) != folder || folder.empty())
      return {{text, PyFrame_GetLineNumber(raw)}, std::move(called)};
    called = frame;
    frame = nb::steal(reinterpret_cast<PyObject*>(PyFrame_GetBack(raw)));
  }
  return {};
}

SourceLocation user_line() { return Caller::find().where; }

namespace {

/// The frame of the package's function that was traced last, kept so that no other has its place in
/// memory, and the number of its call.
struct TracedCall {
  nb::object frame;
  unsigned number = 0;
};

/// Never freed: threads may end without Python's lock.
TracedCall& traced_call() {
  thread_local TracedCall* call = new TracedCall;
  return *call;
}

} // namespace

void forget_traced_call() { traced_call().frame.reset(); }

UserCall::UserCall(std::string_view function)
    : UserCall(function, CallScope::current_function().empty() ? Caller::find() : Caller{}) {}

UserCall::UserCall(std::string_view function, const Caller& caller)
    : scope_(function, caller.where) {
  count_thread();
  if (!caller.called.is_valid() || !kolam::detail::is_tracing())
    return;
  TracedCall& last = traced_call();
  if (last.frame.is(caller.called))
    continue_call(last.number);
  else
    last = {caller.called, CallScope::current_number()};
}

std::string describe(nb::handle object) {
  constexpr size_t kLongest = 60;
  if (nb::isinstance<nb::int_>(object) || nb::isinstance<nb::float_>(object) || object.is_none() ||
      nb::isinstance<nb::str>(object) || nb::isinstance<nb::tuple>(object) ||
      nb::isinstance<nb::list>(object)) {
    nb::object text = nb::steal(PyObject_Repr(object.ptr()));
    if (text.is_valid() && nb::len(text) <= kLongest)
      return nb::cast<std::string>(text);
    forget_error(); // a repr that fails, or more digits than Python prints
  }
  if (is_list(object))
    return "a " + list_from(object, "").type_text();
  std::string type = nb::cast<std::string>(object.type().attr("__name__"));
  return std::string("aeiou").find(type[0]) == std::string::npos ? "a " + type : "an " + type;
}

std::string argument_prefix(std::string_view argument) {
  return argument.empty() ? "" : "argument '" + std::string(argument) + "': ";
}

void fail_protocol(nb::python_error& raised, std::string_view argument, const char* protocol) {
  if (!raised.matches(PyExc_Exception) || raised.matches(registered().errors.back()))
    throw std::move(raised);
  nb::object text = nb::steal(PyObject_Str(raised.value().ptr()));
  if (!text.is_valid())
    PyErr_Clear(); // its words cannot be had
  const char* words = text.is_valid() ? PyUnicode_AsUTF8(text.ptr()) : "";
  if (!words)
    PyErr_Clear(); // half a character
  fail(ErrorKind::type, "not-an-array",
       argument_prefix(argument) + "expected an array, but its " + protocol + " raised " +
           nb::cast<std::string>(raised.type().attr("__name__")) + ": " + (words ? words : ""));
}

void forget_error() {
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception))
    throw nb::python_error();
  PyErr_Clear();
}

void fail_argument(ErrorKind kind, std::string_view slug, std::string_view argument,
                   std::string_view expected, nb::handle actual) {
  std::string message = argument_prefix(argument);
  message.append("expected ").append(expected).append(", but got ").append(describe(actual));
  fail(kind, slug, message);
}

void bind_errors(nb::module_& module) {
  nb::register_exception_translator(translate);
  module.def(
      "_user_line",
      [] {
        SourceLocation where = user_line();
        return std::pair(where.file, where.line);
      },
      "(file, line) of the innermost frame outside of the package.");
}

} // namespace kolam::python
