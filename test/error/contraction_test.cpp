// The words of wrong contractions and convolutions.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

std::string words(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return "[" + error.slug() + "] " + error.message();
  }
  return "no error";
}

Array zeros(std::vector<int64_t> shape) { return Array::zeros(DType::f32, std::move(shape)); }

TEST(ContractionWords, MatmulNamesTheDimsThatDiffer) {
  EXPECT_EQ(words([] { matmul(zeros({2, 3}), zeros({4, 5})); }),
            "[shape-mismatch] dim 1 of operand 0, float32[2, 3], and dim 0 of operand 1, "
            "float32[4, 5]: expected equal "
            "extents, but got 3 and 4");
  EXPECT_EQ(words([] { matmul(zeros({2, 2, 3}), zeros({4, 3, 5})); }),
            "[shape-mismatch] dim 0 of operand 0, float32[2, 2, 3], and dim 0 of operand 1, "
            "float32[4, 3, 5]: expected "
            "equal extents, but got 2 and 4");
  EXPECT_EQ(words([] { matmul(zeros({}), zeros({3})); }),
            "[rank-mismatch] argument 'x': expected rank 1 or more, but got float32[]");
}

TEST(ContractionWords, SumsTakeNumbersAndAWideDtype) {
  Array flags = Array::zeros(DType::boolean, {2, 2}), bytes = Array::zeros(DType::i8, {2, 2});
  EXPECT_EQ(words([&] { matmul(flags, flags); }),
            "[dtype-mismatch] expected numbers, but got booleans");
  EXPECT_EQ(words([&] { matmul(bytes, bytes, DType::f32); }),
            "[dtype-mismatch] argument 'dtype': expected a dtype that holds all values of int8, "
            "but got float32");
  EXPECT_EQ(words([&] { matmul(bytes, bytes, DType::u32); }),
            "[dtype-mismatch] argument 'dtype': expected a dtype that holds all values of int8, "
            "but got uint32");
}

TEST(ContractionWords, TensordotAndVecdotNameTheAxis) {
  EXPECT_EQ(
      words([] { tensordot(zeros({2}), zeros({2}), 2); }),
      "[axis-out-of-range] argument 'axes': expected a number of axes from 0 to 1, but got 2");
  EXPECT_EQ(
      words([] { tensordot(zeros({2, 2}), zeros({2}), {0, 1}, {0}); }),
      "[shape-mismatch] argument 'axes': expected as many axes of x as of y, but got 2 and 1");
  EXPECT_EQ(words([] { tensordot(zeros({2, 2}), zeros({2, 2}), {0, -2}, {0, 1}); }),
            "[duplicate-axis] argument 'axes': expected every axis once, but got axis 0 twice");
  EXPECT_EQ(words([] { vecdot(zeros({2, 2}), zeros({2}), 0); }),
            "[axis-out-of-range] argument 'axis': expected a negative axis for operands of "
            "different ranks, but got 0");
}

TEST(ContractionWords, EinsumShowsTheSubscripts) {
  Array x = zeros({2, 3});
  EXPECT_EQ(words([&] { einsum("ijk", {x}); }),
            "[bad-einsum] subscripts \"ijk\": expected 2 letters for operand 0, float32[2, 3], "
            "but got 3");
  EXPECT_EQ(
      words([&] { einsum("i", {x}); }),
      "[bad-einsum] subscripts \"i\": expected 2 letters for operand 0, float32[2, 3], but got "
      "1; write \"...i\" for more dims in front");
  EXPECT_EQ(words([&] { einsum("...ijk", {x}); }),
            "[bad-einsum] subscripts \"...ijk\": expected at most 2 letters for operand 0, "
            "float32[2, 3], "
            "but got 3");
  EXPECT_EQ(words([&] { einsum("ij,jk", {x}); }),
            "[bad-einsum] subscripts \"ij,jk\": expected terms for 1 operands, but got 2");
  EXPECT_EQ(words([&] { einsum("i1", {x}); }),
            "[bad-einsum] subscripts \"i1\": expected letters, commas, one \"->\" and one \"...\" "
            "a term, but got '1'");
  EXPECT_EQ(words([&] { einsum("......", {x}); }),
            "[bad-einsum] subscripts \"......\": expected letters, commas, one \"->\" and one "
            "\"...\" a term, but got '.'");
  EXPECT_EQ(words([&] { einsum("ij->ii", {x}); }),
            "[bad-einsum] subscripts \"ij->ii\": expected every letter of the result once, but got "
            "'i' twice");
  EXPECT_EQ(words([&] { einsum("ij->k", {x}); }),
            "[bad-einsum] subscripts \"ij->k\": expected letters of the operands in the result, "
            "but got 'k'");
  EXPECT_EQ(words([&] { einsum("...->", {x}); }),
            "[bad-einsum] subscripts \"...->\": expected \"...\" in the result as in the operands, "
            "but got none; write \"->...\"");
  EXPECT_EQ(
      words([&] { einsum("ij,jk", {x, x}); }),
      "[shape-mismatch] letter 'j', dim 1 of operand 0, float32[2, 3], and dim 0 of operand 1, "
      "float32[2, 3]: expected equal "
      "extents, but got 3 and 2");
  EXPECT_EQ(words([&] { einsum("ii", {x}); }), "[shape-mismatch] letter 'i', dims 0 and 1 of "
                                               "float32[2, 3]: expected equal extents, but got 2 "
                                               "and 3");
}

