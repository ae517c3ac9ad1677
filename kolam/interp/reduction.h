/// The meaning of a reduction, whichever op states it.
#pragma once

#include "kolam/interp/elements.h"
#include "kolam/interp/evaluation.h"
#include "kolam/ir/reduction.h"

namespace kolam::interp {

/// One element of any dtype, as its bytes.
struct Cell {
  alignas(8) std::byte bytes[8];
};
using Cells = llvm::SmallVector<Cell, 2>;

/// An element as a rank-0 array, and back.
Array to_array(const Cell& cell, DType dtype);
Cell to_cell(const Array& array);

/// results = unwrap(merge(wrap(x_0), wrap(x_1), ...)) for every index of the kept dims, where x are
/// the elements at the indices of `space` that share it, in the order that the reduction says.
void reduce_cells(const ir::Reduction& reduction, const std::vector<int64_t>& space,
                  const std::function<Cells(const Index&)>& element,
                  llvm::MutableArrayRef<Array> results, Evaluation& evaluation);

} // namespace kolam::interp
