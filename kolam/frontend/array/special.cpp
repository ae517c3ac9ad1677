// Calls elementwise formulas.
#include "kolam/frontend/array/special.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/special.h"

namespace kolam {
namespace {

using language::Builder;
using language::Value;
using language::Values;

Tensor call(std::string_view function, const Operand& x, Value (*formula)(Builder&, Value)) {
  return apply_one(function, {x}, [&](Builder& b, const Values& v) { return formula(b, v[0]); });
}

Tensor call(std::string_view function, const Operand& x, const Operand& y,
            Value (*formula)(Builder&, Value, Value)) {
  return apply_one(function, {x, y},
                   [&](Builder& b, const Values& v) { return formula(b, v[0], v[1]); });
}

} // namespace

Tensor xlogy(const Operand& x, const Operand& y) { return call("xlogy", x, y, language::xlogy); }
Tensor xlog1py(const Operand& x, const Operand& y) {
  return call("xlog1py", x, y, language::xlog1py);
}
Tensor logaddexp2(const Operand& x, const Operand& y) {
  return call("logaddexp2", x, y, language::logaddexp2);
}
Tensor heaviside(const Operand& x, const Operand& y) {
  return call("heaviside", x, y, language::heaviside);
}
Tensor sinc(const Operand& x) { return call("sinc", x, language::sinc); }
Tensor deg2rad(const Operand& x) { return call("deg2rad", x, language::deg2rad); }
Tensor rad2deg(const Operand& x) { return call("rad2deg", x, language::rad2deg); }
Tensor logit(const Operand& x) { return call("logit", x, language::logit); }
Tensor digamma(const Operand& x) { return call("digamma", x, language::digamma); }
Tensor bitwise_count(const Operand& x) { return call("bitwise_count", x, language::bitwise_count); }

} // namespace kolam
