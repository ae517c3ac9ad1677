/// Monoids as the ops take them. Internal: includes MLIR.
#pragma once

#include "kolam/frontend/array/monoid.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/language/zip_map_reduce.h"

namespace kolam {

/// The monoid's functions recorded as regions, for elements of these dtypes. Throws
/// `[monoid-state]` where a function does not give what zero is made of, and `[monoid-capture]`
/// where it uses traced values from outside.
language::Monoid record_monoid(Trace& trace, const Monoid& monoid,
                               const std::vector<DType>& elements);

} // namespace kolam
