/// Loops over the axes of a kernel's grid whose steps run in any order: those of the call, and
/// reversed ones along which no adjoint is summed.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/transform/kernels/grid_loop.h"

#include <optional>

namespace kolam::transform::derive {

using language::Builder;
using language::Values;

/// A scan of `body` over (states..., rows of xs..., captures...) as a counted loop whose steps run
/// in any order, which threads share: what is stacked is written row by row. The body may use
/// values from outside.
Values counted_loop(Builder& b, mlir::Region& body, const Values& inits, const Values& xs,
                    const Values& captures, int64_t steps);

/// Such a loop in place of a scan of `body` over (states..., rows of xs...);
/// nullopt unless what steps do to each state is done to windows of their own,
/// by their number along the axis, which is noted.
std::optional<Values> in_any_order(Builder& b, mlir::Region& body, const Values& inits,
                                   const Values& xs, const Extent& length,
                                   const kernels::GridLoop& grid);

} // namespace kolam::transform::derive
