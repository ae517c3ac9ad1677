/// What the steps of a loop add to a cotangent, as one op over all steps.
#pragma once

#include "kolam/transform/derive/transposition.h"

namespace kolam::transform::derive {

/// A contraction, a sum or a scatter that each step makes, and what the body does to its result.
/// See Note [One op].
struct OneOp {
  mlir::Operation* core;
  std::vector<mlir::Operation*> after; ///< the last first
  /// The step's operands that change: they are stacked, or, where a loop inside has stacked them
  /// already, lists of all its steps.
  bool is_nested = false;
  std::vector<Value> changing; ///< of each factor what to stack; null: it is the same at each step
};

/// What an op reads that a step may change: its operands; of a scatter into zeros its updates, as
/// they are before they are widened, and indices.
Values factors_of(mlir::Operation* core);

/// The op that a contribution made in `block` is; none where it is another kind of op. With lists,
/// loops over lists inside have made such ops too.
std::optional<OneOp> as_one_op(Value contribution, mlir::Block& block, bool takes_lists);

/// The op over all steps. `operands` are the core's factors: stacked with the step in front, or
/// what is the same at each.
StepSum over_steps(Builder& b, const OneOp& one, const Values& operands);
/// What a sum gives in the end, of `value` in place of its own.
Value finished(Builder& b, const StepSum& sum, Value value);

} // namespace kolam::transform::derive
