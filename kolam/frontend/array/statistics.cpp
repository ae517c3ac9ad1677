// Calls weighted means, ranges and covariances.
#include "kolam/frontend/array/statistics.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/reduced_dims.h"
#include "kolam/language/statistics.h"
#include "kolam/language/transpose.h"
#include "kolam/language/zip_map_reduce.h"

namespace kolam {
namespace {

using language::Builder;
using language::Value;
using language::Values;

/// x with a row for each variable.
Value by_rows(Builder& b, Value x, bool rowvar) {
  return rowvar || ir::rank_of(x) != 2 ? x : language::matrix_transpose(b, x);
}

} // namespace

Tensor ptp(const Operand& x, const Axis& axis, ReduceOptions options) {
  return apply_one("ptp", {x}, [&](Builder& b, const Values& v) {
    language::Axes dims = reduced_dims(axis, ir::rank_of(v[0]));
    Value result = language::peak_to_peak(b, v[0], dims);
    return options.keepdims ? language::keep_dims(b, result, dims) : result;
  });
}

Tensor average(const Operand& x, const Axis& axis, const std::optional<Operand>& weights,
               ReduceOptions options) {
  std::vector<Operand> operands{x};
  if (weights)
    operands.push_back(*weights);
  return apply("average", operands, [&](Builder& b, const Values& v) {
    language::Axes dims = reduced_dims(axis, ir::rank_of(v[0]));
    Value result = language::average(b, v[0], weights ? v[1] : Value(), dims);
    return Values{options.keepdims ? language::keep_dims(b, result, dims) : result};
  })[0];
}

Tensor cov(const Operand& x, bool rowvar, double correction) {
  return apply_one("cov", {x}, [&](Builder& b, const Values& v) {
    return language::covariance(b, by_rows(b, v[0], rowvar), correction);
  });
}

Tensor corrcoef(const Operand& x, bool rowvar) {
  return apply_one("corrcoef", {x}, [&](Builder& b, const Values& v) {
    return language::correlation(b, by_rows(b, v[0], rowvar));
  });
}

} // namespace kolam
