// Calls quantiles.
#include "kolam/frontend/array/quantile.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/reduced_dims.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/quantile.h"
#include "kolam/language/zip_map_reduce.h"

namespace kolam {
namespace {

using language::Builder;
using language::Interpolation;
using language::Value;
using language::Values;

Interpolation interpolation_of(std::string_view method) {
  constexpr std::pair<std::string_view, Interpolation> known[] = {
      {"linear", Interpolation::linear},
      {"lower", Interpolation::lower},
      {"higher", Interpolation::higher},
      {"nearest", Interpolation::nearest},
      {"midpoint", Interpolation::midpoint}};
  for (auto [name, interpolation] : known)
    if (name == method)
      return interpolation;
  language::fail_argument(ErrorKind::value, "unknown-mode", "method",
                          "one of 'linear', 'lower', 'higher', 'nearest', 'midpoint'",
                          "'" + std::string(method) + "'");
}

/// A number for q keeps all its digits, whatever stands beside it.
std::optional<double> number_of(const Operand& q) {
  if (auto* number = std::get_if<double>(&q.value()))
    return *number;
  if (auto* number = std::get_if<int64_t>(&q.value()))
    return static_cast<double>(*number);
  return std::nullopt;
}

Tensor quantiles(std::string_view function, const Operand& x, const Operand& q, double whole,
                 const Axis& axis, const QuantileOptions& options, bool ignores_nan) {
  CallScope scope(function, x.where());
  Interpolation interpolation = interpolation_of(options.method);
  std::optional<double> number = number_of(q);
  std::vector<Operand> operands{x};
  if (!number)
    operands.push_back(with_dtype(q, DType::f64).apart());
  return apply(function, operands, [&](Builder& b, const Values& v) {
    Value share = number ? language::weak_constant(b, *number, DType::f64)
                         : language::cast(b, v[1], DType::f64);
    if (whole != 1)
      share = language::elementwise(b, Fn::divide,
                                    {share, language::weak_constant(b, whole, DType::f64)});
    int64_t rank = ir::rank_of(v[0]);
    language::Axes dims = reduced_dims(axis, rank);
    Value result = language::quantile(b, v[0], share, dims, interpolation, ignores_nan);
    if (options.keepdims) {
      for (int64_t& dim : dims)
        dim += ir::rank_of(share);
      result = language::keep_dims(b, result, dims);
    }
    return Values{result};
  })[0];
}

Tensor middle(std::string_view function, const Operand& x, const Axis& axis,
              const ReduceOptions& options, bool ignores_nan) {
  return apply_one(function, {x}, [&](Builder& b, const Values& v) {
    language::Axes dims = reduced_dims(axis, ir::rank_of(v[0]));
    Value result = language::median(b, v[0], dims, ignores_nan);
    return options.keepdims ? language::keep_dims(b, result, dims) : result;
  });
}

} // namespace

Tensor quantile(const Operand& x, const Operand& q, const Axis& axis, QuantileOptions options) {
  return quantiles("quantile", x, q, 1, axis, options, false);
}
Tensor percentile(const Operand& x, const Operand& q, const Axis& axis, QuantileOptions options) {
  return quantiles("percentile", x, q, 100, axis, options, false);
}
Tensor median(const Operand& x, const Axis& axis, ReduceOptions options) {
  return middle("median", x, axis, options, false);
}
Tensor nanquantile(const Operand& x, const Operand& q, const Axis& axis, QuantileOptions options) {
  return quantiles("nanquantile", x, q, 1, axis, options, true);
}
Tensor nanpercentile(const Operand& x, const Operand& q, const Axis& axis,
                     QuantileOptions options) {
  return quantiles("nanpercentile", x, q, 100, axis, options, true);
}
Tensor nanmedian(const Operand& x, const Axis& axis, ReduceOptions options) {
  return middle("nanmedian", x, axis, options, true);
}

} // namespace kolam
