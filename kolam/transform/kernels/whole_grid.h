/// Kernels without loops: all points of the grid as one program over whole arrays.
///
/// A point that computes blocks of its own from blocks is a function of arrays; its batch over the
/// axes of the grid is ordinary array code, whose loops the schedule chooses. The user's blocks
/// then say what is computed, not in which loops: large ones are tiled, tiny ones joined.
///
///     o[8 i : 8 i + 8] = f(x[8 i : 8 i + 8])   at each i < n   becomes   o = vmap(f)(x as [n, 8])
///
/// The last axis may be one along which products of matrices are summed (summed_axis.h). Other last
/// axes whose points share elements are loops in that program (ordered_axes.h).
#pragma once

#include "kolam/analysis/ranges.h"
#include "kolam/language/builder.h"
#include "kolam/transform/kernels/axes.h"

#include <functional>
#include <memory>
#include <string>

namespace kolam::transform::kernels {

using analysis::Range;
using analysis::Ranges;

/// What the function of a point is to be.
struct PointForm {
  std::vector<Range> coordinates; ///< between which numbers they lie
  std::vector<bool> are_chosen;   ///< blocks that are given as their whole arrays
  bool keeps_scratch = false;
};
/// Makes the function of a point. Its arguments are the coordinates, the prefetched arrays, a block
/// of each input and result, with `keeps_scratch` the scratch arrays, the captures; it yields the
/// blocks of the results, and the scratch arrays.
using MakePoint = std::function<std::unique_ptr<mlir::Region>(const PointForm&)>;

/// Why a call is not taken.
struct Refusal {
  std::string why;
};

/// The results of a call, at the builder's place; nullopt where the call is none of these. `how`
/// says how it runs, or why it does not.
std::optional<language::Values> over_whole_grid(language::Builder& b, ir::KernelCallOp call,
                                                const Axes& axes, const MakePoint& make_point,
                                                std::string* how);

} // namespace kolam::transform::kernels
