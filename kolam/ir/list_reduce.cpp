// kolam.list_reduce: the elements of lists combined by an associative body.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/list_expectations.h"
#include "kolam/ir/ops.h"

namespace kolam::ir {

llvm::LogicalResult ListReduceOp::verify() {
  if (failed(expect_at_least(*this, getLists().size(), 1, "lists")) ||
      failed(expect_count(*this, getResults().size(), getLists().size(), "results")))
    return mlir::failure();
  if (!getInits().empty() &&
      failed(expect_count(*this, getInits().size(), getLists().size(), "initial states")))
    return mlir::failure();
  for (auto [number, list] : llvm::enumerate(getLists()))
    if (failed(expect_type(*this, getResults()[number], element_of(list),
                           "result " + llvm::Twine(number))) ||
        (!getInits().empty() && failed(expect_type(*this, getInits()[number], element_of(list),
                                                   "initial state " + llvm::Twine(number)))))
      return mlir::failure();
  return mlir::success();
}

llvm::LogicalResult ListReduceOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> arguments(getResultTypes());
  llvm::append_range(arguments, getResultTypes());
  llvm::append_range(arguments, getCaptures().getTypes());
  if (failed(expect_arguments(*this, getBody(), arguments, "the body")))
    return mlir::failure();
  return expect_yields(*this, getBody(), getResultTypes(), "the body");
}

space::Signature ListReduceOp::signature() { return opaque_signature(*this); }

std::vector<space::DataDimTable> ListReduceOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<space::DataDimTable> tables;
  size_t states = getResults().size();
  for (size_t state = 0; state < states; ++state) {
    std::vector<space::DataDimPlace> places{result_place(state), yield_place(state),
                                            argument_place(state), argument_place(states + state),
                                            place_in(getLists(), state)};
    if (!getInits().empty())
      places.push_back(place_in(getInits(), state));
    tables.push_back(tied(*this, std::move(places)));
  }
  add_captures(tables, *this, getCaptures(), 2 * states);
  return tables;
}

} // namespace kolam::ir
