// Calls linear units.
#include "kolam/frontend/array/linear_unit.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/linear_unit.h"

namespace kolam {
namespace {

using language::Builder;
using language::Value;
using language::Values;

/// `unit` of the elements and its parameters.
template <class... P>
Tensor call(std::string_view function, const Operand& x, Value (*unit)(Builder&, Value, P...),
            P... parameters) {
  return apply_one(function, {x},
                   [&](Builder& b, const Values& v) { return unit(b, v[0], parameters...); });
}

} // namespace

Tensor elu(const Operand& x, double alpha) { return call("elu", x, language::elu, alpha, 1.0); }
Tensor selu(const Operand& x) {
  return call("selu", x, language::elu, 1.6732632423543772848170429916717,
              1.0507009873554804934193349852946);
}
Tensor celu(const Operand& x, double alpha) { return call("celu", x, language::celu, alpha); }
Tensor leaky_relu(const Operand& x, double negative_slope) {
  return call("leaky_relu", x, language::leaky_relu, negative_slope);
}
Tensor prelu(const Operand& x, const Operand& weight) {
  return apply_one("prelu", {x, weight},
                   [](Builder& b, const Values& v) { return language::prelu(b, v[0], v[1]); });
}
Tensor relu6(const Operand& x) { return call("relu6", x, language::limited, 0.0, 6.0); }

Tensor hard_tanh(const Operand& x, double min, double max) {
  return call("hard_tanh", x, language::hard_tanh, min, max);
}
Tensor hard_sigmoid(const Operand& x) { return call("hard_sigmoid", x, language::hard_sigmoid); }
Tensor hard_silu(const Operand& x) { return call("hard_silu", x, language::hard_silu); }
Tensor hard_swish(const Operand& x) { return call("hard_swish", x, language::hard_silu); }

Tensor mish(const Operand& x) { return call("mish", x, language::mish); }
Tensor soft_sign(const Operand& x) { return call("soft_sign", x, language::soft_sign); }
Tensor log_sigmoid(const Operand& x) { return call("log_sigmoid", x, language::log_sigmoid); }
Tensor squareplus(const Operand& x, double b) {
  return call("squareplus", x, language::squareplus, b);
}

Tensor threshold(const Operand& x, double threshold, double value) {
  return call("threshold", x, language::threshold, threshold, value);
}
Tensor hard_shrink(const Operand& x, double lambd) {
  return call("hard_shrink", x, language::hard_shrink, lambd);
}
Tensor soft_shrink(const Operand& x, double lambd) {
  return call("soft_shrink", x, language::soft_shrink, lambd);
}
Tensor tanh_shrink(const Operand& x) { return call("tanh_shrink", x, language::tanh_shrink); }

Tensor glu(const Operand& x, int64_t axis) { return call("glu", x, language::glu, axis); }

} // namespace kolam
