/// Bodies of loops and branches, linearised beside their own ops or apart from them.
#pragma once

#include "kolam/language/control.h"
#include "kolam/transform/derive/activity.h"
#include "kolam/transform/kernels/grid_loop.h"

#include <functional>

namespace kolam::transform::derive {

/// The ops of a region on `arguments`, one instance for each element of `space`. Throws
/// `[not-differentiable]` at the op's line, which expects `what`, where that can't be.
Values over_space(mlir::Operation* op, Builder& b, mlir::Region& region, const Values& arguments,
                  const Values& captures, const Shape& space,
                  const std::string& what = "a body that runs for all elements at once");

/// Whether all ops of a body compute single elements.
bool is_elementwise(mlir::Region& body);

/// What a value that ops of `body` read is outside of it: of one of its last arguments, which stand
/// for `captures`, the capture.
Value outside(mlir::Block& body, mlir::ValueRange captures, Value value);

/// In which direction a scan goes, and its transpose.
language::Direction direction_of(ir::ScanOp op);
language::Direction opposite_of(ir::ScanOp op);

/// A body linearised apart: `primal`, over the body's own arguments, gives its results, then the
/// residuals.
struct Apart {
  std::unique_ptr<mlir::Region> primal;
  LinearProgram linear;
  /// Of each residual the argument of the body that it is; -1: it is a result of `primal`.
  std::vector<int64_t> arguments;
  Values residuals; ///< of `primal`, those that are results
};
/// What the body is a step of: the first `states` of its arguments cost memory to keep, as each
/// step has others; its other arguments are there anyway. `count` steps, where the program knows
/// it.
struct Steps {
  size_t states = 0;
  int64_t count = 1;
  std::optional<kernels::GridLoop> grid = std::nullopt; ///< the body is points of a kernel
};
/// Keeps the least (residuals.h). Where the extents of what would be kept are known inside the body
/// alone, as of a loop whose steps only the body's run counts, its arguments are kept and the body
/// is computed again; so are points of a kernel where that is better (points_again.h).
Apart linearise_apart(Builder& b, mlir::Region& body, const Steps& steps, const Flags& active,
                      const NewSymbol& new_symbol);

/// Throws `[too-deep]` for a loop in which others lie too deep whose lengths the run knows alone:
/// the linear part of each computes those in it again.
void require_shallow(mlir::Operation* loop);

/// What a linear program gives for result `number` of its body; null where that is zero.
Value result_of(const LinearProgram& program, mlir::ValueRange yielded, size_t number);

} // namespace kolam::transform::derive
