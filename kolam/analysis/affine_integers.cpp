// Follows integers from the results of ops to what they are computed from.
#include "kolam/analysis/affine_integers.h"

#include "kolam/ir/ops.h"
#include "kolam/ir/types.h"
#include "kolam/support/checked.h"
#include "kolam/support/elementwise.h"
#include "kolam/support/error.h"

#include <algorithm>
#include <limits>

namespace kolam::analysis {
namespace {

using mlir::Value;
using space::AffineMap;
using space::AffineRow;

/// Bounds: what a row's numbers may be, so that their sums are numbers of 64 bits.
constexpr int64_t kMostCoefficient = int64_t{1} << 31, kMostOffset = int64_t{1} << 48;
/// Bound: ops that are looked at for one tensor. An op with two readers is looked at twice.
constexpr int kMostSteps = 200;

bool is_not_negative(const Extent& extent) { return max(extent, Extent(0)) == extent; }

std::optional<int64_t> number_of(const std::optional<AffineRow>& row) {
  return row && space::is_constant(*row) ? row->offset.constant() : std::nullopt;
}

/// The first point of a dim from which on something that was not decided may be.
struct Cut {
  size_t dim;
  int64_t place;
};

class Integers {
public:
  /// Of points in [0, shape).
  explicit Integers(const Shape& shape) : shape_(shape) {}

  /// Where points part that were asked about together, first of all.
  const std::optional<Cut>& cut() const { return cut_; }

  /// value[at(point)]; `at` is affine, and inside.
  std::optional<AffineRow> row(Value value, AffineMap at) {
    if (++steps_ > kMostSteps || !is_integer(ir::dtype_of(value)))
      return std::nullopt;
    for (auto [place, extent] : llvm::zip(at.rows, ir::shape_of(value)))
      if (extent == Extent(1))
        place = number(Extent(0));
    std::optional<AffineRow> found = find(value, at);
    return found && fits(*found, ir::dtype_of(value)) ? found : std::nullopt;
  }

  /// Where the gather reads its operand for the element at(point) of its result.
  std::optional<AffineMap> places(ir::GatherOp op, const AffineMap& at) {
    const auto batch_rank = static_cast<size_t>(ir::rank_of(op.getIndices()) - 1);
    const auto batched = static_cast<size_t>(op.getBatchedDims());
    Shape extents = ir::shape_of(op.getOperand());
    AffineMap places{at.input_rank, {at.rows.begin(), at.rows.begin() + batched}};
    places.rows.insert(places.rows.end(), at.rows.begin() + batch_rank, at.rows.end());
    for (auto [column, dim, length] : llvm::enumerate(op.getDims(), op.getLengths())) {
      AffineMap index{at.input_rank, {at.rows.begin(), at.rows.begin() + batch_rank}};
      index.rows.push_back(number(static_cast<int64_t>(column)));
      std::optional<AffineRow> start = row(op.getIndices(), index);
      if (start && op.getMode() != "promise")
        start = inside(*start, extents[batched + dim] - Extent(length), op.getMode() == "clip");
      if (!start)
        return std::nullopt;
      AffineRow& place = places.rows[batched + dim];
      place = sum(place, *start);
    }
    return places;
  }

private:
  AffineRow number(const Extent& extent) const {
    return {std::vector<int64_t>(shape_.size()), extent};
  }
  static AffineRow sum(AffineRow x, const AffineRow& y, int64_t times = 1) {
    for (auto [to, from] : llvm::zip(x.coefficients, y.coefficients))
      to += times * from;
    x.offset = x.offset + Extent(times) * y.offset;
    return x;
  }
  Extent least(const AffineRow& row) const { return end(row, true); }
  Extent greatest(const AffineRow& row) const { return end(row, false); }
  Extent end(const AffineRow& row, bool is_least) const {
    Extent end = row.offset;
    for (auto [coefficient, extent] : llvm::zip(row.coefficients, shape_))
      if (coefficient != 0 && (coefficient < 0) == is_least)
        end = end + Extent(coefficient) * (extent - Extent(1));
    return end;
  }
  bool lies_in(const AffineRow& row, const Extent& last) const {
    return is_not_negative(least(row)) && is_not_negative(last - greatest(row));
  }

  /// Says that points of a dim up to where the row reaches the bound differ from those behind.
  void cut_where_reached(const AffineRow& row, int64_t bound) {
    const std::optional<int64_t> offset = row.offset.constant();
    auto moves = [](int64_t coefficient) { return coefficient != 0; };
    auto moving = std::ranges::find_if(row.coefficients, moves);
    if (cut_ || !offset || std::abs(bound) > kMostOffset ||
        std::ranges::count_if(row.coefficients, moves) != 1)
      return;
    const auto dim = static_cast<size_t>(moving - row.coefficients.begin());
    const int64_t place = *moving > 0 ? ceil_divide(bound - *offset, *moving)
                                      : floor_divide(*offset - bound, -*moving) + 1;
    const std::optional<int64_t> extent = shape_[dim].constant();
    if (extent && place > 0 && place < *extent)
      cut_ = Cut{dim, place};
  }
  /// The same at both ends of [0, last].
  void cut_at_ends(const AffineRow& row, const Extent& last) {
    cut_where_reached(row, 0);
    if (std::optional<int64_t> end = last.constant())
      cut_where_reached(row, *end + 1);
  }

