// Attention along the axis with a left window: rings of keys and values, whose blocks lie as those
// of the whole.
#include "kolam/ir/attention.h"
#include "kolam/language/broadcast.h"
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/identity.h"
#include "kolam/language/index.h"
#include "kolam/language/promotion.h"
#include "kolam/transform/stream/rules.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::transform::stream {
namespace {

/// The keys and values that a query of step t sees, and which.
class KeyRings {
public:
  KeyRings(ir::AttentionOp op, int64_t offset, Steps& steps)
      : op_(op), steps_(steps), b_(steps.in(Part::step)), left_(*op.getLeft()),
        rows_(((left_ + ir::kAttentionKeys - 1) / ir::kAttentionKeys + 1) * ir::kAttentionKeys) {
    at_ = steps.element_number(offset);
    Value first = arithmetic(Fn::maximum, arithmetic(Fn::subtract, at_, left_), 0);
    block_ = arithmetic(Fn::multiply, arithmetic(Fn::floor_divide, first, ir::kAttentionKeys),
                        ir::kAttentionKeys);
  }

  /// The blocks that the window touches, one after the other: each element is written twice, so
  /// that they are.
  Value rows(const Sequence& sequence, const char* what) {
    Shape shape = ir::shape_of(sequence.now), seen = shape;
    const auto dim = static_cast<size_t>(sequence.dim);
    shape[dim] = 2 * rows_;
    seen[dim] = rows_;
    Builder& initial = steps_.in(Part::initial);
    Value ring = steps_.state(zeros(initial, ir::dtype_of(sequence.now), shape),
                              std::string(what) + " of " + op_and_line(op_));
    Value place = arithmetic(Fn::remainder, at_, rows_);
    Value held = ring;
    for (Value start : {place, arithmetic(Fn::add, place, rows_)})
      held = language::dynamic_update_slice(b_, held, sequence.now, starts(shape, dim, start));
    steps_.set_next(ring, held);
    return language::dynamic_slice(
        b_, held, starts(shape, dim, arithmetic(Fn::remainder, block_, rows_)), seen);
  }

  /// Which of these rows the query sees: bool [1..., rows].
  Value mask(int64_t rank) {
    Shape shape(static_cast<size_t>(rank), 1);
    shape.back() = rows_;
    Value key = language::elementwise(b_, Fn::add,
                                      {language::iota(b_, shape, rank - 1, DType::i64), block_});
    Value from =
        language::elementwise(b_, Fn::greater_equal, {key, arithmetic(Fn::subtract, at_, left_)});
    Value to =
        language::elementwise(b_, Fn::less_equal, {key, arithmetic(Fn::add, at_, *op_.getRight())});
    return language::elementwise(b_, Fn::logical_and, {from, to});
  }

  /// The elements for these rows of a mask's row: of [..., 1, n] the places of its keys.
  Value columns(Value row, int64_t rank) {
    Shape shape = ir::shape_of(row);
    const auto last = static_cast<size_t>(rank - 1);
    const int64_t keys = number(op_, shape[last]);
    if (keys == 1)
      return row;
    steps_.end_after(keys, op_and_line(op_) + " has a mask of " + std::to_string(keys) + " keys");
    shape[last] = rows_; // behind its last key, which the window hides
    Value rest = zeros(b_, ir::dtype_of(row), shape);
    return language::dynamic_slice(b_, language::concat(b_, {row, rest}, rank - 1),
                                   starts(shape, last, block_), shape);
  }

  /// What a function of places counts from: the query, and the first of these rows.
  Values places() { return {at_, block_}; }

private:
  Value arithmetic(Fn fn, Value x, int64_t y) {
    return language::elementwise(b_, fn, {x, language::integer_constant(b_, y, DType::i64)});
  }
  Values starts(const Shape& shape, size_t dim, Value start) {
    return starts_at(b_, static_cast<int64_t>(shape.size()), static_cast<int64_t>(dim), start);
  }

  ir::AttentionOp op_;
  Steps& steps_;
  Builder& b_;
  int64_t left_, rows_;
  Value at_, block_; ///< the number of the query; the first key of its first block
};

/// The function of places of `op`, whose places count from captures.
void see_from(ir::AttentionOp made, ir::AttentionOp op, const Values& places, Steps& steps) {
  Builder& b = steps.in(Part::step);
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(made);
  for (Value capture : op.getCaptures())
    made.getCapturesMutable().append(steps.fixed(Part::step, capture));
  mlir::IRMapping map;
  op.getVisible().cloneInto(&made.getVisible(), map);
  mlir::Block& body = made.getVisible().front();
  for (auto [number, place] : llvm::enumerate(places)) {
    Value counted = body.getArgument(static_cast<unsigned>(2 + number)); // query, key
    Value start = language::cast(b, place, ir::dtype_of(counted));
    made.getCapturesMutable().append(start);
    Value first = body.addArgument(start.getType(), op.getLoc());
    mlir::OpBuilder::InsertionGuard inner(b);
    b.setInsertionPointToStart(&body);
    auto whole =
        ir::ElementwiseOp::create(b, counted.getType(), "add", mlir::ValueRange{counted, first});
    counted.replaceAllUsesExcept(whole.getResult(), whole);
  }
}

} // namespace

