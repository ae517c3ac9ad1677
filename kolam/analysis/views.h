/// Ops that show the elements of their operand at other places.
#pragma once

#include "kolam/space/affine_map.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace kolam::analysis {

/// Where the op's only operand holds the element that the op shows at an index, as an affine map;
/// nullopt where the op computes something, or its places are no affine map.
std::optional<space::AffineMap> view_of_operand(mlir::Operation* op);

/// Whether the op shows windows of its first operand whose places data decides, moved to lie
/// inside.
bool is_view_by_data(mlir::Operation* op);

} // namespace kolam::analysis
