/// Values brought out of bodies of loops, branches and checkpoints, and into them.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/language/builder.h"

#include <optional>
#include <vector>

namespace kolam::transform::derive {

using language::Builder;
using language::Value;

/// Whether an op's bodies are passed so: scans, branches and composites "checkpoint".
bool may_pass(mlir::Operation* op);

/// How a value changes on its way from a block to one inside of it: each scan takes away the
/// leading dim, which counts its steps.
struct Way {
  std::vector<mlir::Block*> blocks; ///< the outermost first; the last is the inner block itself
  std::vector<Extent> lengths;      ///< of the scans that they are bodies of
};
/// From `outer` to `inner`, which lies in it; none where other ops stand between.
std::optional<Way> way_between(mlir::Block* outer, mlir::Block* inner);

/// A value of a block inside of `block` as a value of `block`: loops stack it, branches give it
/// where they are taken, else zeros. What gives it already gives it once.
Value brought_out(Builder& b, Value value, mlir::Block* block);
/// A value of a block as a value of one inside of it: scans slice it.
Value brought_in(Builder& b, Value value, const Way& way);

/// Makes `stands`, which has the elements of `value`, take the place of `value`, also where an op
/// with bodies gives it: these read it in place of computing it.
void replace_within(Builder& b, Value value, Value stands);

} // namespace kolam::transform::derive
