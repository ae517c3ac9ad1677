/// The dims that a reduction is over, as the language takes them. Internal: includes MLIR.
#pragma once

#include "kolam/frontend/array/axis.h"
#include "kolam/language/builder.h"

namespace kolam {

/// The dims that `axis` names, counted from the front, increasing.
inline language::Axes reduced_dims(const Axis& axis, int64_t rank) {
  if (axis.axes())
    return language::normalize_axes(*axis.axes(), rank);
  language::Axes all;
  for (int64_t dim = 0; dim < rank; ++dim)
    all.push_back(dim);
  return all;
}

} // namespace kolam
