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
  if (i == from.size() && j == to.size())
    return groups;
  // What is between the groups from the front and those from the back has a product that only the
  // whole shows.
  Shape from_back(from.rbegin(), from.rend() - i), to_back(to.rbegin(), to.rend() - j);
  std::vector<ReshapeGroup> behind;
  size_t from_count = 0, to_count = 0;
  while (auto group = next_group(from_back, from_count, to_back, to_count)) {
    from_count += group->from.count;
    to_count += group->to.count;
    behind.push_back(
        {{from.size() - from_count, group->from.count}, {to.size() - to_count, group->to.count}});
  }
  groups.push_back({{i, from.size() - from_count - i}, {j, to.size() - to_count - j}});
  groups.insert(groups.end(), behind.rbegin(), behind.rend());
  return groups;
}

} // namespace kolam::ir
