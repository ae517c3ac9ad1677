// Maps ranges of coordinates by a policy.
#include "kolam/space/landed.h"

#include <algorithm>
#include <optional>

#include "kolam/space/exact.h"

namespace kolam::space {
namespace {

/// Coordinates first to last, both among them, counted from a tensor's start.
struct Reach {
  int64_t first, last;
};

/// The elements of the coordinates in [first, last] as they stand.
std::optional<Reach> inside(Reach reach, int64_t extent) {
  reach = {std::max<int64_t>(reach.first, 0), std::min(reach.last, extent - 1)};
  return reach.first <= reach.last ? std::optional(reach) : std::nullopt;
}

/// Both ends land on elements in the same order, so that all between them do, or the dim is needed
/// whole.
Reach wrapped(Reach reach, int64_t extent) {
  const int64_t first = floor_modulo(reach.first, extent);
  const int64_t beyond = extent - 1 - first; // coordinates of the same turn after the first
  if (static_cast<uint64_t>(reach.last) - static_cast<uint64_t>(reach.first) <=
      static_cast<uint64_t>(beyond))
    return {first, first + (reach.last - reach.first)};
  return {0, extent - 1};
}

/// Coordinates turn at the multiples of n - 1: a reach without one inside is monotone, with one it
/// goes to that edge, with more to both.
Reach reflected(Reach reach, int64_t extent) {
  if (extent == 1)
    return {0, 0};
  const int64_t turn = floor_divide(reach.last, extent - 1);
  const int64_t first_turn = -floor_divide(-std::max(reach.first, -INT64_MAX), extent - 1);
  if (first_turn < turn)
    return {0, extent - 1};
  const Policy policy{Policy::Kind::reflect};
  const int64_t a = land(policy, reach.first, extent).index;
  const int64_t b = land(policy, reach.last, extent).index;
  if (first_turn > turn)
    return {std::min(a, b), std::max(a, b)};
  return turn % 2 == 0 ? Reach{0, std::max(a, b)} : Reach{std::min(a, b), extent - 1};
}

std::optional<Reach> landed(const Policy& policy, Reach reach, int64_t extent) {
  if (extent == 0)
    return std::nullopt;
  switch (policy.kind) {
  case Policy::Kind::clamp:
    return Reach{std::clamp<int64_t>(reach.first, 0, extent - 1),
                 std::clamp<int64_t>(reach.last, 0, extent - 1)};
  case Policy::Kind::wrap:
    return wrapped(reach, extent);
  case Policy::Kind::reflect:
    return reflected(reach, extent);
  case Policy::Kind::negative: {
    std::optional<Reach> below = inside(
        {std::max(reach.first, -extent) + extent, std::min<int64_t>(reach.last, -1) + extent},
        extent);
    std::optional<Reach> here = inside(reach, extent);
    if (!below || !here)
      return below ? below : here;
    return Reach{0, std::max(below->last, here->last)};
  }
  default:
    return inside(reach, extent);
  }
}

} // namespace

Box landed(const Policy& policy, const Box& region, const Box& tensor) {
  check_rank(region.rank(), tensor.rank(), "a region");
  const Box nothing = Box::of_shape(Point(tensor.rank(), 0));
  if (is_empty(region) || is_empty(tensor))
    return nothing;
  Point start, end;
  for (int d = 0; d < tensor.rank(); ++d) {
    const int64_t origin = tensor.start()[d];
    std::optional<Reach> reach = landed(
        policy, Reach{subtract(region.start()[d], origin), subtract(region.end()[d] - 1, origin)},
        tensor.extent(d));
    if (!reach)
      return nothing;
    start.push_back(origin + reach->first);
    end.push_back(origin + reach->last + 1);
  }
  return {std::move(start), std::move(end)};
}

} // namespace kolam::space
