// Views and convolutions whose windows lie along the axis: rings of past elements.
#include "kolam/language/creation.h"
#include "kolam/language/promotion.h"
#include "kolam/transform/stream/rules.h"

#include <numeric>

namespace kolam::transform::stream {
namespace {

/// What a row of a view's map says of the axis: result dim `dim` walks it, others move within
/// [least, least + (count - 1) apart] of it.
struct AxisOfView {
  int64_t dim = -1, least = 0, greatest = 0, apart = 0;
};

/// Of dims that walk the axis alike one as long as the sequences is that of the steps, else the
/// longest.
AxisOfView axis_of(ir::ViewOp op, int64_t operand_dim, int64_t steps) {
  space::AffineMap map = op.map();
  const space::AffineRow& row = map.rows[static_cast<size_t>(operand_dim)];
  Shape result = ir::shape_of(op.getResult());
  AxisOfView axis;
  int64_t longest = 0;
  for (auto [dim, coefficient] : llvm::enumerate(row.coefficients)) {
    const bool is_alone = llvm::all_of(llvm::enumerate(map.rows), [&](const auto& other) {
      return static_cast<int64_t>(other.index()) == operand_dim ||
             other.value().coefficients[dim] == 0;
    });
    const int64_t extent = number(op, result[dim]);
    const int64_t rank = extent == steps ? INT64_MAX : extent;
    if (coefficient == 1 && is_alone && rank > longest) {
      axis.dim = static_cast<int64_t>(dim);
      longest = rank;
    }
  }
  if (axis.dim < 0)
    refuse(op, op_and_line(op) + " reads some elements of the sequence alone, or from its end");
  axis.least = axis.greatest = number(op, row.offset);
  for (auto [dim, coefficient] : llvm::enumerate(row.coefficients)) {
    if (static_cast<int64_t>(dim) == axis.dim || coefficient == 0)
      continue;
    const int64_t reach = coefficient * (number(op, result[dim]) - 1);
    (reach < 0 ? axis.least : axis.greatest) += reach;
    axis.apart = std::gcd(axis.apart, coefficient);
  }
  axis.apart = std::max<int64_t>(axis.apart, 1);
  return axis;
}

} // namespace

void apply_rule(ir::ViewOp op, Steps& steps) {
  const Sequence& from = *steps.find(op.getOperand());
  const AxisOfView axis = axis_of(op, from.dim, steps.length());
  const int64_t count = (axis.greatest - axis.least) / axis.apart + 1;
  Sequence windows = steps.window(from, axis.apart, count);
  windows.offset = from.offset + axis.greatest;
  windows.dim = axis.dim;
  windows.length = number(op, ir::shape_of(op.getResult())[static_cast<size_t>(axis.dim)]);
  if (axis.greatest > 0)
    windows.latest = op;
  auto now =
      llvm::cast<ir::ViewOp>(resized(steps.in(Part::step), op, {windows.now}, {axis.dim}, 1));
  const auto rank = static_cast<size_t>(ir::rank_of(op.getResult()));
  Shape starts = op.getStarts().shape();
  std::vector<int64_t> coefficients(op.getCoefficients());
  const auto first = static_cast<size_t>(from.dim) * rank;
  starts[static_cast<size_t>(from.dim)] =
      (number(op, starts[static_cast<size_t>(from.dim)]) - axis.least) / axis.apart;
  for (size_t dim = 0; dim < rank; ++dim)
    coefficients[first + dim] =
        static_cast<int64_t>(dim) == axis.dim ? 1 : coefficients[first + dim] / axis.apart;
  now.setStartsAttr(ir::ExtentsAttr::of(op.getContext(), starts));
  now.setCoefficients(coefficients);
  windows.now = now.getResult();
  windows.before = windows.count_before() > 0 ? resized(steps.in(Part::initial), op, {from.before},
                                                        {axis.dim}, windows.count_before())
                                                    ->getResult(0)
                                              : Value();
  steps.set(op.getResult(), windows);
}

/// Along a dim with windows; else by the signature.
void apply_rule(ir::ConvolutionOp op, Steps& steps) {
  const Sequence* found = steps.find(op.getInput());
  const int64_t rank = ir::rank_of(op.getInput());
  if (!found || steps.find(op.getFilter()) || found->dim == 0 || found->dim == rank - 1)
    return apply_by_signature(op, steps);
  const auto at = static_cast<size_t>(found->dim - 1);
  const int64_t kernel = number(op, ir::shape_of(op.getFilter())[at]);
  const int64_t low = op.getLow()[at], high = op.getHigh()[at], apart = op.getDilation()[at];
  if (op.getStrides()[at] != 1)
    refuse(op, op_and_line(op) + " moves its window by " + std::to_string(op.getStrides()[at]) +
                   " elements of the sequence; expected 1");
  if (low < 0 || kernel == 0)
    refuse(op, op_and_line(op) +
                   " leaves out elements of the sequence; expected pads of 0 or more, and a "
                   "window of one or more");
  if (high > 0)
    require_end_behind_steps(op, *found, steps);
  Sequence padded = *found;
  if (low > 0) {
    Builder b(op.getLoc(), op->getContext());
    b.setInsertionPoint(op);
    padded = steps.padded(*found, low, zeros(b, ir::dtype_of(op.getInput()), {}));
  }
  Sequence windows = steps.window(padded, apart, kernel);
  Value filter = steps.fixed(Part::step, op.getFilter());
  auto without_pads = [&](Part part, Value input, Value of, int64_t count, int64_t dilation) {
    auto copied = llvm::cast<ir::ConvolutionOp>(
        resized(steps.in(part), op, {input, of}, {found->dim}, count));
    auto set = [&](llvm::ArrayRef<int64_t> old, int64_t value) {
      std::vector<int64_t> all(old);
      all[at] = value;
      return all;
    };
    copied.setLow(set(op.getLow(), 0));
    copied.setHigh(set(op.getHigh(), 0));
    copied.setDilation(set(op.getDilation(), dilation));
    return copied.getResult();
  };
  windows.now = without_pads(Part::step, windows.now, filter, 1, 1);
  windows.length = number(op, ir::shape_of(op.getResult())[static_cast<size_t>(found->dim)]);
  windows.before =
      windows.count_before() > 0
          ? without_pads(Part::initial, padded.before, steps.fixed(Part::initial, op.getFilter()),
                         windows.count_before(), apart)
          : Value();
  if (windows.offset > found->offset)
    windows.latest = op;
  steps.set(op.getResult(), windows);
}

} // namespace kolam::transform::stream
