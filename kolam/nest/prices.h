/// Whether elements are computed where they are read, or kept in memory: by what either costs, in
/// the unit of Prices (support/machine.h).
#pragma once

#include "kolam/nest/evaluations.h"
#include "kolam/support/machine.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <string>

namespace kolam::nest {

/// One element, with all that is computed on the way to it.
struct Work {
  double flops = 0;
  double loads = 0; ///< of elements that lie in memory
};

/// What an element of the op takes where `is_stored` values are read from memory and all others
/// computed; `unknown` ids of segments are read where they lie. Work beyond `most` is not looked
/// for. Elements side by side are `step` apart.
Work work_of_element(mlir::Operation* op, llvm::function_ref<bool(mlir::Value)> is_stored,
                     const Evaluations::Ids& unknown, double most, analysis::Signatures& signatures,
                     const Machine& machine, int64_t step = 1);

/// Why the op's elements are better kept in memory than computed by those who ask for them; empty
/// where they are not.
std::string why_in_memory(mlir::Operation* op, const std::vector<Evaluations::Request>& requests,
                          llvm::function_ref<bool(mlir::Value)> is_stored,
                          const Evaluations::Ids& unknown, analysis::Signatures& signatures,
                          const Machine& machine);

} // namespace kolam::nest
