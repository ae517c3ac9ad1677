// kolam.segment_ids: the segment of each element.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"

namespace kolam::ir {

llvm::LogicalResult SegmentIdsOp::verify() {
  if (failed(expect_rank(*this, getOffsets(), 1, "the offsets")) ||
      failed(expect_dtype(*this, getOffsets(), DType::i64, "the offsets")) ||
      failed(expect_rank(*this, getResult(), 1, "the result")))
    return mlir::failure();
  return expect_dtype(*this, getResult(), DType::i64, "the result");
}

space::Signature SegmentIdsOp::signature() {
  return over_result(*this, {read_anywhere("offsets", getOffsets(), whole(1, getOffsets()))});
}

} // namespace kolam::ir
