// Scans and running combinations along the axis: what they carry are states of the stream.
#include "kolam/ir/longest.h"
#include "kolam/ir/monoid.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/identity.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reshape.h"
#include "kolam/transform/stream/rules.h"

#include "mlir/IR/IRMapping.h"

namespace kolam::transform::stream {
namespace {

/// At the first element, and every later one.
Sequence from_the_first(const Sequence& sequence, Steps& steps) {
  return sequence.offset < 0 ? steps.at_offset(sequence, 0) : sequence;
}

/// The state after this step: as it was where no element has come yet.
void carry(Value state, Value next, const Sequence& by, Steps& steps) {
  Value begun = steps.has_begun(by);
  steps.set_next(state, begun ? steps.choose(begun, next, state) : next);
}

} // namespace

void apply_rule(ir::CumulativeOp op, Steps& steps) {
  const Sequence& given = *steps.find(op.getOperand());
  if (given.dim != static_cast<int64_t>(op.getDim()))
    return apply_by_signature(op, steps);
  if (op.getReverse())
    refuse(op, op_and_line(op) + " runs from the end of the sequence, which no step knows");
  Sequence x = from_the_first(given, steps);
  Fn fn = *parse_fn(op.getFunction());
  DType dtype = ir::dtype_of(x.now), wide = ir::named_state(fn, dtype);
  Builder& initial = steps.in(Part::initial);
  Value identity = language::identity(initial, fn, wide);
  Value state = steps.state(language::full(initial, ir::shape_of(x.now), identity),
                            op.getFunction().str() + " so far, of " + op_and_line(op));
  Builder& b = steps.in(Part::step);
  Value element = language::cast(b, x.now, wide);
  Value next = language::elementwise(b, fn, {state, element});
  if (!op.getExclusive()) { // the first is the element itself
    Value first = language::elementwise(
        b, Fn::equal,
        {steps.count(), language::integer_constant(b, std::max<int64_t>(x.offset, 0), DType::i64)});
    next = steps.choose(first, element, next);
  }
  carry(state, next, x, steps);
  x.now = language::cast(b, op.getExclusive() ? state : next, dtype);
  steps.set(op.getResult(), x);
}

/// One iteration of the body a step; of a scan along another dim, of layers, all of them.
void apply_rule(ir::ScanOp op, Steps& steps) {
  auto any_sequence = [&](mlir::ValueRange values) {
    return llvm::any_of(values, [&](Value value) { return steps.find(value); });
  };
  const bool along_axis = llvm::any_of(op.getXs(), [&](Value value) {
    const Sequence* found = steps.find(value);
    return found && found->dim == 0;
  });
  if (!along_axis || any_sequence(op.getInits()) || any_sequence(op.getCaptures()))
    return scan_elements(op, steps);
  if (op.getReverse())
    refuse(op, op_and_line(op) + " runs from the end of the sequence, which no step knows");
  int64_t offset = 0, length = 0;
  mlir::Operation* latest = nullptr;
  for (Value value : op.getXs())
    if (const Sequence* x = steps.find(value)) {
      if (x->dim != 0)
        refuse(op, op_and_line(op) + " scans along another dim than the axis of the stream");
      length = x->length;
      if (x->offset > offset) {
        offset = x->offset;
        latest = x->latest;
      }
    }
  if (auto longest = op->getAttrOfType<mlir::IntegerAttr>(ir::kLongest))
    steps.end_after(longest.getInt() + offset, op_and_line(op) + " was traced for one chunk of " +
                                                   std::to_string(longest.getInt()) +
                                                   " elements; give a longer sequence to trace");
  Builder& b = steps.in(Part::step);
  mlir::Block& body = op.getBody().front();
  mlir::IRMapping map;
  Values states;
  const size_t carried = op.getInits().size(), scanned = op.getXs().size();
  for (auto [number, init] : llvm::enumerate(op.getInits())) {
    states.push_back(steps.state(steps.fixed(Part::initial, init),
                                 "state " + std::to_string(number) + " of " + op_and_line(op)));
    map.map(body.getArgument(static_cast<unsigned>(number)), states.back());
  }
  for (auto [number, value] : llvm::enumerate(op.getXs())) {
    const Sequence* x = steps.find(value);
    Sequence at = x ? steps.at_offset(*x, offset) : steps.rows(value, 0, offset);
    map.map(body.getArgument(static_cast<unsigned>(carried + number)),
            language::squeeze(b, at.now, language::Axes{0}));
  }
  for (auto [number, value] : llvm::enumerate(op.getCaptures()))
    map.map(body.getArgument(static_cast<unsigned>(carried + scanned + number)),
            steps.fixed(Part::step, value));
  for (mlir::Operation& inner : body.without_terminator())
    b.clone(inner, map);
  mlir::Operation* end = body.getTerminator();
  Sequence given{
      .now = {}, .before = {}, .dim = 0, .offset = offset, .length = length, .latest = latest};
  for (size_t number = 0; number < carried; ++number)
    carry(states[number], map.lookupOrDefault(end->getOperand(static_cast<unsigned>(number))),
          given, steps);
  for (size_t number = carried; number < op.getNumResults(); ++number) {
    const auto at = static_cast<unsigned>(number);
    given.now = language::expand_dims(b, map.lookupOrDefault(end->getOperand(at)), {0});
    steps.set(op.getResult(at), given);
  }
  for (size_t number = 0; number < carried; ++number)
    if (Value last = op.getResult(static_cast<unsigned>(number)); !last.use_empty())
      refuse(*last.user_begin(), op_and_line(*last.user_begin()) + " reads the last state of " +
                                     op_and_line(op) +
                                     ", which the end of the sequence alone gives; the stream's "
                                     "state holds it behind each step");
}

} // namespace kolam::transform::stream
