/// Kernels whose first axis counts instances of a smaller call, as `vmap` of a call makes them.
///
///     call over [n, m] of body(j; x[i, j])   becomes   vmap over i of (call over [m] of body(j;
///     x[j]))
///
/// The smaller call is converted by itself, and its batch is array code: products of all instances
/// are one batched product, and a step of a loop is one for all.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/transform/kernels/axes.h"

#include <functional>
#include <optional>
#include <string>

namespace kolam::transform::kernels {

/// The results of a call; nullopt where its first axis is no such axis, or where instances are
/// better computed one after the other (at_once.h). `convert` puts values in the place of a call,
/// and says how.
std::optional<language::Values>
over_instances(language::Builder& b, ir::KernelCallOp call, const Axes& axes,
               const std::function<std::string(ir::KernelCallOp)>& convert, std::string* how);

} // namespace kolam::transform::kernels
