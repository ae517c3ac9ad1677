// Merges sums of segments, or joins the operands of the ops that make them.
#include "kolam/transform/derive/segment_sums.h"

#include "kolam/language/concat.h"
#include "kolam/language/reduction.h"
#include "kolam/transform/derive/bodies.h"
#include "kolam/transform/derive/placing.h"
#include "kolam/transform/derive/split.h"

#include <bit>

namespace kolam::transform::derive {
namespace {

/// Whether sums of such segments are nodes of the tree that merges the chunks of all steps.
bool are_nodes(const StepSum& sum) {
  return sum.chunks > 0 && std::has_single_bit(static_cast<uint64_t>(sum.chunks)) &&
         !is_narrow_float(ir::dtype_of(sum.value));
}

/// With a dim of extent 1 in front.
Value as_row(Builder& b, Value x) {
  Shape shape = ir::shape_of(x);
  shape.insert(shape.begin(), 1);
  return reshaped(b, x, shape);
}

Value first_of(Builder& b, Value segments) {
  const Shape shape = ir::shape_of(segments);
  return reshaped(b, part(b, segments, 0, 1), Shape(shape.begin() + 1, shape.end()));
}

/// Pairwise, as chunks are merged: (0, 1), (2, 3), ..., an odd last one moves up.
Value merged(Builder& b, Value nodes) {
  Value sum = language::combine(b, nodes, Fn::add, {0});
  auto reduce = sum.getDefiningOp<ir::ReduceOp>();
  reduce.setAccumulateAttr(ir::accumulate_attr(b.getContext(), Accumulate{Order::chunk, 1, 1}));
  return sum;
}

} // namespace

SegmentSum::SegmentSum(StepSum of_segment, mlir::Block* block)
    : sum(std::move(of_segment)), is_merged(are_nodes(sum)) {
  if (is_carried())
    return;
  if (is_merged) {
    parts.push_back(sum.value);
    return;
  }
  for (auto [operand, is_stacked] :
       llvm::zip(sum.value.getDefiningOp()->getOperands(), sum.is_stacked)) {
    is_given.push_back(is_stacked || operand.getParentBlock() == block);
    if (is_given.back())
      parts.push_back(operand);
  }
}

StepSum SegmentSum::over_segments(Builder& b, ir::ScanOp loop, const Values& given,
                                  const StepSum* head) const {
  StepSum made = sum;
  if (is_merged) {
    Value nodes = given[0];
    const auto count = ir::shape_of(nodes)[0].constant();
    made.chunks = count && !head ? sum.chunks * *count : 0;
    made.value = merged(b, head ? language::concat(b, {nodes, as_row(b, head->value)}, 0) : nodes);
    return made;
  }
  mlir::Operation* op = sum.value.getDefiningOp();
  Values operands;
  for (size_t number = 0, next = 0; number < sum.is_stacked.size(); ++number) {
    const auto place = static_cast<unsigned>(number);
    Value of_head = head ? head->value.getDefiningOp()->getOperand(place) : Value();
    Value part = is_given[number] ? given[next++] : Value();
    if (sum.is_stacked[number]) {
      Value rows = flat(b, part);
      operands.push_back(head ? language::concat(b, {rows, of_head}, 0) : rows);
    } else if (head) {
      operands.push_back(of_head);
    } else {
      operands.push_back(
          part ? first_of(b, part)
               : outside(loop.getBody().front(), loop.getCaptures(), op->getOperand(place)));
    }
  }
  mlir::Operation* copied = b.insert(op->clone());
  copied->setOperands(operands);
  made.value = copied->getResult(0);
  made.chunks = 0;
  return made;
}

} // namespace kolam::transform::derive
