// gather and scatter: windows at places given by data.
#include "bind.h"
#include "modules.h"

namespace kolam::python {
namespace {

using Combine = std::function<Tensor(Tensor, Tensor)>;

/// Several operands come as a tuple; a list is an array.
bool are_several(nb::handle operand) { return PyTuple_Check(operand.ptr()); }

nb::object scatter_one(const Operand& operand, const Operand& update, const Operand& indices,
                       const std::vector<int64_t>& dims, nb::handle rmw_op, bool unique,
                       int64_t batched, const std::string& mode) {
  if (PyCallable_Check(rmw_op.ptr())) {
    Combine combine = FromPython<Combine>(rmw_op, "rmw_op").get();
    return to_python(scatter(operand, update, indices, dims, combine, unique, batched, mode));
  }
  std::string name = FromPython<std::string>(rmw_op, "rmw_op").get();
  return to_python(released(
      [&] { return scatter(operand, update, indices, dims, name, unique, batched, mode); }));
}

nb::object scatter_several(nb::handle operand, nb::handle update, const Operand& indices,
                           const std::vector<int64_t>& dims, nb::handle rmw_op, bool unique,
                           int64_t batched, const std::string& mode) {
  using Operands = std::vector<Operand>;
  Operands operands = FromPython<Operands>(operand, "operand").get();
  Operands updates = FromPython<Operands>(update, "update").get();
  if (PyCallable_Check(rmw_op.ptr())) {
    ScatterCombiner combine = FromPython<ScatterCombiner>(rmw_op, "rmw_op").get();
    return detail::result_to_python(
        scatter(operands, updates, indices, dims, combine, unique, batched, mode));
  }
  std::string name = FromPython<std::string>(rmw_op, "rmw_op").get();
  return detail::result_to_python(released(
      [&] { return scatter(operands, updates, indices, dims, name, unique, batched, mode); }));
}

} // namespace

void bind_windows(nb::module_& module) {
  bind(module, "gather", &gather);
  bind(module, "scatter",
       "operand, update, start_indices, scatter_dims, rmw_op='kUpdate', unique_indices=False, "
       "batched_dims=0, mode='drop'",
       [](nb::handle operand, nb::handle update, const Operand& indices,
          const std::vector<int64_t>& dims, nb::handle rmw_op, bool unique, int64_t batched,
          const std::string& mode) {
         if (are_several(operand))
           return scatter_several(operand, update, indices, dims, rmw_op, unique, batched, mode);
         return scatter_one(to_operand(operand, "operand"), to_operand(update, "update"), indices,
                            dims, rmw_op, unique, batched, mode);
       });
}

} // namespace kolam::python
