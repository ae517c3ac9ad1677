// Calls kolam.pin.
#include "kolam/frontend/array/pin.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/read_pin.h"
#include "kolam/ir/ops.h"

namespace kolam::layout {
namespace {

constexpr const char* kFunction = "layout.pin";
constexpr const char* kArgument = "argument 'at'";

} // namespace

Tensor pin(const Operand& x, const Pin& at) {
  const auto* tensor = std::get_if<Tensor>(&x.value());
  if (tensor && !tensor->is_traced() && !tensor->is_empty()) {
    CallScope scope(kFunction, x.where());
    read_pin(kArgument, at, tensor->shape());
    return *tensor;
  }
  return apply_one(kFunction, {x}, [&](language::Builder& b, const language::Values& v) {
    const GivenPin given = read_pin(kArgument, at, ir::shape_of(v[0]));
    mlir::ArrayAttr names;
    if (!given.names.empty())
      names = b.getStrArrayAttr(
          llvm::SmallVector<llvm::StringRef>(given.names.begin(), given.names.end()));
    return ir::PinOp::create(b, v[0].getType(), v[0], b.getI64IntegerAttr(given.dim), names)
        .getResult();
  });
}

} // namespace kolam::layout
