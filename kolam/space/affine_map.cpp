// Affine maps: application, composition and simplification of their rows.
#include "kolam/space/affine_map.h"

#include <algorithm>
#include <numeric>

#include "kolam/space/exact.h"

namespace kolam::space {
namespace {

AffineRow unit_row(int rank, int dim) {
  AffineRow row{std::vector<int64_t>(rank, 0), 0};
  row.coefficients[dim] = 1;
  return row;
}

/// The least and greatest value of coefficients . x over a non-empty box: each term is extreme at a
/// start or an end, chosen by its sign.
RowRange linear_range(const std::vector<int64_t>& coefficients, const Box& box) {
  RowRange range{0, 0};
  for (size_t j = 0; j < coefficients.size(); ++j) {
    int64_t first = multiply(coefficients[j], box.start()[j]);
    int64_t final = multiply(coefficients[j], box.end()[j] - 1);
    range.least = add(range.least, std::min(first, final));
    range.greatest = add(range.greatest, std::max(first, final));
  }
  return range;
}

/// Drops the terms below a factor g of the divisor that never carry into it: with 0 <= rest < g,
///
///     (g x + rest) floordiv (g d)   =   x floordiv d
bool drop_small_terms(AffineRow& row, const Box& box) {
  int64_t offset = number(row.offset);
  std::vector<int64_t> factors{row.divisor};
  for (int64_t coefficient : row.coefficients)
    if (coefficient != 0)
      factors.push_back(std::gcd(coefficient, row.divisor));
  std::sort(factors.rbegin(), factors.rend());
  for (int64_t factor : factors) {
    if (factor == 1)
      return false;
    AffineRow kept = row, rest = row;
    for (size_t j = 0; j < row.coefficients.size(); ++j)
      (row.coefficients[j] % factor == 0 ? rest : kept).coefficients[j] = 0;
    RowRange range = linear_range(rest.coefficients, box);
    int64_t remainder = floor_modulo(offset, factor);
    if (add(range.least, remainder) < 0 || add(range.greatest, remainder) >= factor)
      continue;
    for (int64_t& coefficient : kept.coefficients)
      coefficient /= factor;
    kept.offset = floor_divide(offset, factor);
    kept.divisor /= factor;
    row = kept;
    return true;
  }
  return false;
}

} // namespace

AffineMap affine_map(int input_rank, const Matrix& matrix, const Shape& offset) {
  check_rank(static_cast<int64_t>(offset.size()), static_cast<int64_t>(matrix.size()), "an offset");
  AffineMap map{input_rank, {}};
  for (size_t k = 0; k < matrix.size(); ++k)
    map.rows.push_back({matrix[k], offset[k]});
  check_map(map);
  return map;
}

AffineMap identity_map(int rank) {
  AffineMap map{rank, {}};
  for (int d = 0; d < rank; ++d)
    map.rows.push_back(unit_row(rank, d));
  return map;
}

void check_map(const AffineMap& map) {
  for (const AffineRow& row : map.rows) {
    check_rank(static_cast<int64_t>(row.coefficients.size()), map.input_rank, "a map's row");
    if (row.divisor < 1 || row.modulus < 0)
      fail(ErrorKind::value, "space-divisor",
           "expected a divisor >= 1 and a modulus >= 0, but got " + to_string(row));
  }
}

bool is_affine(const AffineRow& row) { return row.divisor == 1 && row.modulus == 0; }
bool is_affine(const AffineMap& map) {
  return std::all_of(map.rows.begin(), map.rows.end(),
                     [](const AffineRow& row) { return is_affine(row); });
}
bool is_constant(const AffineRow& row) {
  return std::all_of(row.coefficients.begin(), row.coefficients.end(),
                     [](int64_t coefficient) { return coefficient == 0; });
}

Point image(const AffineMap& map, const Point& point) {
  check_map(map);
  check_rank(static_cast<int64_t>(point.size()), map.input_rank, "a point");
  Point image;
  for (const AffineRow& row : map.rows) {
    int64_t value = number(row.offset);
    for (size_t j = 0; j < point.size(); ++j)
      value = add(value, multiply(row.coefficients[j], point[j]));
    value = floor_divide(value, row.divisor);
    image.push_back(row.modulus == 0 ? value : floor_modulo(value, row.modulus));
  }
  return image;
}

RowRange row_range(const AffineRow& row, const Box& box) {
  KOLAM_CHECK(!is_empty(box));
  RowRange range = linear_range(row.coefficients, box);
  range.least = floor_divide(add(range.least, number(row.offset)), row.divisor);
  range.greatest = floor_divide(add(range.greatest, number(row.offset)), row.divisor);
  if (row.modulus == 0)
    return range;
  if (floor_divide(range.least, row.modulus) != floor_divide(range.greatest, row.modulus))
    return {0, row.modulus - 1};
  return {floor_modulo(range.least, row.modulus), floor_modulo(range.greatest, row.modulus)};
}

AffineMap permute_inputs(const AffineMap& map, const std::vector<int>& order) {
  check_map(map);
  check_permutation(order, map.input_rank);
  AffineMap result = map;
  for (int k = 0; k < map.output_rank(); ++k)
    for (int j = 0; j < map.input_rank; ++j)
      result.rows[k].coefficients[j] = map.rows[k].coefficients[order[j]];
  return result;
}

AffineMap permute_outputs(const AffineMap& map, const std::vector<int>& order) {
  check_map(map);
  check_permutation(order, map.output_rank());
  AffineMap result{map.input_rank, {}};
  for (int k : order)
    result.rows.push_back(map.rows[k]);
  return result;
}

AffineMap translate(const AffineMap& map, const Shape& delta) {
  check_map(map);
  check_rank(static_cast<int64_t>(delta.size()), map.output_rank(), "a translation");
  AffineMap result = map;
  for (int k = 0; k < map.output_rank(); ++k) {
    AffineRow& row = result.rows[k];
    if (row.modulus != 0 && !(delta[k] == Extent(0)))
      fail(ErrorKind::value, "space-not-representable",
           "expected a row without mod to translate, but got " + to_string(row));
    row.offset = row.offset + delta[k] * row.divisor;
  }
  return result;
}

AffineMap reverse_input(const AffineMap& map, int dim, const Extent& extent) {
  check_map(map);
  if (dim < 0 || dim >= map.input_rank)
    fail(ErrorKind::index, "space-rank",
         "expected an index dim below " + std::to_string(map.input_rank) + ", but got " +
             std::to_string(dim));
  AffineMap result = map;
  for (AffineRow& row : result.rows) {
    row.offset = row.offset + (extent - 1) * row.coefficients[dim];
    row.coefficients[dim] = subtract(0, row.coefficients[dim]);
  }
  return result;
}

AffineMap embed(const AffineMap& map, int input_rank, Embedding embedding) {
  check_map(map);
  int extra = input_rank - map.input_rank;
  if (extra < 0)
    fail(ErrorKind::value, "space-rank",
         "expected at least " + std::to_string(map.input_rank) + " inputs, but got " +
             std::to_string(input_rank));
  AffineMap result{input_rank, {}};
  if (embedding == Embedding::tile)
    for (int d = 0; d < extra; ++d)
      result.rows.push_back(unit_row(input_rank, d));
  for (AffineRow row : map.rows) {
    row.coefficients.insert(row.coefficients.begin(), extra, 0);
    result.rows.push_back(std::move(row));
  }
  return result;
}

std::optional<AffineRow> compose_row(const AffineRow& outer, const AffineMap& inner) {
  AffineRow result{std::vector<int64_t>(inner.input_rank, 0), outer.offset, outer.divisor,
                   outer.modulus};
  const AffineRow* quasi = nullptr;
  int read = 0;
  for (int k = 0; k < inner.output_rank(); ++k) {
    int64_t factor = outer.coefficients[k];
    if (factor == 0)
      continue;
    const AffineRow& row = inner.rows[k];
    ++read;
    if (!is_affine(row)) {
      if (factor != 1)
        return std::nullopt;
      quasi = &row;
      continue;
    }
    for (int j = 0; j < inner.input_rank; ++j)
      result.coefficients[j] = add(result.coefficients[j], multiply(factor, row.coefficients[j]));
    result.offset = result.offset + row.offset * factor;
  }
  if (!quasi)
    return result;
  if (read != 1)
    return std::nullopt;
  result = *quasi;
  if (quasi->modulus == 0) {
    result.offset = quasi->offset + outer.offset * quasi->divisor;
    result.divisor = multiply(quasi->divisor, outer.divisor);
    result.modulus = outer.modulus;
    return result;
  }
  if (!(outer.offset == Extent(0)) || quasi->modulus % outer.divisor != 0)
    return std::nullopt;
  result.divisor = multiply(quasi->divisor, outer.divisor);
  result.modulus = quasi->modulus / outer.divisor;
  if (outer.modulus == 0 || outer.modulus >= result.modulus)
    return result;
  if (result.modulus % outer.modulus != 0)
    return std::nullopt;
  result.modulus = outer.modulus;
  return result;
}

std::optional<AffineMap> try_compose(const AffineMap& outer, const AffineMap& inner) {
  check_map(outer);
  check_map(inner);
  check_rank(inner.output_rank(), outer.input_rank, "the inner map's result");
  AffineMap result{inner.input_rank, {}};
  for (const AffineRow& row : outer.rows) {
    std::optional<AffineRow> composed = compose_row(row, inner);
    if (!composed)
      return std::nullopt;
    result.rows.push_back(simplify(*composed));
  }
  return result;
}

AffineMap compose(const AffineMap& outer, const AffineMap& inner) {
  if (std::optional<AffineMap> result = try_compose(outer, inner))
    return *result;
  fail(ErrorKind::value, "space-not-representable",
       "the composition of " + to_string(outer) + " over " + to_string(inner) +
           " is no map with one division and one mod a row");
}

AffineRow simplify(const AffineRow& row) {
  AffineRow result = row;
  int64_t period;
  if (result.modulus != 0 && !__builtin_mul_overflow(result.modulus, result.divisor, &period)) {
    for (int64_t& coefficient : result.coefficients)
      if (coefficient % period == 0)
        coefficient = 0;
    if (std::optional<int64_t> offset = result.offset.constant())
      result.offset = Extent(floor_modulo(*offset, period));
  }
  int64_t common = result.divisor;
  for (int64_t coefficient : result.coefficients)
    common = std::gcd(common, coefficient);
  for (int64_t& coefficient : result.coefficients)
    coefficient /= common;
  result.offset = floordiv(result.offset, common);
  result.divisor /= common;
  if (result.modulus == 0)
    return result;
  // The common factor of a zero row is its whole divisor.
  if (is_constant(result)) {
    result.offset =
        result.offset - floordiv(result.offset, result.modulus) * Extent(result.modulus);
    result.modulus = 0;
  }
  return result;
}

AffineMap simplify(const AffineMap& map, const Box& box) {
  check_map(map);
  check_rank(box.rank(), map.input_rank, "a box");
  AffineMap result{map.input_rank, {}};
  for (AffineRow row : map.rows) {
    row = simplify(row);
    if (is_empty(box) || !row.offset.is_constant()) {
      result.rows.push_back(std::move(row));
      continue;
    }
    while (row.divisor != 1 && drop_small_terms(row, box))
      row = simplify(row);
    AffineRow quotient = row;
    quotient.modulus = 0;
    RowRange range = row_range(quotient, box);
    int64_t turns = row.modulus == 0 ? 0 : floor_divide(range.least, row.modulus);
    if (row.modulus != 0 && turns == floor_divide(range.greatest, row.modulus)) {
      quotient.offset = quotient.offset - Extent(turns) * row.modulus * row.divisor;
      row = quotient;
    }
    result.rows.push_back(std::move(row));
  }
  return result;
}

AffineMap instantiate(const AffineMap& map, const std::map<std::string, int64_t>& sizes) {
  AffineMap result = map;
  for (AffineRow& row : result.rows)
    row.offset = row.offset.evaluate(sizes);
  return result;
}

std::string to_string(const AffineRow& row) {
  std::string text;
  for (int64_t coefficient : row.coefficients)
    text += std::to_string(coefficient) + " ";
  text += "| " + row.offset.to_string();
  if (is_affine(row))
    return text;
  text = "(" + text + ")";
  if (row.divisor != 1)
    text += " floordiv " + std::to_string(row.divisor);
  if (row.modulus != 0)
    text += " mod " + std::to_string(row.modulus);
  return text;
}

std::string to_string(const AffineMap& map) {
  std::string text = "[";
  for (const AffineRow& row : map.rows)
    text += (text.size() == 1 ? "" : "; ") + to_string(row);
  return text + "]";
}

} // namespace kolam::space