TEST(ContractionWords, ConvolutionNamesWindowAndChannels) {
  Array x = zeros({1, 4, 5}), w = zeros({2, 4, 3});
  EXPECT_EQ(words([&] { conv(zeros({4, 5}), w); }),
            "[rank-mismatch] argument 'x': expected batch, channels and spatial dims, but got "
            "float32[4, 5]");
  EXPECT_EQ(words([&] { conv2d(x, w); }),
            "[rank-mismatch] argument 'x': expected rank 4, but got float32[1, 4, 5]");
  EXPECT_EQ(words([&] { conv(x, zeros({2, 4, 3, 1})); }),
            "[rank-mismatch] argument 'w': expected rank 3 as of x, but got float32[2, 4, 3, 1]");
  EXPECT_EQ(words([&] { conv(x, zeros({2, 3, 3})); }),
            "[shape-mismatch] channels of x, float32[1, 4, 5], for each of 1 groups and dim 1 of "
            "w, float32[2, 3, 3]: "
            "expected equal extents, but got 4 and 3");
  EXPECT_EQ(words([&] { conv(x, w, {.groups = 3}); }),
            "[shape-mismatch] dim 0 of w: expected a multiple of 3 groups, but got 2");
  EXPECT_EQ(
      words([&] { conv(x, zeros({2, 4, 6})); }),
      "[shape-mismatch] spatial dim 0: expected at least 6 elements with the padding, which the "
      "window spans, but got 5");
}

TEST(ContractionWords, BadWindow) {
  Array x = zeros({1, 4, 5}), w = zeros({2, 4, 3});
  EXPECT_EQ(words([&] { conv(x, w, {.strides = {0}}); }),
            "[bad-window] argument 'strides': expected each from 1 to 2147483647, but got 0");
  EXPECT_EQ(words([&] { conv(x, w, {.dilation = {1, -1}}); }),
            "[bad-window] argument 'dilation': expected 1 entry, but got 2");
  EXPECT_EQ(words([&] { conv(x, w, {.padding = PaddingPairs{{0, -1}}}); }),
            "[bad-window] argument 'padding': expected each from 0 to 2147483647, but got -1");
  EXPECT_EQ(words([&] { conv(x, w, {.groups = 0}); }),
            "[bad-window] argument 'groups': expected 1 group or more, but got 0");
  auto trace_same = [] {
    Extent n = Extent::symbol("n");
    std::vector<TensorSpec> specs{{DType::f32, {1, 1, n}}, {DType::f32, {1, 1, 3}}};
    trace(specs, [](std::vector<Tensor> t) {
      return std::vector<Tensor>{conv(t[0], t[1], {.strides = {2}, .padding = Padding::same})};
    });
  };
  EXPECT_EQ(
      words(trace_same),
      "[bad-window] argument 'padding': expected numbers for spatial dim 0, whose extents are "
      "symbols, but got \"same\"");
}

} // namespace
} // namespace kolam
