// Compares starts with what they may be.
#include "kolam/transform/bounds_checks.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/scatter.h"
#include "kolam/language/window.h"
#include "kolam/transform/interpret.h"
#include "kolam/transform/line_marks.h"

namespace kolam::transform {
namespace {

using language::Builder;
using language::elementwise;
using mlir::Value;

/// Puts the op's name before the words of the check made last; a note of the op, the words of the
/// function that made it, takes their place.
void name_check(Builder& b, mlir::Operation* op) {
  auto check = llvm::cast<ir::CheckOp>(*std::prev(b.getInsertionPoint()));
  std::string note = language::note_of(op);
  const std::string words = place_of(op) + ": " + check.getMessage().str();
  check.setMessage(note.empty() ? words : note);
}

void check_start(Builder& b, mlir::Operation* op, Value start, const Extent& last) {
  // A start that int64 does not hold wraps to a negative one, which is outside too.
  start = language::cast(b, start, DType::i64);
  Value zero = language::weak_constant(b, int64_t{0}, DType::i64);
  Value above = elementwise(b, Fn::greater_equal, {start, zero});
  Value below = elementwise(b, Fn::less_equal, {start, language::extent_value(b, last)});
  language::check(b, elementwise(b, Fn::logical_and, {above, below}), "index-out-of-range",
                  "expected a start from 0 to " + last.to_string() + ", but got one outside");
  name_check(b, op);
}

/// One start per dimension.
void check_slice(Builder& b, mlir::Operation* op, mlir::ValueRange starts, const Shape& shape,
                 const Shape& window) {
  for (auto [start, extent, length] : llvm::zip(starts, shape, window))
    check_start(b, op, start, extent - length);
}

language::Axes axes(llvm::ArrayRef<int64_t> dims) { return {dims.begin(), dims.end()}; }

void check_gather(Builder& b, ir::GatherOp op) {
  if (op.getMode() == "fill" || op.getMode() == "wrap" || op.getMode() == "check")
    return;
  language::Windows windows{axes(op.getDims()), static_cast<int64_t>(op.getBatchedDims()),
                            Shape(op.getLengths().begin(), op.getLengths().end())};
  language::require_inside(b, ir::shape_of(op.getOperand()), op.getIndices(), windows);
  if (!op.getDims().empty())
    name_check(b, op);
}

void check_scatter(Builder& b, ir::ScatterOp op) {
  language::Windows windows{axes(op.getDims()), static_cast<int64_t>(op.getBatchedDims()), {}};
  Shape update = ir::shape_of(op.getUpdates().front());
  size_t batches = static_cast<size_t>(ir::rank_of(op.getIndices())) - 1;
  for (int64_t dim : op.getDims())
    windows.lengths.push_back(update[batches + static_cast<size_t>(dim)]);
  bool stays_inside = op.getDims().empty() || op.getMode() == "element" || op.getMode() == "check";
  if (!stays_inside) {
    language::require_inside(b, ir::shape_of(op.getDestinations().front()), op.getIndices(),
                             windows);
    name_check(b, op);
  }
  if (op.getUniqueIndices()) {
    language::check_unique(b, op);
    name_check(b, op);
  }
}

void check(Builder& b, ir::GatherOp op) { check_gather(b, op); }
void check(Builder& b, ir::ScatterOp op) { check_scatter(b, op); }

void check(Builder& b, ir::DynamicSliceOp op) {
  check_slice(b, op, op.getStarts(), ir::shape_of(op.getOperand()), ir::shape_of(op.getResult()));
}

void check(Builder& b, ir::DynamicUpdateSliceOp op) {
  check_slice(b, op, op.getStarts(), ir::shape_of(op.getOperand()), ir::shape_of(op.getUpdate()));
}

} // namespace

void check_bounds(Builder& b, mlir::Operation* op) {
  if (std::string note = language::note_of(op); note.starts_with(language::kMustHold))
    language::check(b, op->getResult(0), "index-out-of-range",
                    note.substr(language::kMustHold.size()));
  if (!ir::facts_of(op).checks(ir::Checked::bounds))
    return;
  auto without_rule = [](mlir::Operation* other) {
    fail(ErrorKind::internal, "internal",
         "no check of bounds for " + other->getName().getStringRef().str());
  };
  by_rule<void>(
      op, [&](auto typed) -> decltype(check(b, typed)) { return check(b, typed); }, without_rule);
}

} // namespace kolam::transform
