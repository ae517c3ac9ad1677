// Calls functions of the elementwise table.
#include "kolam/frontend/array/elementwise.h"

#include "kolam/frontend/array/apply.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/nextafter.h"
#include "kolam/language/power.h"

namespace kolam {
namespace {

/// "int64" for a tensor of integers, "an integer" for a number; empty for anything else.
std::string integer_text(const Operand& operand) {
  if (auto* tensor = std::get_if<Tensor>(&operand.value()))
    return !tensor->is_empty() && is_integer(tensor->dtype()) ? std::string(name(tensor->dtype()))
                                                              : "";
  bool is_number = std::holds_alternative<int64_t>(operand.value()) ||
                   std::holds_alternative<uint64_t>(operand.value()) ||
                   std::holds_alternative<Extent>(operand.value());
  return is_number ? "an integer" : "";
}

/// `/` of C++ divides whole numbers without a rest, and array functions as real numbers: neither is
/// what everybody expects of it.
void refuse_whole_numbers(const Operand& x, const Operand& y) {
  const std::string a = integer_text(x), b = integer_text(y);
  if (a.empty() || b.empty())
    return;
  CallScope scope("operator/", x.where());
  fail(ErrorKind::type, "integer-division",
       "expected a float on one side, but got " + a + " and " + b +
           "; write floor_divide(x, y) for whole numbers, or divide(x, y) for a float32");
}

} // namespace

/// Of a power of a tensor, the exponent that is a number.
static std::optional<language::WeakScalar> exponent_of(Fn fn, std::span<const Operand> operands) {
  if (fn != Fn::pow || !std::holds_alternative<Tensor>(operands[0].value()))
    return std::nullopt;
  if (auto number = std::get_if<int64_t>(&operands[1].value()))
    return *number;
  if (auto number = std::get_if<double>(&operands[1].value()))
    return *number;
  return std::nullopt;
}

Tensor elementwise(Fn fn, std::span<const Operand> given) {
  if (auto exponent = exponent_of(fn, given)) {
    DType dtype = std::get<Tensor>(given[0].value()).dtype();
    if (language::has_short_power(dtype, *exponent))
      return apply_one("pow", {given[0]}, [&](language::Builder& b, const language::Values& v) {
        return language::short_power(b, v[0], *exponent);
      });
  }
  std::vector<Operand> operands(given.begin(), given.end());
  if (fn == Fn::where)
    operands[0] = operands[0].apart(); // the condition has no say in the dtype of scalars
  return apply(elementwise_row(fn).name, operands,
               [fn](language::Builder& b, const language::Values& values) {
                 return language::Values{language::elementwise(b, fn, values)};
               })[0];
}

Tensor positive(const Operand& x) {
  return apply_one("positive", {x}, [](language::Builder&, const language::Values& v) {
    if (ir::dtype_of(v[0]) == DType::boolean)
      fail(ErrorKind::type, "dtype-mismatch", "expected integers or floats, but got bool");
    return v[0];
  });
}

Tensor nextafter(const Operand& x, const Operand& y) {
  return apply_one("nextafter", {x, y}, [](language::Builder& b, const language::Values& v) {
    return language::nextafter(b, v[0], v[1]);
  });
}

Tensor operator+(const Operand& x, const Operand& y) { return add(x, y); }
Tensor operator-(const Operand& x, const Operand& y) { return subtract(x, y); }
Tensor operator*(const Operand& x, const Operand& y) { return multiply(x, y); }
Tensor operator/(const Operand& x, const Operand& y) {
  refuse_whole_numbers(x, y);
  return divide(x, y);
}
Tensor operator%(const Operand& x, const Operand& y) { return remainder(x, y); }
Tensor operator&(const Operand& x, const Operand& y) { return bitwise_and(x, y); }
Tensor operator|(const Operand& x, const Operand& y) { return bitwise_or(x, y); }
Tensor operator^(const Operand& x, const Operand& y) { return bitwise_xor(x, y); }
Tensor operator<<(const Operand& x, const Operand& y) { return bitwise_left_shift(x, y); }
Tensor operator>>(const Operand& x, const Operand& y) { return bitwise_right_shift(x, y); }
Tensor operator<(const Operand& x, const Operand& y) { return less(x, y); }
Tensor operator<=(const Operand& x, const Operand& y) { return less_equal(x, y); }
Tensor operator>(const Operand& x, const Operand& y) { return greater(x, y); }
Tensor operator>=(const Operand& x, const Operand& y) { return greater_equal(x, y); }
Tensor operator==(const Operand& x, const Operand& y) { return equal(x, y); }
Tensor operator!=(const Operand& x, const Operand& y) { return not_equal(x, y); }
Tensor operator-(const Operand& x) { return negative(x); }
Tensor operator~(const Operand& x) { return bitwise_invert(x); }

} // namespace kolam
