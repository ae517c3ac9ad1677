// !kolam.list: what it may hold.
#include "kolam/ir/dialect.h"
#include "kolam/ir/types.h"

namespace kolam::ir {

int64_t ListType::depth() const {
  auto inner = llvm::dyn_cast<ListType>(getElement());
  return inner ? inner.depth() + 1 : 1;
}

mlir::RankedTensorType ListType::leaf() const {
  auto inner = llvm::dyn_cast<ListType>(getElement());
  return inner ? inner.leaf() : llvm::cast<mlir::RankedTensorType>(getElement());
}

llvm::LogicalResult ListType::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emit_error,
                                     mlir::Type element) {
  if (auto inner = llvm::dyn_cast<ListType>(element)) {
    if (inner.depth() < kMostListDepth)
      return mlir::success();
    return emit_error() << "expected a list of depth at most " << kMostListDepth
                        << ", but got more";
  }
  if (is_program_type(element))
    return mlir::success();
  return emit_error() << "expected a tensor of a kolam dtype or a list as element, but got "
                      << element;
}

} // namespace kolam::ir
