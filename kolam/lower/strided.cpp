// Composes the affine maps between an op's index and memory.
#include "kolam/lower/strided.h"

#include "kolam/analysis/views.h"

namespace kolam::lower {
namespace {

/// The buffer that holds the cells of a value in its order: its own, or that of a value it
/// reshapes.
Value flat_buffer_of(Value value, Emission& e) {
  while (true) {
    if (Value buffer = e.buffer_of(value))
      return buffer;
    mlir::Operation* op = value.getDefiningOp();
    if (!op || !llvm::isa<ir::ReshapeOp, ir::ExpandDimsOp, ir::SqueezeOp>(op))
      return {};
    value = op->getOperand(0);
  }
}

/// The cells of a value, as a map reaches them.
std::optional<Strided> strided_through(space::AffineMap map, Value value, Emission& e) {
  Value buffer;
  if (!space::is_affine(map))
    return std::nullopt;
  while (!(buffer = flat_buffer_of(value, e))) {
    mlir::Operation* producer = value.getDefiningOp();
    auto view = producer ? analysis::view_of_operand(producer) : std::nullopt;
    auto composed = view ? space::try_compose(*view, map) : std::nullopt;
    if (!composed || !space::is_affine(*composed))
      return std::nullopt;
    map = *composed;
    value = producer->getOperand(0);
  }

  Strided result{buffer, ir::dtype_of(value), e.i64(0), Values(map.input_rank, e.i64(0))};
  Value step = e.i64(1); // between neighbours along a dim of the tensor
  Values shape = e.shape(value);
  for (size_t dim = map.rows.size(); dim-- > 0;) {
    const space::AffineRow& row = map.rows[dim];
    for (auto [stride, coefficient] : llvm::zip(result.strides, row.coefficients))
      if (coefficient != 0)
        stride = e.add(stride, e.mul(step, e.i64(coefficient)));
    if (!(row.offset == Extent(0)))
      result.start = e.add(result.start, e.mul(step, e.extent(row.offset)));
    step = e.mul(step, shape[dim]);
  }
  return result;
}

} // namespace

std::optional<Strided> strided_operand(mlir::Operation* op, unsigned operand, Emission& e) {
  auto signed_op = llvm::cast<ir::SignedOp>(op);
  return strided_through(signed_op.signature().operands[operand].projection.map,
                         op->getOperand(operand), e);
}

std::optional<Strided> strided_cells(Value value, Emission& e) {
  return strided_through(space::identity_map(static_cast<int>(ir::rank_of(value))), value, e);
}

Value cell_number(const Strided& cells, ValueSpan index, Emission& e) {
  Value number = cells.start;
  for (auto [i, stride] : llvm::zip(index, cells.strides))
    if (constant_of(stride) != 0)
      number = e.add(number, e.mul(i, stride));
  return number;
}

} // namespace kolam::lower
