/// Element types: the thirteen dtypes of Kolam, their widths and names, and a visitor over them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace kolam {

/// The type of an array's elements. `boolean` is one byte, 0 or 1.
enum class DType : uint8_t { boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64 };

inline constexpr DType kDTypes[] = {DType::boolean, DType::i8,  DType::i16, DType::i32, DType::i64,
                                    DType::u8,      DType::u16, DType::u32, DType::u64, DType::f16,
                                    DType::bf16,    DType::f32, DType::f64};

/// IEEE half and bfloat16 as storage: arithmetic goes through f32 (support/scalar/convert.h).
struct Float16 {
  uint16_t bits = 0;
  friend bool operator==(Float16, Float16) = default;
};
struct BFloat16 {
  uint16_t bits = 0;
  friend bool operator==(BFloat16, BFloat16) = default;
};

/// Bytes of one element in memory.
constexpr int byte_width(DType dtype) {
  switch (dtype) {
  case DType::boolean:
  case DType::i8:
  case DType::u8:
    return 1;
  case DType::i16:
  case DType::u16:
  case DType::f16:
  case DType::bf16:
    return 2;
  case DType::i32:
  case DType::u32:
  case DType::f32:
    return 4;
  default:
    return 8;
  }
}

constexpr bool is_float(DType dtype) { return dtype >= DType::f16; }
constexpr bool is_signed_integer(DType dtype) { return dtype >= DType::i8 && dtype <= DType::i64; }
constexpr bool is_unsigned_integer(DType dtype) {
  return dtype >= DType::u8 && dtype <= DType::u64;
}
constexpr bool is_integer(DType dtype) { return dtype >= DType::i8 && dtype <= DType::u64; }
/// f16 and bf16: computed in f32, rounded after each op.
constexpr bool is_narrow_float(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

/// The name in the array API: "bool", "int8", "uint64", "bfloat16", "float32".
constexpr std::string_view name(DType dtype) {
  constexpr std::string_view names[] = {"bool",     "int8",    "int16",  "int32",  "int64",
                                        "uint8",    "uint16",  "uint32", "uint64", "float16",
                                        "bfloat16", "float32", "float64"};
  return names[static_cast<int>(dtype)];
}

/// Reads a name as written by `name`, or the short form ("f32", "bf16", "i8", "u64").
std::optional<DType> parse_dtype(std::string_view text);

/// Carries a C++ element type to a visitor: `[](auto tag) { using T = typename decltype(tag)::type;
/// }`.
template <class T> struct TypeTag {
  using type = T;
};

/// Calls `f(TypeTag<T>{})` with the C++ type that stores `dtype` (bool, int8_t ... Float16,
/// BFloat16, float, double).
template <class F> decltype(auto) visit_dtype(DType dtype, F&& f) {
  switch (dtype) {
  case DType::boolean:
    return f(TypeTag<bool>{});
  case DType::i8:
    return f(TypeTag<int8_t>{});
  case DType::i16:
    return f(TypeTag<int16_t>{});
  case DType::i32:
    return f(TypeTag<int32_t>{});
  case DType::i64:
    return f(TypeTag<int64_t>{});
  case DType::u8:
    return f(TypeTag<uint8_t>{});
  case DType::u16:
    return f(TypeTag<uint16_t>{});
  case DType::u32:
    return f(TypeTag<uint32_t>{});
  case DType::u64:
    return f(TypeTag<uint64_t>{});
  case DType::f16:
    return f(TypeTag<Float16>{});
  case DType::bf16:
    return f(TypeTag<BFloat16>{});
  case DType::f32:
    return f(TypeTag<float>{});
  default:
    return f(TypeTag<double>{});
  }
}

namespace detail {

template <class T, class... Others>
inline constexpr bool kIsOneOf = (std::is_same_v<T, Others> || ...);

/// Integers are those that count: no characters.
template <class T>
inline constexpr bool kIsCounter =
    std::is_integral_v<T> && !kIsOneOf<T, bool, char, wchar_t, char8_t, char16_t, char32_t> &&
    sizeof(T) <= 8;

constexpr DType integer_dtype(bool is_signed, size_t bytes) {
  constexpr DType kSigned[] = {DType::i8, DType::i16, DType::i32, DType::i64};
  constexpr DType kUnsigned[] = {DType::u8, DType::u16, DType::u32, DType::u64};
  const int place = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
  return is_signed ? kSigned[place] : kUnsigned[place];
}

} // namespace detail

/// The C++ types of elements: bool, integers of 8 to 64 bits, Float16, BFloat16, float, double.
template <class T>
concept ArrayElement =
    detail::kIsCounter<T> || detail::kIsOneOf<T, bool, Float16, BFloat16, float, double>;

/// The dtype that stores a C++ element type; integers by their width and sign.
template <class T> constexpr DType dtype_of() {
  if constexpr (std::is_same_v<T, Float16>)
    return DType::f16;
  else if constexpr (std::is_same_v<T, BFloat16>)
    return DType::bf16;
  else if constexpr (std::is_same_v<T, float>)
    return DType::f32;
  else if constexpr (std::is_same_v<T, double>)
    return DType::f64;
  else if constexpr (detail::kIsCounter<T>)
    return detail::integer_dtype(std::is_signed_v<T>, sizeof(T));
  else {
    static_assert(ArrayElement<T>, "expected a type of elements: bool, an integer of 8 to 64 bits, "
                                   "float, double, kolam::Float16 or kolam::BFloat16");
    return DType::boolean;
  }
}

} // namespace kolam
