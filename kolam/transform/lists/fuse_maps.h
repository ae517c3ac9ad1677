/// Maps over what scans give or take, inside the steps of the scans.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace kolam::transform::lists {

/// Moves a map over the states of a scan, which nothing else reads, into the scan's body: its
/// results become states that no step reads, and the list of all states is not needed any more.
/// Products with captured values stay: of all elements at once they are one large product. A map
/// over a state of a scan around, which only a scan inside reads, goes into the steps of that:
/// states then go from element to element, as waves need it; not so products with weights of each
/// step, unless waves are asked for. Gives a line for `explain` on each.
std::vector<std::string> fuse_maps(mlir::func::FuncOp function, bool in_waves);

} // namespace kolam::transform::lists
