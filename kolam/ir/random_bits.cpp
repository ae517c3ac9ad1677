// kolam.random_bits: random bits as a function of key and position.
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/support/machine.h"

namespace kolam::ir {

llvm::LogicalResult RandomBitsOp::verify() {
  if (failed(expect_one_of(*this, getGenerator(), {"threefry", "philox"}, "the generator")) ||
      failed(expect_dtype(*this, getKey(), DType::u32, "the key")))
    return mlir::failure();
  Shape key = shape_of(getKey()), expected = shape_of(getResult());
  expected.resize(std::min(expected.size(), key.size() - std::min<size_t>(key.size(), 1)));
  expected.push_back(2);
  if (failed(expect_shape(*this, getKey(), expected, "the key")))
    return mlir::failure();
  return expect_dtype(*this, getResult(), is_unsigned_integer, "an unsigned dtype", "the result");
}

space::Signature RandomBitsOp::signature() {
  int64_t rank = rank_of(getResult()), keys = rank_of(getKey()) - 1;
  std::vector<space::AffineRow> rows;
  for (int64_t dim = 0; dim < keys; ++dim)
    rows.push_back(row(rank, {{dim}}));
  rows.push_back(row(rank, {}));
  space::Projection words = cells(rank, std::move(rows));
  words.size.back() = 2;
  return over_result(*this, {read("key", getKey(), words)});
}

/// 20 rounds of an addition, a rotation and an exclusive or.
double RandomBitsOp::flops_per_point() { return kArithmetic.random; }

} // namespace kolam::ir
