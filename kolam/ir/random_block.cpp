// kolam.random_block: one block of the generator on given counters.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/support/machine.h"

namespace kolam::ir {

llvm::LogicalResult RandomBlockOp::verify() {
  if (failed(expect_dtype(*this, getKey(), DType::u32, "the key")))
    return mlir::failure();
  Shape shape = shape_of(getKey());
  if (shape.empty() || !(shape.back() == Extent(2)))
    return emitOpError("expected the key to have extent 2 in its last dim, but got ")
           << to_string(shape);
  if (failed(expect_type_of(*this, getCounter(), getKey(), "the counter")))
    return mlir::failure();
  return expect_type_of(*this, getResult(), getKey(), "the result");
}

space::Signature RandomBlockOp::signature() {
  std::vector<bool> direct(rank_of(getKey()), true);
  direct.back() = false; // a block mixes both words
  return over_result(*this, {read("key", getKey(), direct_where(direct, getKey())),
                             read("counter", getCounter(), direct_where(direct, getCounter()))});
}

double RandomBlockOp::flops_per_point() { return kArithmetic.random; }

} // namespace kolam::ir
