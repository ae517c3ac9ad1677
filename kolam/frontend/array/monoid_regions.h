/// Monoids as the ops take them. Internal: includes MLIR.
#pragma once

#include "kolam/frontend/array/monoid.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/language/zip_map_reduce.h"

namespace kolam {

/// A monoid's regions, and what each captures: arguments behind its own.
struct RecordedMonoid {
  language::Monoid monoid;
  language::Values zero, wrap, merge, unwrap;
  language::Values zero_values; ///< the zero outside of the regions, where that captures

  bool captures() const {
    return !zero.empty() || !wrap.empty() || !merge.empty() || !unwrap.empty();
  }
};

/// The monoid's functions recorded as regions, for elements of these dtypes. Throws
/// `[monoid-state]` where a function does not give what zero is made of, and `[monoid-capture]`
/// where merge uses an array from outside, or one uses anything that stands beside or in wrap_all.
RecordedMonoid record_monoid(Trace& trace, const Monoid& monoid,
                             const std::vector<DType>& elements);

} // namespace kolam
