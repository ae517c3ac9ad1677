// Computes regions, cores, halos and unions.
#include "kolam/space/region.h"

#include <algorithm>
#include <set>

#include "kolam/space/cover.h"
#include "kolam/space/exact.h"

namespace kolam::space {
namespace {

constexpr int64_t kCountedCells = 1 << 20;

Box box_at(const Point& start, const Shape& size) {
  Point end = start;
  for (size_t k = 0; k < start.size(); ++k)
    end[k] = add(start[k], number(size[k]));
  return Box(start, end);
}

void check_steps(const Projection& projection, int dim) {
  check_projection(projection);
  if (dim < 0 || dim >= projection.index_rank())
    fail(ErrorKind::index, "space-rank",
         "expected an index dim below " + std::to_string(projection.index_rank()) + ", but got " +
             std::to_string(dim));
  if (!is_affine(projection.map))
    fail(ErrorKind::value, "space-not-representable",
         "expected rows without division and mod, but got " + to_string(projection));
}

/// n S - (n - 1) * overlap of neighbours, over the rows that read index dim `dim` alone: along one
/// dim the regions move monotonically, so only neighbours need to be subtracted.
int64_t union_along(const Projection& projection, int dim, int64_t extent) {
  int64_t cells = 1, shared = 1;
  for (int k = 0; k < projection.tensor_rank(); ++k) {
    int64_t step = magnitude(projection.map.rows[k].coefficients[dim]);
    if (step == 0)
      continue;
    int64_t size = number(projection.size[k]);
    cells = multiply(cells, size);
    shared = multiply(shared, std::max<int64_t>(0, size - step));
  }
  return subtract(multiply(extent, cells), multiply(extent - 1, shared));
}

/// The size of the union where every row reads at most one index dim: a product of unions along
/// single dims and of the sizes of the constant rows.
int64_t monomial_union(const Projection& projection, const Box& range) {
  int64_t cells = 1;
  for (int j = 0; j < range.rank(); ++j) {
    bool is_read = false;
    for (const AffineRow& row : projection.map.rows)
      is_read |= row.coefficients[j] != 0;
    if (is_read)
      cells = multiply(cells, union_along(projection, j, range.extent(j)));
  }
  for (int k = 0; k < projection.tensor_rank(); ++k)
    if (is_constant(projection.map.rows[k]))
      cells = multiply(cells, number(projection.size[k]));
  return cells;
}

std::optional<int64_t> counted_union(const Projection& projection, const Box& range) {
  int64_t each = size(region(projection, range.start())), all;
  if (__builtin_mul_overflow(each, size(range), &all) || all > kCountedCells)
    return std::nullopt;
  std::set<Point> cells;
  for_each_point(range, [&](const Point& point) {
    for_each_point(region(projection, point), [&](const Point& cell) { cells.insert(cell); });
  });
  return static_cast<int64_t>(cells.size());
}

} // namespace

Box region(const Projection& projection, const Point& point) {
  check_projection(projection);
  return box_at(image(projection.map, point), projection.size);
}

Box region(const Projection& projection, const Box& range) {
  check_projection(projection);
  check_rank(range.rank(), projection.index_rank(), "an index range");
  if (is_empty(range))
    return box_at(image(projection.map, range.start()), Shape(projection.tensor_rank(), 0));
  Point start, end;
  for (int k = 0; k < projection.tensor_rank(); ++k) {
    RowRange values = row_range(projection.map.rows[k], range);
    start.push_back(values.least);
    end.push_back(add(values.greatest, number(projection.size[k])));
  }
  return Box(start, end);
}

SymbolicBox region(const Projection& projection, const SymbolicBox& range) {
  check_projection(projection);
  check_rank(static_cast<int64_t>(range.start.size()), projection.index_rank(), "an index range");
  check_rank(static_cast<int64_t>(range.extent.size()), projection.index_rank(), "an index range");
  SymbolicBox result;
  for (int k = 0; k < projection.tensor_rank(); ++k) {
    const AffineRow& row = projection.map.rows[k];
    Extent least = row.offset, spread = 0;
    for (int j = 0; j < projection.index_rank(); ++j) {
      int64_t factor = row.coefficients[j];
      least =
          least + range.start[j] * factor + (range.extent[j] - 1) * std::min<int64_t>(factor, 0);
      spread = spread + (range.extent[j] - 1) * magnitude(factor);
    }
    Extent greatest = floordiv(least + spread, row.divisor);
    least = floordiv(least, row.divisor);
    if (row.modulus != 0) {
      least = 0;
      greatest = row.modulus - 1;
    }
    result.start.push_back(least);
    result.extent.push_back(greatest - least + projection.size[k]);
  }
  return result;
}

Box common_core(const Projection& projection, const Box& range) {
  check_projection(projection);
  check_rank(range.rank(), projection.index_rank(), "an index range");
  Box nothing = Box::of_shape(Point(projection.tensor_rank(), 0));
  if (is_empty(range))
    return nothing;
  Point start, end;
  for (int k = 0; k < projection.tensor_rank(); ++k) {
    RowRange values = row_range(projection.map.rows[k], range);
    start.push_back(values.greatest);
    end.push_back(add(values.least, number(projection.size[k])));
    if (start.back() >= end.back())
      return nothing;
  }
  return Box(start, end);
}

Point shared_by_neighbours(const Projection& projection, int dim) {
  check_steps(projection, dim);
  Point result;
  for (int k = 0; k < projection.tensor_rank(); ++k)
    result.push_back(std::max<int64_t>(0, number(projection.size[k]) -
                                              magnitude(projection.map.rows[k].coefficients[dim])));
  return result;
}

Point skipped_by_neighbours(const Projection& projection, int dim) {
  check_steps(projection, dim);
  Point result;
  for (int k = 0; k < projection.tensor_rank(); ++k)
    result.push_back(std::max<int64_t>(0, magnitude(projection.map.rows[k].coefficients[dim]) -
                                              number(projection.size[k])));
  return result;
}

Point halo(const Projection& projection, const Box& range, int dim) {
  check_steps(projection, dim);
  if (is_empty(range))
    return Point(projection.tensor_rank(), 0);
  // A slab of one point along `dim`: its region moves by the column's entry with each step.
  Box slab = with_range(range, dim, range.start()[dim], range.start()[dim] + 1);
  Point result = shape(region(projection, slab));
  for (int k = 0; k < projection.tensor_rank(); ++k)
    result[k] =
        std::max<int64_t>(0, result[k] - magnitude(projection.map.rows[k].coefficients[dim]));
  return result;
}

int64_t new_cells(const Projection& projection, const Box& range, int dim) {
  check_steps(projection, dim);
  Box longer = with_range(range, dim, range.start()[dim], add(range.end()[dim], 1));
  return size(region(projection, longer)) - size(region(projection, range));
}

std::optional<int64_t> union_size(const Projection& projection, const Box& range) {
  check_projection(projection);
  check_rank(range.rank(), projection.index_rank(), "an index range");
  if (is_empty(range) || is_empty(region(projection, range.start())))
    return 0;
  if (are_disjoint(projection, range) == true)
    return multiply(size(range), size(region(projection, range.start())));
  if (is_row_monomial(projection))
    return monomial_union(projection, range);
  return counted_union(projection, range);
}

std::optional<int64_t> waste(const Projection& projection, const Box& range) {
  std::optional<int64_t> owned = union_size(projection, range);
  if (!owned)
    return std::nullopt;
  if (*owned == 0)
    return 0;
  return subtract(size(region(projection, range)), *owned);
}

} // namespace kolam::space
