// Cuts index spaces into parts that a projection maps one-to-one.
#include "kolam/space/adjoint.h"

#include <algorithm>
#include <numeric>

#include "kolam/space/exact.h"

namespace kolam::space {
namespace {

/// A part of the index space, strided ranges, and the map on their numbers. A range of one point
/// has coefficients 0.
struct Part {
  Point start;
  std::vector<ViewDim> ranges;
  AffineMap map;
};

Part whole(const AffineMap& map, const Point& extents) {
  Part part{Point(extents.size(), 0), {}, map};
  for (size_t dim = 0; dim < extents.size(); ++dim)
    part.ranges.push_back({static_cast<int>(dim), 1, extents[dim]});
  for (AffineRow& row : part.map.rows)
    for (size_t dim = 0; dim < extents.size(); ++dim)
      if (extents[dim] == 1)
        row.coefficients[dim] = 0;
  return part;
}

/// Points first, first + step, ... (count of them) of range `dim`.
Part narrowed(const Part& part, size_t dim, int64_t first, int64_t step, int64_t count) {
  Part narrow = part;
  ViewDim& range = narrow.ranges[dim];
  narrow.start[dim] = add(part.start[dim], multiply(first, range.step));
  range = {range.source, multiply(range.step, step), count};
  for (AffineRow& row : narrow.map.rows) {
    const int64_t by = row.coefficients[dim];
    row.offset = add(number(row.offset), multiply(by, first));
    row.coefficients[dim] = count == 1 ? 0 : multiply(by, step);
  }
  return narrow;
}

Box box_of(const Part& part) {
  Point counts;
  for (const ViewDim& range : part.ranges)
    counts.push_back(range.count);
  return Box(Point(counts.size(), 0), counts);
}

/// Whether a row with division and mod is affine on the part: then it becomes so.
bool make_affine(AffineRow& row, const Box& box) {
  const int64_t divisor = row.divisor, modulus = row.modulus;
  for (int64_t coefficient : row.coefficients)
    if (coefficient % divisor != 0)
      return false;
  AffineRow quotient = row;
  quotient.offset = floor_divide(number(row.offset), divisor);
  for (int64_t& coefficient : quotient.coefficients)
    coefficient /= divisor;
  quotient.divisor = 1;
  quotient.modulus = 0;
  if (modulus != 0) {
    for (int64_t& coefficient : quotient.coefficients)
      if (coefficient % modulus == 0) // whole rounds
        coefficient = 0;
    const RowRange range = row_range(quotient, box);
    const int64_t wraps = floor_divide(range.least, modulus);
    if (wraps != floor_divide(range.greatest, modulus))
      return false;
    quotient.offset = subtract(number(quotient.offset), multiply(wraps, modulus));
  }
  row = quotient;
  return true;
}

/// The parts of `part` on which row `row` is affine, at most `most`; says whether there are so few.
bool cut_row(const Part& part, size_t row, int64_t most, std::vector<Part>& parts) {
  Part tried = part;
  if (make_affine(tried.map.rows[row], box_of(part))) {
    parts.push_back(std::move(tried));
    return static_cast<int64_t>(parts.size()) <= most;
  }
  const AffineRow& own = part.map.rows[row];
  // First residues, so that the division is exact; then where the quotient wraps.
  for (size_t dim = 0; dim < part.ranges.size(); ++dim) {
    const int64_t by = own.coefficients[dim], count = part.ranges[dim].count;
    if (by % own.divisor == 0 || count < 2)
      continue;
    const int64_t period = std::min(own.divisor / std::gcd(own.divisor, by), count);
    for (int64_t residue = 0; residue < period; ++residue)
      if (!cut_row(narrowed(part, dim, residue, period, (count - residue + period - 1) / period),
                   row, most, parts))
        return false;
    return true;
  }
  for (size_t dim = 0; dim < part.ranges.size(); ++dim) {
    const int64_t by = own.coefficients[dim] / own.divisor, count = part.ranges[dim].count;
    const int64_t modulus = own.modulus, period = modulus / std::gcd(modulus, by);
    if (period == 1 || count < 2)
      continue;
    const bool is_alone = std::count(own.coefficients.begin(), own.coefficients.end(), 0) + 1 ==
                          static_cast<int64_t>(own.coefficients.size());
    if (!is_alone) { // of several dims no interval is whole
      for (int64_t residue = 0; residue < std::min(period, count); ++residue)
        if (!cut_row(narrowed(part, dim, residue, period, (count - residue + period - 1) / period),
                     row, most, parts))
          return false;
      return true;
    }
    const int64_t offset = floor_divide(number(own.offset), own.divisor);
    for (int64_t first = 0; first < count;) {
      const int64_t wraps = floor_divide(add(offset, multiply(by, first)), modulus);
      int64_t end = first + 1;
      while (end < count && floor_divide(add(offset, multiply(by, end)), modulus) == wraps)
        ++end;
      if (!cut_row(narrowed(part, dim, first, 1, end - first), row, most, parts))
        return false;
      first = end;
    }
    return true;
  }
  KOLAM_CHECK(!"one point, on which every row is affine");
  return false;
}

/// The parts of `part` on which row `row` lands on elements that go on by one step; says whether
/// there are at most `most`, and whether they could be found. Points that land on none are left
/// out.
bool cut_by_policy(const Part& part, size_t row, const Policy& policy, int64_t extent, int64_t most,
                   std::vector<Part>& parts) {
  const AffineRow& own = part.map.rows[row];
  const RowRange range = row_range(own, box_of(part));
  if (range.least >= 0 && range.greatest < extent)
    return cut_row(part, row, most, parts);
  std::optional<size_t> along;
  for (size_t dim = 0; dim < part.ranges.size(); ++dim)
    if (own.coefficients[dim] != 0) {
      if (along)
        return false;
      along = dim;
    }
  if (!is_affine(own))
    return false;
  const int64_t count = along ? part.ranges[*along].count : 1;
  const int64_t by = along ? own.coefficients[*along] : 0;
  auto place = [&](int64_t point) { return add(number(own.offset), multiply(by, point)); };
  auto landed = [&](int64_t point) { return land(policy, place(point), extent); };
  auto is_inside = [&](int64_t point) { return place(point) >= 0 && place(point) < extent; };
  for (int64_t first = 0; first < count;) {
    const Landing from = landed(first);
    int64_t end = first + 1, step = 0;
    auto goes_on = [&](int64_t point) {
      const Landing to = landed(point);
      if (to.kind != from.kind || is_inside(point) != is_inside(first))
        return false;
      if (to.kind != Landing::Kind::cell)
        return true;
      if (point == first + 1)
        step = to.index - from.index;
      return step != 0 && to.index == from.index + step * (point - first);
    };
    while (end < count && goes_on(end))
      ++end;
    if (from.kind == Landing::Kind::cell) {
      Part piece = along ? narrowed(part, *along, first, 1, end - first) : part;
      AffineRow& landing = piece.map.rows[row];
      landing.offset = from.index;
      if (along)
        landing.coefficients[*along] = end - first == 1 ? 0 : step;
      parts.push_back(std::move(piece));
      if (static_cast<int64_t>(parts.size()) > most)
        return false;
    }
    first = end;
  }
  return true;
}

int uses(const AffineMap& map, size_t dim) {
  return static_cast<int>(std::count_if(map.rows.begin(), map.rows.end(), [&](const auto& row) {
    return row.coefficients[dim] != 0;
  }));
}

/// Whether ranges of a row are mixed radix, those that are numbers left out.
bool is_mixed_radix(const AffineRow& row, const std::vector<ViewDim>& ranges,
                    const std::vector<bool>& is_offset) {
  std::vector<std::pair<int64_t, int64_t>> steps; // size, count
  for (size_t dim = 0; dim < ranges.size(); ++dim)
    if (row.coefficients[dim] != 0 && ranges[dim].count > 1 && !is_offset[dim])
      steps.emplace_back(magnitude(row.coefficients[dim]), ranges[dim].count);
  std::sort(steps.begin(), steps.end());
  int64_t reached = 0;
  for (auto [size, count] : steps) {
    if (size <= reached)
      return false;
    reached = add(reached, multiply(size, count - 1));
  }
  return true;
}

/// The index dims that are gone through one by one, the shortest first, until the rest is
/// one-to-one; none where that can't be.
std::vector<bool> offsets_of(const Part& part) {
  std::vector<bool> is_offset(part.ranges.size(), false);
  auto take_shortest = [&](auto wanted) {
    std::optional<size_t> found;
    for (size_t dim = 0; dim < part.ranges.size(); ++dim)
      if (!is_offset[dim] && part.ranges[dim].count > 1 && wanted(dim) &&
          (!found || part.ranges[dim].count <= part.ranges[*found].count))
        found = dim;
    is_offset[*found] = true;
  };
  for (size_t dim = 0; dim < part.ranges.size(); ++dim)
    if (uses(part.map, dim) != 1 && part.ranges[dim].count > 1)
      is_offset[dim] = true;
  for (const AffineRow& row : part.map.rows)
    while (!is_mixed_radix(row, part.ranges, is_offset))
      take_shortest([&](size_t dim) { return row.coefficients[dim] != 0; });
  return is_offset;
}

/// Terms of a part whose rows are affine; says whether there are few enough.
bool add_terms(const Part& part, int64_t most, std::vector<AdjointTerm>& terms) {
  const std::vector<bool> is_offset = offsets_of(part);
  int64_t count = 1;
  for (size_t dim = 0; dim < part.ranges.size(); ++dim)
    if (is_offset[dim]) {
      count = multiply(count, part.ranges[dim].count);
      if (count > most)
        return false;
    }
  if (static_cast<int64_t>(terms.size()) + count > most)
    return false;
  for (int64_t number = 0; number < count; ++number) {
    Part term = part;
    int64_t rest = number;
    for (size_t dim = part.ranges.size(); dim-- > 0;)
      if (is_offset[dim]) {
        term = narrowed(term, dim, rest % part.ranges[dim].count, 1, 1);
        rest /= part.ranges[dim].count;
      }
    terms.push_back({term.ranges, term.start, term.map});
  }
  return true;
}

} // namespace

/// `tensor` is null for what reads inside.
static std::optional<Adjoint> adjoint_within(const AffineMap& map, const Policy& policy,
                                             const Point* tensor, const Point& extents,
                                             int64_t most) {
  check_map(map);
  if (static_cast<int>(extents.size()) != map.input_rank)
    fail(ErrorKind::value, "space-rank",
         "adjoint_of: expected " + std::to_string(map.input_rank) + " extents, but got " +
             std::to_string(extents.size()));
  Adjoint adjoint;
  if (std::find(extents.begin(), extents.end(), 0) != extents.end())
    return adjoint;
  Point used = extents;
  for (size_t dim = 0; dim < extents.size(); ++dim)
    if (uses(map, dim) == 0 && extents[dim] > 1) {
      adjoint.summed.push_back(static_cast<int>(dim));
      used[dim] = 1;
    }
  std::vector<Part> parts{whole(map, used)};
  for (size_t row = 0; row < map.rows.size(); ++row) {
    std::vector<Part> pieces;
    for (const Part& part : parts)
      if (tensor ? !cut_by_policy(part, row, policy, (*tensor)[row], most, pieces)
                 : !cut_row(part, row, most, pieces))
        return std::nullopt;
    parts = std::move(pieces);
  }
  for (const Part& part : parts)
    if (!add_terms(part, most, adjoint.terms))
      return std::nullopt;
  return adjoint;
}

std::optional<Adjoint> adjoint_of(const AffineMap& map, const Point& extents, int64_t most) {
  return adjoint_within(map, {}, nullptr, extents, most);
}

std::optional<Adjoint> adjoint_of(const AffineMap& map, const Policy& policy, const Point& tensor,
                                  const Point& extents, int64_t most) {
  if (tensor.size() != map.rows.size())
    fail(ErrorKind::value, "space-rank",
         "adjoint_of: expected " + std::to_string(map.rows.size()) +
             " extents of the tensor, but got " + std::to_string(tensor.size()));
  return adjoint_within(map, policy, &tensor, extents, most);
}

std::optional<Adjoint> adjoint_of(const Projection& projection, const Point& extents,
                                  int64_t most) {
  check_projection(projection);
  const int rank = projection.index_rank();
  AffineMap map = projection.map;
  Point all = extents;
  map.input_rank = rank + projection.tensor_rank();
  for (int k = 0; k < projection.tensor_rank(); ++k) {
    AffineRow& row = map.rows[static_cast<size_t>(k)];
    row.coefficients.resize(static_cast<size_t>(map.input_rank), 0);
    const int64_t size = number(projection.size[static_cast<size_t>(k)]);
    if (!is_affine(row) && size > 1)
      return std::nullopt; // elements of a region do not wrap one by one
    row.coefficients[static_cast<size_t>(rank + k)] = is_affine(row) ? 1 : 0;
    all.push_back(size);
  }
  return adjoint_of(map, all, most);
}

std::string to_string(const Adjoint& adjoint) {
  std::string text;
  for (int dim : adjoint.summed)
    text += (text.empty() ? "sum " : ", ") + std::to_string(dim);
  for (const AdjointTerm& term : adjoint.terms) {
    text += text.empty() ? "[" : "; [";
    for (size_t dim = 0; dim < term.ranges.size(); ++dim)
      text += (dim ? "; " : "") + std::to_string(term.start[dim]) + " " +
              std::to_string(term.ranges[dim].step) + " " + std::to_string(term.ranges[dim].count);
    text += "] -> " + to_string(term.map);
  }
  return text;
}

} // namespace kolam::space
