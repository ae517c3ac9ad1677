// The words of refusals of the functions that move elements.
#include "test/error/expect_words.h"

#include <gtest/gtest.h>

#include <functional>

namespace kolam {
namespace {

using test::expect_words;

const Array kMatrix = Array::zeros(DType::f32, {2, 3});

TEST(ShapeErrors, AxisOutOfRange) {
  expect_words(
      [] { flip(kMatrix, 2); }, ErrorKind::index,
      "flip: [axis-out-of-range] argument 'axis': expected an axis from -2 to 1, but got 2");
}

TEST(ShapeErrors, ExtentsOfAxesThatAreNotThere) {
  const Tensor tensor = kMatrix;
  EXPECT_EQ(kMatrix.extent(1), 3);
  EXPECT_EQ(kMatrix.extent(-2), 2);
  EXPECT_EQ(tensor.extent(-1), Extent(3));
  const std::string words =
      "extent: [axis-out-of-range] argument 'axis': expected an axis from -2 to 1, but got ";
  expect_words([] { kMatrix.extent(2); }, ErrorKind::index, words + "2");
  expect_words([&] { tensor.extent(-3); }, ErrorKind::index, words + "-3");
  expect_words(
      [] { Tensor(1.0f).extent(0); }, ErrorKind::index,
      "extent: [axis-out-of-range] argument 'axis': expected no axis for rank 0, but got 0");
  auto dynamic = jit([](Tensor x) { return x * x.extent(-2); }, {.dynamic = {{0, {0}}}});
  EXPECT_EQ(dynamic(Array::of<float>({5}, {1, 1})).item<float>(), 5);
  expect_words([] { jit([](Tensor x) { return x * x.extent(2); })(kMatrix); }, ErrorKind::index,
               words + "2");
}

TEST(ShapeErrors, DuplicateAxis) {
  expect_words([] { permute_dims(kMatrix, {0, -2}); }, ErrorKind::value,
               "permute_dims: [duplicate-axis] argument 'axes': expected every axis once, but got "
               "axis 0 twice");
}

TEST(ShapeErrors, RankMismatch) {
  expect_words([] { permute_dims(kMatrix, {0}); }, ErrorKind::value,
               "permute_dims: [rank-mismatch] argument 'axes': expected 2 axes, but got 1");
  expect_words([] { matrix_transpose(Array::scalar(1)); }, ErrorKind::value,
               "matrix_transpose: [rank-mismatch] argument 'x': expected rank 2 or more, but got "
               "int32[]");
  expect_words([] { concat({kMatrix, Array::zeros(DType::f32, {3})}); }, ErrorKind::value,
               "concat: [rank-mismatch] argument 'arrays': expected rank 2 as of array 0, but got "
               "float32[3] as array 1");
  expect_words([] { index(kMatrix, {0, 0, 0}); }, ErrorKind::index,
               "index: [rank-mismatch] argument 'index': expected at most 2 items that take a dim, "
               "but got 3");
}

TEST(ShapeErrors, ShapeMismatch) {
  expect_words(
      [] { reshape(kMatrix, {4, 2}); }, ErrorKind::value,
      "reshape: [shape-mismatch] argument 'shape': expected a shape of 6 elements, but got "
      "[4, 2]");
  expect_words(
      [] { reshape(kMatrix, {-1, -1}); }, ErrorKind::value,
      "reshape: [shape-mismatch] argument 'shape': expected extents from 0 and at most one "
      "-1, but got [-1, -1]");
  expect_words([] { squeeze(kMatrix, 1); }, ErrorKind::value,
               "squeeze: [shape-mismatch] argument 'axis': expected dims of extent 1, but got "
               "extent 3 in dim 1");
  expect_words([] { concat({kMatrix, kMatrix, Array::zeros(DType::f32, {2, 4})}); },
               ErrorKind::value,
               "concat: [shape-mismatch] array 2, dim 1: expected equal extents, but got 3 and 4");
  expect_words(
      [] { dynamic_slice(kMatrix, {0, 0}, {2, 4}); }, ErrorKind::value,
      "dynamic_slice: [shape-mismatch] argument 'sizes': expected an extent from 0 to 3 in "
      "dim 1, but got 4");
}

TEST(ShapeErrors, BroadcastingGivesAllShapesAndWhatToWrite) {
  expect_words([] { kMatrix + Tensor(Array::zeros(DType::f32, {4})); }, ErrorKind::value,
               "add: [shape-mismatch] operand 1, dim 0: expected equal extents, but got 3 and 4; "
               "the shapes are [2, 3] and [4]");
  expect_words([] { Tensor(Array::zeros(DType::f32, {2})) * kMatrix; }, ErrorKind::value,
               "multiply: [shape-mismatch] operand 1, dim 1: expected equal extents, but got 2 and "
               "3; the shapes are [2] and [2, 3]; write operand 0 as x[:, None] where its dims are "
               "the leading ones");
  expect_words(
      [] {
        where(Array::zeros(DType::boolean, {5, 2, 3}), kMatrix, Array::zeros(DType::f32, {5, 2}));
      },
      ErrorKind::value,
      "where: [shape-mismatch] operand 2, dim 0: expected equal extents, but got 2 and 5; "
      "the shapes are [5, 2, 3], [2, 3] and [5, 2]; write operand 2 as x[..., None] where "
      "its dims are the leading ones");
  expect_words(
      [] { broadcast_to(Array::zeros(DType::f32, {2}), {2, 3}); }, ErrorKind::value,
      "broadcast_to: [shape-mismatch] argument 'shape': expected extent 2 in dim 1, but got "
      "[2, 3]; the shapes are [2] and [2, 3]; write operand 0 as x[:, None] where its dims "
      "are the leading ones");
}

TEST(ShapeErrors, DtypeMismatch) {
  expect_words([] { dynamic_slice(kMatrix, {0, 0.5}, {1, 1}); }, ErrorKind::type,
               "dynamic_slice: [dtype-mismatch] argument 'starts': expected integer scalars, but "
               "got a scalar of another kind");
}

TEST(ShapeErrors, IndexOutOfRange) {
  expect_words(
      [] { index(kMatrix, {0, -4}); }, ErrorKind::index,
      "index: [index-out-of-range] argument 'index': expected an index from -3 to 2 in dim "
      "1, but got -4");
}

TEST(ShapeErrors, BadIndex) {
  expect_words([] { index(kMatrix, {ellipsis, ellipsis}); }, ErrorKind::index,
               "index: [bad-index] argument 'index': expected at most one ellipsis, but got 2");
  expect_words([] { index(kMatrix, {Tensor(kMatrix)}); }, ErrorKind::index,
               "index: [bad-index] argument 'index': expected integers for dim 0, but got "
               "float32[2, 3]");
}

TEST(ShapeErrors, BadStep) {
  expect_words([] { index(kMatrix, {Slice{{}, {}, 0}}); }, ErrorKind::value,
               "index: [bad-step] expected a step other than 0, but got 0");
}

TEST(ShapeErrors, BadPadWidth) {
  expect_words([] { pad(kMatrix, {{1, -2}}); }, ErrorKind::value,
               "pad: [bad-pad-width] argument 'pad_width': expected widths from 0, but got -2");
  expect_words([] { pad(kMatrix, {{1, 1}, {1, 1}, {1, 1}}); }, ErrorKind::value,
               "pad: [bad-pad-width] argument 'pad_width': expected one width or 2, but got 3");
}

TEST(ShapeErrors, UnknownMode) {
  expect_words(
      [] { pad(kMatrix, {{1, 1}}, "mirror"); }, ErrorKind::value,
      "pad: [unknown-mode] argument 'mode': expected one of 'constant', 'edge', 'reflect', "
      "'wrap', but got 'mirror'");
}

TEST(ShapeErrors, EmptyDim) {
  expect_words([] { pad(Array::zeros(DType::f32, {0}), {{1, 1}}, "edge"); }, ErrorKind::value,
               "pad: [empty-dim] argument 'x': expected elements in dim 0 for mode 'edge', but got "
               "extent 0");
}

TEST(ShapeErrors, NegativeCount) {
  expect_words([] { repeat(kMatrix, -1, 0); }, ErrorKind::value,
               "repeat: [negative-count] argument 'repeats': expected 0 or more, but got -1");
  expect_words([] { repeat(kMatrix, {1, -1}, 0); }, ErrorKind::value,
               "repeat: [negative-count] argument 'repeats': expected 0 or more, but got -1");
}

TEST(ShapeErrors, UnevenSplit) {
  expect_words([] { split(kMatrix, 2, 1); }, ErrorKind::value,
               "split: [uneven-split] argument 'sections': expected a divisor of extent 3, but got "
               "2");
}

TEST(ShapeErrors, SymbolicExtent) {
  std::vector<TensorSpec> specs{{DType::f32, {Extent::symbol("n")}}};
  auto call = [&] { trace(specs, [](std::vector<Tensor> v) { return unstack(v[0]); }); };
  expect_words(call, ErrorKind::value,
               "unstack: [symbolic-extent] argument 'axis': expected a dim whose extent is a "
               "number, but got n");
}

TEST(ShapeErrors, NoOperands) {
  try {
    concat(std::vector<Tensor>());
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_STREQ(
        error.what(),
        "concat: [no-operands] argument 'arrays': expected at least one array, but got none");
  }
}

} // namespace
} // namespace kolam
