// Windows at places given by data, of which the axis is a dim that they cover whole.
#include "kolam/transform/stream/rules.h"

namespace kolam::transform::stream {
namespace {

/// A dim of an operand that windows of a gather or scatter cover whole, as a dim of what holds the
/// windows: behind the places.
int64_t window_dim(Value indices, int64_t batched, int64_t dim) {
  return ir::rank_of(indices) - 1 + dim - batched;
}

bool is_covered(llvm::ArrayRef<int64_t> dims, int64_t batched, int64_t dim) {
  return dim >= batched && !llvm::is_contained(dims, dim - batched);
}

Values fixed(mlir::ValueRange values, Steps& steps, Part part) {
  Values all;
  for (Value value : values)
    all.push_back(steps.fixed(part, value));
  return all;
}

} // namespace

void apply_rule(ir::GatherOp op, Steps& steps) {
  const Sequence* found = steps.find(op.getOperand());
  const auto batched = static_cast<int64_t>(op.getBatchedDims());
  if (!found || steps.find(op.getIndices()) || !is_covered(op.getDims(), batched, found->dim))
    return apply_by_signature(op, steps);
  const int64_t dim = window_dim(op.getIndices(), batched, found->dim);
  auto gathered = [&](Part part, Value operand, int64_t count) {
    return resized(steps.in(part), op, {operand, steps.fixed(part, op.getIndices())}, {dim}, count)
        ->getResult(0);
  };
  Sequence windows = *found;
  windows.dim = dim;
  windows.now = gathered(Part::step, found->now, 1);
  if (found->before)
    windows.before = gathered(Part::initial, found->before, found->count_before());
  steps.set(op.getResult(), windows);
}

/// Destinations and updates with the axis, at the same places in every step.
void apply_rule(ir::ScatterOp op, Steps& steps) {
  const auto batched = static_cast<int64_t>(op.getBatchedDims());
  const size_t count = op.getDestinations().size();
  int64_t dim = -1, offset = INT64_MIN;
  const Sequence* like = nullptr;
  auto look = [&](Value value, int64_t at) {
    const Sequence* found = steps.find(value);
    if (!found)
      return;
    if (dim >= 0 && at != dim)
      refuse(op, op_and_line(op) + " has the axis of the sequence in two dims");
    dim = at;
    if (found->offset > offset)
      like = found;
    offset = std::max(offset, found->offset);
  };
  for (Value destination : op.getDestinations())
    if (const Sequence* found = steps.find(destination))
      look(destination, found->dim);
  for (Value update : op.getUpdates())
    if (const Sequence* found = steps.find(update))
      look(update, found->dim - (ir::rank_of(op.getIndices()) - 1) + batched);
  const bool elsewhere =
      steps.find(op.getIndices()) ||
      llvm::any_of(op.getCaptures(), [&](Value value) { return steps.find(value); });
  if (elsewhere || dim < 0 || !is_covered(op.getDims(), batched, dim))
    return apply_by_signature(op, steps);
  const int64_t update_dim = window_dim(op.getIndices(), batched, dim);
  Values now, before;
  auto add = [&](Value value, int64_t at) {
    const Sequence* found = steps.find(value);
    Sequence part = found ? steps.at_offset(*found, offset) : steps.rows(value, at, offset);
    now.push_back(part.now);
    before.push_back(part.before);
  };
  for (Value destination : op.getDestinations())
    add(destination, dim);
  for (Value update : op.getUpdates())
    add(update, update_dim);
  Sequence result = *like;
  result.dim = dim;
  auto scattered = [&](Part part, Values operands, int64_t extent) {
    Values rest = fixed(op->getOperands().drop_front(2 * count), steps, part);
    operands.insert(operands.end(), rest.begin(), rest.end());
    return resized(steps.in(part), op, operands, std::vector<int64_t>(count, dim), extent);
  };
  mlir::Operation* made = scattered(Part::step, now, 1);
  mlir::Operation* early = offset < 0 ? scattered(Part::initial, before, -offset) : nullptr;
  for (unsigned i = 0; i < count; ++i) {
    result.now = made->getResult(i);
    result.before = early ? early->getResult(i) : Value();
    steps.set(op.getResult(i), result);
  }
}

/// Boxes that have the axis whole.
void apply_rule(ir::DynamicSliceOp op, Steps& steps) {
  const Sequence* found = steps.find(op.getOperand());
  const auto dim = found ? static_cast<size_t>(found->dim) : 0;
  if (!found || !(ir::shape_of(op.getResult())[dim] == ir::shape_of(op.getOperand())[dim]))
    return apply_by_signature(op, steps);
  auto box = [&](Part part, Value operand, int64_t count) {
    Values operands = fixed(op.getStarts(), steps, part);
    operands.insert(operands.begin(), operand);
    return resized(steps.in(part), op, operands, {found->dim}, count)->getResult(0);
  };
  Sequence cut = *found;
  cut.now = box(Part::step, found->now, 1);
  if (found->before)
    cut.before = box(Part::initial, found->before, found->count_before());
  steps.set(op.getResult(), cut);
}

/// Boxes that have the axis whole are changed element by element.
void apply_rule(ir::DynamicUpdateSliceOp op, Steps& steps) {
  const Sequence *whole = steps.find(op.getOperand()), *update = steps.find(op.getUpdate());
  const auto dim = whole ? whole->dim : update ? update->dim : -1;
  const bool is_covered =
      dim >= 0 && (!whole || !update || whole->dim == update->dim) &&
      ir::shape_of(op.getUpdate())[static_cast<size_t>(dim)] ==
          ir::shape_of(op.getOperand())[static_cast<size_t>(dim)] &&
      llvm::none_of(op.getStarts(), [&](Value start) { return steps.find(start); });
  if (!is_covered)
    refuse(op, op_and_line(op) +
                   " changes some elements of the sequence alone; choose by their number, as "
                   "where(arange(n) < 3, y, x) does");
  const int64_t offset =
      std::max(whole ? whole->offset : INT64_MIN, update ? update->offset : INT64_MIN);
  auto aligned = [&](const Sequence* found, Value value) {
    return found ? steps.at_offset(*found, offset) : steps.rows(value, dim, offset);
  };
  Sequence operand = aligned(whole, op.getOperand()), change = aligned(update, op.getUpdate());
  auto changed = [&](Part part, Value x, Value y, int64_t count) {
    Values operands = fixed(op.getStarts(), steps, part);
    operands.insert(operands.begin(), {x, y});
    return resized(steps.in(part), op, operands, {dim}, count)->getResult(0);
  };
  Sequence result = whole && whole->offset == offset ? operand : change;
  result.now = changed(Part::step, operand.now, change.now, 1);
  if (result.before)
    result.before = changed(Part::initial, operand.before, change.before, result.count_before());
  steps.set(op.getResult(), result);
}

} // namespace kolam::transform::stream
