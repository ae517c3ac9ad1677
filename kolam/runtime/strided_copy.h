/// Copies elements between memories that are laid out anyhow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kolam::runtime {

/// The strides in bytes of row-major elements of `width` bytes; the shape has been checked
/// (checked_size).
std::vector<int64_t> row_major_strides(int width, const std::vector<int64_t>& shape);

/// to[i, j] = from[i, j] for all indices of `shape`, where element [i, j] of a memory lies at its
/// start + i strides[0] + j strides[1]. Strides are in bytes, may be zero or negative, and need not
/// be multiples of `width` (1, 2, 4 or 8). The two memories do not overlap.
void copy_strided(int width, const std::vector<int64_t>& shape, std::byte* to,
                  const std::vector<int64_t>& to_strides, const std::byte* from,
                  const std::vector<int64_t>& from_strides);

} // namespace kolam::runtime
