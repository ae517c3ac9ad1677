// Merges dims of blocks.
#include "kolam/analysis/merged_dims.h"

namespace kolam::analysis {

Replacements merged_dims(const std::vector<Dim>& dims, size_t first, size_t last) {
  Replacements result;
  Extent merged = Extent::symbol(dim_name(first)), stride(1);
  for (size_t dim = last + 1; dim-- > first;) {
    Extent place = floordiv(merged, stride);
    if (dim > first)
      place = place - dims[dim].length * floordiv(merged, stride * dims[dim].length);
    result.emplace(dim_name(dim), place);
    stride = stride * dims[dim].length;
  }
  return result;
}

Extent row_major(const Shape& index, const Shape& lengths) {
  Extent number(0);
  for (size_t dim = 0; dim < index.size(); ++dim)
    number = number * lengths[dim] + index[dim];
  return number;
}

} // namespace kolam::analysis
