// Identities: fn(e, x) = x = fn(x, e) for every row that has one.
#include "kolam/support/identity.h"

#include "test/support/apply.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

namespace kolam {
namespace {

template <class T> std::vector<T> probes() {
  if constexpr (std::is_same_v<T, bool>)
    return {false, true};
  else if constexpr (std::is_same_v<T, Float16>)
    return {{0x0000}, {0x3c00}, {0xbc00}, {0x7bff}, {0x7c00}, {0xfc00}, {0x0001}};
  else if constexpr (std::is_same_v<T, BFloat16>)
    return {{0x0000}, {0x3f80}, {0xbf80}, {0x7f7f}, {0x7f80}, {0xff80}, {0x0080}};
  else if constexpr (std::is_floating_point_v<T>)
    return {T(0),
            T(1),
            T(-1),
            std::numeric_limits<T>::max(),
            std::numeric_limits<T>::infinity(),
            -std::numeric_limits<T>::infinity(),
            std::numeric_limits<T>::min()};
  else
    return {T(0), T(1), T(7), std::numeric_limits<T>::min(), std::numeric_limits<T>::max()};
}

template <class T> void expect_neutral(const ElementwiseRow& row) {
  const uint64_t bits = identity_bits(row.fn, dtype_of<T>());
  T identity{};
  std::memcpy(&identity, &bits, sizeof identity);
  for (T x : probes<T>()) {
    EXPECT_EQ(apply_one(row.fn, identity, x), x) << row.name << " " << name(dtype_of<T>());
    EXPECT_EQ(apply_one(row.fn, x, identity), x) << row.name << " " << name(dtype_of<T>());
  }
}

TEST(Identities, LeaveEveryValueAsItIs) {
  for (const ElementwiseRow& row : kElementwiseRows)
    for (DType dtype : kDTypes)
      if (row.identity != Identity::none && accepts(row.fn, dtype))
        visit_dtype(dtype, [&](auto tag) { expect_neutral<typename decltype(tag)::type>(row); });
}

TEST(Identities, AreThoseOfTheRows) {
  EXPECT_EQ(identity_bits(Fn::add, DType::f32), 0u);
  EXPECT_EQ(identity_bits(Fn::multiply, DType::f16), 0x3c00u);
  EXPECT_EQ(identity_bits(Fn::maximum, DType::f64), 0xfff0000000000000u);
  EXPECT_EQ(identity_bits(Fn::maximum, DType::u8), 0u);
  EXPECT_EQ(identity_bits(Fn::maximum, DType::i8), 0x80u);
  EXPECT_EQ(identity_bits(Fn::minimum, DType::bf16), 0x7f80u);
  EXPECT_EQ(identity_bits(Fn::minimum, DType::i16), 0x7fffu);
  EXPECT_EQ(identity_bits(Fn::minimum, DType::u16), 0xffffu);
  EXPECT_EQ(identity_bits(Fn::bitwise_and, DType::i32), 0xffffffffu);
  EXPECT_EQ(identity_bits(Fn::bitwise_and, DType::boolean), 1u);
  EXPECT_EQ(identity_bits(Fn::logical_and, DType::boolean), 1u);
  EXPECT_EQ(identity_bits(Fn::logical_or, DType::boolean), 0u);
}

} // namespace
} // namespace kolam
