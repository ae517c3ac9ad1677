/// Steps of kolam.scan, whose states are carried in registers.
#pragma once

#include "kolam/lower/carried.h"

namespace kolam::lower {

/// The steps of a scan at one index of its states.
class ScanSteps {
public:
  /// `lanes_differ`: each lane has other steps, and scalars of its own.
  ScanSteps(ir::ScanOp op, IndexSpan index, Emission& e, bool lanes_differ = false);

  /// What the first step is given.
  Values first() { return bodies_.first(op_.getInits()); }
  Value length() { return length_; }
  double flops() { return bodies_.pointwise().step_flops; }

  struct Step {
    Values states;
    Values stacked; ///< what the step gives beside them
  };
  /// A step that is given `slices` of the xs.
  Step step(ValueSpan states, llvm::ArrayRef<Elements> slices);
  /// The step of number k: at its place in the xs, which is where it stores what is stacked.
  Values run(Value k, ValueSpan states);

private:
  ir::ScanOp op_;
  Emission& e_;
  Index index_;
  Bodies bodies_;
  std::vector<Elements> captures_;
  Value length_;
};

} // namespace kolam::lower
