// Calls attention.
#include "kolam/frontend/array/attention.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/attention.h"

namespace kolam {

Tensor attention(const Operand& q, const Operand& k, const Operand& v,
                 const AttentionOptions& options) {
  std::vector<Operand> operands{q, k, v};
  if (options.mask)
    operands.push_back(*options.mask);
  return apply("attention", operands, [&](language::Builder& b, const language::Values& values) {
    language::Attention plain{nullptr, options.causal, options.scale};
    if (options.mask)
      plain.mask = values[3];
    return language::Values{language::attention(b, values[0], values[1], values[2], plain)};
  })[0];
}

} // namespace kolam
