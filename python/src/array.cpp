// kolam.Array: a concrete array.
#include "buffer.h"
#include "convert.h"
#include "dlpack.h"
#include "errors.h"
#include "interrupt.h"
#include "modules.h"
#include "registered.h"

#include "kolam/support/elementwise_host.h"

#include <nanobind/stl/string.h>

#include <functional>

namespace kolam::python {
namespace {

/// An element as Python's bool, int or float.
nb::object element(const Array& array, int64_t i) {
  return visit_dtype(array.dtype(), [&](auto tag) -> nb::object {
    using T = typename decltype(tag)::type;
    T value = array.values<T>()[i];
    if constexpr (is_narrow_float(dtype_of<T>())) {
      double wide = 0;
      apply_cast(dtype_of<T>(), DType::f64, &value, &wide, 1);
      return nb::float_(wide);
    } else if constexpr (std::is_floating_point_v<T>)
      return nb::float_(static_cast<double>(value));
    else
      return nb::cast(value);
  });
}

nb::object to_list(const Array& array, int64_t dim, int64_t& next) {
  if (dim == array.rank()) {
    poll_signals(next);
    return element(array, next++);
  }
  nb::list items;
  for (int64_t i = 0; i < array.shape()[dim]; ++i)
    items.append(to_list(array, dim + 1, next));
  return std::move(items);
}

/// copy=: None, True or False.
Copy copy_from(nb::handle copy) {
  if (copy.is_none())
    return Copy::if_needed;
  if (!PyBool_Check(copy.ptr()))
    fail_argument(ErrorKind::type, "argument-type", "copy", "None, True or False", copy);
  return copy.ptr() == Py_True ? Copy::always : Copy::never;
}

/// The capsule that the keywords of `__dlpack__` ask for; `stream` means nothing on the CPU.
nb::object exported(const Array& array, const nb::kwargs& options) {
  nb::object max_version = nb::none(), device = nb::none(), copy = nb::none();
  for (auto [key, value] : options) {
    auto name = nb::cast<std::string>(key);
    if (name == "max_version")
      max_version = nb::borrow(value);
    else if (name == "dl_device")
      device = nb::borrow(value);
    else if (name == "copy")
      copy = nb::borrow(value);
    else if (name != "stream")
      throw nb::type_error(
          ("__dlpack__() got an unexpected keyword argument '" + name + "'").c_str());
  }
  return dlpack_capsule(array, max_version, device, copy);
}

/// The only element; `asked` is what Python was asked for.
nb::object item(const Array& array, const char* asked = "item") {
  UserCall scope(asked);
  if (array.size() != 1)
    fail(ErrorKind::type, "item-size",
         "expected an array of one element, but got shape " + runtime::shape_text(array.shape()));
  return element(array, 0);
}

[[noreturn]] void fail_index(const Array& array) {
  UserCall scope("index");
  fail(ErrorKind::type, "bad-index",
       "expected an integer array of one element, but got " + std::string(name(array.dtype())) +
           runtime::shape_text(array.shape()));
}

/// `answer` for a method or an attribute, refusing arrays that were used up. The user's line is
/// found only where that is so.
template <class F> auto asked(const char* name, F answer) {
  return [name, answer](nb::handle self) {
    const Array& array = *nb::inst_ptr<Array>(self);
    if (!array) {
      UserCall scope(name);
      held(self);
    }
    return std::invoke(answer, array);
  };
}

} // namespace

void bind_array(nb::module_& module) {
  nb::class_<Array> type(
      module, "Array", nb::type_slots(made_by_kolam), nb::is_weak_referenceable(),
      "An array whose elements are known: dense, row-major, and never changed.\n\n"
      "numpy.asarray(x) views it without a copy, read-only; so do DLPack consumers.");
  type.def_prop_ro("dtype", asked("dtype", [](const Array& x) { return dtype_object(x.dtype()); }));
  type.def_prop_ro("shape", asked("shape", [](const Array& x) {
                     return to_python(Shape(x.shape().begin(), x.shape().end()));
                   }));
  type.def_prop_ro("ndim", asked("ndim", &Array::rank));
  type.def_prop_ro("size", asked("size", &Array::size));
  type.def_prop_ro("nbytes", asked("nbytes", &Array::byte_count));
  type.def_prop_ro("_memory", asked("asarray", memory_of));
  type.def_prop_ro("__array_struct__", asked("asarray", [](const Array& x) {
                     if (x.dtype() == DType::bf16)
                       throw nb::attribute_error("bfloat16 is no dtype of NumPy's own");
                     return array_interface(x);
                   }));
  type.def("item", asked("item", [](const Array& x) { return item(x); }),
           "The only element, as Python's bool, int or float.");
  type.def("tolist",
           asked("tolist",
                 [](const Array& x) {
                   int64_t next = 0;
                   return to_list(x, 0, next);
                 }),
           "The elements as nested lists.");
  type.def("__len__", asked("len", [](const Array& x) {
             if (x.rank() == 0)
               throw nb::type_error("len() of an array of rank 0");
             return x.shape()[0];
           }));
  type.def("__bool__", asked("bool", [](const Array& x) {
             return nb::cast<bool>(nb::bool_(item(x, "bool")));
           }));
  type.def("__int__", asked("int", [](const Array& x) { return nb::int_(item(x, "int")); }));
  type.def("__float__",
           asked("float", [](const Array& x) { return nb::float_(item(x, "float")); }));
  type.def("__index__", asked("index", [](const Array& x) {
             if (!is_integer(x.dtype()) || x.size() != 1)
               fail_index(x);
             return nb::int_(item(x));
           }));
  type.def("__repr__", asked("repr", &Array::to_string));
  type.def("__str__", asked("str", &Array::to_string));
  type.def(
      "block_until_ready",
      [](nb::object self) {
        UserCall scope("block_until_ready");
        held(self);
        return self;
      },
      "The array itself, once its elements are computed.");
  type.def("__dlpack__", [](nb::object self, const nb::kwargs& options) {
    UserCall scope("from_dlpack");
    return exported(held(self), options);
  });
  type.def("__dlpack_device__", [](const Array&) { return nb::make_tuple(dlpack::kCpu, 0); });
  type.def("__copy__", [](nb::object self) { // our own memory never changes
    const Array& x = *nb::inst_ptr<Array>(self);
    return x && x.buffer()->is_foreign() ? to_python(x) : self;
  });
  type.def("__deepcopy__", [](nb::handle self, nb::handle) {
    UserCall scope("copy");
    const Array& x = held(self);
    return released([&] { return Array::copy_of(x.dtype(), x.shape(), x.data()); });
  });
  bind_operators(type);

  module.def(
      "_asarray",
      [](nb::handle object) {
        UserCall scope("asarray");
        return to_python(to_tensor(object, "x"));
      },
      nb::arg("x").none());
  module.def(
      "_from_dlpack",
      [](nb::handle x, nb::handle copy) {
        UserCall scope("from_dlpack");
        return nb::cast(array_from_dlpack(x, "x", copy_from(copy)));
      },
      nb::arg("x").none(), nb::arg("copy").none());
}

} // namespace kolam::python
