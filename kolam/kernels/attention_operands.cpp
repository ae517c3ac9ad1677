// Brings what attention takes to one rank, and says which extents must agree.
#include "kolam/kernels/attention_operands.h"

#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/promotion.h"
#include "kolam/frontend/array/shape.h"

#include <algorithm>

namespace kolam::kernels {
namespace {

[[noreturn]] void refuse(ErrorKind kind, std::string_view slug, std::string_view name,
                         const std::string& expected, const std::string& found) {
  fail(kind, slug,
       "argument '" + std::string(name) + "': expected " + expected + ", but got " + found);
}

/// Throws `[shape-mismatch]` for two extents that differ; the run compares those that only it
/// knows.
void require_equal(std::string_view name, int64_t dim, const Extent& one, const Extent& other) {
  if (one == other)
    return;
  if (one.is_constant() && other.is_constant())
    refuse(ErrorKind::value, "shape-mismatch", name,
           "extent " + one.to_string() + " in dim " + std::to_string(dim), other.to_string());
  zeros({one}, DType::boolean) | zeros({other}, DType::boolean);
}

/// `x` with dims of extent 1 in front of dim `at`.
Tensor of_rank(const Tensor& x, size_t rank, size_t at = 0) {
  Shape shape = x.shape();
  if (shape.size() == rank)
    return x;
  shape.insert(shape.begin() + static_cast<int64_t>(at), rank - shape.size(), Extent(1));
  return reshape(x, shape);
}

/// The leading dims that arrays have in common; heads, the last, are those of the first, unless it
/// has one for all.
Shape leading_of(const std::vector<Tensor>& arrays) {
  Shape leading(arrays[0].shape().size() - 2, Extent(1));
  for (size_t dim = 0; dim < leading.size(); ++dim)
    for (const Tensor& x : arrays)
      if (const Extent own = x.shape()[dim]; leading[dim] == Extent(1))
        leading[dim] = own;
  return leading;
}

constexpr int64_t kFar = int64_t{1} << 62; // bound: keys in any direction

std::optional<int64_t> side_of(std::optional<int64_t> side) {
  if (side.value_or(0) < 0)
    refuse(ErrorKind::value, "bad-window", "window", "numbers of keys >= 0", std::to_string(*side));
  return side ? std::optional(std::min(*side, kFar)) : std::nullopt;
}

} // namespace

AttentionOperand::AttentionOperand(std::string_view name, Tensor tensor, const Shape& leading,
                                   bool shares_heads)
    : tensor_(std::move(tensor)) {
  const Shape shape = tensor_.shape();
  for (size_t dim = 0; dim < leading.size(); ++dim) {
    auto all = leading[dim].constant(), own = shape[dim].constant();
    const bool is_last = dim + 1 == leading.size();
    if (own == 1) {
      neighbours_.push_back(0);
    } else if (shares_heads && is_last && all && own && *own > 0 && *all % *own == 0) {
      neighbours_.push_back(*all / *own);
    } else {
      require_equal(name, static_cast<int64_t>(dim) - tensor_.rank(), leading[dim], shape[dim]);
      neighbours_.push_back(1);
    }
  }
}

pallas::BlockSpec AttentionOperand::by_rows(std::vector<pallas::BlockDim> dims) const {
  return spec(std::move(dims), true);
}
pallas::BlockSpec AttentionOperand::whole(std::vector<pallas::BlockDim> dims) const {
  return spec(std::move(dims), false);
}

pallas::BlockSpec AttentionOperand::spec(std::vector<pallas::BlockDim> dims, bool by_rows) const {
  dims.insert(dims.begin(), neighbours_.size(), pallas::squeezed);
  return block_at(dims, [neighbours = neighbours_, rank = dims.size(), by_rows](const Point& at) {
    Point place;
    for (size_t dim = 0; dim < neighbours.size(); ++dim)
      place.push_back(neighbours[dim] == 0   ? Tensor(0)
                      : neighbours[dim] == 1 ? at[dim]
                                             : floor_divide(at[dim], neighbours[dim]));
    if (by_rows)
      place.push_back(at.back());
    place.resize(rank, Tensor(0));
    return place;
  });
}

AttentionOperands::AttentionOperands(const Tensor& q, const Tensor& k, const Tensor& v,
                                     const kolam::AttentionOptions& options)
    : left(options.window ? side_of(options.window->left) : std::nullopt),
      right(options.window ? side_of(options.window->right) : std::nullopt) {
  const std::vector<Argument> given{{"q", q, ""}, {"k", k, ""}, {"v", v, ""}};
  size_t rank = 0;
  for (const Argument& each : given) {
    if (each.tensor.rank() < 2)
      refuse(ErrorKind::value, "rank-mismatch", each.name, "rank 2 or more", describe(each.tensor));
    rank = std::max(rank, each.tensor.shape().size());
  }
  if (options.causal)
    right = 0; // no more than any
  dtype = result_type({q, k, v});
  if (!is_float(dtype))
    dtype = DType::f32;
  wide = sums_of(dtype);
  std::vector<Tensor> arrays;
  for (const Argument& each : given)
    arrays.push_back(of_rank(astype(each.tensor, dtype), rank));
  leading = leading_of(arrays);
  for (size_t i = 0; i < given.size(); ++i)
    of.emplace_back(given[i].name, arrays[i], leading, i > 0);
  queries = arrays[0].extent(-2);
  keys = arrays[1].extent(-2);
  depth = arrays[0].extent(-1);
  width = arrays[2].extent(-1);
  require_equal("k", -1, depth, arrays[1].extent(-1));
  require_equal("v", -2, keys, arrays[2].extent(-2));
  if (options.mask)
    add_mask(tensor_of(*options.mask));
  if (options.segment_ids)
    add_segments(tensor_of(options.segment_ids->queries), tensor_of(options.segment_ids->keys));
}

void AttentionOperands::add_mask(Tensor mask) {
  if (is_integer(mask.dtype()))
    refuse(ErrorKind::type, "dtype-mismatch", "mask", "booleans or floats", describe(mask));
  const size_t rank = leading.size() + 2;
  if (mask.shape().size() > rank)
    refuse(ErrorKind::value, "rank-mismatch", "mask", "rank " + std::to_string(rank) + " or less",
           describe(mask));
  mask = of_rank(mask, rank);
  for (auto [dim, extent] : {std::pair(-2, queries), std::pair(-1, keys)})
    if (!(mask.extent(dim) == Extent(1)))
      require_equal("mask", dim, extent, mask.extent(dim));
  of.emplace_back("mask", mask.dtype() == DType::boolean ? mask : astype(mask, wide), leading);
  has_mask = true;
}

void AttentionOperands::add_segments(Tensor queries_of, Tensor keys_of) {
  const size_t most = std::max<size_t>(1, leading.size());
  for (const Tensor& segments : {queries_of, keys_of}) {
    if (!is_integer(segments.dtype()))
      refuse(ErrorKind::type, "dtype-mismatch", "segment_ids", "integers", describe(segments));
    if (segments.rank() < 1 || segments.shape().size() > most)
      refuse(ErrorKind::value, "rank-mismatch", "segment_ids",
             most == 1 ? "rank 1"
                       : "rank from 1 to " + std::to_string(most) + ", without a dim of heads",
             describe(segments));
  }
  require_equal("segment_ids", -1, queries, queries_of.extent(-1));
  require_equal("segment_ids", -1, keys, keys_of.extent(-1));
  const DType both = result_type({queries_of, keys_of});
  for (const Tensor& segments : {queries_of, keys_of}) // a dim of extent 1 for the heads
    of.emplace_back("segment_ids",
                    of_rank(of_rank(astype(segments, both), most), leading.size() + 1, most - 1),
                    leading);
  has_segments = true;
}

} // namespace kolam::kernels
