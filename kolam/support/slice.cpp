// Resolves slices, with extents and bounds that may be symbolic.
#include "kolam/support/slice.h"

#include "kolam/support/error.h"

#include <algorithm>

namespace kolam {
namespace {

/// Bounds and steps beyond mean the same as these, and these never overflow.
constexpr int64_t kFar = int64_t{1} << 61;

/// A bound as a place counted from the front; it may lie outside on either side.
Extent place_of(const Extent& bound, const Extent& extent) {
  auto number = bound.constant();
  if (!number)
    return bound;
  Extent near = std::clamp(*number, -kFar, kFar);
  return *number < 0 ? extent + near : near;
}

} // namespace

SliceBox resolve_slice(const Slice& slice, const Extent& extent) {
  if (slice.step == 0)
    fail(ErrorKind::value, "bad-step", "expected a step other than 0, but got 0");
  SliceBox box;
  box.reversed = slice.step < 0;
  int64_t step = std::clamp(slice.step, -kFar, kFar);
  box.step = box.reversed ? -step : step;
  // A negative step takes the reversed dim forwards: place p of the dim is place n - 1 - p of the
  // reversed one.
  auto find = [&](const std::optional<Extent>& bound, const Extent& otherwise) {
    if (!bound)
      return otherwise;
    Extent place = place_of(*bound, extent);
    return box.reversed ? extent - Extent(1) - place : place;
  };
  Extent first = find(slice.start, 0), last = find(slice.stop, extent);
  auto beyond = (extent - last).constant();
  Extent upper = beyond && *beyond >= 0 ? last : min(last, extent);
  Extent length;
  if (auto number = first.constant()) {
    box.start = std::max<int64_t>(*number, 0);
    length = upper - box.start;
  } else {
    // upper - max(first, 0), in the form that simplifies.
    box.start = max(first, 0);
    length = min(upper - first, upper);
  }
  box.size = ceildiv(max(length, 0), box.step);
  if (box.size == Extent(0))
    box.start = 0;
  return box;
}

} // namespace kolam
