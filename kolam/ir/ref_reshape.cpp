// kolam.ref_reshape: the same elements in another shape.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult RefReshapeOp::verify() {
  Shape from = shape_of(value_type(getRef())), to = shape_of(value_type(getResult()));
  return without_overflow(*this, [&]() -> llvm::LogicalResult {
    if (!(element_count(from) == element_count(to)))
      return emitOpError() << "expected as many elements as the ref of shape " << to_string(from)
                           << " has, but got shape " << to_string(to);
    return expect_view(*this, getResult(), getRef(), to);
  });
}

space::Signature RefReshapeOp::signature() { return opaque_signature(*this); }

std::vector<space::DataDimTable> RefReshapeOp::data_dim_rows(const space::DataDimQuestion&) {
  return {reshaped(*this)};
}

} // namespace kolam::ir
