/// Kernels without loops: all points of the grid as one program over whole arrays.
///
/// A point that computes blocks of its own from blocks is a function of arrays; its batch over the
/// axes of the grid is ordinary array code, whose loops the schedule chooses. The user's blocks
/// then say what is computed, not in which loops: large ones are tiled, tiny ones joined.
///
///     o[8 i : 8 i + 8] = f(x[8 i : 8 i + 8])   at each i < n   becomes   o = vmap(f)(x as [n, 8])
///
/// The last axis may be one along which products of matrices are summed (summed_axis.h).
#pragma once

#include "kolam/language/builder.h"
#include "kolam/transform/kernels/axes.h"
#include "kolam/transform/kernels/ranges.h"

#include <functional>
#include <memory>
#include <string>

namespace kolam::transform::kernels {

/// Makes the function of a point whose coordinates lie between these numbers. Its arguments are the
/// coordinates, a block of each input and result, with `keeps_scratch` the scratch arrays, the
/// captures; it yields the blocks of the results, and the scratch arrays.
using MakePoint = std::function<std::unique_ptr<mlir::Region>(llvm::ArrayRef<Range> coordinates,
                                                              bool keeps_scratch)>;

/// Why a call is not taken.
struct Refusal {
  std::string why;
};

/// The results of a call, at the builder's place; nullopt where the call is none of these, and
/// `why` says so.
std::optional<language::Values> over_whole_grid(language::Builder& b, ir::KernelCallOp call,
                                                const Axes& axes, const MakePoint& make_point,
                                                std::string* why);

} // namespace kolam::transform::kernels
