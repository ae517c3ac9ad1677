// kolam.Tensor, a value of a program being traced, and kolam.Extent, a size that only the run
// knows.
#include "errors.h"
#include "modules.h"
#include "registered.h"

#include <nanobind/operators.h>
#include <nanobind/stl/string.h>

namespace kolam::python {
namespace {

[[noreturn]] void refuse_traced(const char* asked, const char* instead) {
  UserCall scope(asked);
  fail(ErrorKind::type, "traced-value",
       std::string("expected an array, but got a traced value, whose elements only the running "
                   "program knows; ") +
           instead);
}

void refuse(nb::class_<Traced>& type, const char* method, const char* asked, const char* instead) {
  type.def(method, [asked, instead](nb::handle, nb::args, nb::kwargs) -> nb::object {
    refuse_traced(asked, instead);
  });
}

nb::object length(const Traced& x) {
  Shape shape = x.tensor.shape();
  if (shape.empty())
    throw nb::type_error("len() of a value of rank 0");
  if (!shape[0].is_constant())
    refuse_traced("len", "use x.shape[0], which is an expression here");
  return to_python(shape[0]);
}

void bind_extent(nb::module_& module) {
  nb::class_<Extent> type(module, "Extent", nb::is_weak_referenceable(),
                          "A size that only the run knows: an expression over symbols.\n\n"
                          "Sums, products, // and comparison with == work; shapes accept it.");
  type.def(
      "__init__",
      [](Extent* self, const std::string& symbol) {
        UserCall scope("Extent");
        new (self) Extent(Extent::symbol(symbol));
      },
      nb::arg("symbol"));
  auto binary = [&type](const char* name, auto apply) {
    type.def(name, [apply](const Extent& x, nb::handle other) -> nb::object {
      UserCall scope("Extent");
      if (nb::isinstance<Extent>(other))
        return to_python(apply(x, extent_in(other)));
      if (auto number = try_integer(other, "y"))
        return to_python(apply(x, Extent(*number)));
      return nb::borrow(Py_NotImplemented);
    });
  };
  binary("__add__", [](const Extent& x, const Extent& y) { return x + y; });
  binary("__radd__", [](const Extent& x, const Extent& y) { return y + x; });
  binary("__sub__", [](const Extent& x, const Extent& y) { return x - y; });
  binary("__rsub__", [](const Extent& x, const Extent& y) { return y - x; });
  binary("__mul__", [](const Extent& x, const Extent& y) { return x * y; });
  binary("__rmul__", [](const Extent& x, const Extent& y) { return y * x; });
  binary("__floordiv__", [](const Extent& x, const Extent& y) { return floordiv(x, y); });
  type.def("__eq__", [](const Extent& x, nb::handle other) {
    return nb::isinstance<Extent>(other) && x == extent_in(other);
  });
  type.def("__hash__", [](const Extent& x) { return std::hash<std::string>()(x.to_string()); });
  type.def("__repr__", &Extent::to_string);
  for (const char* name : {"__bool__", "__int__", "__index__", "__float__"})
    type.def(name, [](const Extent&) -> nb::object {
      refuse_traced("int", "this extent is symbolic: drop it from `dynamic`, or compute with it as "
                           "an expression");
    });
}

} // namespace

void bind_tensor(nb::module_& module) {
  bind_extent(module);
  nb::class_<Traced> type(
      module, "Tensor", nb::type_slots(made_by_kolam), nb::is_weak_referenceable(),
      "A value inside a traced function: dtype and shape are known, elements are not.");
  type.def_prop_ro("dtype", [](const Traced& x) { return dtype_object(x.tensor.dtype()); });
  type.def_prop_ro("shape", [](const Traced& x) { return to_python(x.tensor.shape()); });
  type.def_prop_ro("ndim", [](const Traced& x) { return x.tensor.rank(); });
  type.def_prop_ro("size",
                   [](const Traced& x) { return to_python(element_count(x.tensor.shape())); });
  type.def("__len__", &length);
  type.def("__repr__", [](const Traced& x) { return x.tensor.to_string(); });
  refuse(
      type, "__bool__", "bool",
      "use kolam.where for a choice of elements, kolam.cond for a branch, kolam.while_loop for a "
      "loop");
  refuse(type, "__int__", "int",
         "keep it as an array, or make the argument static (static_argnames)");
  refuse(type, "__float__", "float",
         "keep it as an array, or make the argument static (static_argnames)");
  refuse(type, "__complex__", "complex", "kolam has no complex numbers");
  refuse(type, "__index__", "index",
         "use kolam.fori_loop for range(), kolam.take for an index, or make the argument static "
         "(static_argnames)");
  refuse(type, "item", "item", "return it from the traced function");
  refuse(type, "tolist", "tolist", "return it from the traced function");
  refuse(type, "__array__", "asarray",
         "use kolam's functions in place of numpy's, or return it from the traced function");
  refuse(type, "__dlpack__", "from_dlpack", "return it from the traced function");
  refuse(type, "__reduce_ex__", "pickle",
         "return it from the traced function, and pickle the result");
  refuse(type, "__contains__", "in", "use kolam.any(kolam.equal(x, value))");
  bind_operators(type);
}

} // namespace kolam::python
