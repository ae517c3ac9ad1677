// Calls activation functions.
#include "kolam/frontend/array/activation.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/creation.h"
#include "kolam/frontend/array/elementwise.h"
#include "kolam/frontend/array/trace.h"
#include "kolam/language/activation.h"

#include <algorithm>
#include <limits>

namespace kolam {
namespace {

Tensor call(std::string_view function, const Operand& x,
            language::Value (*composite)(language::Builder&, language::Value)) {
  return apply_one(function, {x}, [composite](language::Builder& b, const language::Values& v) {
    return composite(b, v[0]);
  });
}

/// The lowest and the highest number of a dtype, as i64 has them.
std::pair<int64_t, int64_t> range_of(DType dtype) {
  int bits = 8 * byte_width(dtype) - (is_signed_integer(dtype) ? 1 : 0);
  int64_t highest = bits >= 63 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << bits) - 1;
  return {is_signed_integer(dtype) ? -highest - 1 : 0, highest};
}

/// A parameter of the program likewise, which only the run knows.
Operand within_range(const Operand& bound, std::pair<int64_t, int64_t> range, DType dtype) {
  Tensor number = minimum(maximum(with_dtype(bound, DType::i64), range.first), range.second);
  return bound.with(astype(number, dtype));
}

/// A number beyond the range of x's dtype as the end of that range; any other bound as it is.
Operand within_range(const Operand& bound, const Operand& x) {
  auto* tensor = std::get_if<Tensor>(&x.value());
  if (!tensor || tensor->is_empty() || scalar_parameter(x))
    return bound;
  DType dtype = tensor->dtype();
  if (const ScalarParameter* number = scalar_parameter(bound))
    return is_integer(dtype) && std::holds_alternative<int64_t>(number->like)
               ? within_range(bound, range_of(dtype), dtype)
               : bound;
  bool is_below = false;
  if (auto* number = std::get_if<int64_t>(&bound.value())) {
    is_below = *number < 0;
    if (is_integer(dtype)) {
      auto [lowest, highest] = range_of(dtype);
      if (dtype == DType::u64)
        highest = std::max(highest, *number);
      return Operand(std::clamp(*number, lowest, highest));
    }
  } else if (std::holds_alternative<uint64_t>(bound.value())) {
    if (is_integer(dtype) && dtype != DType::u64)
      return Operand(range_of(dtype).second);
  } else if (auto* number = std::get_if<double>(&bound.value())) {
    is_below = *number < 0;
  } else {
    return bound;
  }
  if (!is_float(dtype) || scalar_fits(bound, dtype))
    return bound;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return Operand(is_below ? -kInfinity : kInfinity);
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
  CallScope scope("clip", x.where());
  std::vector<Operand> operands{x};
  for (const std::optional<Operand>& bound : {min, max})
    if (bound)
      operands.push_back(within_range(*bound, x));
  return apply("clip", operands, [&](language::Builder& b, const language::Values& v) {
    return language::Values{language::clip(b, v[0], min ? v[1] : language::Value(),
                                           max ? v.back() : language::Value())};
  })[0];
}

} // namespace kolam
