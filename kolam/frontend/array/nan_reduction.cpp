// Calls reductions that leave NaN out.
#include "kolam/frontend/array/nan_reduction.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/reduced_dims.h"
#include "kolam/language/cumulative.h"
#include "kolam/language/nan_reduction.h"
#include "kolam/language/reduction.h"
#include "kolam/language/zip_map_reduce.h"

namespace kolam {
namespace {

using language::Axes;
using language::Builder;
using language::Value;
using language::Values;

Tensor reduced(std::string_view function, const Operand& x, const Axis& axis, bool keepdims,
               const std::function<Value(Builder&, Value, const Axes&)>& reduction) {
  return apply_one(function, {x}, [&](Builder& b, const Values& v) {
    Axes dims = reduced_dims(axis, ir::rank_of(v[0]));
    Value result = reduction(b, v[0], dims);
    return keepdims ? language::keep_dims(b, result, dims) : result;
  });
}

/// `fn` over the elements, NaN as its identity.
Tensor accumulated(std::string_view function, const Operand& x, const Axis& axis,
                   const SumOptions& options, Fn fn) {
  return reduced(function, x, axis, options.keepdims,
                 [&](Builder& b, Value value, const Axes& dims) {
                   value = language::without_nan(b, value, fn == Fn::multiply);
                   return language::accumulate(b, value, fn, dims, options.dtype);
                 });
}

Tensor running(std::string_view function, const Operand& x, const CumulativeOptions& options,
               Fn fn) {
  return apply_one(function, {x}, [&](Builder& b, const Values& v) {
    Value value = language::without_nan(b, v[0], fn == Fn::multiply);
    return language::cumulative(b, value, fn, options.axis, options.dtype, options.include_initial);
  });
}

Tensor by_function(std::string_view function, const Operand& x, const Axis& axis,
                   const ReduceOptions& options, Fn fn,
                   Value (*reduction)(Builder&, Value, Fn, const Axes&)) {
  return reduced(
      function, x, axis, options.keepdims,
      [&](Builder& b, Value value, const Axes& dims) { return reduction(b, value, fn, dims); });
}

} // namespace

Tensor nansum(const Operand& x, const Axis& axis, SumOptions options) {
  return accumulated("nansum", x, axis, options, Fn::add);
}
Tensor nanprod(const Operand& x, const Axis& axis, SumOptions options) {
  return accumulated("nanprod", x, axis, options, Fn::multiply);
}

Tensor nanmin(const Operand& x, const Axis& axis, ReduceOptions options) {
  return by_function("nanmin", x, axis, options, Fn::minimum, language::nan_extreme);
}
Tensor nanmax(const Operand& x, const Axis& axis, ReduceOptions options) {
  return by_function("nanmax", x, axis, options, Fn::maximum, language::nan_extreme);
}
Tensor nanargmin(const Operand& x, const Axis& axis, ReduceOptions options) {
  return by_function("nanargmin", x, axis, options, Fn::minimum, language::nan_argument);
}
Tensor nanargmax(const Operand& x, const Axis& axis, ReduceOptions options) {
  return by_function("nanargmax", x, axis, options, Fn::maximum, language::nan_argument);
}

Tensor nanmean(const Operand& x, const Axis& axis, ReduceOptions options) {
  return reduced("nanmean", x, axis, options.keepdims, language::nan_mean);
}
Tensor nanvar(const Operand& x, const Axis& axis, VarianceOptions options) {
  return reduced("nanvar", x, axis, options.keepdims,
                 [&](Builder& b, Value value, const Axes& dims) {
                   return language::nan_variance(b, value, dims, options.correction);
                 });
}
Tensor nanstd(const Operand& x, const Axis& axis, VarianceOptions options) {
  return reduced("nanstd", x, axis, options.keepdims,
                 [&](Builder& b, Value value, const Axes& dims) {
                   return language::nan_standard_deviation(b, value, dims, options.correction);
                 });
}

Tensor nancumsum(const Operand& x, CumulativeOptions options) {
  return running("nancumsum", x, options, Fn::add);
}
Tensor nancumprod(const Operand& x, CumulativeOptions options) {
  return running("nancumprod", x, options, Fn::multiply);
}

Tensor nan_to_num(const Operand& x, double nan, std::optional<double> posinf,
                  std::optional<double> neginf) {
  return apply_one("nan_to_num", {x}, [&](Builder& b, const Values& v) {
    return language::nan_to_num(b, v[0], nan, posinf, neginf);
  });
}

} // namespace kolam
