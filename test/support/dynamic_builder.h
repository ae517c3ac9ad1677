/// A builder whose values carry their type at run time, as a code generator's do; it checks every
/// operand's type.
#pragma once

#include "kolam/support/error.h"
#include "kolam/support/scalar/host_builder.h"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace kolam {

enum class ValueType : uint8_t { i1, i8, i16, i32, i64, f16, bf16, f32, f64 };

struct DynamicValue {
  ValueType type{};
  uint64_t bits = 0;
};

/// Runs each operation on the host builder after a look at the types.
class DynamicBuilder {
public:
  // Macros, for forty forwards that differ in a name.
#define KOLAM_BINARY(name, visit)                                                                  \
  DynamicValue name(DynamicValue x, DynamicValue y) {                                              \
    KOLAM_CHECK(x.type == y.type);                                                                 \
    return visit(x, [&](auto a) { return host_.name(a, as<decltype(a)>(y)); });                    \
  }
#define KOLAM_UNARY(name, visit)                                                                   \
  DynamicValue name(DynamicValue x) {                                                              \
    return visit(x, [&](auto a) { return host_.name(a); });                                        \
  }
  // clang-format off
  KOLAM_BINARY(add, floats) KOLAM_BINARY(sub, floats) KOLAM_BINARY(mul, floats) KOLAM_BINARY(div, floats)
  KOLAM_BINARY(copysign, floats) KOLAM_BINARY(minimum, floats) KOLAM_BINARY(maximum, floats)
  KOLAM_BINARY(flt, floats) KOLAM_BINARY(fle, floats) KOLAM_BINARY(fgt, floats) KOLAM_BINARY(fge, floats)
  KOLAM_BINARY(feq, floats) KOLAM_BINARY(fne, floats)
  KOLAM_UNARY(neg, floats) KOLAM_UNARY(abs, floats) KOLAM_UNARY(sqrt, floats) KOLAM_UNARY(floor, floats)
  KOLAM_UNARY(ceil, floats) KOLAM_UNARY(trunc, floats) KOLAM_UNARY(round_even, floats)
  KOLAM_BINARY(iadd, integers) KOLAM_BINARY(isub, integers) KOLAM_BINARY(imul, integers)
  KOLAM_BINARY(sdiv, integers) KOLAM_BINARY(srem, integers) KOLAM_BINARY(udiv, integers) KOLAM_BINARY(urem, integers)
  KOLAM_BINARY(shl, integers) KOLAM_BINARY(lshr, integers) KOLAM_BINARY(ashr, integers)
  KOLAM_BINARY(and_, integers_or_condition) KOLAM_BINARY(or_, integers_or_condition) KOLAM_BINARY(xor_, integers_or_condition)
  KOLAM_BINARY(ieq, integers) KOLAM_BINARY(ine, integers)
  KOLAM_BINARY(slt, integers) KOLAM_BINARY(sle, integers) KOLAM_BINARY(sgt, integers) KOLAM_BINARY(sge, integers)
  KOLAM_BINARY(ult, integers) KOLAM_BINARY(ule, integers) KOLAM_BINARY(ugt, integers) KOLAM_BINARY(uge, integers)
  // clang-format on
#undef KOLAM_BINARY
#undef KOLAM_UNARY

