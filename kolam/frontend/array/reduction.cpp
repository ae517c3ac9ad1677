// Calls reductions.
#include "kolam/frontend/array/reduction.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/reduced_dims.h"
#include "kolam/language/cumulative.h"
#include "kolam/language/reduction.h"
#include "kolam/language/zip_map_reduce.h"

namespace kolam {
namespace {

using Reduction =
    std::function<mlir::Value(language::Builder&, mlir::Value, const language::Axes&)>;

Tensor reduced(std::string_view function, const Operand& x, const Axis& axis, bool keepdims,
               const Reduction& reduction) {
  return apply_one(function, {x}, [&](language::Builder& b, const language::Values& values) {
    language::Axes dims = reduced_dims(axis, ir::rank_of(values[0]));
    mlir::Value result = reduction(b, values[0], dims);
    return keepdims ? language::keep_dims(b, result, dims) : result;
  });
}

Tensor accumulated(std::string_view function, const Operand& x, const Axis& axis,
                   const SumOptions& options, Fn fn) {
  return reduced(function, x, axis, options.keepdims,
                 [&](language::Builder& b, mlir::Value value, const language::Axes& dims) {
                   return language::accumulate(b, value, fn, dims, options.dtype);
                 });
}

Tensor by_function(std::string_view function, const Operand& x, const Axis& axis,
                   const ReduceOptions& options, Fn fn,
                   mlir::Value (*reduction)(language::Builder&, mlir::Value, Fn,
                                            const language::Axes&)) {
  return reduced(function, x, axis, options.keepdims,
                 [&](language::Builder& b, mlir::Value value, const language::Axes& dims) {
                   return reduction(b, value, fn, dims);
                 });
}

Tensor running(std::string_view function, const Operand& x, const CumulativeOptions& options,
               Fn fn) {
  return apply_one(function, {x}, [&](language::Builder& b, const language::Values& values) {
    return language::cumulative(b, values[0], fn, options.axis, options.dtype,
                                options.include_initial);
  });
}

} // namespace

Tensor sum(const Operand& x, const Axis& axis, SumOptions options) {
  return accumulated("sum", x, axis, options, Fn::add);
}

Tensor prod(const Operand& x, const Axis& axis, SumOptions options) {
  return accumulated("prod", x, axis, options, Fn::multiply);
}

Tensor min(const Operand& x, const Axis& axis, ReduceOptions options) {
  return by_function("min", x, axis, options, Fn::minimum, language::extreme);
}

Tensor max(const Operand& x, const Axis& axis, ReduceOptions options) {
  return by_function("max", x, axis, options, Fn::maximum, language::extreme);
}

Tensor any(const Operand& x, const Axis& axis, ReduceOptions options) {
  return by_function("any", x, axis, options, Fn::logical_or, language::truth);
}

Tensor all(const Operand& x, const Axis& axis, ReduceOptions options) {
  return by_function("all", x, axis, options, Fn::logical_and, language::truth);
}

Tensor argmin(const Operand& x, const Axis& axis, ReduceOptions options) {
  return by_function("argmin", x, axis, options, Fn::less, language::argument);
}

Tensor argmax(const Operand& x, const Axis& axis, ReduceOptions options) {
  return by_function("argmax", x, axis, options, Fn::greater, language::argument);
}

Tensor mean(const Operand& x, const Axis& axis, ReduceOptions options) {
  return reduced("mean", x, axis, options.keepdims, language::mean);
}

Tensor logsumexp(const Operand& x, const Axis& axis, ReduceOptions options) {
  return reduced("logsumexp", x, axis, options.keepdims, language::logsumexp);
}

Tensor var(const Operand& x, const Axis& axis, VarianceOptions options) {
  return reduced("var", x, axis, options.keepdims,
                 [&](language::Builder& b, mlir::Value value, const language::Axes& dims) {
                   return language::variance(b, value, dims, options.correction);
                 });
}

Tensor std(const Operand& x, const Axis& axis, VarianceOptions options) {
  return reduced("std", x, axis, options.keepdims,
                 [&](language::Builder& b, mlir::Value value, const language::Axes& dims) {
                   return language::standard_deviation(b, value, dims, options.correction);
                 });
}

Tensor cumulative_sum(const Operand& x, CumulativeOptions options) {
  return running("cumulative_sum", x, options, Fn::add);
}

Tensor cumulative_prod(const Operand& x, CumulativeOptions options) {
  return running("cumulative_prod", x, options, Fn::multiply);
}

Tensor cumulative_max(const Operand& x, std::optional<int64_t> axis, bool reverse) {
  return apply_one("cumulative_max", {x}, [&](language::Builder& b, const language::Values& v) {
    return language::cumulative_extreme(b, v[0], Fn::maximum, axis, reverse);
  });
}

Tensor cumulative_min(const Operand& x, std::optional<int64_t> axis, bool reverse) {
  return apply_one("cumulative_min", {x}, [&](language::Builder& b, const language::Values& v) {
    return language::cumulative_extreme(b, v[0], Fn::minimum, axis, reverse);
  });
}

} // namespace kolam
