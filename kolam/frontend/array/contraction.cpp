// Calls contractions.
#include "kolam/frontend/array/contraction.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/contract.h"

namespace kolam {

Tensor matmul(const Operand& x, const Operand& y) {
  return apply_one("matmul", {x, y}, [](language::Builder& b, const language::Values& v) {
    return language::matmul(b, v[0], v[1]);
  });
}

} // namespace kolam
