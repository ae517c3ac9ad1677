// Follows numbers to those of loops and extents.
#include "kolam/lower/ranges.h"

#include "kolam/support/error.h"

#include "llvm/Support/MathExtras.h"

namespace kolam::lower {
namespace {

constexpr int kMostSteps = 8; // bound: of sums of sums

std::optional<int64_t> number_of(mlir::Value value) {
  auto constant = value.getDefiningOp<mlir::arith::ConstantIntOp>();
  return constant ? std::optional(constant.value()) : std::nullopt;
}

NumberRange times(const NumberRange& x, int64_t factor) {
  Extent by(factor);
  NumberRange result{x.least * by, x.most * by, x.step * factor};
  if (factor < 0)
    std::swap(result.least, result.most);
  return result;
}

NumberRange sum(const NumberRange& x, const NumberRange& y) {
  return {x.least + y.least, x.most + y.most, x.step + y.step};
}

/// The quotient by a positive number, or the remainder, of a number that is not below zero.
std::optional<NumberRange> divided(const NumberRange& x, int64_t by, bool is_quotient) {
  auto least = x.least.constant(), most = x.most.constant();
  if (by <= 0 || x.step != 0 || !least || !most || *least < 0)
    return std::nullopt;
  if (is_quotient)
    return NumberRange{*least / by, *most / by};
  return *most < by ? x : NumberRange{0, by - 1};
}

/// The range of a number of fewer than 64 bits; nullopt where it may not have as many.
std::optional<NumberRange> held(std::optional<NumberRange> range, mlir::Type type) {
  const unsigned bits = type.getIntOrFloatBitWidth();
  if (!range || bits >= 64)
    return range;
  auto least = range->least.constant(), most = range->most.constant();
  const bool fits = least && most && *least >= llvm::minIntN(bits) && *most <= llvm::maxIntN(bits);
  return fits ? range : std::nullopt;
}

} // namespace

std::optional<NumberRange> Ranges::of(mlir::Value number) const {
  try {
    return follow(number, 0);
  } catch (const Error&) { // numbers beyond 64 bits
    return std::nullopt;
  }
}

std::optional<NumberRange> Ranges::of(mlir::Value base, int64_t step, int64_t lanes) const {
  std::optional<NumberRange> range = of(base);
  if (!range || range->step == step || step == 0)
    return range;
  if (range->step != 0)
    return std::nullopt;
  try {
    Extent last = Extent(step) * Extent(lanes - 1);
    (step < 0 ? range->least : range->most) = (step < 0 ? range->least : range->most) + last;
    range->step = step;
    return range;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<NumberRange> Ranges::follow(mlir::Value number, int depth) const {
  return held(follow_unheld(number, depth), mlir::getElementTypeOrSelf(number));
}

std::optional<NumberRange> Ranges::follow_unheld(mlir::Value number, int depth) const {
  if (auto found = known_.find(number); found != known_.end())
    return found->second;
  if (auto constant = number_of(number))
    return NumberRange{*constant, *constant};
  mlir::Operation* op = number.getDefiningOp();
  if (!op || depth == kMostSteps)
    return std::nullopt;
  const bool is_sum = llvm::isa<mlir::arith::AddIOp>(op);
  if (is_sum || llvm::isa<mlir::arith::SubIOp>(op)) {
    auto x = follow(op->getOperand(0), depth + 1), y = follow(op->getOperand(1), depth + 1);
    return x && y ? std::optional(sum(*x, is_sum ? *y : times(*y, -1))) : std::nullopt;
  }
  if (llvm::isa<mlir::arith::TruncIOp, mlir::arith::ExtSIOp>(op))
    return follow(op->getOperand(0), depth + 1);
  if (llvm::isa<mlir::arith::MulIOp>(op))
    for (int side : {0, 1})
      if (auto factor = number_of(op->getOperand(side)))
        if (auto x = follow(op->getOperand(1 - side), depth + 1))
          return times(*x, *factor);
  if (llvm::isa<mlir::arith::DivSIOp, mlir::arith::RemSIOp>(op)) {
    auto x = follow(op->getOperand(0), depth + 1);
    auto by = number_of(op->getOperand(1));
    return x && by ? divided(*x, *by, llvm::isa<mlir::arith::DivSIOp>(op)) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<bool> is_less(const NumberRange& x, const NumberRange& y) {
  try {
    if (auto most = (x.most - y.least).constant(); most && *most < 0)
      return true;
    if (auto least = (x.least - y.most).constant(); least && *least >= 0)
      return false;
  } catch (const Error&) { // numbers beyond 64 bits
  }
  return std::nullopt;
}

} // namespace kolam::lower
