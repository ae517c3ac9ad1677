/// Whether the points of a kernel's grid are better computed all at once, or one after the other.
///
/// All at once, each op of a point is one op over arrays with a leading dim that counts the points:
/// its loops are long, and a step of a loop or a branch is one for all points. Against that stands
/// memory: what a step of a loop gives lies there for all points, and both sides of a branch are
/// computed.
#pragma once

#include "mlir/IR/Region.h"

#include <string>
#include <vector>

namespace kolam::transform::kernels {

/// Whether all that a point does is to compute values.
bool computes_values(mlir::Region& point);

/// Why the points are computed one after the other; empty where all at once. `differs` says for
/// each argument of the function of a point whether it is another one at other points.
std::string why_one_by_one(mlir::Region& point, const std::vector<bool>& differs, int64_t points);

/// The same of a kernel's body, which is not converted yet, as far as that says it surely: of loops
/// around products.
std::string why_surely_one_by_one(mlir::Region& kernel, const std::vector<bool>& differs,
                                  int64_t points);

/// The same where blocks become longer instead (widen.h): loops then have the same steps, each for
/// more elements.
bool is_worth_widening(mlir::Region& point, int64_t points);

} // namespace kolam::transform::kernels
