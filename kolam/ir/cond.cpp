// kolam.cond: one of several branches.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/late.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"

namespace kolam::ir {

llvm::LogicalResult CondOp::verify() {
  auto selects = [](DType dtype) { return !is_float(dtype); };
  if (failed(expect_dtype(*this, getSelector(), selects, "an integer dtype or bool",
                          "the selector")) ||
      failed(expect_late(*this)))
    return mlir::failure();
  int64_t branches = static_cast<int64_t>(getBranches().size());
  return dtype_of(getSelector()) == DType::boolean
             ? expect_count(*this, branches, 2, "branches for a bool")
             : expect_at_least(*this, branches, 1, "branch");
}

llvm::LogicalResult CondOp::verifyRegions() {
  for (auto [number, branch] : llvm::enumerate(getBranches())) {
    std::string what = "branch " + std::to_string(number);
    if (failed(expect_arguments(*this, branch, getCaptures().getTypes(), what)) ||
        failed(expect_late_yields(*this, branch, what)))
      return mlir::failure();
  }
  return mlir::success();
}

space::Signature CondOp::signature() { return pointwise_signature(*this); }

/// Branches agree.
std::vector<space::DataDimTable> CondOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<space::DataDimTable> tables;
  size_t branches = getBranches().size();
  for (size_t number = 0; number < getResults().size(); ++number) {
    std::vector<space::DataDimPlace> places{result_place(number)};
    for (size_t branch = 0; branch < branches; ++branch)
      places.push_back(yield_place(number, branch));
    tables.push_back(tied(*this, std::move(places)));
  }
  add_captures(tables, *this, getCaptures(), 0, branches);
  return tables;
}

} // namespace kolam::ir
