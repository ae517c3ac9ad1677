// Decides disjointness and exact cover of a projection's regions.
#include "kolam/space/cover.h"

#include <algorithm>
#include <set>

#include "kolam/space/exact.h"
#include "kolam/space/region.h"

namespace kolam::space {
namespace {

constexpr int64_t kEnumerated = 1 << 20;

/// Index extents; nullopt stands for one that is not known and may be large.
using Extents = std::vector<std::optional<int64_t>>;

/// Whether |row . d| >= size for every d that is not zero on the dims in `open` and zero elsewhere.
///
/// Sorted by magnitude, each coefficient has to exceed what all smaller ones can undo:
/// |a_i| >= size + sum over smaller l of |a_l| (n_l - 1).
bool separates(const AffineRow& row, int64_t size, const Extents& extents,
               const std::vector<bool>& open) {
  std::vector<size_t> dims;
  for (size_t j = 0; j < extents.size(); ++j)
    if (open[j] && row.coefficients[j] != 0)
      dims.push_back(j);
  std::sort(dims.begin(), dims.end(), [&](size_t a, size_t b) {
    return magnitude(row.coefficients[a]) < magnitude(row.coefficients[b]);
  });
  int64_t needed = size;
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t factor = magnitude(row.coefficients[dims[i]]), reach;
    if (factor < needed)
      return false;
    bool is_last = i + 1 == dims.size();
    if (is_last)
      break;
    if (!extents[dims[i]] || __builtin_mul_overflow(factor, *extents[dims[i]] - 1, &reach) ||
        __builtin_add_overflow(needed, reach, &needed))
      return false;
  }
  return true;
}

/// The index dims that no row settles: along the others two points with a common element agree.
std::vector<bool> open_dims(const Projection& projection, const Extents& extents) {
  std::vector<bool> open(extents.size());
  for (size_t j = 0; j < extents.size(); ++j)
    open[j] = !extents[j] || *extents[j] > 1;
  for (bool progress = true; progress;) {
    progress = false;
    for (int k = 0; k < projection.tensor_rank(); ++k) {
      const AffineRow& row = projection.map.rows[k];
      std::optional<int64_t> size = projection.size[k].constant();
      if (!is_affine(row) || !size || !separates(row, *size, extents, open))
        continue;
      for (size_t j = 0; j < extents.size(); ++j)
        if (open[j] && row.coefficients[j] != 0) {
          open[j] = false;
          progress = true;
        }
    }
  }
  return open;
}

/// Looks at every difference d of two points that agree on the settled dims.
std::optional<bool> disjoint_by_differences(const Projection& projection, const Box& range,
                                            const std::vector<bool>& open) {
  Point low(range.rank(), 0), high(range.rank(), 1);
  int64_t count = 1;
  for (int j = 0; j < range.rank(); ++j) {
    if (!open[j])
      continue;
    low[j] = 1 - range.extent(j);
    high[j] = range.extent(j);
    if (__builtin_mul_overflow(count, high[j], &count) || count > kEnumerated)
      return std::nullopt;
  }
  Box differences(low, high);
  if (size(differences) > kEnumerated)
    return std::nullopt;
  Point zero(range.rank(), 0);
  bool disjoint = true;
  for_each_point(differences, [&](const Point& difference) {
    if (!disjoint || difference <= zero) // d and -d say the same
      return;
    bool apart = false;
    for (int k = 0; k < projection.tensor_rank() && !apart; ++k) {
      int64_t distance = 0;
      for (int j = 0; j < range.rank(); ++j)
        distance = add(distance, multiply(projection.map.rows[k].coefficients[j], difference[j]));
      apart = magnitude(distance) >= number(projection.size[k]);
    }
    disjoint = apart;
  });
  return disjoint;
}

/// Writes every element down; nullopt where an element comes twice or `bound`, if any, lacks one.
/// The outer nullopt: too many to decide.
std::optional<std::optional<int64_t>> count_distinct(const Projection& projection, const Box& range,
                                                     const Box* bound) {
  int64_t each = size(region(projection, range.start())), all;
  if (__builtin_mul_overflow(each, size(range), &all) || all > kEnumerated)
    return std::nullopt;
  std::set<Point> cells;
  bool valid = true;
  for_each_point(range, [&](const Point& point) {
    if (valid)
      for_each_point(region(projection, point), [&](const Point& cell) {
        valid &= cells.insert(cell).second && (!bound || contains(*bound, cell));
      });
  });
  return valid ? std::optional(all) : std::optional<int64_t>();
}

bool has_mod(const Projection& projection) {
  return std::any_of(projection.map.rows.begin(), projection.map.rows.end(),
                     [](const AffineRow& row) { return row.modulus != 0; });
}

} // namespace

bool is_row_monomial(const Projection& projection) {
  return std::all_of(
      projection.map.rows.begin(), projection.map.rows.end(), [](const AffineRow& row) {
        auto zeros = std::count(row.coefficients.begin(), row.coefficients.end(), 0);
        return is_affine(row) && zeros + 1 >= static_cast<int64_t>(row.coefficients.size());
      });
}

std::optional<bool> are_disjoint(const Projection& projection, const Box& range) {
  check_projection(projection);
  check_rank(range.rank(), projection.index_rank(), "an index range");
  if (is_empty(range) || is_empty(region(projection, range.start())))
    return true;
  Point extents = shape(range);
  std::vector<bool> open = open_dims(projection, Extents(extents.begin(), extents.end()));
  if (std::find(open.begin(), open.end(), true) == open.end())
    return true;
  if (is_row_monomial(projection))
    return false;
  if (is_affine(projection.map))
    return disjoint_by_differences(projection, range, open);
  auto distinct = count_distinct(projection, range, nullptr);
  return distinct ? std::optional(distinct->has_value()) : std::nullopt;
}

bool are_disjoint_for_all_sizes(const Projection& projection, const Shape& extents) {
  check_projection(projection);
  check_rank(static_cast<int64_t>(extents.size()), projection.index_rank(), "an index space");
  Extents known;
  for (const Extent& extent : extents)
    known.push_back(extent.constant());
  std::vector<bool> open = open_dims(projection, known);
  return std::find(open.begin(), open.end(), true) == open.end();
}

std::optional<bool> is_exact_cover(const Projection& projection, const Box& range,
                                   const Box& target) {
  check_projection(projection);
  check_rank(target.rank(), projection.tensor_rank(), "a target");
  if (is_empty(range) || is_empty(region(projection, range.start())))
    return is_empty(target);
  if (has_mod(projection)) { // their range's region may be too wide
    auto distinct = count_distinct(projection, range, &target);
    return distinct ? std::optional(*distinct == size(target)) : std::nullopt;
  }
  if (region(projection, range) != target)
    return false;
  // Disjoint regions inside the target cover it exactly when their sizes sum up.
  int64_t owned;
  if (__builtin_mul_overflow(size(range), size(region(projection, range.start())), &owned) ||
      owned != size(target))
    return false;
  return are_disjoint(projection, range);
}

} // namespace kolam::space
