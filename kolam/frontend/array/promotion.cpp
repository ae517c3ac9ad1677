// Asks for common dtypes.
#include "kolam/frontend/array/promotion.h"

#include "kolam/frontend/array/trace.h"
#include "kolam/language/promotion.h"

namespace kolam {
namespace {

/// The scalar that stands for one without a dtype of its own; nullopt for a tensor.
std::optional<language::WeakScalar> weak(const Operand& operand) {
  if (const ScalarParameter* parameter = scalar_parameter(operand))
    return parameter->like;
  if (const Numbers* numbers = operand.numbers())
    return std::visit([](auto value) -> language::WeakScalar { return value; }, numbers->greatest);
  return std::visit(
      [](const auto& value) -> std::optional<language::WeakScalar> {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Tensor>)
          return std::nullopt;
        else if constexpr (std::is_same_v<T, Extent>)
          return int64_t{0};
        else
          return value;
      },
      operand.value());
}

} // namespace

DType result_type(const Operands& operands) {
  CallScope scope("result_type",
                  operands.values().empty() ? SourceLocation() : operands.values()[0].where());
  if (operands.values().empty())
    fail(ErrorKind::value, "no-operands", "expected at least one operand, but got none");
  std::optional<DType> common;
  auto join = [](std::optional<DType> x, DType y) { return x ? language::promote(*x, y) : y; };
  for (const Operand& operand : operands.values())
    if (!weak(operand))
      common = join(common, std::get<Tensor>(operand.value()).dtype());
  std::optional<DType> result = common;
  for (const Operand& operand : operands.values())
    if (auto scalar = weak(operand))
      result = join(result, common ? language::weak_dtype(*scalar, *common)
                                   : language::default_dtype(*scalar));
  return *result;
}

bool can_cast(DType from, DType to) {
  bool has_none = (from == DType::u64 && is_signed_integer(to)) ||
                  (to == DType::u64 && is_signed_integer(from));
  return !has_none && language::promote(from, to) == to;
}

} // namespace kolam
