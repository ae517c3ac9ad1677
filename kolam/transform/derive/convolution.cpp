// Convolutions: input and filter from the other and the result.
#include "kolam/ir/ops.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/contract.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/pad.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/language/reverse.h"
#include "kolam/language/slice.h"
#include "kolam/language/transpose.h"
#include "kolam/transform/derive/placing.h"
#include "kolam/transform/derive/rules.h"

namespace kolam::transform::derive {
namespace {

/// A convolution's dims: n, spatial dims, channels; by numbers.
struct Sizes {
  Sizes(ir::ConvolutionOp op)
      : rank(op.getStrides().size()), strides(op.getStrides()), dilation(op.getDilation()),
        low(op.getLow()), groups(static_cast<int64_t>(op.getGroups())) {
    for (size_t dim = 0; dim < rank; ++dim) {
      window.push_back(number(op, ir::shape_of(op.getFilter())[dim]));
      input.push_back(number(op, ir::shape_of(op.getInput())[dim + 1]));
      result.push_back(number(op, ir::shape_of(op.getResult())[dim + 1]));
    }
  }
  static int64_t number(ir::ConvolutionOp op, const Extent& extent) {
    if (auto known = extent.constant())
      return *known;
    refuse(op, "expected windows and spatial dims whose extents are numbers, but got " +
                   extent.to_string());
  }
  int64_t taps() const {
    int64_t count = 1;
    for (int64_t extent : window)
      count *= extent;
    return count;
  }

