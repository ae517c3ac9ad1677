/// Loops over the axes of a kernel's grid whose steps run in any order.
#pragma once

#include "kolam/language/builder.h"

#include <optional>

namespace kolam::transform::derive {

using language::Builder;
using language::Values;

/// The first of the numbers that a row counts; nullopt for other values.
std::optional<int64_t> first_counted(mlir::Value row);

/// A scan of `body` over (states..., rows of xs..., captures...) as a counted loop whose steps run
/// in any order, which threads share: what is stacked is written row by row. The body may use
/// values from outside.
Values counted_loop(Builder& b, mlir::Region& body, const Values& inits, const Values& xs,
                    const Values& captures, int64_t steps);

} // namespace kolam::transform::derive
