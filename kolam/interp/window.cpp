// Reads window starts.
#include "kolam/interp/window.h"

#include "kolam/support/error.h"

#include <algorithm>

namespace kolam::interp {
namespace {

Place read_integer(const Array& array, const Index& index) {
  const std::byte* at = cell(array, index);
  return visit_dtype(array.dtype(), [&](auto tag) -> Place {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
      return *reinterpret_cast<const T*>(at);
    KOLAM_CHECK(!"an integer");
    return 0;
  });
}

} // namespace

Places window_start(const Array& indices, const Index& batch, llvm::ArrayRef<int64_t> dims,
                    size_t rank) {
  Places start(rank, 0);
  Index at = batch;
  at.push_back(0);
  for (size_t column = 0; column < dims.size(); ++column) {
    at.back() = static_cast<int64_t>(column);
    start[dims[column]] = read_integer(indices, at);
  }
  return start;
}

bool is_inside(const Places& start, const std::vector<int64_t>& window,
               const std::vector<int64_t>& extents) {
  for (size_t dim = 0; dim < start.size(); ++dim)
    if (start[dim] < 0 || start[dim] + window[dim] > extents[dim])
      return false;
  return true;
}

Places clip_start(Places start, const std::vector<int64_t>& window,
                  const std::vector<int64_t>& extents) {
  for (size_t dim = 0; dim < start.size(); ++dim)
    start[dim] = std::clamp<Place>(start[dim], 0, extents[dim] - window[dim]);
  return start;
}

} // namespace kolam::interp
