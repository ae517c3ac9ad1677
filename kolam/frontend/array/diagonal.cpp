// Calls diagonals.
#include "kolam/frontend/array/diagonal.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/diagonal.h"

namespace kolam {

Tensor diagonal(const Operand& x, int64_t offset, int64_t axis1, int64_t axis2) {
  return apply_one("diagonal", {x}, [&](language::Builder& b, const language::Values& v) {
    return language::diagonal(b, v[0], offset, axis1, axis2);
  });
}

Tensor diag(const Operand& x, int64_t k) {
  return apply_one("diag", {x}, [&](language::Builder& b, const language::Values& v) {
    return ir::rank_of(v[0]) == 2 ? language::diagonal(b, v[0], k, 0, 1)
                                  : language::diagonal_matrix(b, v[0], k);
  });
}

Tensor trace(const Operand& x, int64_t offset, int64_t axis1, int64_t axis2,
             std::optional<DType> dtype) {
  return apply_one("trace", {x}, [&](language::Builder& b, const language::Values& v) {
    return language::trace(b, v[0], offset, axis1, axis2, dtype);
  });
}

} // namespace kolam
