// Calls activation functions.
#include "kolam/frontend/array/activation.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/activation.h"

namespace kolam {
namespace {

Tensor call(std::string_view function, const Operand& x,
            language::Value (*composite)(language::Builder&, language::Value)) {
  return apply_one(function, {x}, [composite](language::Builder& b, const language::Values& v) {
    return composite(b, v[0]);
  });
}

} // namespace

Tensor relu(const Operand& x) { return call("relu", x, language::relu); }
Tensor sigmoid(const Operand& x) { return call("sigmoid", x, language::sigmoid); }
Tensor silu(const Operand& x) { return call("silu", x, language::silu); }
Tensor softplus(const Operand& x) { return call("softplus", x, language::softplus); }

Tensor gelu(const Operand& x, Approximate approximate) {
  return call("gelu", x, approximate == Approximate::tanh ? language::gelu_tanh : language::gelu);
}

Tensor clip(const Operand& x, const std::optional<Operand>& min,
            const std::optional<Operand>& max) {
  std::vector<Operand> operands{x};
  for (const std::optional<Operand>& bound : {min, max})
    if (bound)
      operands.push_back(*bound);
  return apply("clip", operands, [&](language::Builder& b, const language::Values& v) {
    return language::Values{language::clip(b, v[0], min ? v[1] : language::Value(),
                                           max ? v.back() : language::Value())};
  })[0];
}

} // namespace kolam
