/// The loops of reductions.
#pragma once

#include "kolam/lower/cpu/column_accumulation.h"
#include "kolam/lower/cpu/emission.h"
#include "kolam/lower/reduction_code.h"

namespace kolam::lower::cpu {

/// How a reduction in lanes reads what it combines: element by element, or by squares of as many as
/// there are lanes, which are loaded along the reduced dim and turned.
enum class ReadBy : uint8_t { elements, squares };

/// The results at each of `kept_indices`, indices of the kept dims: the elements at the indices of
/// the space that share one, combined in the order that the reduction says. The loops run side by
/// side, an element of each at every step; so do those of several reductions over one space in one
/// order, whose results come one after another. The twin of interp/reduction.h.
std::vector<Values> emit_reductions(llvm::ArrayRef<ReductionCode> codes,
                                    llvm::ArrayRef<Index> kept_indices, Emission& emission,
                                    ReadBy by = ReadBy::elements);

/// The same at all columns of a block of the innermost kept dim, beside the outer ones at `outer`,
/// row by row. Elements at these columns are known until `leave`.
void emit_column_reductions(llvm::ArrayRef<ReductionCode> codes, IndexSpan outer,
                            const Columns& columns, Emission& emission);

} // namespace kolam::lower::cpu
