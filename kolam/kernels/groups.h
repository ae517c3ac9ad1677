/// Products of matrices that data lay out: rows by groups, and blocks that are not zero.
#pragma once

#include "kolam/frontend/pallas/pallas_call.h"

namespace kolam::kernels {

struct GroupedMatmulOptions {
  int64_t block_m = 128, block_n = 128;
  std::optional<int64_t> block_k = {}; ///< all terms unless given
  std::optional<DType> out_dtype = {};
  std::optional<pallas::InterpretParams> interpret = {};
};

/// Rows times the matrix of their group, rows of a group standing together:
///
///     result[i, j] = sum_k x[i, k] w[g, k, j]   for the group g of row i
///
/// The first group_sizes[0] rows are of group 0, the next group_sizes[1] of group 1, and so on. x
/// is [m, k] and w [groups, k, n], promoted to one dtype of numbers; group_sizes, integers
/// [groups], may be 0, and rows behind their sum give 0; what they count beyond m has no part. The
/// result is [m, n]. A point of the grid has a tile of block_m rows, of which it writes those of
/// one group; a tile with rows of several groups comes once for each. It takes block_k terms at a
/// time; of all terms at once products leave out rows of other groups. Sums of floats are f32, or
/// f64 of such; those of integers have `out_dtype`, that of the operands unless given. Throws
/// `[rank-mismatch]`, `[shape-mismatch]`, `[dtype-mismatch]`, and `[bad-block]` for blocks below 1.
/// Source: Gale and others, "MegaBlocks: efficient sparse training with mixture-of-experts", 2022.
Tensor grouped_matmul(const Operand& x, const Operand& w, const Operand& group_sizes,
                      const GroupedMatmulOptions& options = {});

struct BlockSparseMatmulOptions {
  Extent rows; ///< of the result
  int64_t block_n = 512;
  std::optional<DType> out_dtype = {};
  std::optional<pallas::InterpretParams> interpret = {};
};

/// A matrix of which most blocks are zero, times a dense one: result = x y, where for each b
///
///     x[block_m i : block_m (i + 1), block_k j : block_k (j + 1)] = block_values[b],
///     (i, j) = block_indices[b]
///
/// block_values is [blocks, block_m, block_k] and y [k, n], promoted to one dtype of numbers;
/// block_indices, integers [blocks, 2], are numbers of blocks along the rows and the columns of x,
/// in any order; blocks of equal numbers add. The result is [rows, n]; what a block has beyond rows
/// or k has no part, nor have blocks with other numbers. Sums of floats are f32, or f64 of such;
/// those of integers have `out_dtype`, that of the operands unless given. A point of the grid has
/// one block and block_n columns. Throws
/// `[rank-mismatch]`, `[shape-mismatch]`, `[dtype-mismatch]`, `[bad-block]` for block_n below 1,
/// and `[negative-count]` for less than 0 rows.
Tensor block_sparse_matmul(const Operand& block_values, const Operand& block_indices,
                           const Operand& y, const BlockSparseMatmulOptions& options);

} // namespace kolam::kernels
