// kolam.ref_bitcast: the same bits as elements of another dtype.
#include "kolam/ir/data_dim_rows.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/kernels.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult RefBitcastOp::verify() {
  DType from = dtype_of(value_type(getRef())), to = dtype_of(value_type(getResult()));
  if (byte_width(from) != byte_width(to) || (from == DType::boolean) != (to == DType::boolean))
    return emitOpError() << "expected a dtype as wide as " << llvm::StringRef(kolam::name(from))
                         << ", but got " << llvm::StringRef(kolam::name(to));
  return expect_ref_shape(*this, getResult(), shape_of(value_type(getRef())), "the result");
}

space::Signature RefBitcastOp::signature() { return opaque_signature(*this); }

std::vector<space::DataDimTable> RefBitcastOp::data_dim_rows(const space::DataDimQuestion&) {
  return {tied(*this, {operand_place(0), result_place(0)})};
}

} // namespace kolam::ir
