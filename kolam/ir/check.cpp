// kolam.check: stops the program with an error where a condition is false.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult CheckOp::verify() {
  auto is_slug = [](char c) { return std::islower(static_cast<unsigned char>(c)) || c == '-'; };
  if (getSlug().empty() || !llvm::all_of(getSlug(), is_slug))
    return emitOpError("expected a slug of lower case letters and hyphens, but got '")
           << getSlug() << "'";
  return expect_dtype(*this, getCondition(), DType::boolean, "the condition");
}

llvm::SmallVector<mlir::Value, 2> CheckOp::lists_of_one_length() {
  auto equal = getCondition().getDefiningOp<ElementwiseOp>();
  llvm::SmallVector<mlir::Value, 2> lists;
  if (equal && equal.getFunction() == "equal")
    for (mlir::Value operand : equal->getOperands())
      if (auto length = operand.getDefiningOp<ListLengthOp>())
        lists.push_back(length.getList());
  return lists.size() == 2 ? lists : llvm::SmallVector<mlir::Value, 2>();
}

space::Signature CheckOp::signature() {
  int rank = static_cast<int>(rank_of(getCondition()));
  return {name_of(*this),
          map_dims(shape_of(getCondition())),
          {read("condition", getCondition(), space::identity(rank))}};
}

} // namespace kolam::ir
