// kolam.for: a counted loop that carries a state.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/late.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"

namespace kolam::ir {

bool ForOp::is_appended(size_t state) { return ir::is_appended(*this, state); }
void ForOp::set_appended(llvm::ArrayRef<int64_t> states) { ir::set_appended(*this, states); }

llvm::LogicalResult ForOp::verify() {
  auto is_counter = [](DType dtype) { return dtype == DType::i32 || dtype == DType::i64; };
  if (failed(
          expect_dtype(*this, getLower(), is_counter, "dtype int32 or int64", "the lower bound")) ||
      failed(expect_type_of(*this, getUpper(), getLower(), "the upper bound")) ||
      failed(expect_count(*this, getResults().size(), getInits().size(), "results")) ||
      failed(expect_late(*this)))
    return mlir::failure();
  return expect_carried(*this, getInits());
}

llvm::LogicalResult ForOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> arguments{getLower().getType()};
  llvm::append_range(arguments, getResultTypes());
  llvm::append_range(arguments, getCaptures().getTypes());
  if (failed(expect_arguments(*this, getBody(), arguments, "the body")))
    return mlir::failure();
  return expect_late_yields(*this, getBody(), "the body");
}

space::Signature ForOp::signature() { return pointwise_signature(*this); }

/// A table for each state: what comes in, what a turn takes and gives, and what comes out agree.
std::vector<space::DataDimTable> ForOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<space::DataDimTable> tables;
  size_t states = getInits().size();
  for (size_t state = 0; state < states; ++state)
    tables.push_back(tied(*this, {place_in(getInits(), state), argument_place(1 + state),
                                  yield_place(state), result_place(state)}));
  add_captures(tables, *this, getCaptures(), 1 + states);
  return tables;
}

} // namespace kolam::ir
