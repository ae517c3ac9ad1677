/// Products of tensors: matmul, einsum and their kin.
///
/// Operands are promoted to one dtype; booleans are `[dtype-mismatch]`. `dtype` is that of the sums
/// and the result: int8 products summed in int32, bfloat16 ones given in float32. It must hold all
/// values of the operands' dtype. bfloat16 and float16 are always summed in float32 and rounded
/// once. The order in which products are added is part of the meaning: the same bits on every
/// machine, whatever the threads. Results of 16 columns and more add in chains of 512 fused steps,
/// those of fewer in 64 lanes in chunks of 4096; chains and chunks merge pairwise.
///
/// `where` says which terms count: booleans that broadcast to the dims of the result, then the
/// summed ones.
///
///     matmul: result[i, j] = sum over the k with where[i, j, k] of x[i, k] y[k, j]
///
/// A term that does not count is not looked at: NaN and infinity in it do not reach the result, and
/// a sum of none is 0. It keeps its place in the order. `accumulate = "chain"` adds the terms in
/// one chain of fused steps acc = fma(x, y, acc) from +0, in the order of the summed index,
/// whatever their number and that of the columns.
#pragma once

#include "kolam/frontend/array/axes.h"
#include "kolam/frontend/array/operands.h"

#include <optional>

namespace kolam {

/// Which terms of a product count, and how they are added; see above.
struct Terms {
  std::optional<Operand> where = {};
  std::string accumulate = {}; ///< "chain", or empty
};

/// The array API's matmul: [..., m, k] x [..., k, n] -> [..., m, n], batch dims broadcast; a rank-1
/// operand is a row or a column whose dim vanishes. Throws `[rank-mismatch]` for scalars,
/// `[shape-mismatch]` where the k differ, and for `where` and `accumulate` also `[dtype-mismatch]`
/// and `[bad-option]`.
Tensor matmul(const Operand& x, const Operand& y, std::optional<DType> dtype = {},
              const Terms& terms = {});

/// result[i, j] = sum_k x[i, k] y[k, j], where k are the last `axes` dims of x and the first of y.
/// Throws
/// `[axis-out-of-range]`, `[shape-mismatch]`.
Tensor tensordot(const Operand& x, const Operand& y, int64_t axes = 2,
                 std::optional<DType> dtype = {}, const Terms& terms = {});
/// The same with the summed dims by list: dim x_axes[d] of x goes with y_axes[d] of y. No axis
/// twice:
/// `[duplicate-axis]`.
Tensor tensordot(const Operand& x, const Operand& y, const Axes& x_axes, const Axes& y_axes,
                 std::optional<DType> dtype = {}, const Terms& terms = {});

/// The sum over all letters that the result lacks of the product of the operands, by NumPy's
/// subscripts:
///
///     einsum("...ij,jk->...ik", {x, y})      einsum("ii", {x})      einsum("ij,jk,kl", {x, y, z})
///
/// Without an arrow the result has the ellipsis dims, then the letters that occur once, sorted. A
/// letter twice within an operand takes its diagonal; dims of extent 1 stretch. Letters that only
/// one operand has are summed first; then pairs are contracted in the order of least
/// multiplications (exact up to 10 operands, greedy above; a dynamic extent counts as 1000). Where
/// that takes several steps, bfloat16 and float16 compute in float32 and round once. With `where`
/// or `accumulate` there are two operands, which are contracted in one step. Throws
/// `[bad-einsum]` for malformed subscripts, `[shape-mismatch]`, `[bad-option]`.
Tensor einsum(const std::string& subscripts, const Operands& operands,
              std::optional<DType> dtype = {}, const Terms& terms = {});

/// The array API's vecdot: result = sum over `axis` of x * y, the other dims broadcast. The axis
/// counts in each operand by its own rank, so it must be negative unless the ranks are equal.
/// Throws `[axis-out-of-range]`,
/// `[rank-mismatch]`, `[shape-mismatch]`.
Tensor vecdot(const Operand& x, const Operand& y, int64_t axis = -1,
              std::optional<DType> dtype = {}, const Terms& terms = {});

/// result[i, j] = x[i] y[j], one rounded product an element. Throws `[rank-mismatch]` unless both
/// have rank 1.
Tensor outer(const Operand& x, const Operand& y);

/// result[..., o] = sum_i x[..., i] weight[o, i] + bias[o]: PyTorch's linear, whose weight is
/// [outputs, inputs]. bfloat16 and float16 compute in float32 and round once. Throws
/// `[rank-mismatch]`, `[shape-mismatch]`.
Tensor linear(const Operand& x, const Operand& weight);
Tensor linear(const Operand& x, const Operand& weight, const Operand& bias);

} // namespace kolam
