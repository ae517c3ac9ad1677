// Calls contractions.
#include "kolam/frontend/array/contraction.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/contract.h"
#include "kolam/language/einsum.h"

namespace kolam {

using language::Builder;
using language::Values;

Tensor matmul(const Operand& x, const Operand& y, std::optional<DType> dtype) {
  return apply_one("matmul", {x, y}, [&](Builder& b, const Values& v) {
    return language::matmul(b, v[0], v[1], dtype);
  });
}

Tensor tensordot(const Operand& x, const Operand& y, int64_t axes, std::optional<DType> dtype) {
  return apply_one("tensordot", {x, y}, [&](Builder& b, const Values& v) {
    return language::tensordot(b, v[0], v[1], axes, dtype);
  });
}

Tensor tensordot(const Operand& x, const Operand& y, const Axes& x_axes, const Axes& y_axes,
                 std::optional<DType> dtype) {
  return apply_one("tensordot", {x, y}, [&](Builder& b, const Values& v) {
    return language::tensordot(b, v[0], v[1], x_axes.values(), y_axes.values(), dtype);
  });
}

Tensor einsum(const std::string& subscripts, const Operands& operands, std::optional<DType> dtype) {
  return apply("einsum", operands.values(), [&](Builder& b, const Values& v) {
    return Values{language::einsum(b, subscripts, v, dtype)};
  })[0];
}

Tensor vecdot(const Operand& x, const Operand& y, int64_t axis, std::optional<DType> dtype) {
  return apply_one("vecdot", {x, y}, [&](Builder& b, const Values& v) {
    return language::vecdot(b, v[0], v[1], axis, dtype);
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
