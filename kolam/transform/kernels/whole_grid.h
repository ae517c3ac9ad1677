/// Kernels without loops: all points of the grid as one program over whole arrays.
///
/// A point that computes blocks of its own from blocks is a function of arrays; its batch over the
/// axes of the grid is ordinary array code, whose loops the schedule chooses. The user's blocks
/// then say what is computed, not in which loops: large ones are tiled, tiny ones joined.
///
///     o[8 i : 8 i + 8] = f(x[8 i : 8 i + 8])   at each i < n   becomes   o = vmap(f)(x as [n, 8])
#pragma once

#include "kolam/language/builder.h"
#include "kolam/transform/kernels/axes.h"

#include <memory>
#include <string>

namespace kolam::transform::kernels {

/// The results of a call, at the builder's place; nullopt where the call is none of these, and
/// `why` says so. `point` makes the function of a point: its arguments are the coordinates, a block
/// of each input and result, the captures; it yields the blocks of the results.
std::optional<language::Values>
over_whole_grid(language::Builder& b, ir::KernelCallOp call, const Axes& axes,
                const std::function<std::unique_ptr<mlir::Region>()>& point, std::string* why);

} // namespace kolam::transform::kernels
