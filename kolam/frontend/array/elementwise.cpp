// Calls functions of the elementwise table.
#include "kolam/frontend/array/elementwise.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/elementwise.h"

namespace kolam {

Tensor elementwise(Fn fn, std::span<const Operand> operands) {
  return apply(elementwise_row(fn).name, operands,
               [fn](language::Builder& b, const language::Values& values) {
                 return language::Values{language::elementwise(b, fn, values)};
               })[0];
}

} // namespace kolam
