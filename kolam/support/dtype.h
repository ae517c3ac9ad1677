/// Element types: the thirteen dtypes of Kolam, their widths and names, and a visitor over them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

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

/// The dtype that stores a C++ element type.
template <class T> constexpr DType dtype_of();
template <> constexpr DType dtype_of<bool>() { return DType::boolean; }
template <> constexpr DType dtype_of<int8_t>() { return DType::i8; }
template <> constexpr DType dtype_of<int16_t>() { return DType::i16; }
template <> constexpr DType dtype_of<int32_t>() { return DType::i32; }
template <> constexpr DType dtype_of<int64_t>() { return DType::i64; }
template <> constexpr DType dtype_of<uint8_t>() { return DType::u8; }
template <> constexpr DType dtype_of<uint16_t>() { return DType::u16; }
template <> constexpr DType dtype_of<uint32_t>() { return DType::u32; }
template <> constexpr DType dtype_of<uint64_t>() { return DType::u64; }
template <> constexpr DType dtype_of<Float16>() { return DType::f16; }
template <> constexpr DType dtype_of<BFloat16>() { return DType::bf16; }
template <> constexpr DType dtype_of<float>() { return DType::f32; }
template <> constexpr DType dtype_of<double>() { return DType::f64; }

} // namespace kolam
