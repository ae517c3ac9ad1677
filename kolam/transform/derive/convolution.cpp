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

#include <numeric>

namespace kolam::transform::derive {
namespace {

/// A convolution's dims: n, spatial dims, channels. Windows are numbers.
struct Sizes {
  explicit Sizes(ir::ConvolutionOp op)
      : rank(op.getStrides().size()), strides(op.getStrides()), dilation(op.getDilation()),
        low(op.getLow()), high(op.getHigh()), groups(static_cast<int64_t>(op.getGroups())) {
    for (size_t dim = 0; dim < rank; ++dim) {
      window.push_back(number(op, ir::shape_of(op.getFilter())[dim]));
      input.push_back(ir::shape_of(op.getInput())[dim + 1]);
      result.push_back(ir::shape_of(op.getResult())[dim + 1]);
    }
  }
  static int64_t number(ir::ConvolutionOp op, const Extent& extent) {
    if (auto known = extent.constant())
      return *known;
    refuse(op, "expected windows whose extents are numbers, but got " + extent.to_string());
  }
  /// How far the last element of a window lies behind its first.
  int64_t reach(size_t dim) const { return (window[dim] - 1) * dilation[dim]; }
  bool is_empty() const { return llvm::is_contained(window, 0); }

  size_t rank;
  llvm::ArrayRef<int64_t> strides, dilation, low, high;
  int64_t groups;
  std::vector<int64_t> window;
  Shape input, result;
};

/// x with zeros around its spatial dims.
Value widened(Builder& b, Value x, llvm::ArrayRef<int64_t> low, llvm::ArrayRef<int64_t> high) {
  std::vector<PadWidth> widths(static_cast<size_t>(ir::rank_of(x)), PadWidth{0, 0});
  bool adds = false;
  for (size_t dim = 0; dim < low.size(); ++dim) {
    widths[dim + 1] = {std::max<int64_t>(low[dim], 0), std::max<int64_t>(high[dim], 0)};
    adds |= low[dim] > 0 || high[dim] > 0;
  }
  if (!adds)
    return x;
  return language::pad(b, x, widths, "constant", language::weak_constant(b, 0.0, ir::dtype_of(x)));
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
  const Sizes sizes(op);
  if (sizes.is_empty())
    return zeros(b, op.getFilter().getType());
  DType factors = language::promote(ir::dtype_of(input), ir::dtype_of(v));
  Value padded = language::cast(b, widened(b, input, sizes.low, sizes.high), factors);
  Value by_group = in_groups(b, language::cast(b, v, factors), sizes.groups);
  const std::string y = spatial_letters(sizes.rank);
  Values parts;
  for (const std::vector<int64_t>& k : offsets_of(sizes)) {
    std::vector<SliceBox> boxes{{false, 0, ir::shape_of(padded)[0], 1}};
    for (size_t dim = 0; dim < sizes.rank; ++dim)
      boxes.push_back({false, k[dim] * sizes.dilation[dim] + std::max<int64_t>(-sizes.low[dim], 0),
                       sizes.result[dim], sizes.strides[dim]});
    boxes.push_back({false, 0, ir::shape_of(padded).back(), 1});
    Value seen = in_groups(b, language::slice(b, padded, boxes), sizes.groups);
    parts.push_back(
        language::contract(b, seen, by_group, "n" + y + "gc,n" + y + "go->cgo", factors));
  }
  Value filter = reshaped(b, language::stack(b, parts, 0), ir::shape_of(op.getFilter()));
  return language::cast(b, filter, ir::dtype_of(op.getFilter()));
}

/// input~[n, x, c] = sum over k row-major, then o, of v[n, y, o] filter[k, c, o], where y is
/// (x + low - dilation k) / stride if that is a whole number inside: convolutions of v from its
/// other end. See Note [Phases].
class InputOf {
public:
  InputOf(ir::ConvolutionOp op, Builder& builder, Value v, Value filter)
      : op_(op), b_(builder), sizes_(op) {
    const DType factors = language::promote(ir::dtype_of(v), ir::dtype_of(filter));
    filter = in_groups(b_, language::cast(b_, filter, factors), sizes_.groups);
    const int64_t rank = ir::rank_of(filter);
    filter = language::moveaxis(b_, filter, {rank - 1}, {rank - 3}); // k, o of a group, c, group
    filter = language::swapaxes(b_, filter, rank - 2, rank - 1);
    Shape joined = ir::shape_of(filter);
    joined[rank - 2] = joined[rank - 2] * joined[rank - 1];
    joined.pop_back();
    filter_ = reshaped(b_, filter, joined);
    for (size_t dim = 0; dim < sizes_.rank; ++dim)
      if (sizes_.window[dim] > 1)
        turned_.push_back(static_cast<int64_t>(dim) + 1);
    v_ = turned(language::cast(b_, v, factors));
  }

  Value make() {
    Value made = sizes_.is_empty() ? Value() : along(0);
    return made ? language::cast(b_, made, ir::dtype_of(op_.getInput()))
                : zeros(b_, op_.getInput().getType());
  }

private:
  /// Along one dim: which elements of the window take part, and what v gets around it.
  struct Part {
    int64_t first, step, count;
    int64_t dilation, low, high;
    Extent extent; ///< of what is made
  };

  Value turned(Value x) { return turned_.empty() ? x : language::flip(b_, x, turned_); }

