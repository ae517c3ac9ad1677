// Dtypes: names, widths, kinds and the C++ types that store them.
#include "kolam/support/dtype.h"

#include <gtest/gtest.h>

#include <string>

namespace kolam {
namespace {

TEST(DTypes, ReadTheNamesTheyWrite) {
  for (DType dtype : kDTypes)
    EXPECT_EQ(parse_dtype(name(dtype)), dtype) << name(dtype);
}

TEST(DTypes, ReadShortNames) {
  EXPECT_EQ(parse_dtype("b1"), DType::boolean);
  EXPECT_EQ(parse_dtype("i8"), DType::i8);
  EXPECT_EQ(parse_dtype("u64"), DType::u64);
  EXPECT_EQ(parse_dtype("f16"), DType::f16);
  EXPECT_EQ(parse_dtype("bf16"), DType::bf16);
  EXPECT_EQ(parse_dtype("f64"), DType::f64);
}

TEST(DTypes, RefuseOtherWords) {
  for (const char* text : {"", "float", "int", "f8", "F32", "float32 ", "uint", "b16"})
    EXPECT_EQ(parse_dtype(text), std::nullopt) << text;
}

TEST(DTypes, AreStoredInTheirWidth) {
  for (DType dtype : kDTypes)
    visit_dtype(dtype, [&](auto tag) {
      using T = typename decltype(tag)::type;
      EXPECT_EQ(dtype_of<T>(), dtype);
      EXPECT_EQ(static_cast<int>(sizeof(T)), byte_width(dtype)) << name(dtype);
    });
}

TEST(DTypes, AreOfOneKind) {
  for (DType dtype : kDTypes) {
    EXPECT_EQ((dtype == DType::boolean) + is_signed_integer(dtype) + is_unsigned_integer(dtype) +
                  is_float(dtype),
              1)
        << name(dtype);
    EXPECT_EQ(is_integer(dtype), is_signed_integer(dtype) || is_unsigned_integer(dtype));
    EXPECT_EQ(is_narrow_float(dtype), is_float(dtype) && byte_width(dtype) == 2);
  }
}

} // namespace
} // namespace kolam
