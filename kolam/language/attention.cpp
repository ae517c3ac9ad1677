// Makes attention: brings all operands to one rank, and says which extents must agree.
#include "kolam/language/attention.h"

#include "kolam/ir/attention.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/labelled.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"

#include <numeric>

namespace kolam::language {
namespace {

void require_matrix(Value x, std::string_view argument) {
  if (ir::rank_of(x) < 2)
    fail_argument(ErrorKind::value, "rank-mismatch", argument, "rank 2 or more", describe(x));
}

/// `x` with `count` dims of extent 1 in front of dim `dim`.
Value with_ones(Builder& b, Value x, int64_t dim, int64_t count) {
  if (count == 0)
    return x;
  Shape shape = ir::shape_of(x);
  shape.insert(shape.begin() + dim, static_cast<size_t>(count), Extent(1));
  Axes dims(static_cast<size_t>(count));
  std::iota(dims.begin(), dims.end(), dim);
  return ir::ExpandDimsOp::create(b, tensor_type(b, ir::dtype_of(x), shape), x, dims);
}

/// The common extent of dim `dim` of q, k and v, counted from the last; 1 repeats.
Extent common_extent(Builder& b, const Values& operands, int64_t dim, std::string_view what) {
  Extent common = 1;
  for (Value operand : operands) {
    Shape shape = ir::shape_of(operand);
    const Extent& extent = shape[shape.size() - dim];
    if (!(extent == Extent(1)))
      common = common == Extent(1) ? extent : unify(b, common, extent, what);
  }
  return common;
}

/// The heads of the result: those of q, unless they repeat.
Extent head_count(Builder& b, const Values& operands) {
  constexpr int64_t kHeads = 3; // from the last
  Shape q = ir::shape_of(operands[0]);
  Extent heads = q[q.size() - kHeads];
  if (heads == Extent(1))
    return common_extent(b, operands, kHeads, "dim -3 of k and v");
  for (size_t i : {1, 2}) {
    Shape shape = ir::shape_of(operands[i]);
    const Extent& own = shape[shape.size() - kHeads];
    if (ir::fits_leading(heads, own))
      continue;
    if (heads.is_constant() && own.is_constant())
      fail_argument(ErrorKind::value, "shape-mismatch", i == 1 ? "k" : "v",
                    "a number of heads (dim -3) that divides the " + heads.to_string() + " of q",
                    describe(operands[i]));
    heads = unify(b, heads, own, "dim -3 of q, k and v");
  }
  return heads;
}

/// The extents that an operand must have so that it reads `common`: its own where it repeats or
/// groups, else the common one.
Extent settled(const Extent& common, const Extent& own) {
  bool groups = own == Extent(1) || (ir::fits_leading(common, own) && own.is_constant());
  return groups ? own : common;
}

struct Operands {
  Value q, k, v;
  Shape result;
  Extent keys;
};

/// q, k and v at one rank, under extents that agree.
Operands settle(Builder& b, Values operands) {
  int64_t rank = 0;
  for (Value operand : operands)
    rank = std::max(rank, ir::rank_of(operand));
  for (Value& operand : operands)
    operand = with_ones(b, operand, 0, rank - ir::rank_of(operand));
  Shape q = ir::shape_of(operands[0]), k = ir::shape_of(operands[1]), v = ir::shape_of(operands[2]);
  auto both = [&](Value x, int64_t x_dim, Value y, int64_t y_dim) {
    return "dim -" + std::to_string(x_dim) + " of " + describe(x) + " and dim -" +
           std::to_string(y_dim) + " of " + describe(y);
  };
  Operands result;
  Extent depth = unify(b, q[rank - 1], k[rank - 1], both(operands[0], 1, operands[1], 1));
  result.keys = unify(b, k[rank - 2], v[rank - 2], both(operands[1], 2, operands[2], 2));
  for (int64_t dim = 0; dim + 2 < rank; ++dim)
    result.result.push_back(
        dim == rank - 3 ? head_count(b, operands)
                        : common_extent(b, operands, rank - dim,
                                        "dim -" + std::to_string(rank - dim) + " of q, k and v"));
  result.result.push_back(q[rank - 2]);
  result.result.push_back(v[rank - 1]);
  auto settle_one = [&](Value x, const Extent& rows, const Extent& columns) {
    Shape shape = ir::shape_of(x);
    for (int64_t dim = 0; dim + 2 < rank; ++dim)
      shape[dim] = settled(result.result[dim], shape[dim]);
    shape[rank - 2] = rows;
    shape[rank - 1] = columns;
    return with_shape(b, x, shape);
  };
  result.q = settle_one(operands[0], q[rank - 2], depth);
  result.k = settle_one(operands[1], result.keys, depth);
  result.v = settle_one(operands[2], result.keys, v[rank - 1]);
  return result;
}

/// `x` under the extents `target`, where its own may also be 1 in the first `repeating` dims.
Value repeat_to(Builder& b, Value x, const Shape& target, size_t repeating,
                std::string_view argument) {
  Shape shape = ir::shape_of(x);
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (dim >= repeating || !(shape[dim] == Extent(1)))
      shape[dim] =
          unify(b, target[dim], shape[dim],
                "argument '" + std::string(argument) + "', " + describe(x) + ", which repeats to " +
                    to_string(target) + ", dim " + std::to_string(dim));
  return with_shape(b, x, shape);
}

Value settle_mask(Builder& b, Value mask, const Operands& operands, DType wide) {
  DType dtype = ir::dtype_of(mask);
  if (is_integer(dtype))
    fail_argument(ErrorKind::type, "dtype-mismatch", "mask", "booleans or floats", describe(mask));
  Shape target = operands.result;
  target.back() = operands.keys;
  auto rank = static_cast<int64_t>(target.size());
  if (ir::rank_of(mask) > rank)
    fail_argument(ErrorKind::value, "rank-mismatch", "mask",
                  "rank " + std::to_string(rank) + " or less", describe(mask));
  mask =
      repeat_to(b, with_ones(b, mask, 0, rank - ir::rank_of(mask)), target, target.size(), "mask");
  return dtype == DType::boolean ? mask : cast(b, mask, wide);
}

/// Segments [batch..., s] as [batch..., 1, s], the 1 for the heads.
Value settle_segments(Builder& b, Value segments, const Shape& result, const Extent& length) {
  if (!is_integer(ir::dtype_of(segments)))
    fail_argument(ErrorKind::type, "dtype-mismatch", "segment_ids", "integers", describe(segments));
  auto rank = static_cast<int64_t>(result.size()) - 1, most = std::max<int64_t>(1, rank - 1);
  int64_t own = ir::rank_of(segments);
  if (own < 1 || own > most)
    fail_argument(ErrorKind::value, "rank-mismatch", "segment_ids",
                  most == 1 ? "rank 1"
                            : "rank from 1 to " + std::to_string(most) + ", without a dim of heads",
                  describe(segments));
  segments = with_ones(b, segments, 0, most - own);
  segments = with_ones(b, segments, most - 1, rank - most);
  Shape target(result.begin(), result.end() - 2);
  target.push_back(length);
  return repeat_to(b, segments, target, target.size() - 1, "segment_ids");
}

Window window_of(const Attention& options) {
  Window window = options.window;
  for (std::optional<int64_t> side : {window.left, window.right})
    if (side.value_or(0) < 0)
      fail_argument(ErrorKind::value, "bad-window", "window", "numbers of keys >= 0",
                    std::to_string(*side));
  if (options.causal)
    window.right = 0; // no more than any
  return window;
}

/// 1 / sqrt(d), rounded after each of the two.
Value default_scale(Builder& b, const Extent& d, DType dtype) {
  Value root = elementwise(b, Fn::sqrt, {cast(b, extent_value(b, d), dtype)});
  return elementwise(b, Fn::divide, {weak_constant(b, 1.0, dtype), root});
}

mlir::IntegerAttr attr_of(Builder& b, std::optional<int64_t> number) {
  return number ? b.getI64IntegerAttr(*number) : mlir::IntegerAttr();
}

} // namespace

Value attention(Builder& b, Value q, Value k, Value v, const Attention& options) {
  require_matrix(q, "q");
  require_matrix(k, "k");
  require_matrix(v, "v");
  Window window = window_of(options);
  Values promoted = promote_numbers(b, {q, k, v});
  DType dtype = float_dtype(ir::dtype_of(promoted[0])), wide = wide_dtype(dtype);
  for (Value& operand : promoted)
    operand = cast(b, operand, dtype);
  Operands operands = settle(b, promoted);

  Value scale = options.scale ? weak_constant(b, *options.scale, wide)
                              : default_scale(b, ir::shape_of(operands.q).back(), wide);
  Value mask = options.mask ? settle_mask(b, options.mask, operands, wide) : nullptr;
  Value q_segments, k_segments;
  if (options.q_segments) {
    Shape shape = ir::shape_of(operands.q);
    q_segments = settle_segments(b, options.q_segments, operands.result, shape[shape.size() - 2]);
    k_segments = settle_segments(b, options.k_segments, operands.result, operands.keys);
    Values both = promote(b, {q_segments, k_segments});
    q_segments = both[0];
    k_segments = both[1];
  }
  MaskRegion visible;
  if (options.visible) {
    Shape places = operands.result;
    places.back() = operands.keys;
    Extent batches = 1;
    for (size_t dim = 0; dim + 3 < places.size(); ++dim)
      batches = batches * places[dim];
    places.push_back(batches);
    visible = options.visible(tensor_type(b, index_dtype(places), {}));
  }
  auto op =
      ir::AttentionOp::create(b, tensor_type(b, dtype, operands.result), mlir::Type(), operands.q,
                              operands.k, operands.v, scale, mask, q_segments, k_segments,
                              visible.captures, attr_of(b, window.left), attr_of(b, window.right));
  if (visible.region)
    op.getVisible().takeBody(*visible.region);
  return op.getResult();
}

} // namespace kolam::language
