/// Literals, where rules look for them.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

#include <optional>

namespace kolam::rewrite {

/// What a value repeats: seen through broadcasts.
mlir::Value behind_broadcasts(mlir::Value value);

/// The literal whose one number fills a value, seen through broadcasts, or null.
mlir::DenseElementsAttr splat(mlir::Value value);
/// The same of an integer (ir/literal_number.h).
std::optional<int64_t> splat_number(mlir::Value value);

} // namespace kolam::rewrite
