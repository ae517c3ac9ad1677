/// Which residuals of a loop each step keeps, and which are computed again from these.
#pragma once

#include "kolam/transform/derive/bodies.h"

#include <optional>

namespace kolam::transform::derive {

/// What an argument of a loop's body stands for.
enum class Role : uint8_t { state, element, capture };

/// Takes residuals out of `apart` that a few flops an element give from others: the linear program
/// computes them from what is kept and from what the loop reads anyway. Where a step keeps s,
/// s (1 - s) is not kept too. `roles` are those of the body's arguments, `steps` their number where
/// the program knows it.
void compute_again(Apart& apart, llvm::ArrayRef<Role> roles, std::optional<int64_t> steps);

} // namespace kolam::transform::derive
