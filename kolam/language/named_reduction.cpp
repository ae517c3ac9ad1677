// The table of named reductions.
#include "kolam/language/named_reduction.h"

#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"

namespace kolam::language {
namespace {

using Kind = NamedReduction::Kind;

constexpr NamedReduction kReductions[] = {
    {"ADD", Kind::sum, Fn::add},
    {"ALL", Kind::truth, Fn::logical_and},
    {"ANY", Kind::truth, Fn::logical_or},
    {"ARGMAX", Kind::place, Fn::greater, true},
    {"ARGMIN", Kind::place, Fn::less, true},
    {"MAX", Kind::extreme, Fn::maximum, true},
    {"MEAN", Kind::mean, Fn::add},
    {"MIN", Kind::extreme, Fn::minimum, true},
    {"MUL", Kind::sum, Fn::multiply},
    {"PROD", Kind::sum, Fn::multiply},
    {"SUM", Kind::sum, Fn::add},
};

/// The dtype in which elements are combined.
DType element_dtype(const NamedReduction& reduction, DType given) {
  switch (reduction.kind) {
  case Kind::sum:
    return accumulation_dtype(given, std::nullopt);
  case Kind::extreme:
    if (given == DType::boolean)
      fail(ErrorKind::type, "dtype-mismatch", "expected integers or floats, but got booleans");
    return given;
  case Kind::mean:
    return wide_dtype(float_dtype(given));
  case Kind::truth:
    return DType::boolean;
  case Kind::place:
    return given == DType::boolean ? DType::u8 : given;
  }
  return given;
}

} // namespace

NamedReduction parse_reduction(std::string_view name) {
  for (const NamedReduction& row : kReductions)
    if (llvm::StringRef(row.name).equals_insensitive(name))
      return row;
  std::string names;
  for (const NamedReduction& row : kReductions)
    names += (names.empty() ? "'" : ", '") + llvm::StringRef(row.name).lower() + "'";
  fail_argument(ErrorKind::value, "unknown-reduction", "reduce", "one of " + names,
                "'" + std::string(name) + "'");
}

Values elements_of(Builder& b, const NamedReduction& reduction, Values results, const Shape& space,
                   const Axes& dims) {
  for (Value& result : results)
    result = cast(b, result, element_dtype(reduction, ir::dtype_of(result)));
  if (reduction.kind == Kind::place)
    results.push_back(reduced_place(b, space, dims, index_dtype(space, dims)));
  return results;
}

Monoid monoid_of(Builder& b, const NamedReduction& reduction, const std::vector<DType>& elements) {
  if (reduction.kind != Kind::place)
    return named_monoid(reduction.fn);
  return argument_monoid(b, reduction.fn, {elements.begin(), elements.end() - 1}, elements.back());
}

Values results_of(Builder& b, const NamedReduction& reduction, Values results,
                  const std::vector<DType>& given, const Extent& count) {
  if (reduction.kind == Kind::mean)
    for (auto [result, dtype] : llvm::zip(results, given))
      result = cast(b, divide_by_count(b, result, count), float_dtype(dtype));
  return results;
}

} // namespace kolam::language
