/// Reductions that patterns know by name: how each prepares its elements, combines them and
/// finishes.
#pragma once

#include "kolam/language/zip_map_reduce.h"

#include <string_view>

namespace kolam::language {

/// A row of the table of names.
struct NamedReduction {
  enum class Kind : uint8_t { sum, extreme, mean, truth, place };
  std::string_view name; ///< upper case
  Kind kind;
  Fn fn; ///< what combines; for a place, what comes before
  bool refuses_empty = false;
};

/// SUM or ADD, PROD or MUL, MIN, MAX, MEAN, ANY, ALL, ARGMIN, ARGMAX in any case. Throws
/// `[unknown-reduction]`.
NamedReduction parse_reduction(std::string_view name);

/// What is reduced, made from what the body gives, in the body: converted, and with the place
/// appended where it is asked.
Values elements_of(Builder& b, const NamedReduction& reduction, Values results, const Shape& space,
                   const Axes& dims);
Monoid monoid_of(Builder& b, const NamedReduction& reduction, const std::vector<DType>& elements);
/// What the reduction gives, finished: divided by the count, rounded once. `given` are the dtypes
/// that the body gave.
Values results_of(Builder& b, const NamedReduction& reduction, Values results,
                  const std::vector<DType>& given, const Extent& count);

} // namespace kolam::language
