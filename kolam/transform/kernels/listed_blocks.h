/// Calls on stacked lists, whose lengths differ from instance to instance, as functions of lists.
///
///     stack(row) of each row, grid ceil(n / 8), blocks of 8   becomes   for each row the map of
///     the kernel over its blocks, a list of lists of 8
///
/// Instances are then those of maps over lists, which become one batch (transform/lists.h): all
/// points of all rows run at once. Where a point sees what points before it wrote, as in scratch
/// arrays or a result that they share, the map is a scan, whose step n is that of all rows which
/// are that long. Where a row of a result needs the same row of the blocks alone, the map is over
/// rows, and there are no blocks.
#pragma once

#include "kolam/language/builder.h"
#include "kolam/transform/kernels/axes.h"

#include <functional>
#include <string>

namespace kolam::transform::kernels {

/// Makes values of a call, which goes; says how it runs.
using ConvertCall = std::function<std::string(ir::KernelCallOp)>;

/// Replaces a call in the body of a list's function that has an axis whose extent differs from
/// instance to instance. Whether it does; `how` says how it runs, or why it does not run so. Empty
/// where there is no such axis.
bool over_listed_blocks(language::Builder& b, ir::KernelCallOp call, const Axes& axes,
                        const ConvertCall& convert, std::string* how);

} // namespace kolam::transform::kernels
