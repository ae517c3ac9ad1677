// Calls take.
#include "kolam/frontend/array/take.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/take.h"

namespace kolam {

Tensor take(const Operand& x, const Operand& indices, int64_t axis) {
  return apply_one("take", {x, indices.apart()},
                   [&](language::Builder& b, const language::Values& v) {
                     return language::take(b, v[0], v[1], axis);
                   });
}

Tensor take_along_axis(const Operand& x, const Operand& indices, int64_t axis) {
  return apply_one("take_along_axis", {x, indices.apart()},
                   [&](language::Builder& b, const language::Values& v) {
                     return language::take_along_axis(b, v[0], v[1], axis);
                   });
}

Tensor embedding(const Operand& indices, const Operand& weight) {
  return apply_one("embedding", {weight, indices.apart()},
                   [](language::Builder& b, const language::Values& v) {
                     return language::take(b, v[0], v[1], 0);
                   });
}

} // namespace kolam
