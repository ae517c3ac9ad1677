/// Operands that lie in memory at fixed strides from index to index.
#pragma once

#include "kolam/lower/emission.h"

#include <optional>

namespace kolam::lower {

/// Cells in memory over the index dims of an op's signature: the cell at index i has the number
/// start + sum over d of strides[d] i[d] from `pointer`.
struct Strided {
  Value pointer;
  DType dtype;
  Value start;
  Values strides;
};

/// The operand as the op's index dims reach it, also through ops that only show cells at other
/// places; nullopt where its cells are computed or lie irregularly.
std::optional<Strided> strided_operand(mlir::Operation* op, unsigned operand, Emission& emission);

/// The cells of a value over its own dims, likewise.
std::optional<Strided> strided_cells(Value value, Emission& emission);

/// The number of the cell at an index; `index` may leave out the last dims, which are 0 then.
Value cell_number(const Strided& cells, ValueSpan index, Emission& emission);

} // namespace kolam::lower
