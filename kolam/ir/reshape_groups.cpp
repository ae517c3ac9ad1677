// Factors reshapes.
#include "kolam/ir/reshape_groups.h"

#include <optional>

namespace kolam::ir {
namespace {

/// The shortest runs from `from` and `to` on with equal products; the shortest in `from` first.
std::optional<ReshapeGroup> next_group(const Shape& from, size_t i, const Shape& to, size_t j) {
  Extent from_product = 1;
  for (size_t from_count = 1; i + from_count <= from.size(); ++from_count) {
    from_product = from_product * from[i + from_count - 1];
    Extent to_product = 1;
    for (size_t to_count = 1; j + to_count <= to.size(); ++to_count) {
      to_product = to_product * to[j + to_count - 1];
      if (from_product == to_product)
        return ReshapeGroup{{i, from_count}, {j, to_count}};
    }
  }
  return std::nullopt;
}

} // namespace

std::vector<ReshapeGroup> reshape_groups(const Shape& from, const Shape& to) {
  std::vector<ReshapeGroup> groups;
  size_t i = 0, j = 0;
  while (auto group = next_group(from, i, to, j)) {
    i += group->from.count;
    j += group->to.count;
    groups.push_back(*group);
  }
  if (i < from.size() || j < to.size())
    groups.push_back({{i, from.size() - i}, {j, to.size() - j}});
  return groups;
}

} // namespace kolam::ir
