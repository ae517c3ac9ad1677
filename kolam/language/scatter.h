/// Windows combined into tensors at places given by data.
#pragma once

#include "kolam/language/builder.h"

#include <memory>

namespace kolam::language {

/// The note of scatters whose places outside leave their updates out, as the function says that
/// made them: checks of bounds pass over them.
inline constexpr std::string_view kLeavesOut = "leaves out on purpose";

struct ScatterSpec {
  Axes dims; ///< counted from dim `batched_dims`, in any order
  std::string_view combiner = "kUpdate";
  bool unique_indices = false;
  int64_t batched_dims = 0;
  std::string_view mode = "drop"; ///< drop, element, clip, wrap, promise or check
  /// Windows may be longer than the operand where the run has none of them.
  bool fits_where_any = false;
  /// Windows are single elements, and the operand may have none: those outside are dropped.
  bool drops_each = false;
};

/// A user's combiner: a region (state..., update..., captures...) -> state... over rank-0 tensors.
struct CombinerRegion {
  std::unique_ptr<mlir::Region> region;
  Values captures;
};

/// The operands with windows of the updates combined in (kolam.scatter). With mode "check" a check
/// comes before. Throws what window_dims and require_lengths throw, `[unknown-mode]` and
/// `[unknown-combiner]`.
Values scatter(Builder& b, const Values& operands, const Values& updates, Value start_indices,
               const ScatterSpec& spec);
/// The same with a user's combiner in place of `spec.combiner`.
Values scatter(Builder& b, const Values& operands, const Values& updates, Value start_indices,
               const ScatterSpec& spec, CombinerRegion combiner);

/// Stops the program with `[indices-not-unique]` where two updates of `op` hit one element: what
/// its `unique_indices` promises never happens. Inserts at the builder's place.
void check_unique(Builder& b, ir::ScatterOp op);

} // namespace kolam::language
