/// Nests with products of matrices inside: loops over tiles of the result, whose sums are held in
/// registers until the nest's other ops have made results of them.
#pragma once

#include "kolam/lower/cpu/emission.h"

namespace kolam::lower::cpu {

/// Emits a nest that has `products`. The range counts nest::product_units. In the order `panels`:
///
///     for each batch and unit of columns:
///       for each panel of columns:       pack it
///         for each tile of rows:         sum over all k; results
///
/// In the order `parts`, for few rows, whose columns are read once and where they lie, many at a
/// time and few k, so that memory is read in long runs:
///
///     for each batch:
///       for each group of columns:
///         for each part of k:
///           for each panel, tile:        add to the sums, in working memory
///         for each panel, tile:          results
///
/// Grouped rows (nest::MatrixDims) go by the runs of those with the same columns:
///
///     for each unit of rows, all columns:
///       for each run of rows:            as in `parts` or, where that can't be, in `panels`
///
/// A nest that `packs` does the packing of the order `panels` for all columns.
void emit_matrix_nest(Emission& emission);

} // namespace kolam::lower::cpu
