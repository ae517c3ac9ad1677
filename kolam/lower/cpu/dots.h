/// Dot products of groups of narrow factors, which some machines add to a sum at once.
#pragma once

#include "kolam/lower/cpu/product.h"

namespace kolam::lower::cpu {

/// sum + x[0] y[0] + ... + x[group - 1] y[group - 1] in every lane, where a lane holds a group of
/// factors in its 32 bits: pairs of bf16 into f32 (vdpbf16ps, which adds the second product first
/// and flushes denormals, as bf16 contractions are defined), four i8 into i32 (vpdpbusd), and pairs
/// of i8, u8 and i16, which are held as i16, into i32 (vpmaddwd and an addition).
///
/// vpdpbusd takes the first factors as unsigned, so those are x + 128 here, and `finished` takes
/// 128 times the sum of the column's factors away again.
///
/// Without vdpbf16ps columns may be pairs all the same, of which each `part` is multiplied alone,
/// with rows in f32. What must be known of a column is then its least magnitude
/// (least_magnitude.h).
class Dots {
public:
  /// `keeps_pairs`: of bf16 also where there is no instruction.
  Dots(DType factor, DType result, bool keeps_pairs, Emission& emission);

  /// How many factors a group has; 0 where factors of these dtypes do not go by groups.
  int group() const { return group_; }
  /// In which dtype factors lie in their groups.
  DType packed_dtype() const;
  /// Whether there is an instruction; else the groups are pairs of bf16.
  bool has_instruction() const { return has_instruction_; }
  bool are_plain_pairs() const { return group_ != 0 && !has_instruction_; }
  /// Of the sums, for what is merged.
  ProductArithmetic& arithmetic() { return arithmetic_; }

  /// Group g of lane l: factor l of each vector.
  Value grouped(ValueSpan vectors);
  /// A row's group, the same for all lanes, as `add` takes it.
  Value load_group(Value pointer, Value first_factor);
  Value row_group(Value group);
  Value add(Value sum, Value row_group, Value column_group);
  /// The second factors of pairs of bf16, or the first, in f32.
  Value part(Value pairs, bool is_second);
  /// What must be known of a column: the sum of its factors for `finished`, or its least magnitude.
  /// With a group more.
  Value known(Value before, Value column_group);
  Value finished(Value sum, Value column_sum);

private:
  /// An instruction of groups of factors, 32 bits a lane; with the sum in front where it takes it.
  Value call(llvm::StringRef name, Value sum, bool takes_sum, Value x, Value y, mlir::Type factor);

  Emission& e_;
  DType factor_;
  int group_ = 0;
  bool has_instruction_ = false;
  ProductArithmetic arithmetic_;
};

} // namespace kolam::lower::cpu
