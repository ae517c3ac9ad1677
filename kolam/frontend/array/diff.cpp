// Calls differences.
#include "kolam/frontend/array/diff.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/diff.h"

namespace kolam {

Tensor diff(const Operand& x, int64_t n, int64_t axis, const std::optional<Operand>& prepend,
            const std::optional<Operand>& append) {
  std::vector<Operand> operands{x};
  for (const std::optional<Operand>& part : {prepend, append})
    if (part)
      operands.push_back(*part);
  return apply("diff", operands, [&](language::Builder& b, const language::Values& v) {
    language::Value none;
    return language::Values{
        language::diff(b, v[0], n, axis, prepend ? v[1] : none, append ? v.back() : none)};
  })[0];
}

} // namespace kolam