  /// Where windows start that lie in [0, last], or are moved there where the mode says so.
  std::optional<AffineRow> inside(const AffineRow& start, const Extent& last, bool is_clipped) {
    if (lies_in(start, last))
      return start;
    if (is_clipped && is_not_negative(Extent(0) - greatest(start)))
      return number(Extent(0));
    if (is_clipped && is_not_negative(least(start) - last))
      return number(last);
    cut_at_ends(start, last);
    return std::nullopt;
  }

  /// Whether the numbers are those of the dtype: nothing wrapped.
  bool fits(const AffineRow& row, DType dtype) const {
    for (int64_t coefficient : row.coefficients)
      if (std::abs(coefficient) > kMostCoefficient)
        return false;
    if (std::abs(row.offset.constant().value_or(0)) > kMostOffset)
      return false;
    const bool is_signed = is_signed_integer(dtype);
    if (!is_signed && !is_not_negative(least(row)))
      return false;
    if (byte_width(dtype) == 8)
      return true; // extents are far below 2^63
    const int64_t most = (int64_t{1} << (8 * byte_width(dtype) - (is_signed ? 1 : 0))) - 1;
    const int64_t lowest = is_signed ? -most - 1 : 0;
    return least(row).constant().value_or(lowest - 1) >= lowest &&
           greatest(row).constant().value_or(most + 1) <= most;
  }

  /// row floordiv divisor, where that is affine: the rest of all terms stays below the divisor.
  std::optional<AffineRow> quotient(const AffineRow& row, int64_t divisor) {
    std::optional<int64_t> offset = row.offset.constant();
    if (divisor < 1 || !offset)
      return std::nullopt;
    AffineRow result = number(Extent(0)), rest = row;
    for (auto [to, coefficient] : llvm::zip(result.coefficients, rest.coefficients)) {
      if (coefficient % divisor != 0)
        continue;
      to = coefficient / divisor;
      coefficient = 0;
    }
    const int64_t whole = floor_divide(*offset, divisor);
    result.offset = Extent(whole);
    rest.offset = Extent(*offset - whole * divisor);
    if (lies_in(rest, Extent(divisor - 1)))
      return result;
    cut_at_ends(rest, Extent(divisor - 1));
    return std::nullopt;
  }
  std::optional<AffineRow> remainder(const AffineRow& row, int64_t divisor) {
    std::optional<AffineRow> whole = quotient(row, divisor);
    return whole ? std::optional(sum(row, *whole, -divisor)) : std::nullopt;
  }
  /// The same row without divisions.
  std::optional<AffineRow> settled(const AffineRow& row) {
    std::optional<AffineRow> result = AffineRow{row.coefficients, row.offset};
    if (row.divisor != 1)
      result = quotient(*result, row.divisor);
    if (result && row.modulus != 0)
      result = remainder(*result, row.modulus);
    return result;
  }
  /// Of a view, where its operand holds the element at(point).
  std::optional<AffineMap> shown(mlir::Operation* op, const AffineMap& at) {
    if (ir::facts_of(op).view != ir::View::by_map)
      return std::nullopt;
    space::Signature signature = llvm::cast<ir::SignedOp>(op).signature();
    const space::Operand& operand = signature.operands[0];
    if (operand.indirect)
      return std::nullopt;
    AffineMap result{at.input_rank, {}};
    for (const AffineRow& row : operand.projection.map.rows) {
      std::optional<AffineRow> composed = space::compose_row(row, at);
      std::optional<AffineRow> whole = composed ? settled(*composed) : std::nullopt;
      if (!whole)
        return std::nullopt;
      result.rows.push_back(*whole);
    }
    return result;
  }

  std::optional<AffineRow> find(Value value, const AffineMap& at) {
    mlir::Operation* op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    if (auto iota = llvm::dyn_cast<ir::IotaOp>(op))
      return at.rows[iota.getDim()];
    if (auto extent = llvm::dyn_cast<ir::ExtentOp>(op))
      return number(*Extent::parse(extent.getExpression()));
    if (auto constant = llvm::dyn_cast<ir::ConstantOp>(op))
      return of_constant(constant, at);
    if (auto cast = llvm::dyn_cast<ir::CastOp>(op))
      return row(cast.getOperand(), at);
    if (auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op))
      return of_elementwise(elementwise, at);
    if (auto gather = llvm::dyn_cast<ir::GatherOp>(op)) {
      std::optional<AffineMap> read = places(gather, at);
      return read ? row(gather.getOperand(), *read) : std::nullopt;
    }
    if (auto concat = llvm::dyn_cast<ir::ConcatOp>(op))
      return of_concat(concat, at);
    std::optional<AffineMap> read = shown(op, at);
    return read ? row(op->getOperand(0), *read) : std::nullopt;
  }

