/// What attention takes, at one rank: where points of its grid read each array.
#pragma once

#include "kolam/frontend/array/attention.h"
#include "kolam/kernels/argument_checks.h"

namespace kolam::kernels {

/// An array of attention, of which a point of the grid reads a block. Along leading dims it is read
/// at the point's index, at one that neighbours share, or at 0.
class AttentionOperand {
public:
  /// `shares_heads`: the last of the leading extents may be a multiple of the array's.
  AttentionOperand(std::string_view name, Tensor tensor, const Shape& leading,
                   bool shares_heads = false);

  const Tensor& tensor() const { return tensor_; }
  /// The block behind the leading dims: the first of its dims goes by blocks of rows, or all are
  /// whole.
  pallas::BlockSpec by_rows(std::vector<pallas::BlockDim> dims) const;
  pallas::BlockSpec whole(std::vector<pallas::BlockDim> dims) const;

private:
  pallas::BlockSpec spec(std::vector<pallas::BlockDim> dims, bool by_rows) const;

  Tensor tensor_;
  std::vector<int64_t> neighbours_; ///< by leading dim: how many share an index; 0: all
};

/// The arrays of a call at one rank, and what the masks say beside them.
struct AttentionOperands {
  AttentionOperands(const Tensor& q, const Tensor& k, const Tensor& v,
                    const kolam::AttentionOptions& options);

  DType dtype;   ///< of the result
  DType wide;    ///< in which all is computed
  Shape leading; ///< extents in front of rows
  Extent queries, keys, depth, width;
  std::vector<AttentionOperand> of; ///< q, k, v, the mask, segments of queries and of keys
  bool has_mask = false, has_segments = false;
  std::optional<int64_t> left, right; ///< how many keys a query sees on a side

private:
  void add_mask(Tensor mask);
  void add_segments(Tensor queries_of, Tensor keys_of);
};

} // namespace kolam::kernels
