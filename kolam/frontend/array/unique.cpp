// Calls what finds different values.
#include "kolam/frontend/array/unique.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/counted.h"
#include "kolam/language/unique.h"

namespace kolam {
namespace {

using language::Builder;
using language::UniqueSpec;
using language::Values;

/// The parts that `wanted` asks for, one after the other.
std::vector<Tensor> parts(std::string_view function, const Operand& x, const UniqueOptions& options,
                          UniqueSpec wanted) {
  CallScope scope(function, x.where());
  std::vector<Operand> operands{counted_operand(x, options.size)};
  if (options.fill_value)
    operands.push_back(*options.fill_value);
  return apply(function, operands, [&](Builder& b, const Values& v) {
    UniqueSpec spec = wanted;
    spec.count = count_of(options.size);
    spec.nan_is_one = options.equal_nan;
    spec.fill_value = options.fill_value ? v[1] : language::Value();
    language::Unique unique = language::unique(b, v[0], spec);
    Values results{unique.values};
    for (language::Value part : {unique.indices, unique.inverse, unique.counts})
      if (part)
        results.push_back(part);
    return results;
  });
}

} // namespace

Tensor unique_values(const Operand& x, const UniqueOptions& options) {
  return parts("unique_values", x, options, {})[0];
}

UniqueCounts unique_counts(const Operand& x, const UniqueOptions& options) {
  UniqueSpec wanted;
  wanted.wants_counts = true;
  auto found = parts("unique_counts", x, options, wanted);
  return {found[0], found[1]};
}

UniqueInverse unique_inverse(const Operand& x, const UniqueOptions& options) {
  UniqueSpec wanted;
  wanted.wants_inverse = true;
  auto found = parts("unique_inverse", x, options, wanted);
  return {found[0], found[1]};
}

UniqueAll unique_all(const Operand& x, const UniqueOptions& options) {
  UniqueSpec wanted;
  wanted.wants_indices = wanted.wants_inverse = wanted.wants_counts = true;
  auto found = parts("unique_all", x, options, wanted);
  return {found[0], found[1], found[2], found[3]};
}

} // namespace kolam
