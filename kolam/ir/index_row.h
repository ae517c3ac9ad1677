/// Integers of a body as quasi-affine functions of its first arguments.
#pragma once

#include "kolam/space/affine_map.h"

#include "mlir/IR/Value.h"

#include <optional>

namespace kolam::ir {

/// An integer scalar of a body as a row over the first `rank` arguments of that body:
///
///     2 * i + j   =   [2 1 | 0]        (i + 1) // 4 % 3   =   ([1 0 | 1]) floordiv 4 mod 3
///
/// Arithmetic that wraps in the dtype of the program is not followed: coordinates are small.
/// nullopt where the value is none.
std::optional<space::AffineRow> index_row(mlir::Value value, size_t rank);

/// Whether an argument behind the first `rank`, which is data, decides a value.
bool depends_on_data(mlir::Value value, size_t rank);

} // namespace kolam::ir
