/// Where windows start: what gather and scatter read from their indices.
#pragma once

#include "kolam/interp/elements.h"

#include "llvm/ADT/ArrayRef.h"

namespace kolam::interp {

/// Holds start + offset for the values of every integer dtype.
__extension__ typedef __int128 Place;
using Places = std::vector<Place>;

/// The start of the window of `batch` along each of the `rank` dims that windows have:
/// indices[batch, c] along dims[c], else 0.
Places window_start(const Array& indices, const Index& batch, llvm::ArrayRef<int64_t> dims,
                    size_t rank);

/// True where [start, start + window) lies in [0, extents).
bool is_inside(const Places& start, const std::vector<int64_t>& window,
               const std::vector<int64_t>& extents);

/// `start` moved so that the window lies inside.
Places clip_start(Places start, const std::vector<int64_t>& window,
                  const std::vector<int64_t>& extents);

} // namespace kolam::interp