  /// All points read one of the operands, in front of which the extents are numbers.
  std::optional<AffineRow> of_concat(ir::ConcatOp op, const AffineMap& at) {
    AffineMap rest = at;
    AffineRow& place = rest.rows[op.getDim()];
    for (Value operand : op.getOperands()) {
      const Extent extent = ir::shape_of(operand)[op.getDim()];
      if (lies_in(place, extent - Extent(1)))
        return row(operand, rest);
      if (!extent.is_constant() || !is_not_negative(least(place) - extent)) {
        cut_at_ends(place, extent - Extent(1));
        return std::nullopt;
      }
      place.offset = place.offset - extent;
    }
    return std::nullopt;
  }

  /// Numbers that grow by equal steps along each dim.
  std::optional<AffineRow> of_constant(ir::ConstantOp op, const AffineMap& at) {
    auto elements = llvm::dyn_cast<mlir::DenseIntElementsAttr>(op.getValue());
    if (!elements || elements.empty())
      return std::nullopt;
    const bool is_signed = is_signed_integer(ir::dtype_of(op.getResult()));
    auto as_number = [&](const llvm::APInt& bits) {
      return is_signed ? bits.getSExtValue() : static_cast<int64_t>(bits.getZExtValue());
    };
    if (elements.isSplat())
      return number(Extent(as_number(elements.getSplatValue<llvm::APInt>())));
    llvm::ArrayRef<int64_t> extents = elements.getType().getShape();
    auto numbers = elements.getValues<llvm::APInt>();
    const int64_t first = as_number(*numbers.begin());
    AffineRow row = number(Extent(first));
    std::vector<int64_t> steps(extents.size());
    int64_t apart = 1;
    for (size_t dim = extents.size(); dim-- > 0; apart *= extents[dim]) {
      if (extents[dim] > 1 &&
          llvm::SubOverflow(as_number(numbers[static_cast<size_t>(apart)]), first, steps[dim]))
        return std::nullopt;
      if (steps[dim] > kMostCoefficient || steps[dim] < -kMostCoefficient)
        return std::nullopt;
      row = sum(row, at.rows[dim], steps[dim]);
    }
    for (auto [place, bits] : llvm::enumerate(numbers)) {
      int64_t meant = first, rest = static_cast<int64_t>(place);
      for (size_t dim = extents.size(); dim-- > 0; rest /= extents[dim])
        if (llvm::AddOverflow(meant, steps[dim] * (rest % extents[dim]), meant))
          return std::nullopt;
      if (as_number(bits) != meant)
        return std::nullopt;
    }
    return row;
  }

  std::optional<AffineRow> of_elementwise(ir::ElementwiseOp op, const AffineMap& at) {
    const std::optional<Fn> fn = parse_fn(op.getFunction());
    if (fn == Fn::where) {
      std::optional<bool> known = truth(op.getOperand(0), at);
      return known ? row(op.getOperand(*known ? 1 : 2), at) : std::nullopt;
    }
    std::optional<AffineRow> x = row(op.getOperand(0), at), y;
    if (!x)
      return std::nullopt;
    if (fn == Fn::negative)
      return sum(number(Extent(0)), *x, -1);
    if (op.getNumOperands() != 2 || !(y = row(op.getOperand(1), at)))
      return std::nullopt;
    if (fn == Fn::add)
      return sum(*x, *y);
    if (fn == Fn::subtract)
      return sum(*x, *y, -1);
    if (fn == Fn::maximum || fn == Fn::minimum) {
      AffineRow difference = sum(*x, *y, -1);
      const bool is_above = is_not_negative(least(difference)),
                 is_below = is_not_negative(Extent(0) - greatest(difference));
      if (!is_above && !is_below) {
        cut_where_reached(difference, 0);
        return std::nullopt;
      }
      return is_above == (fn == Fn::maximum) ? x : y;
    }
    if (fn == Fn::multiply && !number_of(y))
      std::swap(x, y);
    std::optional<int64_t> factor = number_of(y);
    if (!factor || std::abs(*factor) > kMostCoefficient)
      return std::nullopt;
    if (fn == Fn::multiply)
      return sum(number(Extent(0)), *x, *factor);
    if (fn == Fn::floor_divide)
      return quotient(*x, *factor);
    if (fn == Fn::remainder)
      return remainder(*x, *factor);
    return std::nullopt;
  }

