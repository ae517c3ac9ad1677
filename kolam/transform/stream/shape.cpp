// Slices, pads and joins along the axis: elements earlier or later.
#include "kolam/language/concat.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/index.h"
#include "kolam/language/slice.h"
#include "kolam/transform/stream/rules.h"

namespace kolam::transform::stream {

void require_end_behind_steps(mlir::Operation* op, const Sequence& sequence, const Steps& steps) {
  if (sequence.length + sequence.offset < steps.length())
    refuse(op, op_and_line(op) + " puts elements behind the last of a sequence that ends before "
                                 "the others; a step does not know where sequences end");
}

void apply_rule(ir::SliceOp op, Steps& steps) {
  const Sequence* found = steps.find(op.getOperand());
  const auto dim = static_cast<size_t>(found->dim);
  const int64_t start = number(op, op.getStarts().shape()[dim]), step = op.getSteps()[dim];
  if (step != 1)
    refuse(op, op_and_line(op) + " takes one of " + std::to_string(step) +
                   " elements of the sequence; expected all that follow one another");
  Sequence cut = *found;
  cut.offset += start;
  cut.length = number(op, ir::shape_of(op.getResult())[dim]);
  if (start > 0)
    cut.latest = op;
  auto box = [&](Part part, Value value, int64_t first, int64_t count) {
    auto copied =
        llvm::cast<ir::SliceOp>(resized(steps.in(part), op, {value}, {found->dim}, count));
    Shape starts = op.getStarts().shape();
    starts[dim] = first;
    copied.setStartsAttr(ir::ExtentsAttr::of(op.getContext(), starts));
    return copied.getResult();
  };
  cut.now = box(Part::step, found->now, 0, 1);
  cut.before = cut.count_before() > 0 ? box(Part::initial, found->before, start, cut.count_before())
                                      : Value();
  steps.set(op.getResult(), cut);
}

/// Low pads are elements that are there before the first step.
void apply_rule(ir::PadOp op, Steps& steps) {
  const Sequence* found = steps.find(op.getOperand());
  if (steps.find(op.getValue()))
    refuse(op,
           op_and_line(op) + " takes its value from a sequence; expected one that every step has");
  if (!found)
    return apply_by_signature(op, steps);
  const auto dim = static_cast<size_t>(found->dim);
  const int64_t low = op.getLow()[dim], high = op.getHigh()[dim];
  if ((low > 0 || high > 0) && op.getMode() != "constant")
    refuse(op, op_and_line(op) + " repeats elements of the sequence around it; along the axis of a "
                                 "stream pads are constant");
  if (high > 0)
    require_end_behind_steps(op, *found, steps);
  Sequence padded = steps.padded(*found, low, op.getValue());
  padded.length += high;
  std::vector<int64_t> lows(op.getLow()), highs(op.getHigh());
  lows[dim] = highs[dim] = 0;
  const bool has_others = llvm::any_of(lows, [](int64_t n) { return n > 0; }) ||
                          llvm::any_of(highs, [](int64_t n) { return n > 0; });
  auto others = [&](Part part, Value value, int64_t count) {
    Value scalar = steps.fixed(part, op.getValue());
    auto copied =
        llvm::cast<ir::PadOp>(resized(steps.in(part), op, {value, scalar}, {found->dim}, count));
    copied.setLow(lows);
    copied.setHigh(highs);
    return copied.getResult();
  };
  if (has_others) {
    padded.now = others(Part::step, padded.now, 1);
    if (padded.before)
      padded.before = others(Part::initial, padded.before, padded.count_before());
  }
  steps.set(op.getResult(), padded);
}

namespace {

/// An operand of a concat along the axis: it begins at element `start` of the result.
struct Piece {
  Value value;
  const Sequence* sequence;
  int64_t start, length;
};

/// Fixed elements in front of one sequence, and behind where no step comes to them.
void lead_in(ir::ConcatOp op, const std::vector<Piece>& pieces, size_t at, Steps& steps) {
  const Piece& main = pieces[at];
  const Sequence& from = *main.sequence;
  Sequence joined = from;
  joined.offset -= main.start;
  joined.length = number(op, ir::shape_of(op.getResult())[static_cast<size_t>(from.dim)]);
  if (main.start > 0) {
    auto front = [&](Part part) {
      Values values;
      for (size_t i = 0; i < at; ++i)
        values.push_back(steps.fixed(part, pieces[i].value));
      return language::concat(steps.in(part), values, from.dim);
    };
    if (Value begun = steps.has_begun(from)) {
      Builder& b = steps.in(Part::step);
      Value early = element_at(b, front(Part::step), from.dim, steps.element_number(joined.offset));
      joined.now = steps.choose(begun, from.now, early);
    }
    if (joined.count_before() > 0) {
      Builder& b = steps.in(Part::initial);
      Value early = front(Part::initial);
      joined.before = from.before
                          ? language::concat(b, {early, from.before}, from.dim)
                          : language::slice_dim(b, early, from.dim, 0, joined.count_before());
    }
  }
  if (at + 1 < pieces.size())
    require_end_behind_steps(op, from, steps);
  steps.set(op.getResult(), joined);
}

/// One after the other, by the number of the element.
void take_turns(ir::ConcatOp op, const std::vector<Piece>& pieces, int64_t dim, Steps& steps) {
  Sequence joined{.now = {}, .before = {}, .dim = dim, .offset = 0, .length = 0};
  joined.length = number(op, ir::shape_of(op.getResult())[static_cast<size_t>(dim)]);
  for (const Piece& piece : pieces)
    if (piece.sequence && piece.sequence->offset - piece.start > joined.offset) {
      joined.offset = piece.sequence->offset - piece.start;
      joined.latest = piece.sequence->latest;
    }
  for (const Piece& piece : pieces) {
    Sequence part = piece.sequence ? steps.at_offset(*piece.sequence, joined.offset + piece.start)
                                   : steps.rows(piece.value, dim, joined.offset + piece.start);
    if (!joined.now) {
      joined.now = part.now;
      continue;
    }
    Builder& b = steps.in(Part::step);
    Value from = language::integer_constant(b, joined.offset + piece.start, DType::i64);
    joined.now = steps.choose(language::elementwise(b, Fn::greater_equal, {steps.count(), from}),
                              part.now, joined.now);
  }
  steps.set(op.getResult(), joined);
}

} // namespace

void apply_rule(ir::ConcatOp op, Steps& steps) {
  const auto dim = static_cast<int64_t>(op.getDim());
  std::vector<Piece> pieces;
  std::vector<size_t> sequences;
  int64_t start = 0;
  for (Value operand : op.getOperands()) {
    const Sequence* found = steps.find(operand);
    if (found && found->dim != dim)
      return apply_by_signature(op, steps);
    if (found)
      sequences.push_back(pieces.size());
    const int64_t length = number(op, ir::shape_of(operand)[static_cast<size_t>(dim)]);
    pieces.push_back({operand, found, start, length});
    start += length;
  }
  if (sequences.size() == 1)
    lead_in(op, pieces, sequences[0], steps);
  else
    take_turns(op, pieces, dim, steps);
}

} // namespace kolam::transform::stream
