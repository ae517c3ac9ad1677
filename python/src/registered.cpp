// Keeps what the Python half of the package registers.
#include "registered.h"

#include <nanobind/stl/string.h>

namespace kolam::python {

Registered& registered() {
  static Registered* const instance = new Registered;
  return *instance;
}

nb::object dtype_object(DType dtype) { return registered().dtypes[static_cast<size_t>(dtype)]; }

DType dtype_from(nb::handle object) {
  auto& dtypes = registered().dtypes;
  for (DType dtype : kDTypes)
    if (dtypes[static_cast<size_t>(dtype)].is(object))
      return dtype;
  return dtype_from(registered().as_dtype(object));
}

void bind_registered(nb::module_& module) {
  module.def(
      "_register",
      [](nb::sequence dtypes, nb::object as_dtype, nb::object ndarray, nb::object as_plain,
         nb::object dlpack_capsule, nb::sequence errors, std::string package_folder) {
        Registered& all = registered();
        for (size_t i = 0; i < all.dtypes.size(); ++i)
          all.dtypes[i] = nb::borrow(dtypes[i]);
        for (size_t i = 0; i < all.errors.size(); ++i)
          all.errors[i] = nb::borrow(errors[i]);
        all.as_dtype = std::move(as_dtype);
        all.ndarray = std::move(ndarray);
        all.as_plain = std::move(as_plain);
        all.dlpack_capsule = std::move(dlpack_capsule);
        all.package_folder = std::move(package_folder);
      },
      "Takes the objects of the Python half of the package that this half needs.");
}

} // namespace kolam::python