  /// What a condition is at every point, where it is the same.
  std::optional<bool> truth(Value value, const AffineMap& at) {
    mlir::Operation* op = value.getDefiningOp();
    if (++steps_ > kMostSteps || !op)
      return std::nullopt;
    if (auto constant = llvm::dyn_cast<ir::ConstantOp>(op)) {
      auto elements = llvm::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue());
      return elements && elements.isSplat()
                 ? std::optional(!elements.getSplatValue<llvm::APInt>().isZero())
                 : std::nullopt;
    }
    if (std::optional<AffineMap> read = shown(op, at))
      return truth(op->getOperand(0), *read);
    auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op);
    const std::optional<Fn> fn = elementwise ? parse_fn(elementwise.getFunction()) : std::nullopt;
    if (fn == Fn::logical_not) {
      std::optional<bool> known = truth(op->getOperand(0), at);
      return known ? std::optional(!*known) : std::nullopt;
    }
    if (fn == Fn::logical_and || fn == Fn::logical_or) {
      const bool decides = fn == Fn::logical_or;
      std::optional<bool> x = truth(op->getOperand(0), at), y = truth(op->getOperand(1), at);
      if (x == decides || y == decides)
        return decides;
      return x && y ? std::optional(!decides) : std::nullopt;
    }
    if (fn != Fn::less && fn != Fn::less_equal && fn != Fn::greater && fn != Fn::greater_equal)
      return std::nullopt;
    std::optional<AffineRow> x = row(op->getOperand(0), at);
    std::optional<AffineRow> y = x ? row(op->getOperand(1), at) : std::nullopt;
    if (!y)
      return std::nullopt;
    if (fn == Fn::greater || fn == Fn::greater_equal)
      std::swap(x, y);
    // x < y, or x <= y.
    AffineRow above = sum(*y, *x, -1);
    const Extent more(fn == Fn::less || fn == Fn::greater ? 1 : 0);
    if (is_not_negative(least(above) - more))
      return true;
    if (is_not_negative(more - Extent(1) - greatest(above)))
      return false;
    if (std::optional<int64_t> bound = more.constant())
      cut_where_reached(above, *bound);
    return std::nullopt;
  }

  Shape shape_;
  int steps_ = 0;
  std::optional<Cut> cut_;
};

class Boxes {
public:
  explicit Boxes(ir::GatherOp op) : op_(op) {}

  /// Of a box of the result; whole ones and cuts that are next to each other along one dim are
  /// parts of one box.
  std::optional<AffineBox> of(Shape starts, Shape shape) {
    AffineMap at = space::identity_map(static_cast<int>(shape.size()));
    for (auto [row, start] : llvm::zip(at.rows, starts))
      row.offset = start;
    Integers integers(shape);
    if (std::optional<AffineMap> places = integers.places(op_, at))
      return ++boxes_ <= kMostAffineBoxes ? std::optional(AffineBox{shape, *places, -1, {}})
                                          : std::nullopt;
    const std::optional<Cut> cut = integers.cut();
    if (!cut || ++cuts_ >= kMostAffineBoxes)
      return std::nullopt;
    AffineBox whole{shape, {}, static_cast<int64_t>(cut->dim), {}};
    const Extent place(cut->place), extent = shape[cut->dim];
    for (bool is_first : {true, false}) {
      shape[cut->dim] = is_first ? place : extent - place;
      std::optional<AffineBox> part = of(starts, shape);
      if (!part)
        return std::nullopt;
      if (part->dim == whole.dim)
        llvm::append_range(whole.parts, part->parts);
      else
        whole.parts.push_back(*part);
      starts[cut->dim] = starts[cut->dim] + place;
    }
    return whole;
  }

private:
  ir::GatherOp op_;
  int boxes_ = 0, cuts_ = 0;
};

} // namespace

std::optional<AffineMap> affine_places(mlir::Operation* op) {
  auto gather = llvm::dyn_cast<ir::GatherOp>(op);
  if (!gather)
    return std::nullopt;
  Shape shape = ir::shape_of(gather.getResult());
  try {
    return Integers(shape).places(gather, space::identity_map(static_cast<int>(shape.size())));
  } catch (const Error&) { // extents beyond 64 bits
    return std::nullopt;
  }
}

std::optional<AffineBox> affine_boxes(mlir::Operation* op) {
  auto gather = llvm::dyn_cast<ir::GatherOp>(op);
  if (!gather)
    return std::nullopt;
  Shape shape = ir::shape_of(gather.getResult());
  try {
    return Boxes(gather).of(Shape(shape.size(), Extent(0)), shape);
  } catch (const Error&) { // extents beyond 64 bits
    return std::nullopt;
  }
}

} // namespace kolam::analysis
