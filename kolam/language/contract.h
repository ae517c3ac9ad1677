/// Contractions of two operands: matmul, tensordot and their kin, all one op.
#pragma once

#include "kolam/language/builder.h"

#include <optional>

namespace kolam::language {

/// Fewer than 16, by number: a lane each would leave most of a vector idle.
bool are_few_columns(const Extent& columns);

/// The order in which products are added (DESIGN section 5): in lanes below 16 `columns`, the
/// product of the second operand's free extents (of a convolution all output channels), else, and
/// for symbols, in chains.
Accumulate contraction_order(const Extent& columns);

/// A factor as its products are added: bf16 and f16 as f64 where the sums are f64, as the op adds
/// theirs in f32.
Value factor_of_sums(Builder& b, Value factor, DType sums);

/// Which products count, and how they are added.
struct Terms {
  /// Booleans that broadcast to the dims of the result, then the summed ones; null: all count. A
  /// term that does not is 0 * 0.
  Value where = {};
  /// "chain": one chain however many there are; "": as `contraction_order` says.
  std::string accumulate = {};
};
/// Throws `[bad-option]` for another word.
void require_known(const Terms& terms);

/// The op: result = sum over the letters missing from the result of lhs * rhs; operands
/// of one dtype. `where` has the letters that a third part of `spec` names. Where the columns of
/// `rhs` are fewer than 16 and the last dim of `lhs` is one of the result, of 16 or more, that is
/// the columns: the factors change places and the op's result is transposed.
Value contract(Builder& b, Value lhs, Value rhs, const std::string& spec, DType result_dtype,
               const Terms& terms = {});

/// The array API's matmul: [..., m, k] x [..., k, n] -> [..., m, n], batch dims broadcast; rank-1
/// operands are a row and a column and their dim vanishes. `dtype` is that of the sums and the
/// result. Throws `[rank-mismatch]` for scalars, `[shape-mismatch]` and `[dtype-mismatch]`.
Value matmul(Builder& b, Value x, Value y, std::optional<DType> dtype = {},
             const Terms& terms = {});

/// result[i, j] = sum_k x[i, k] y[k, j], where k runs over `x_axes` of x with `y_axes` of y, i and
/// j over the other dims in their order. Throws `[axis-out-of-range]`, `[duplicate-axis]`,
/// `[shape-mismatch]`.
Value tensordot(Builder& b, Value x, Value y, const Axes& x_axes, const Axes& y_axes,
                std::optional<DType> dtype = {}, const Terms& terms = {});
/// The last `axes` dims of x with the first of y.
Value tensordot(Builder& b, Value x, Value y, int64_t axes, std::optional<DType> dtype = {},
                const Terms& terms = {});

/// result = sum over `axis` of x * y, the other dims broadcast. The axis counts in each operand by
/// its own rank, so it must be negative unless the ranks are equal. Throws as matmul and
/// `[axis-out-of-range]`.
Value vecdot(Builder& b, Value x, Value y, int64_t axis = -1, std::optional<DType> dtype = {},
             const Terms& terms = {});

/// result[i, j] = x[i] y[j] for rank-1 operands; throws `[rank-mismatch]`.
Value outer(Builder& b, Value x, Value y);

/// result[..., o] = sum_i x[..., i] weight[o, i] + bias[o]; `bias` may be null. Computes in f32 for
/// bf16 and f16 and rounds once. Throws as matmul.
Value linear(Builder& b, Value x, Value weight, Value bias);

} // namespace kolam::language
