// kolam.list_map: a body for each element, instances independent.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/list_expectations.h"
#include "kolam/ir/ops.h"

namespace kolam::ir {

llvm::LogicalResult ListMapOp::verify() {
  return expect_at_least(*this, getLists().size(), 1, "lists");
}

llvm::LogicalResult ListMapOp::verifyRegions() {
  llvm::SmallVector<mlir::Type> arguments, yields;
  for (mlir::Value list : getLists())
    arguments.push_back(element_of(list));
  llvm::append_range(arguments, getCaptures().getTypes());
  for (mlir::Value result : getResults())
    yields.push_back(element_of(result));
  if (failed(expect_arguments(*this, getBody(), arguments, "the body")))
    return mlir::failure();
  return expect_yields(*this, getBody(), yields, "the body");
}

space::Signature ListMapOp::signature() {
  return over_elements(*this, space::map_dim("i", Extent::symbol("L")), getLists(), 0);
}

std::vector<space::DataDimTable> ListMapOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<space::DataDimTable> tables;
  for (size_t number = 0; number < getLists().size(); ++number)
    tables.push_back(tied(*this, {place_in(getLists(), number), argument_place(number)}));
  for (size_t number = 0; number < getResults().size(); ++number)
    tables.push_back(tied(*this, {result_place(number), yield_place(number)}));
  add_captures(tables, *this, getCaptures(), getLists().size());
  return tables;
}

} // namespace kolam::ir
