// Calls contractions.
#include "kolam/frontend/array/contraction.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/contract.h"
#include "kolam/language/einsum.h"

namespace kolam {

using language::Builder;
using language::Values;

namespace {

/// Runs `make` on the operands, with the terms behind them.
Tensor of_terms(
    std::string_view function, std::vector<Operand> operands, const Terms& terms,
    const std::function<language::Value(Builder&, const Values&, const language::Terms&)>& make) {
  const size_t count = operands.size();
  if (terms.where)
    operands.push_back(terms.where->apart());
  return apply(function, operands, [&](Builder& b, const Values& v) {
    language::Terms own{terms.where ? v[count] : language::Value(), terms.accumulate};
    return Values{make(b, {v.begin(), v.begin() + static_cast<int64_t>(count)}, own)};
  })[0];
}

} // namespace

Tensor matmul(const Operand& x, const Operand& y, std::optional<DType> dtype, const Terms& terms) {
  return of_terms("matmul", {x, y}, terms, [&](Builder& b, const Values& v, const auto& own) {
    return language::matmul(b, v[0], v[1], dtype, own);
  });
}

Tensor tensordot(const Operand& x, const Operand& y, int64_t axes, std::optional<DType> dtype,
                 const Terms& terms) {
  return of_terms("tensordot", {x, y}, terms, [&](Builder& b, const Values& v, const auto& own) {
    return language::tensordot(b, v[0], v[1], axes, dtype, own);
  });
}

Tensor tensordot(const Operand& x, const Operand& y, const Axes& x_axes, const Axes& y_axes,
                 std::optional<DType> dtype, const Terms& terms) {
  return of_terms("tensordot", {x, y}, terms, [&](Builder& b, const Values& v, const auto& own) {
    return language::tensordot(b, v[0], v[1], x_axes.values(), y_axes.values(), dtype, own);
  });
}

Tensor einsum(const std::string& subscripts, const Operands& operands, std::optional<DType> dtype,
              const Terms& terms) {
  return of_terms("einsum", operands.values(), terms,
                  [&](Builder& b, const Values& v, const auto& own) {
                    return language::einsum(b, subscripts, v, dtype, own);
                  });
}

Tensor vecdot(const Operand& x, const Operand& y, int64_t axis, std::optional<DType> dtype,
              const Terms& terms) {
  return of_terms("vecdot", {x, y}, terms, [&](Builder& b, const Values& v, const auto& own) {
    return language::vecdot(b, v[0], v[1], axis, dtype, own);
  });
}

Tensor outer(const Operand& x, const Operand& y) {
  return apply_one("outer", {x, y},
                   [](Builder& b, const Values& v) { return language::outer(b, v[0], v[1]); });
}

Tensor linear(const Operand& x, const Operand& weight) {
  return apply_one("linear", {x, weight}, [](Builder& b, const Values& v) {
    return language::linear(b, v[0], v[1], nullptr);
  });
}

Tensor linear(const Operand& x, const Operand& weight, const Operand& bias) {
  return apply_one("linear", {x, weight, bias}, [](Builder& b, const Values& v) {
    return language::linear(b, v[0], v[1], v[2]);
  });
}

} // namespace kolam
