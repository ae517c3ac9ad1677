// Calls host functions.
#include "kolam/frontend/array/opaque_call.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/runtime/host_functions.h"

namespace kolam {

HostFunction::HostFunction(Function function)
    : name_(runtime::register_host_function(std::move(function))) {}

std::vector<Tensor> opaque_call(const HostFunction& f, const Operands& inputs,
                                const std::vector<TensorSpec>& results) {
  return apply_traced("opaque_call", inputs.values(),
                      [&](Trace& trace, const language::Values& values) {
                        language::Builder& b = trace.builder();
                        std::vector<mlir::Type> types;
                        for (const TensorSpec& spec : results)
                          types.push_back(language::tensor_type(b, spec.dtype, spec.shape));
                        auto op = ir::OpaqueCallOp::create(b, types, f.name(), values);
                        return language::Values(op->getResults().begin(), op->getResults().end());
                      });
}

} // namespace kolam
