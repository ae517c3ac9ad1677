// kolam.join: lists of one type, one after the other.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/list_expectations.h"
#include "kolam/ir/ops.h"

namespace kolam::ir {

llvm::LogicalResult JoinOp::verify() {
  if (failed(expect_at_least(*this, getLists().size(), 1, "lists")))
    return mlir::failure();
  for (auto [number, list] : llvm::enumerate(getLists()))
    if (failed(expect_type(*this, list, getResult().getType(), "list " + llvm::Twine(number))))
      return mlir::failure();
  return mlir::success();
}

space::Signature JoinOp::signature() { return opaque_signature(*this); }

std::vector<space::DataDimTable> JoinOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<space::DataDimPlace> places{result_place(0)};
  for (size_t number = 0; number < getLists().size(); ++number)
    places.push_back(operand_place(number));
  return {tied(*this, std::move(places))};
}

} // namespace kolam::ir