                                                                          DynamicValue
      fma(DynamicValue x, DynamicValue y, DynamicValue z) {
    KOLAM_CHECK(x.type == y.type && y.type == z.type);
    return floats(x, [&](auto a) { return host_.fma(a, as<decltype(a)>(y), as<decltype(a)>(z)); });
  }
  DynamicValue not_(DynamicValue x) {
    KOLAM_CHECK(x.type == ValueType::i1);
    return {x.type, x.bits ^ 1};
  }
  DynamicValue select(DynamicValue condition, DynamicValue x, DynamicValue y) {
    KOLAM_CHECK(condition.type == ValueType::i1 && x.type == y.type);
    return condition.bits ? x : y;
  }
  DynamicValue constant_like(DynamicValue x, double value) {
    return floats(x, [&](auto a) { return host_.constant_like(a, value); });
  }
  DynamicValue int_constant_like(DynamicValue x, int64_t value) {
    return integers(x, [&](auto a) { return host_.int_constant_like(a, value); });
  }
  DynamicValue bits(DynamicValue x) {
    KOLAM_CHECK(x.type >= ValueType::f16);
    const ValueType type = x.type == ValueType::f64   ? ValueType::i64
                           : x.type == ValueType::f32 ? ValueType::i32
                                                      : ValueType::i16;
    return {type, x.bits};
  }
  template <DType dtype> DynamicValue from_bits(DynamicValue x) {
    constexpr auto type = static_cast<ValueType>(
        static_cast<int>(ValueType::f16) + static_cast<int>(dtype) - static_cast<int>(DType::f16));
    const DynamicValue result = {type, x.bits};
    KOLAM_CHECK(bits(result).type == x.type);
    return result;
  }
  template <int width> DynamicValue wrap(DynamicValue x) {
    return integers(x, [&](auto a) {
      KOLAM_CHECK(8 * sizeof(a) >= width);
      return host_.template wrap<width>(a);
    });
  }
  template <int width> DynamicValue zext(DynamicValue x) {
    return integers_or_condition(x, [&](auto a) {
      KOLAM_CHECK((8 * sizeof(a) <= width));
      return host_.template zext<width>(a);
    });
  }
  template <int width> DynamicValue sext(DynamicValue x) {
    return integers(x, [&](auto a) { return host_.template sext<width>(a); });
  }
  template <int width> DynamicValue float_to_sint(DynamicValue x) {
    return floats(x, [&](auto a) { return host_.template float_to_sint<width>(a); });
  }
  template <int width> DynamicValue sint_to_float(DynamicValue x) {
    return integers(x, [&](auto a) { return host_.template sint_to_float<width>(a); });
  }
  template <int width> DynamicValue uint_to_float(DynamicValue x) {
    return integers(x, [&](auto a) { return host_.template uint_to_float<width>(a); });
  }
  DynamicValue widen(DynamicValue x) {
    KOLAM_CHECK(x.type == ValueType::f32);
    return make(host_.widen(as<float>(x)));
  }
  DynamicValue narrow(DynamicValue x) {
    KOLAM_CHECK(x.type == ValueType::f64);
    return make(host_.narrow(as<double>(x)));
  }
  DynamicValue call(scalar::Libcall function, DynamicValue x) {
    return floats(x, [&](auto a) { return host_.call(function, a); });
  }
  DynamicValue call(scalar::Libcall function, DynamicValue x, DynamicValue y) {
    KOLAM_CHECK(x.type == y.type);
    return floats(x, [&](auto a) { return host_.call(function, a, as<decltype(a)>(y)); });
  }
  DynamicValue call_where(DynamicValue condition, scalar::Libcall function, DynamicValue x,
                          DynamicValue otherwise) {
    return select(condition, call(function, x), otherwise);
  }
  template <class F>
  DynamicValue rarely(DynamicValue condition, const F& f, DynamicValue otherwise) {
    return select(condition, f(), otherwise);
  }

private:
  template <class T> static T as(DynamicValue x) {
    if constexpr (std::is_same_v<T, float>)
      return std::bit_cast<float>(static_cast<uint32_t>(x.bits));
    else if constexpr (std::is_same_v<T, double>)
      return std::bit_cast<double>(x.bits);
    else
      return static_cast<T>(x.bits);
  }

  template <class T> static DynamicValue make(T x) {
    if constexpr (std::is_same_v<T, bool>)
      return {ValueType::i1, x};
    else if constexpr (std::is_same_v<T, float>)
      return {ValueType::f32, std::bit_cast<uint32_t>(x)};
    else if constexpr (std::is_same_v<T, double>)
      return {ValueType::f64, std::bit_cast<uint64_t>(x)};
    else
      return {sizeof(T) == 1   ? ValueType::i8
              : sizeof(T) == 2 ? ValueType::i16
              : sizeof(T) == 4 ? ValueType::i32
                               : ValueType::i64,
              x};
  }

  template <class F> DynamicValue floats(DynamicValue x, F&& f) {
    KOLAM_CHECK(x.type == ValueType::f32 || x.type == ValueType::f64);
    return x.type == ValueType::f32 ? make(f(as<float>(x))) : make(f(as<double>(x)));
  }

  template <class F> DynamicValue integers(DynamicValue x, F&& f) {
    switch (x.type) {
    case ValueType::i8:
      return make(f(as<uint8_t>(x)));
    case ValueType::i16:
      return make(f(as<uint16_t>(x)));
    case ValueType::i32:
      return make(f(as<uint32_t>(x)));
    case ValueType::i64:
      return make(f(as<uint64_t>(x)));
    default:
      KOLAM_CHECK(!"an integer");
      return {};
    }
  }

  template <class F> DynamicValue integers_or_condition(DynamicValue x, F&& f) {
    return x.type == ValueType::i1 ? make(f(as<bool>(x))) : integers(x, f);
  }

  scalar::HostBuilder host_;
};

static_assert(scalar::ScalarBuilder<DynamicBuilder, DynamicValue, DynamicValue, DynamicValue>);

} // namespace kolam
