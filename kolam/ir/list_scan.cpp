// kolam.list_scan: a body for each element that carries a state.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/list_expectations.h"
#include "kolam/ir/ops.h"

namespace kolam::ir {

llvm::LogicalResult ListScanOp::verify() {
  size_t states = getInits().size();
  if (failed(expect_at_least(*this, getLists().size(), 1, "lists")) ||
      failed(expect_at_least(*this, states, 1, "states")) ||
      failed(expect_count(*this, getResults().size(), 2 * states, "results")))
    return mlir::failure();
  for (auto [number, init] : llvm::enumerate(getInits()))
    if (failed(expect_type(*this, getResults()[number], init.getType(),
                           "last state " + llvm::Twine(number))) ||
        failed(expect_type(*this, getResults()[states + number], list_of(init.getType()),
                           "the states " + llvm::Twine(number))))
      return mlir::failure();
  if (!getAssociative())
    return mlir::success();
  if (failed(expect_count(*this, getLists().size(), states, "lists of an associative scan")))
    return mlir::failure();
  for (auto [number, init] : llvm::enumerate(getInits()))
    if (!llvm::isa<mlir::RankedTensorType>(init.getType()) ||
        failed(expect_type(*this, getLists()[number], list_of(init.getType()),
                           "list " + llvm::Twine(number))))
      return emitOpError("expected tensors as states of an associative scan");
  return mlir::success();
}

llvm::LogicalResult ListScanOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> arguments(getInits().getTypes());
  for (mlir::Value list : getLists())
    arguments.push_back(element_of(list));
  llvm::append_range(arguments, getCaptures().getTypes());
  if (failed(expect_arguments(*this, getBody(), arguments, "the body")))
    return mlir::failure();
  return expect_yields(*this, getBody(), getInits().getTypes(), "the body");
}

/// Steps along a scan dim; the last states are read and written by every step.
space::Signature ListScanOp::signature() {
  space::Direction direction =
      getReverse() ? space::Direction::backward : space::Direction::forward;
  return over_elements(*this, space::scan_dim("t", Extent::symbol("L"), direction), getLists(),
                       getInits().size());
}

std::vector<space::DataDimTable> ListScanOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<space::DataDimTable> tables;
  size_t states = getInits().size();
  for (size_t state = 0; state < states; ++state)
    tables.push_back(
        tied(*this, {place_in(getInits(), state), argument_place(state), yield_place(state),
                     result_place(state), result_place(states + state)}));
  for (size_t number = 0; number < getLists().size(); ++number)
    tables.push_back(tied(*this, {place_in(getLists(), number), argument_place(states + number)}));
  add_captures(tables, *this, getCaptures(), states + getLists().size());
  return tables;
}

} // namespace kolam::ir
