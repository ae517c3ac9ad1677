/// What the steps of a loop in segments add to a cotangent: of each segment a part, of which the
/// sum over all steps is made, with the bits of one loop's. See Note [Parts] (transposition.cpp).
#pragma once

#include "kolam/transform/derive/transposition.h"

#include "kolam/ir/ops.h"

namespace kolam::transform::derive {

/// A segment's sum, and what it gives of it for the sum over all segments: the sum itself, which is
/// merged, or the operands of its op, which are joined. A sum that has a start is carried: it is
/// given nothing, and gives nothing.
struct SegmentSum {
  /// `block` is the body of the loop over segments.
  SegmentSum(StepSum of_segment, mlir::Block* block);

  /// The sum over all steps: of the parts that the segments of `loop` gave, in the order of sums,
  /// and of the head, where there is one.
  StepSum over_segments(Builder& b, ir::ScanOp loop, const Values& given,
                        const StepSum* head) const;

  bool is_carried() const { return bool(sum.start); }
  /// Carried from a segment to the next: the sum with what others have added, `so_far`.
  Value carried(Value so_far) {
    sum.start.replaceAllUsesWith(so_far);
    return sum.value;
  }

  StepSum sum;
  bool is_merged;
  /// Of each operand of the op whether it is a part: others are the same for all segments, and
  /// known outside.
  std::vector<bool> is_given;
  Values parts;
};

} // namespace kolam::transform::derive
