/// The elements of a nest's results.
#pragma once

#include "kolam/lower/cpu/emission.h"

namespace kolam::lower::cpu {

/// result[index] = elements of the nest's root at index, for every result.
void emit_result_cells(IndexSpan index, Emission& emission);

/// Emits code for the `lanes` elements whose last coordinates follow one another, of which `active`
/// count where that is set. A single element is scalar code (Note [One lane] in result_cells.cpp).
void with_cells(int lanes, Value active, Emission& emission,
                llvm::function_ref<void(int lanes)> body);

} // namespace kolam::lower::cpu
