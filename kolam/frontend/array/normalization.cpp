// Calls normalisations.
#include "kolam/frontend/array/normalization.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/frontend/array/reduced_dims.h"
#include "kolam/language/normalization.h"

namespace kolam {
namespace {

using Present = std::vector<std::optional<Operand>>;

/// A function of x and those of `more` that are given; the others come as null values.
Tensor
with_optional(std::string_view function, const Operand& x, const Present& more,
              const std::function<mlir::Value(language::Builder&, const language::Values&)>& body) {
  std::vector<Operand> operands{x};
  for (const auto& operand : more)
    if (operand)
      operands.push_back(*operand);
  return apply(function, operands, [&](language::Builder& b, const language::Values& values) {
    language::Values all{values[0]};
    size_t next = 1;
    for (const auto& operand : more)
      all.push_back(operand ? values[next++] : mlir::Value());
    return language::Values{body(b, all)};
  })[0];
}

} // namespace

Tensor softmax(const Operand& x, const Axis& axis) {
  return apply_one("softmax", {x}, [&](language::Builder& b, const language::Values& v) {
    return language::softmax(b, v[0], reduced_dims(axis, ir::rank_of(v[0])));
  });
}

Tensor log_softmax(const Operand& x, const Axis& axis) {
  return apply_one("log_softmax", {x}, [&](language::Builder& b, const language::Values& v) {
    return language::log_softmax(b, v[0], reduced_dims(axis, ir::rank_of(v[0])));
  });
}

Tensor layer_norm(const Operand& x, const std::optional<Operand>& weight,
                  const std::optional<Operand>& bias, NormOptions options) {
  return with_optional("layer_norm", x, {weight, bias},
                       [&](language::Builder& b, const language::Values& v) {
                         return language::layer_norm(b, v[0], v[1], v[2], options.epsilon,
                                                     reduced_dims(options.axis, ir::rank_of(v[0])));
                       });
}

Tensor rms_norm(const Operand& x, const std::optional<Operand>& weight, NormOptions options) {
  return with_optional("rms_norm", x, {weight},
                       [&](language::Builder& b, const language::Values& v) {
                         return language::rms_norm(b, v[0], v[1], options.epsilon,
                                                   reduced_dims(options.axis, ir::rank_of(v[0])));
                       });
}

Tensor cross_entropy(const Operand& logits, const Operand& labels, int64_t axis) {
  return apply_one("cross_entropy", {logits, labels.apart()},
                   [&](language::Builder& b, const language::Values& v) {
                     if (ir::dtype_of(v[1]) == DType::boolean)
                       language::fail_argument(ErrorKind::type, "dtype-mismatch", "labels",
                                               "integers or floats", "bool");
                     return language::cross_entropy(
                         b, v[0], v[1], language::normalize_axis(axis, ir::rank_of(v[0])));
                   });
}

} // namespace kolam
