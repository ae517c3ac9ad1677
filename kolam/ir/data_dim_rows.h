/// The parts that ops' rows of the data dimension are made of.
#pragma once

#include "kolam/space/data_dim_rules.h"

#include "mlir/IR/Operation.h"
#include "mlir/IR/ValueRange.h"

namespace kolam::ir {

/// The extents that D is one of: of a tensor its own, of a list those of its leaf, of a ref those
/// of its elements.
Shape data_shape(mlir::Type type);
inline Shape data_shape(mlir::Value value) { return data_shape(value.getType()); }

space::DataDimPlace operand_place(size_t number);
space::DataDimPlace result_place(size_t number);
space::DataDimPlace argument_place(size_t number, size_t region = 0);
space::DataDimPlace yield_place(size_t number, size_t region = 0);
/// Of an operand that belongs to a range of them.
space::DataDimPlace place_in(mlir::OperandRange range, size_t number);
/// The value there.
mlir::Value value_at(mlir::Operation* op, const space::DataDimPlace& place);

/// Rows that one by one give a dim at each of the places.
struct DimChoice {
  std::vector<int> dims;
  space::DataDimCost cost = space::DataDimCost::free;
};
space::DataDimTable table_of(std::vector<space::DataDimPlace> places,
                             const std::vector<DimChoice>& choices);
/// The values at all these places have one D.
space::DataDimTable tied(mlir::Operation* op, std::vector<space::DataDimPlace> places,
                         space::DataDimCost cost = space::DataDimCost::free);
/// Every row-major: D is the last dim of all operands and results.
space::DataDimTable row_major(mlir::Operation* op);
/// D of operand 0 and result 0 of an op that keeps the elements in their row-major order.
space::DataDimTable reshaped(mlir::Operation* op);
/// A stack along a new dim 0 and one of its slices.
space::DataDimTable stacked(mlir::Operation* op, const space::DataDimPlace& stack,
                            const space::DataDimPlace& slice);
/// Windows at places that data decide: window dim d of `windows` is dim d of `operand`. `first` is
/// the number of dims of `windows` in front of the window, of which the first `batched` are the
/// first of the operand.
struct WindowDims {
  size_t operand_rank, first, batched;
  /// D of windows where it is `dim` of the operand.
  int of(size_t dim) const { return static_cast<int>(dim < batched ? dim : first + dim - batched); }
};

/// The captured operands are those arguments of the regions.
void add_captures(std::vector<space::DataDimTable>& tables, mlir::Operation* op,
                  mlir::OperandRange captures, size_t first_argument, size_t regions = 1);

} // namespace kolam::ir
