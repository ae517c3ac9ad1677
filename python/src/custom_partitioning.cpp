// Functions that plans cut as their users say; kolam/_custom_partitioning.py says what users see.
#include "custom_partitioning.h"

#include "bind.h"

#include "kolam/frontend/array/custom_partitioning.h"
#include "kolam/space/signature_text.h"

#include <nanobind/stl/string.h>

namespace kolam::python {
namespace {

/// What a function of Python gives: an array, or a tuple or list of them.
std::vector<Tensor> tensors_from(nb::handle result) {
  std::vector<Tensor> tensors;
  if (!PyTuple_Check(result.ptr()) && !PyList_Check(result.ptr()))
    return {to_tensor(result, "result of f")};
  for (nb::handle item : nb::borrow<nb::object>(result))
    tensors.push_back(to_tensor(item, "result of f"));
  return tensors;
}

/// Plans are made without the interpreter's lock; the function takes it.
CustomPartitioning::Function function_from(nb::callable function) {
  return [function](std::vector<Tensor> given) {
    nb::gil_scoped_acquire acquire;
    nb::list arguments;
    for (const Tensor& tensor : given)
      arguments.append(to_python(tensor));
    return tensors_from(function(*arguments));
  };
}

/// Boxes are tuples of (start, stop).
CustomPartitioning::Boxes boxes_from(nb::callable function) {
  return [function](const space::Box& result) {
    nb::gil_scoped_acquire acquire;
    nb::list dims;
    for (int dim = 0; dim < result.rank(); ++dim)
      dims.append(nb::make_tuple(result.start()[static_cast<size_t>(dim)],
                                 result.end()[static_cast<size_t>(dim)]));
    std::vector<space::Box> boxes;
    for (nb::handle box : nb::borrow<nb::object>(function(nb::tuple(dims)))) {
      space::Point start, end;
      for (nb::handle range : nb::borrow<nb::object>(box)) {
        start.push_back(nb::cast<int64_t>(range[0]));
        end.push_back(nb::cast<int64_t>(range[1]));
      }
      boxes.emplace_back(std::move(start), std::move(end));
    }
    return boxes;
  };
}

nb::list call(const CustomPartitioning& own, nb::handle operands) {
  UserCall scope("custom_partitioning");
  return to_list(own(Operands(FromPython<std::vector<Operand>>(operands, "operands").get())));
}

} // namespace

void bind_custom_partitioning(nb::module_& module) {
  nb::class_<CustomPartitioning>(module, "_CustomPartitioning")
      .def("__init__",
           [](CustomPartitioning* self, const std::string& name, nb::callable function,
              const std::string& signature) {
             new (self) CustomPartitioning(name, function_from(std::move(function)),
                                           space::parse_signature(name, signature));
           })
      .def("__init__",
           [](CustomPartitioning* self, const std::string& name, nb::callable function,
              nb::callable boxes) {
             new (self) CustomPartitioning(name, function_from(std::move(function)),
                                           boxes_from(std::move(boxes)));
           })
      .def("call", &call);
}

} // namespace kolam::python