/// What goes with queries or keys, as a sequence along `dim`.
Sequence aligned(Value value, int64_t dim, int64_t offset, Steps& steps) {
  const Sequence* found = steps.find(value);
  return found ? steps.at_offset(*found, offset) : steps.rows(value, dim, offset);
}

/// The mask's elements for a query and the rows that it sees, none without one.
Value seen_mask(ir::AttentionOp op, int64_t offset, KeyRings& rings, Steps& steps) {
  const int64_t rank = ir::rank_of(op.getQ());
  Value mask = op.getMask();
  const Sequence* found = steps.find(mask);
  const Shape shape = ir::shape_of(mask);
  const bool has_queries = !(shape[static_cast<size_t>(rank - 2)] == Extent(1)),
             has_keys = !(shape[static_cast<size_t>(rank - 1)] == Extent(1));
  if (found && found->dim != (has_queries ? rank - 2 : rank - 1))
    refuse(op, op_and_line(op) + " has a mask that comes step by step along keys, for queries of "
                                 "all steps; expected one row for each step, or one row in all");
  if (has_queries)
    return rings.columns(aligned(mask, rank - 2, offset, steps).now, rank);
  if (has_keys)
    return rings.rows(aligned(mask, rank - 1, offset, steps), "mask");
  return steps.fixed(Part::step, mask);
}

/// Whether a key takes part, and what is added to its score where that is said.
Value both(Builder& b, Value window, Value mask) {
  const DType dtype = ir::dtype_of(mask);
  if (dtype == DType::boolean)
    return language::elementwise(b, Fn::logical_and, {window, mask});
  return language::elementwise(b, Fn::where,
                               {window, mask, language::identity(b, Fn::maximum, dtype)});
}

/// Where queries, keys and values come step by step. Batches of them go through by the signature.
void apply_rule(ir::AttentionOp op, Steps& steps) {
  const int64_t rank = ir::rank_of(op.getQ());
  auto comes_by_rows = [&](Value value) {
    const Sequence* found = steps.find(value);
    return found && found->dim == rank - 2;
  };
  const bool keys = comes_by_rows(op.getK()), values = comes_by_rows(op.getV());
  if (!keys && !values) {
    if (comes_by_rows(op.getQ()) && (op.getLeft() || op.getRight() || !op.getVisible().empty()))
      refuse(op, op_and_line(op) + " masks keys that do not come step by step by their places; "
                                   "expected a mask array or none");
    return apply_by_signature(op, steps);
  }
  if (op.getLse())
    refuse(op, op_and_line(op) +
                   " keeps what its derivative reads of all steps; expected attention "
                   "of which no derivative is taken");
  if (!comes_by_rows(op.getQ()) || !keys || !values)
    refuse(op, op_and_line(op) + " attends to keys or values of all steps; expected queries, keys "
                                 "and values that all come step by step");
  if (op.getRight().value_or(1) > 0)
    refuse(op, op_and_line(op) +
                   " looks ahead; expected causal attention (causal=True, or a window "
                   "whose right side is 0)");
  if (!op.getLeft())
    refuse(op, op_and_line(op) + " attends to all keys before; expected a left window "
                                 "(window=(n, 0))");
  Sequence parts[] = {*steps.find(op.getQ()), *steps.find(op.getK()), *steps.find(op.getV())};
  const Sequence* last = &parts[0];
  for (const Sequence& part : parts)
    if (part.offset > last->offset)
      last = &part;
  for (Value beside : {op.getMask(), op.getQSegments(), op.getKSegments()})
    if (const Sequence* found = beside ? steps.find(beside) : nullptr)
      if (found->offset > last->offset)
        last = found;
  const int64_t offset = std::max<int64_t>(last->offset, 0);
  mlir::Operation* latest = last->latest;
  for (Sequence& part : parts)
    part = steps.at_offset(part, offset);
  KeyRings rings(op, offset, steps);
  Value seen_keys = rings.rows(parts[1], "keys"), seen_values = rings.rows(parts[2], "values");
  Builder& b = steps.in(Part::step);
  Value mask = rings.mask(rank), query_segments, key_segments;
  if (op.getMask())
    mask = both(b, mask, seen_mask(op, offset, rings, steps));
  if (op.getQSegments()) {
    query_segments = aligned(op.getQSegments(), rank - 2, offset, steps).now;
    key_segments = rings.rows(aligned(op.getKSegments(), rank - 2, offset, steps), "key segments");
  }
  Shape result = ir::shape_of(op.getResult());
  result[static_cast<size_t>(rank - 2)] = 1;
  auto made = ir::AttentionOp::create(
      b, ir::tensor_type(b.getContext(), ir::dtype_of(op.getResult()), result), mlir::Type(),
      parts[0].now, seen_keys, seen_values, steps.fixed(Part::step, op.getScale()), mask,
      query_segments, key_segments, mlir::ValueRange(), mlir::IntegerAttr(), mlir::IntegerAttr());
  if (!op.getVisible().empty())
    see_from(made, op, rings.places(), steps);
  Sequence attended = parts[0];
  attended.now = made.getResult();
  attended.latest = latest;
  steps.set(op.getResult(), attended);
}

} // namespace kolam::transform::stream
