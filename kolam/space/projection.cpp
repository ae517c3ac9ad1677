// The algebra of projections: moving, permuting, reversing, stacking.
#include "kolam/space/projection.h"

#include <algorithm>

#include "kolam/space/exact.h"

namespace kolam::space {
namespace {

bool is_zero(const Extent& extent) { return extent == Extent(0); }

bool any_zero(const Shape& sizes) { return std::any_of(sizes.begin(), sizes.end(), is_zero); }

/// What one row of `outer` adds for regions instead of elements of T: the elements of a region
/// spread its numerator by [below, below + spread].
struct Spread {
  Extent below = 0;
  Extent spread = 0;
};

Spread numerator_spread(const AffineRow& row, const Shape& inner_size) {
  Spread result;
  for (size_t k = 0; k < inner_size.size(); ++k) {
    int64_t factor = row.coefficients[k];
    if (factor == 0)
      continue;
    result.below = result.below + (inner_size[k] - 1) * std::min<int64_t>(factor, 0);
    result.spread = result.spread + (inner_size[k] - 1) * magnitude(factor);
  }
  return result;
}

/// By how much the quotients of a row vary over its spread, where that is the same at every point:
/// without division always, with one where the numerator has a fixed remainder.
std::optional<Extent> quotient_spread(const AffineRow& row, const Extent& spread) {
  if (is_zero(spread) || is_affine(row))
    return spread;
  bool fixed = row.modulus == 0 && row.offset.is_constant() && spread.is_constant() &&
               std::all_of(row.coefficients.begin(), row.coefficients.end(),
                           [&](int64_t factor) { return factor % row.divisor == 0; });
  if (!fixed)
    return std::nullopt;
  int64_t remainder = floor_modulo(number(row.offset), row.divisor);
  return floor_divide(add(remainder, number(spread)), row.divisor);
}

/// The size of the regions of one stacked row; nullopt where it differs between points.
std::optional<Extent> stacked_size(const AffineRow& outer, const AffineRow& composed,
                                   const AffineMap& inner, const Extent& outer_size,
                                   const Extent& spread) {
  for (size_t k = 0; k < outer.coefficients.size(); ++k)
    if (outer.coefficients[k] != 0 && !is_affine(inner.rows[k]))
      return is_affine(outer) || is_zero(spread) ? std::optional(outer_size + spread)
                                                 : std::nullopt;
  std::optional<Extent> extra = quotient_spread(composed, spread);
  return extra ? std::optional(outer_size + *extra) : std::nullopt;
}

Extent stacked_adjustment(const AffineRow& outer, const Extent& outer_adjustment,
                          const Projection& inner, const Extent& below) {
  Extent result = outer_adjustment + below;
  for (int k = 0; k < inner.tensor_rank(); ++k) {
    if (outer.coefficients[k] == 0)
      continue;
    result = result + (inner.adjustment[k] * outer.coefficients[k]);
    // Over a quasi-affine row the outer offset is scaled by its divisor.
    result = result + outer_adjustment * (inner.map.rows[k].divisor - 1);
  }
  return result;
}

} // namespace

Projection projection(AffineMap map, Shape size) {
  Projection result{std::move(map), {}, std::move(size)};
  result.adjustment.assign(result.tensor_rank(), 0);
  check_projection(result);
  return result;
}

void check_projection(const Projection& projection) {
  check_map(projection.map);
  check_rank(static_cast<int64_t>(projection.size.size()), projection.tensor_rank(),
             "a projection's size");
  check_rank(static_cast<int64_t>(projection.adjustment.size()), projection.tensor_rank(),
             "a projection's adjustment");
  for (const Extent& size : projection.size)
    if (size.constant().value_or(0) < 0)
      fail(ErrorKind::value, "space-size",
           "expected sizes >= 0, but got " + kolam::to_string(projection.size));
}

Shape relative_start(const Projection& projection) {
  Shape result;
  for (int k = 0; k < projection.tensor_rank(); ++k)
    result.push_back(projection.map.rows[k].offset - projection.adjustment[k]);
  return result;
}

Projection translate(const Projection& projection, const Shape& delta) {
  Projection result = projection;
  result.map = translate(projection.map, delta);
  return result;
}

Projection permute_index(const Projection& projection, const std::vector<int>& order) {
  Projection result = projection;
  result.map = permute_inputs(projection.map, order);
  return result;
}

Projection permute_tensor(const Projection& projection, const std::vector<int>& order) {
  Projection result{permute_outputs(projection.map, order), {}, {}};
  for (int dim : order) {
    result.adjustment.push_back(projection.adjustment[dim]);
    result.size.push_back(projection.size[dim]);
  }
  return result;
}

Projection reverse_index(const Projection& projection, int dim, const Extent& extent) {
  Projection result = projection;
  result.map = reverse_input(projection.map, dim, extent);
  for (int k = 0; k < result.tensor_rank(); ++k)
    result.adjustment[k] =
        result.adjustment[k] + (extent - 1) * projection.map.rows[k].coefficients[dim];
  return result;
}

Projection reindex(const Projection& projection, const AffineMap& index_map) {
  check_projection(projection);
  Projection cells = space::projection(index_map, Shape(index_map.output_rank(), 1));
  return stack(projection, cells);
}

Projection embed(const Projection& projection, int index_rank, Embedding embedding) {
  Projection result = projection;
  result.map = embed(projection.map, index_rank, embedding);
  int extra = result.tensor_rank() - projection.tensor_rank();
  result.adjustment.insert(result.adjustment.begin(), extra, 0);
  result.size.insert(result.size.begin(), extra, 1);
  return result;
}

std::optional<Projection> try_stack(const Projection& outer, const Projection& inner) {
  check_projection(outer);
  check_projection(inner);
  check_rank(inner.tensor_rank(), outer.index_rank(), "the inner tensor");
  bool nothing = any_zero(outer.size) || any_zero(inner.size);
  Projection result{{inner.index_rank(), {}}, {}, {}};
  for (int k = 0; k < outer.tensor_rank(); ++k) {
    AffineRow row = outer.map.rows[k];
    Spread spread = nothing ? Spread{} : numerator_spread(row, inner.size);
    row.offset = row.offset + spread.below;
    std::optional<AffineRow> composed = compose_row(row, inner.map);
    if (!composed)
      return std::nullopt;
    std::optional<Extent> size =
        stacked_size(row, *composed, inner.map, outer.size[k], spread.spread);
    if (!size)
      return std::nullopt;
    AffineRow simple = simplify(*composed);
    Extent adjustment = stacked_adjustment(row, outer.adjustment[k], inner, spread.below);
    result.map.rows.push_back(simple);
    result.adjustment.push_back(floordiv(adjustment, composed->divisor / simple.divisor));
    result.size.push_back(nothing ? Extent(0) : *size);
  }
  return result;
}

Projection stack(const Projection& outer, const Projection& inner) {
  if (std::optional<Projection> result = try_stack(outer, inner))
    return *result;
  fail(ErrorKind::value, "space-not-representable",
       "the regions of " + to_string(outer) + " over " + to_string(inner) + " are no projection");
}

Projection through_view(const AffineMap& view, const Projection& projection) {
  return stack(space::projection(view, Shape(view.output_rank(), 1)), projection);
}

Projection instantiate(const Projection& projection, const std::map<std::string, int64_t>& sizes) {
  Projection result = projection;
  result.map = instantiate(projection.map, sizes);
  for (Extent& adjustment : result.adjustment)
    adjustment = adjustment.evaluate(sizes);
  for (Extent& size : result.size)
    size = size.evaluate(sizes);
  check_projection(result);
  return result;
}

std::string to_string(const Projection& projection) {
  std::string text = "[";
  for (int k = 0; k < projection.tensor_rank(); ++k)
    text += (k ? "; " : "") + to_string(projection.map.rows[k]) + " | " +
            projection.size[k].to_string();
  return text + "]";
}

} // namespace kolam::space
