/// Operands that lie in memory at fixed strides from index to index.
#pragma once

#include "kolam/nest/joined_dims.h"
#include "kolam/nest/nest.h"

#include <optional>

namespace kolam::nest {

/// A gather or a dynamic slice on the way to memory: the start of its window along each dim is an
/// input of the map, from `first_input` on.
struct WindowInputs {
  mlir::Operation* op;
  space::AffineMap batch; ///< of a gather: its batch, from the inputs before
  int first_input;
};

/// Elements of a value that lies in memory: the element at index i, with windows that start at s,
/// is that at map(i, s).
struct StridedRead {
  mlir::Value value;    ///< over whose dims the map goes
  mlir::Value buffer;   ///< that holds its elements in its order
  int rank = 0;         ///< of the index
  space::AffineMap map; ///< to the value's dims
  Shape steps;          ///< elements between neighbours along a dim of the value
  std::vector<WindowInputs> windows;

  /// Elements from one number of an input to the next, but for what quotients add.
  Extent stride(int input) const;
};

/// The operand as the op's index dims reach it, also through ops that only show elements at other
/// places, gathers and reshapes by quotients among them where the place of their windows and the
/// quotients do not depend on index dims from `fixed` on; nullopt where its elements are computed
/// or lie irregularly.
std::optional<StridedRead> strided_operand(mlir::Operation* op, unsigned operand, int fixed,
                                           const Nest& nest, JoinedDims& joined);

/// The elements of a value over its own dims, likewise.
std::optional<StridedRead> strided_elements(mlir::Value value, int fixed, const Nest& nest,
                                            JoinedDims& joined);

} // namespace kolam::nest
