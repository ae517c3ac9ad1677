/// Dot products of groups of narrow factors, which some machines add to a sum at once.
#pragma once

#include "kolam/lower/cpu/product.h"

namespace kolam::lower::cpu {

/// sum + x[0] y[0] + ... + x[group - 1] y[group - 1] in every lane, where a lane holds a group of
/// factors in its 32 bits: pairs of bf16 into f32 (vdpbf16ps, which adds the second product first
/// and flushes denormals, as bf16 contractions are defined), and four i8 into i32 (vpdpbusd).
///
/// vpdpbusd takes the first factors as unsigned, so those are x + 128 here, and `finished` takes
/// 128 times the sum of the column's factors away again.
class Dots {
public:
  Dots(DType factor, DType result, Emission& emission);

  /// How many factors a group has; 0 where the machine has no such instruction for the dtypes.
  int group() const { return group_; }
  /// Of the sums, for what is merged.
  ProductArithmetic& arithmetic() { return arithmetic_; }

  /// Group g of lane l: factor l of each vector.
  Value grouped(ValueSpan vectors);
  /// A row's group, the same for all lanes, as `add` takes it.
  Value load_group(Value pointer, Value first_factor);
  Value row_group(Value group);
  Value add(Value sum, Value row_group, Value column_group);
  /// What `finished` needs of a column: the sum of its factors.
  Value column_sum(Value sum, Value column_group);
  Value finished(Value sum, Value column_sum);

private:
  Value call(llvm::StringRef name, mlir::Type result, ValueSpan arguments);
  Value as_bytes(Value groups);

  Emission& e_;
  DType factor_;
  int group_ = 0;
  ProductArithmetic arithmetic_;
};

} // namespace kolam::lower::cpu
