// Counts and fills ranges.
#include "kolam/language/arange.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"

#include <cmath>
#include <limits>

namespace kolam::language {
namespace {

/// Every double is a multiple of 2^-kFractionBits; sums of two need 2 + 1024 + kFractionBits bits.
constexpr int kFractionBits = 1074;
constexpr unsigned kExactBits = 2176;

/// The number times 2^kFractionBits, exactly.
llvm::APInt exact(const Number& number) {
  int64_t mantissa = 0;
  int exponent = 0;
  if (number.is_integer()) {
    mantissa = *number.integer().constant();
  } else {
    mantissa = static_cast<int64_t>(std::ldexp(std::frexp(number.real(), &exponent), 53));
    exponent -= 53;
  }
  llvm::APInt value(kExactBits, static_cast<uint64_t>(mantissa), /*isSigned=*/true);
  // The smallest doubles have zeros below their last bit, which the right shift drops.
  int shift = exponent + kFractionBits;
  return shift >= 0 ? value.shl(shift) : value.ashr(-shift);
}

Extent integer_count(const Extent& start, const Extent& stop, const Extent& step) {
  if (step.constant().value_or(1) < 0)
    return max(ceildiv(start - stop, Extent(0) - step), 0);
  return max(ceildiv(stop - start, step), 0);
}

Extent exact_count(const Number& start, const Number& stop, const Number& step) {
  llvm::APInt count = llvm::APIntOps::RoundingSDiv(exact(stop) - exact(start), exact(step),
                                                   llvm::APInt::Rounding::UP);
  if (count.isNegative())
    return 0;
  if (count.getActiveBits() > 62)
    fail(ErrorKind::value, "extent-overflow",
         "expected a range of less than 2^62 numbers, but got step " + step.to_string());
  return static_cast<int64_t>(count.getZExtValue());
}

/// Where all three are numbers: the first and the last element of a range of integers.
struct Ends {
  int64_t first, last;
};

std::optional<Ends> known_ends(const Number& start, const Number& step, const Extent& count) {
  if (start.is_symbolic() || step.is_symbolic() || !count.is_constant())
    return std::nullopt;
  Extent steps = max(count - 1, 0);
  Extent last = start.integer() + steps * step.integer();
  return Ends{*start.integer().constant(), *last.constant()};
}

DType range_dtype(bool integers, const std::optional<Ends>& ends) {
  if (!integers)
    return DType::f32;
  return ends && fits(ends->first, DType::i32) && fits(ends->last, DType::i32) ? DType::i32
                                                                               : DType::i64;
}

Value number_value(Builder& b, const Number& number, DType dtype) {
  return number.is_integer() ? cast(b, extent_value(b, number.integer()), dtype)
                             : weak_constant(b, number.real(), dtype);
}

bool is_number(const Number& number, int64_t value) {
  return !number.is_symbolic() && number.real() == static_cast<double>(value);
}

} // namespace

Extent arange_count(const Number& start, const Number& stop, const Number& step) {
  if (is_number(step, 0))
    fail_argument(ErrorKind::value, "bad-step", "step", "a number other than 0", step.to_string());
  if (start.is_integer() && stop.is_integer() && step.is_integer())
    return integer_count(start.integer(), stop.integer(), step.integer());
  for (auto [name, number] : {std::pair("start", &start), {"stop", &stop}, {"step", &step}}) {
    if (number->is_symbolic())
      fail_argument(ErrorKind::value, "symbolic-extent", name,
                    "a number beside floats, as a symbol's range has no exact count",
                    number->to_string());
    if (!std::isfinite(number->real()))
      fail_argument(ErrorKind::value, "not-finite", name, "a finite number", number->to_string());
  }
  return exact_count(start, stop, step);
}

Value arange(Builder& b, const Number& start, const Number& stop, const Number& step,
             std::optional<DType> given) {
  Extent count = arange_count(start, stop, step);
  require_shape(b, {count});
  bool integers = start.is_integer() && stop.is_integer() && step.is_integer();
  std::optional<Ends> ends;
  if (integers)
    ends = known_ends(start, step, count);
  DType dtype = given.value_or(range_dtype(integers, ends));
  if (dtype == DType::boolean)
    fail_argument(ErrorKind::type, "dtype-mismatch", "dtype", "integers or floats", "bool");
  if (ends && is_integer(dtype) && count != Extent(0))
    for (int64_t end : {ends->first, ends->last})
      if (!fits(end, dtype))
        fail_argument(ErrorKind::value, "scalar-does-not-fit", "dtype",
                      "a dtype that holds " + std::to_string(end), std::string(name(dtype)));
  bool is_known = count.is_constant() && !start.is_symbolic() && !step.is_symbolic();
  if (given && !ends && is_known && count != Extent(0)) {
    double steps = static_cast<double>(*count.constant() - 1);
    require_fit(start.real(), dtype);
    require_fit(start.real() + steps * step.real(), dtype);
  }
  DType computed = integers && is_integer(dtype) ? dtype : DType::f64;
  Value result = iota(b, {count}, 0, computed);
  if (!is_number(step, 1))
    result = elementwise(b, Fn::multiply, {result, number_value(b, step, computed)});
  if (!is_number(start, 0))
    result = elementwise(b, Fn::add, {number_value(b, start, computed), result});
  return cast(b, result, dtype);
}

} // namespace kolam::language
