// Prints monoids and lays out reduction trees.
#include "kolam/space/monoid.h"

#include "kolam/support/checked.h"

namespace kolam::space {

std::string to_string(const Monoid& monoid) {
  std::string text = monoid.id + "<";
  for (size_t i = 0; i < monoid.state.size(); ++i)
    text += (i ? ", " : "") + std::string(name(monoid.state[i]));
  text += ">";
  if (!monoid.commutative)
    text += " noncommutative";
  if (monoid.exact)
    text += " exact";
  if (monoid.idempotent)
    text += " idempotent";
  return text;
}

std::vector<int64_t> tree_sizes(int64_t count, int64_t branching) {
  if (branching < 2)
    fail(ErrorKind::value, "space-tree",
         "expected a branching of at least 2, but got " + std::to_string(branching));
  std::vector<int64_t> sizes;
  while (count > 1) {
    count = ceil_divide(count, branching);
    sizes.push_back(count);
  }
  return sizes;
}

std::vector<Merge> pairwise_tree(int64_t count) {
  std::vector<Merge> merges;
  for (int64_t stride = 1; stride < count; stride *= 2)
    for (int64_t left = 0; left < count - stride; left += 2 * stride)
      merges.push_back({left, left + stride});
  return merges;
}

int64_t chunk_count(int64_t count, int64_t chunk) {
  if (chunk < 1)
    fail(ErrorKind::value, "space-tree",
         "expected chunks of at least one element, but got " + std::to_string(chunk));
  return ceil_divide(count, chunk);
}

} // namespace kolam::space
