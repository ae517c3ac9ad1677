/// Operands that lie in memory at fixed strides from index to index.
#pragma once

#include "kolam/lower/emission.h"
#include "kolam/nest/strided.h"

#include <optional>

namespace kolam::lower {

/// A gather on the way to memory: its window for the batch at an index starts so many steps along
/// each of its `dims` further on.
struct WindowSteps {
  mlir::Operation* gather;
  space::AffineMap batch; ///< from index dims
  Values steps;
};

/// A coordinate that is a quotient or remainder of index dims, and the elements between its places.
struct QuotientSteps {
  space::AffineRow row;
  Value step;
};

/// Elements in memory over the index dims of an op's signature: the element at index i has the
/// number start + sum over d of strides[d] i[d], and what quotients and windows add, from
/// `pointer`.
struct Strided {
  Value pointer;
  DType dtype;
  Value start;
  Values strides;
  std::vector<QuotientSteps> quotients = {};
  std::vector<WindowSteps> windows = {};

  /// Whether what quotients and windows add depends on an index dim.
  bool has_jumps(size_t dim) const;
};

/// nest::strided_operand, in values of the call.
std::optional<Strided> strided_operand(mlir::Operation* op, unsigned operand, int fixed,
                                       Emission& emission);

/// nest::strided_elements, likewise.
std::optional<Strided> strided_elements(Value value, int fixed, Emission& emission);

/// The number of the element at an index; `index` may leave out the last dims, which are 0 then.
Value cell_number(const Strided& cells, ValueSpan index, Emission& emission);

} // namespace kolam::lower
