/// Ops on values whose dims stand in another order.
#pragma once

#include "kolam/ir/ops.h"

#include "mlir/IR/Builders.h"

#include <optional>
#include <vector>

namespace kolam::ir {

/// Place k of a turned value is dim order[k] of the value.
using AxisOrder = std::vector<int>;

AxisOrder row_major_order(int64_t rank);
/// Whether elements lie alike: dims of one element may stand anywhere.
bool lie_alike(const Shape& shape, const AxisOrder& x, const AxisOrder& y);
Shape turned_shape(const Shape& shape, const AxisOrder& order);
/// Of each dim its place.
AxisOrder places_of(const AxisOrder& order);

/// The orders that an op's operands have where it is computed in an order of its space, and that of
/// its results. The space of a reduction is what it reduces, of other ops their result.
struct OpOrders {
  std::vector<AxisOrder> operands;
  AxisOrder results;
};

/// The dims of an op's space; nullopt where its dims stand in one order only.
std::optional<Shape> turned_space(mlir::Operation* op);
/// nullopt where the op cannot be computed so: also where a reduction would combine its elements in
/// another order.
std::optional<OpOrders> orders_of(mlir::Operation* op, const AxisOrder& space);
/// The orders of the space in which the op gives results in that order.
std::vector<AxisOrder> spaces_giving(mlir::Operation* op, const AxisOrder& results);
/// Those in which it takes an operand in that order.
std::vector<AxisOrder> spaces_taking(mlir::Operation* op, unsigned operand, const AxisOrder& order);

/// The op in an order of its space, on operands in the orders that `orders_of` says. A transpose is
/// its operand, and a pin loses its names.
llvm::SmallVector<mlir::Value> turned_op(mlir::Operation* op, const AxisOrder& space,
                                         mlir::ValueRange operands, mlir::OpBuilder& b);

} // namespace kolam::ir