  size_t rank;
  llvm::ArrayRef<int64_t> strides, dilation, low;
  int64_t groups;
  std::vector<int64_t> window, input, result;
};

/// x cut or filled with zeros: `before` elements in front of each spatial dim (or, negative, so
/// many fewer), up to `extents`.
Value fitted(Builder& b, Value x, llvm::ArrayRef<int64_t> before, llvm::ArrayRef<int64_t> extents) {
  std::vector<PadWidth> widths(static_cast<size_t>(ir::rank_of(x)), PadWidth{0, 0});
  for (size_t dim = 0; dim < extents.size(); ++dim) {
    const auto axis = static_cast<int64_t>(dim) + 1;
    int64_t own = *ir::shape_of(x)[axis].constant();
    if (int64_t cut = std::min(std::max<int64_t>(-before[dim], 0), own)) {
      x = language::slice_dim(b, x, axis, cut, own - cut);
      own -= cut;
    }
    const int64_t front = std::clamp<int64_t>(before[dim], 0, extents[dim]);
    if (own > extents[dim] - front) {
      own = std::max<int64_t>(extents[dim] - front, 0);
      x = language::slice_dim(b, x, axis, 0, own);
    }
    widths[axis] = {front, extents[dim] - front - own};
  }
  return language::pad(b, x, widths, "constant", language::weak_constant(b, 0.0, ir::dtype_of(x)));
}

/// v with zeros between, as far apart as windows are.
Value spread_result(Builder& b, Value v, const Sizes& sizes) {
  for (size_t dim = 0; dim < sizes.rank; ++dim)
    if (sizes.strides[dim] != 1)
      v = put_apart(b, v, static_cast<int64_t>(dim) + 1, 0, sizes.strides[dim],
                    std::max<int64_t>((sizes.result[dim] - 1) * sizes.strides[dim] + 1, 0));
  return v;
}

/// The offsets of the window's elements, row-major.
std::vector<std::vector<int64_t>> offsets_of(const Sizes& sizes) {
  std::vector<std::vector<int64_t>> offsets(1);
  for (size_t dim = 0; dim < sizes.rank; ++dim) {
    std::vector<std::vector<int64_t>> longer;
    for (const auto& offset : offsets)
      for (int64_t k = 0; k < sizes.window[dim]; ++k) {
        longer.push_back(offset);
        longer.back().push_back(k);
      }
    offsets = std::move(longer);
  }
  return offsets;
}

/// The last dim, channels, as groups and the channels of each.
Value in_groups(Builder& b, Value x, int64_t groups) {
  Shape shape = ir::shape_of(x);
  shape.back() = floordiv(shape.back(), groups);
  shape.insert(shape.end() - 1, groups);
  return reshaped(b, x, shape);
}

std::string spatial_letters(size_t rank) { return std::string("uvwxyz").substr(0, rank); }

/// filter~[k, c, o] = sum over n, then y, of input[n, strides y + dilation k - low, c] v[n, y, o]:
/// a product for each k.
Value filter_of(ir::ConvolutionOp op, Builder& b, Value input, Value v) {
  Sizes sizes(op);
  std::vector<int64_t> reach;
  for (size_t dim = 0; dim < sizes.rank; ++dim)
    reach.push_back(std::max<int64_t>((sizes.result[dim] - 1) * sizes.strides[dim], 0) +
                    (sizes.window[dim] - 1) * sizes.dilation[dim] + 1);
  DType factors = language::promote(ir::dtype_of(input), ir::dtype_of(v));
  Value padded = language::cast(b, fitted(b, input, sizes.low, reach), factors);
  Value by_group = in_groups(b, language::cast(b, v, factors), sizes.groups);
  const std::string y = spatial_letters(sizes.rank);
  Values parts;
  for (const std::vector<int64_t>& k : offsets_of(sizes)) {
    std::vector<SliceBox> boxes{{false, 0, ir::shape_of(padded)[0], 1}};
    for (size_t dim = 0; dim < sizes.rank; ++dim)
      boxes.push_back({false, k[dim] * sizes.dilation[dim], sizes.result[dim], sizes.strides[dim]});
    boxes.push_back({false, 0, ir::shape_of(padded).back(), 1});
    Value seen = in_groups(b, language::slice(b, padded, boxes), sizes.groups);
    parts.push_back(
        language::contract(b, seen, by_group, "n" + y + "gc,n" + y + "go->cgo", factors));
  }
  Value filter = reshaped(b, language::stack(b, parts, 0), ir::shape_of(op.getFilter()));
  return language::cast(b, filter, ir::dtype_of(op.getFilter()));
}

/// input~ as a convolution of v, spread apart, with the filter from its other end.
Value input_by_convolution(ir::ConvolutionOp op, Builder& b, Value v, Value filter) {
  Sizes sizes(op);
  std::vector<int64_t> before, extents;
  language::Axes spatial;
  for (size_t dim = 0; dim < sizes.rank; ++dim) {
    const int64_t reach = (sizes.window[dim] - 1) * sizes.dilation[dim];
    before.push_back(reach - sizes.low[dim]);
    extents.push_back(sizes.input[dim] + reach);
    spatial.push_back(static_cast<int64_t>(dim));
  }
  Value spread = fitted(b, spread_result(b, v, sizes), before, extents);
  Value flipped = language::swapaxes(b, language::flip(b, filter, spatial), -1, -2);
  const std::vector<int64_t> ones(sizes.rank, 1), none(sizes.rank, 0);
  DType factors = language::promote(ir::dtype_of(v), ir::dtype_of(filter));
  Shape shape = ir::shape_of(op.getInput());
  Value made = ir::ConvolutionOp::create(
      b, language::tensor_type(b, factors, shape), language::cast(b, spread, factors),
      language::cast(b, flipped, factors), ones, sizes.dilation, none, none, 1,
      ir::accumulate_attr(b.getContext(), language::contraction_order(shape.back())));
  return language::cast(b, made, ir::dtype_of(op.getInput()));
}

/// input~ by groups: the sum over k of what each k gives.
Value input_by_taps(ir::ConvolutionOp op, Builder& b, Value v, Value filter) {
  Sizes sizes(op);
  DType factors = language::promote(ir::dtype_of(v), ir::dtype_of(filter));
  Value by_group = in_groups(b, language::cast(b, v, factors), sizes.groups);
  Value filters = in_groups(b, language::cast(b, filter, factors), sizes.groups);
  const std::string y = spatial_letters(sizes.rank);
  Value sum;
  for (const std::vector<int64_t>& k : offsets_of(sizes)) {
    Value tap = filters;
    language::Axes gone;
    for (size_t dim = 0; dim < sizes.rank; ++dim) {
      tap = language::slice_dim(b, tap, static_cast<int64_t>(dim), k[dim], 1);
      gone.push_back(static_cast<int64_t>(dim));
    }
    tap = language::squeeze(b, tap, gone);
    Value part = language::contract(b, by_group, tap, "n" + y + "go,cgo->n" + y + "gc", factors);
    Shape joined = ir::shape_of(v);
    joined.back() = ir::shape_of(op.getInput()).back();
    part = reshaped(b, part, joined);
    std::vector<int64_t> before;
    for (size_t dim = 0; dim < sizes.rank; ++dim)
      before.push_back(k[dim] * sizes.dilation[dim] - sizes.low[dim]);
    Value put = fitted(b, spread_result(b, part, sizes), before, sizes.input);
    sum = added(b, sum, put);
  }
  if (!sum)
    return zeros(b, op.getInput().getType());
  return language::cast(b, sum, ir::dtype_of(op.getInput()));
}

} // namespace

void linearise_rule(ir::ConvolutionOp op, Linearisation& at) {
  Value sum;
  for (unsigned number : {0U, 1U}) {
    if (!at.is_active(op->getOperand(number)))
      continue;
    Value made = at.copy_linear(op, {number})->getResult(0);
    sum = added(at.linear, sum, made);
  }
  at.set_tangent(op.getResult(), sum);
}

void transpose_rule(ir::ConvolutionOp op, Transposition& at) {
  Value v = at.cotangent(op.getResult());
  if (at.is_linear(op.getInput()) && at.is_linear(op.getFilter()))
    refuse_nonlinear(op, "expected one factor that depends on the arguments, but both do");
  if (at.is_linear(op.getFilter()))
    at.add(op.getFilter(), filter_of(op, at.b, at.coefficient(op.getInput()), v));
  if (at.is_linear(op.getInput())) {
    auto make = op.getGroups() == 1 ? input_by_convolution : input_by_taps;
    at.add(op.getInput(), make(op, at.b, v, at.coefficient(op.getFilter())));
  }
}

} // namespace kolam::transform::derive
