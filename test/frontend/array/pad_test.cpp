// pad: every mode as NumPy, widths beyond the array, scalars of other dtypes, empty dims.
#include "test/frontend/array/both_backends.h"

namespace kolam {
namespace {

using test::error_of;
using test::run_both;
using test::run_error;

const Array kRow = Array::of<int32_t>({1, 2, 3});

Array padded(const Array& x, std::vector<PadWidth> widths, const std::string& mode,
             const Operand& value = 0) {
  return run_both(
      {x}, [&](std::vector<Tensor> v) { return std::vector{pad(v[0], widths, mode, value)}; })[0];
}

void expect_row(const Array& actual, const std::vector<int32_t>& expected) {
  EXPECT_TRUE(runtime::same_bits(actual, Array::of(expected))) << actual.to_string();
}

TEST(Pad, FillsAsNumpy) {
  expect_row(padded(kRow, {{2, 1}}, "constant", 9), {9, 9, 1, 2, 3, 9});
  expect_row(padded(kRow, {{2, 1}}, "edge"), {1, 1, 1, 2, 3, 3});
  expect_row(padded(kRow, {{2, 1}}, "reflect"), {3, 2, 1, 2, 3, 2});
  expect_row(padded(kRow, {{2, 1}}, "wrap"), {2, 3, 1, 2, 3, 1});
}

TEST(Pad, WidthsMayExceedTheExtent) {
  expect_row(padded(kRow, {{6, 5}}, "reflect"), {3, 2, 1, 2, 3, 2, 1, 2, 3, 2, 1, 2, 3, 2});
  expect_row(padded(kRow, {{4, 5}}, "wrap"), {3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2});
  expect_row(padded(Array::of<int32_t>({4}), {{2, 2}}, "reflect"), {4, 4, 4, 4, 4});
}

TEST(Pad, EmptyArraysTakeConstantsOnly) {
  expect_row(padded(Array::of<int32_t>({}), {{1, 1}}, "constant", 5), {5, 5});
  Error error = error_of([] { pad(Array::of<int32_t>({}), {{1, 1}}, "edge"); });
  EXPECT_EQ(error.slug(), "empty-dim");
  std::vector<TensorSpec> specs{{DType::i32, {Extent::symbol("n")}}};
  auto wrap = [](std::vector<Tensor> v) { return std::vector{pad(v[0], {{2, 0}}, "wrap")}; };
  expect_row(run_both(specs, {kRow}, wrap)[0], {2, 3, 1, 2, 3});
  EXPECT_EQ(run_error(specs, {Array::of<int32_t>({})}, wrap).slug(), "empty-dim");
}

TEST(Pad, ConstantsTakeTheArraysDtype) {
  Array flags = padded(Array::of<bool>({true}), {{1, 1}}, "constant");
  EXPECT_TRUE(runtime::same_bits(flags, Array::of<bool>({false, true, false})));
  Array narrow = padded(Array::of<uint8_t>({7}), {{0, 1}}, "constant", 255);
  EXPECT_TRUE(runtime::same_bits(narrow, Array::of<uint8_t>({7, 255})));
  Error error = error_of([] { pad(kRow, {{1, 1}}, "constant", 0.5); });
  EXPECT_EQ(error.slug(), "dtype-mismatch");
}

} // namespace
} // namespace kolam
