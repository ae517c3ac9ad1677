// kolam.ref_select: one of several refs.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult RefSelectOp::verify() {
  if (failed(expect_integers(*this, getSelector(), "the selector")) ||
      failed(expect_at_least(*this, getRefs().size(), 1, "refs")))
    return mlir::failure();
  for (mlir::Value ref : getRefs())
    if (failed(expect_view(*this, getResult(), ref, shape_of(value_type(ref)))))
      return mlir::failure();
  return mlir::success();
}

space::Signature RefSelectOp::signature() { return opaque_signature(*this); }

std::vector<space::DataDimTable> RefSelectOp::data_dim_rows(const space::DataDimQuestion&) {
  std::vector<space::DataDimPlace> places{result_place(0)};
  for (size_t number = 0; number < getRefs().size(); ++number)
    places.push_back(place_in(getRefs(), number));
  return {tied(*this, std::move(places))};
}

} // namespace kolam::ir
