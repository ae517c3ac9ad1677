// kolam.for: a counted loop that carries a state.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/late.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"

namespace kolam::ir {

namespace {

constexpr llvm::StringLiteral kAppended = "appended";

llvm::LogicalResult expect_appended(ForOp op) {
  auto appended = op->getAttr(kAppended);
  if (!appended)
    return mlir::success();
  auto is_late = [&](int64_t state) {
    return state >= 0 && state < static_cast<int64_t>(op.getInits().size()) &&
           late_symbol(op, state);
  };
  auto states = llvm::dyn_cast<mlir::DenseI64ArrayAttr>(appended);
  if (!states || !llvm::all_of(states.asArrayRef(), is_late))
    return op.emitOpError("expected numbers of states with late symbols as 'appended', but got ")
           << appended;
  return mlir::success();
}

} // namespace

bool ForOp::is_appended(size_t state) {
  auto states = (*this)->getAttrOfType<mlir::DenseI64ArrayAttr>(kAppended);
  return states && llvm::is_contained(states.asArrayRef(), static_cast<int64_t>(state));
}

void ForOp::set_appended(llvm::ArrayRef<int64_t> states) {
  if (!states.empty())
    (*this)->setAttr(kAppended, mlir::DenseI64ArrayAttr::get(getContext(), states));
}

llvm::LogicalResult ForOp::verify() {
  auto is_counter = [](DType dtype) { return dtype == DType::i32 || dtype == DType::i64; };
  if (failed(
          expect_dtype(*this, getLower(), is_counter, "dtype int32 or int64", "the lower bound")) ||
      failed(expect_type_of(*this, getUpper(), getLower(), "the upper bound")) ||
      failed(expect_count(*this, getResults().size(), getInits().size(), "results")) ||
      failed(expect_late(*this)) || failed(expect_appended(*this)))
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
