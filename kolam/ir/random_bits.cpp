// kolam.random_bits: random bits as a function of key and position.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult RandomBitsOp::verify() {
  if (failed(expect_one_of(*this, getGenerator(), {"threefry", "philox"}, "the generator")) ||
      failed(expect_dtype(*this, getKey(), DType::u32, "the key")) ||
      failed(expect_shape(*this, getKey(), {2}, "the key")))
    return mlir::failure();
  return expect_dtype(*this, getResult(), is_unsigned_integer, "an unsigned dtype", "the result");
}

space::Signature RandomBitsOp::signature() {
  return over_result(*this, {read("key", getKey(), whole(rank_of(getResult()), getKey()))});
}

/// 20 rounds of an addition, a rotation and an exclusive or.
double RandomBitsOp::flops_per_point() { return 100; }

} // namespace kolam::ir
