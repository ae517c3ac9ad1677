// result_type and can_cast.
#include "test/frontend/array/both_backends.h"

namespace kolam {
namespace {

TEST(ResultType, OfTensorsAndScalars) {
  Array i8 = Array::zeros(DType::i8, {2}), u8 = Array::zeros(DType::u8, {3});
  Array u64 = Array::zeros(DType::u64, {});
  EXPECT_EQ(result_type({i8, u8}), DType::i16);
  EXPECT_EQ(result_type({i8, 1}), DType::i8);
  EXPECT_EQ(result_type({1.5, i8}), DType::f32);
  EXPECT_EQ(result_type({true}), DType::boolean);
  EXPECT_EQ(result_type({1, 2.0}), DType::f32);
  EXPECT_EQ(test::error_of([&] { result_type({u64, i8}); }).slug(), "no-promotion");
  EXPECT_EQ(test::error_of([] { result_type(std::vector<Operand>{}); }).slug(), "no-operands");
}

TEST(CanCast, WhereEveryValueHasItsPlace) {
  EXPECT_TRUE(can_cast(DType::u8, DType::i16));
  EXPECT_TRUE(can_cast(DType::boolean, DType::i8));
  EXPECT_FALSE(can_cast(DType::i16, DType::u16));
  EXPECT_FALSE(can_cast(DType::u64, DType::i64));
  EXPECT_FALSE(can_cast(DType::f64, DType::f32));
}

} // namespace
} // namespace kolam
