// Finds common dtypes.
#include "kolam/language/promotion.h"

#include <charconv>
#include <cmath>

namespace kolam::language {
namespace {

DType signed_integer(int width) {
  return width <= 1 ? DType::i8 : width == 2 ? DType::i16 : width == 4 ? DType::i32 : DType::i64;
}

double to_double(const WeakScalar& scalar) {
  return std::visit([](auto value) { return static_cast<double>(value); }, scalar);
}

llvm::APFloat rounded(double value, DType dtype) {
  const llvm::fltSemantics& semantics = dtype == DType::f16    ? llvm::APFloat::IEEEhalf()
                                        : dtype == DType::bf16 ? llvm::APFloat::BFloat()
                                        : dtype == DType::f32  ? llvm::APFloat::IEEEsingle()
                                                               : llvm::APFloat::IEEEdouble();
  llvm::APFloat number(value);
  bool loses = false;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &loses);
  return number;
}

std::string text(const WeakScalar& scalar) {
  if (auto* number = std::get_if<double>(&scalar)) {
    char digits[32];
    auto end = std::to_chars(std::begin(digits), std::end(digits), *number).ptr;
    return std::string(digits, end);
  }
  return std::visit([](auto value) { return std::to_string(value); }, scalar);
}

/// Whether an integer dtype has the number without its fraction; of NaN it has not.
bool holds_truncated(double number, DType dtype) {
  int bits = 8 * byte_width(dtype) - (is_signed_integer(dtype) ? 1 : 0);
  double whole = std::trunc(number);
  return whole < std::ldexp(1.0, bits) &&
         whole >= (is_signed_integer(dtype) ? -std::ldexp(1.0, bits) : 0.0);
}

} // namespace

DType promote(DType a, DType b) {
  if (a == b || b == DType::boolean)
    return a;
  if (a == DType::boolean)
    return b;
  if (is_float(a) != is_float(b))
    return is_float(a) ? a : b;
  if (is_float(a)) {
    if (is_narrow_float(a) && is_narrow_float(b))
      return DType::f32;
    return std::max(a, b);
  }
  if (is_signed_integer(a) == is_signed_integer(b))
    return std::max(a, b);
  DType with_sign = is_signed_integer(a) ? a : b, without = is_signed_integer(a) ? b : a;
  if (without == DType::u64)
    fail(ErrorKind::type, "no-promotion",
         "expected dtypes with a common type, but got uint64 and " + std::string(name(with_sign)) +
             "; cast one of them");
  return signed_integer(std::max(byte_width(with_sign), 2 * byte_width(without)));
}

bool fits(int64_t value, DType dtype) {
  if (dtype == DType::u64)
    return value >= 0;
  int bits = 8 * byte_width(dtype);
  if (is_unsigned_integer(dtype))
    return value >= 0 && value < (int64_t{1} << bits);
  return bits == 64 || (value >= -(int64_t{1} << (bits - 1)) && value < (int64_t{1} << (bits - 1)));
}

DType default_dtype(const WeakScalar& scalar) {
  return std::holds_alternative<bool>(scalar)     ? DType::boolean
         : std::holds_alternative<double>(scalar) ? DType::f32
                                                  : DType::i32;
}

DType weak_dtype(const WeakScalar& scalar, DType other) {
  if (std::holds_alternative<bool>(scalar))
    return other == DType::boolean ? DType::boolean : other;
  if (!std::holds_alternative<double>(scalar))
    return other == DType::boolean ? DType::i32 : other;
  return is_float(other) ? other : DType::f32;
}

bool holds(DType dtype, const WeakScalar& scalar) {
  if (is_float(dtype)) {
    double value = to_double(scalar);
    return !std::isfinite(value) || !rounded(value, dtype).isInfinity();
  }
  if (dtype == DType::boolean)
    return true;
  if (auto* number = std::get_if<int64_t>(&scalar))
    return fits(*number, dtype);
  if (auto* number = std::get_if<double>(&scalar))
    return holds_truncated(*number, dtype);
  return !std::holds_alternative<uint64_t>(scalar) || dtype == DType::u64;
}

void require_fit(const WeakScalar& scalar, DType dtype) {
  if (!holds(dtype, scalar))
    fail(ErrorKind::value, "scalar-does-not-fit",
         "expected a scalar in the range of " + std::string(name(dtype)) + ", but got " +
             text(scalar));
}

Value weak_constant(Builder& b, const WeakScalar& scalar, DType dtype) {
  require_fit(scalar, dtype);
  auto type = tensor_type(b, dtype, {});
  if (is_float(dtype))
    return make_constant(b, mlir::DenseElementsAttr::get(type, rounded(to_double(scalar), dtype)));
  uint64_t bits = std::visit(
      [dtype](auto v) {
        if (dtype == DType::boolean)
          return static_cast<uint64_t>(v != 0);
        // From 2^63 on only u64 holds a float.
        if constexpr (std::is_same_v<decltype(v), double>)
          return v < 0 ? static_cast<uint64_t>(static_cast<int64_t>(v)) : static_cast<uint64_t>(v);
        else
          return static_cast<uint64_t>(v);
      },
      scalar);
  unsigned width = type.getElementType().getIntOrFloatBitWidth();
  return make_constant(b, mlir::DenseElementsAttr::get(type, llvm::APInt(64, bits).trunc(width)));
}

Value cast(Builder& b, Value x, DType dtype) {
  if (ir::dtype_of(x) == dtype)
    return x;
  return ir::CastOp::create(b, tensor_type(b, dtype, ir::shape_of(x)), x);
}

Values promote(Builder& b, Values values) {
  DType dtype = ir::dtype_of(values.front());
  for (Value value : values)
    dtype = promote(dtype, ir::dtype_of(value));
  for (Value& value : values)
    value = cast(b, value, dtype);
  return values;
}

} // namespace kolam::language