  /// Of a dim whose windows move by one: the whole window, the whole input.
  Part whole(size_t dim) const {
    const int64_t reach = sizes_.reach(dim), low = sizes_.low[dim], high = sizes_.high[dim];
    Part part{0, 1, sizes_.window[dim], sizes_.dilation[dim], -low, -high, sizes_.input[dim]};
    if (sizes_.window[dim] > 1) {
      part.low = reach - high;
      part.high = reach - low;
    }
    return part;
  }

  /// Of x = stride q + phase - low, for all q that anything is added to; none for a phase that
  /// nothing is added to.
  std::optional<Part> of_phase(size_t dim, int64_t phase) const {
    const int64_t stride = sizes_.strides[dim], dilation = sizes_.dilation[dim];
    const int64_t common = std::gcd(stride, dilation), step = stride / common;
    int64_t first = 0;
    while (first < step && (first * dilation - phase) % stride != 0)
      ++first;
    if (first == step || first >= sizes_.window[dim])
      return std::nullopt;
    Part part{first, step, (sizes_.window[dim] - first + step - 1) / step, dilation / common,
              0,     0,    sizes_.result[dim] + Extent(last_of(dim))};
    const int64_t before = (first * dilation - phase) / stride; // q is y + before at least
    part.low = before;
    part.high = last_of(dim) - before;
    if (sizes_.window[dim] > 1) {
      part.low = last_of(dim) - before;
      part.high = before + part.dilation * (part.count - 1);
    }
    return part;
  }
  int64_t last_of(size_t dim) const { return sizes_.reach(dim) / sizes_.strides[dim]; }

  /// What the parts that are chosen for the dims before `dim` give, whole along `dim` and the
  /// others; null for nothing.
  Value along(size_t dim) {
    if (dim == sizes_.rank)
      return of_parts();
    if (sizes_.strides[dim] == 1) {
      parts_.push_back(whole(dim));
      Value made = along(dim + 1);
      parts_.pop_back();
      return made;
    }
    Values phases;
    Value any;
    for (int64_t phase = 0; phase < sizes_.strides[dim]; ++phase) {
      phases.emplace_back();
      std::optional<Part> part = of_phase(dim, phase);
      if (!part)
        continue;
      parts_.push_back(*part);
      phases.back() = along(dim + 1);
      parts_.pop_back();
      if (phases.back())
        any = phases.back();
    }
    if (!any)
      return any;
    for (Value& phase : phases)
      if (!phase)
        phase = zeros(b_, any.getType());
    return interleaved(dim, phases);
  }

  /// x = stride q + phase - low, for 0 <= x < the input's extent.
  Value interleaved(size_t dim, const Values& phases) {
    const auto axis = static_cast<int64_t>(dim) + 1;
    const int64_t stride = sizes_.strides[dim], low = sizes_.low[dim], high = sizes_.high[dim];
    Value all = language::stack(b_, phases, axis + 1);
    Shape shape = ir::shape_of(all);
    shape[axis] = shape[axis] * Extent(stride);
    shape.erase(shape.begin() + axis + 1);
    all = reshaped(b_, all, shape);
    std::vector<int64_t> before(sizes_.rank, 0), behind(sizes_.rank, 0);
    before[dim] = -low;
    behind[dim] = sizes_.reach(dim) - high - stride * last_of(dim);
    all = widened(b_, all, before, behind);
    return language::slice_dim(b_, all, axis, std::max<int64_t>(low, 0), sizes_.input[dim]);
  }

  Value of_parts() {
    Value filter = filter_;
    std::vector<SliceBox> boxes;
    Shape shape{ir::shape_of(v_)[0]};
    std::vector<int64_t> ones(sizes_.rank, 1), dilation, low, high;
    for (const Part& part : parts_) {
      boxes.push_back({false, part.first, part.count, part.step});
      dilation.push_back(part.dilation);
      low.push_back(part.low);
      high.push_back(part.high);
      shape.push_back(part.extent);
    }
    for (size_t dim = sizes_.rank; dim < sizes_.rank + 2; ++dim)
      boxes.push_back({false, 0, ir::shape_of(filter)[dim], 1});
    filter = language::slice(b_, filter, boxes);
    shape.push_back(ir::shape_of(op_.getInput()).back());
    return turned(ir::ConvolutionOp::create(
        b_, language::tensor_type(b_, ir::dtype_of(v_), shape), v_, filter, ones, dilation, low,
        high, sizes_.groups,
        ir::accumulate_attr(b_.getContext(), language::contraction_order(shape.back()))));
  }

  ir::ConvolutionOp op_;
  Builder& b_;
  const Sizes sizes_;
  language::Axes turned_;
  Value v_, filter_;
  std::vector<Part> parts_;
};

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
  if (at.is_linear(op.getInput()))
    at.add(op.getInput(), InputOf(op, at.b, v, at.coefficient(op.getFilter())).make());
}

// Note [Phases]
// A convolution takes its window from the first element on. Of input~ the window's elements meet v
// from its last place on: so v and what is made are turned around, and the sum goes over k from the
// first on, whatever else is done. Where windows move by more than one element, an element of the
// input meets those of the window at which x + low - dilation k is a multiple of the stride: x and
// k fall into phases, of which each is a convolution whose windows move by one. No zeros are put
// between elements of v.

} // namespace kolam::transform::derive
