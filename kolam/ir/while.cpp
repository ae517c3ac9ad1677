// kolam.while: a loop that runs while a condition on its state holds.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/late.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"

namespace kolam::ir {

llvm::LogicalResult WhileOp::verify() {
  if (failed(expect_count(*this, getResults().size(), getInits().size(), "results")) ||
      failed(expect_late(*this)))
    return mlir::failure();
  return expect_carried(*this, getInits());
}

llvm::LogicalResult WhileOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> arguments(getResultTypes());
  llvm::append_range(arguments, getCaptures().getTypes());
  mlir::Type boolean = tensor_type(getContext(), DType::boolean, {});
  if (failed(expect_arguments(*this, getCondition(), arguments, "the condition")) ||
      failed(expect_yields(*this, getCondition(), boolean, "the condition")) ||
      failed(expect_arguments(*this, getBody(), arguments, "the body")))
    return mlir::failure();
  return expect_late_yields(*this, getBody(), "the body");
}

space::Signature WhileOp::signature() { return pointwise_signature(*this); }

/// A table for each state: what comes in, what a turn takes and gives, and what comes out agree.
std::vector<space::DataDimTable> WhileOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<space::DataDimTable> tables;
  size_t states = getInits().size();
  for (size_t state = 0; state < states; ++state)
    tables.push_back(
        tied(*this, {place_in(getInits(), state), argument_place(state, 0),
                     argument_place(state, 1), yield_place(state, 1), result_place(state)}));
  add_captures(tables, *this, getCaptures(), states, 2);
  return tables;
}

} // namespace kolam::ir
