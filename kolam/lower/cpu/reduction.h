/// The loops of reductions.
#pragma once

#include "kolam/lower/cpu/column_accumulation.h"
#include "kolam/lower/cpu/emission.h"
#include "kolam/lower/reduction_code.h"

namespace kolam::lower::cpu {

/// The results at each of `kept_indices`, indices of the kept dims: the elements at the indices of
/// the space that share one, combined in the order that the reduction says. The walks run side by
/// side, an element of each at every step. The twin of interp/reduction.h.
std::vector<Values> emit_reductions(const ReductionCode& code, llvm::ArrayRef<Index> kept_indices,
                                    Emission& emission);

/// The same at all columns of a block of the innermost kept dim, beside the outer ones at `outer`,
/// row by row. Elements at these columns are known until `leave`.
void emit_column_reduction(const ReductionCode& code, IndexSpan outer, const Columns& columns,
                           Emission& emission);

} // namespace kolam::lower::cpu
