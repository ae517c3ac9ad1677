// Functions that move elements: known values, every dtype, empty and rank-0 arrays, symbolic
// extents and checks.
#include "kolam/frontend/array/shape.h"

#include "test/frontend/array/both_backends.h"
#include "test/frontend/array/grid.h"

namespace kolam {
namespace {

using test::counted;
using test::run_both;
using test::run_error;

const Extent n = Extent::symbol("n"), m = Extent::symbol("m");

void expect_same(const Array& actual, const Array& expected) {
  EXPECT_TRUE(runtime::same_bits(actual, expected)) << actual.to_string() << "\nexpected\n"
                                                    << expected.to_string();
}

template <class F> Array apply_to(const Array& x, F f) {
  return run_both({x}, [&](std::vector<Tensor> v) { return std::vector<Tensor>{f(v[0])}; })[0];
}

/// The shape of f's result on an int32 tensor of symbolic extents.
template <class F> std::string result_shape(const Shape& shape, F f) {
  std::vector<TensorSpec> specs{{DType::i32, shape}};
  Program program =
      trace(specs, [&](std::vector<Tensor> v) { return std::vector<Tensor>{f(v[0])}; });
  return to_string(program.results()[0].shape);
}

const Array kMatrix = Array::of<int32_t>({1, 2, 3, 4, 5, 6}, {2, 3});

TEST(Shape, ReshapeKeepsRowMajorOrder) {
  expect_same(apply_to(kMatrix, [](Tensor x) { return reshape(x, {3, -1}); }),
              Array::of<int32_t>({1, 2, 3, 4, 5, 6}, {3, 2}));
  expect_same(apply_to(Array::scalar(7), [](Tensor x) { return reshape(x, {1, 1}); }),
              Array::of<int32_t>({7}, {1, 1}));
}

TEST(Shape, ReshapeOfSymbolsIsCheckedByTheRun) {
  EXPECT_EQ(result_shape({n, 6}, [](Tensor x) { return reshape(x, {-1, 3}); }), "[2*n, 3]");
  EXPECT_EQ(result_shape({n, m}, [](Tensor x) { return reshape(x, {m, n}); }), "[m, n]");
  auto rows_of_four = [](std::vector<Tensor> v) { return std::vector{reshape(v[0], {-1, 4})}; };
  std::vector<TensorSpec> specs{{DType::i32, {n}}};
  EXPECT_EQ(run_both(specs, {counted({8}).array()}, rows_of_four)[0].shape(),
            (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(run_both(specs, {counted({0}).array()}, rows_of_four)[0].shape(),
            (std::vector<int64_t>{0, 4}));
  EXPECT_EQ(run_error(specs, {counted({6}).array()}, rows_of_four).slug(), "shape-mismatch");
}

TEST(Shape, PermutesAndMovesDims) {
  expect_same(apply_to(kMatrix, [](Tensor x) { return permute_dims(x, {1, 0}); }),
              Array::of<int32_t>({1, 4, 2, 5, 3, 6}, {3, 2}));
  expect_same(apply_to(kMatrix, [](Tensor x) { return matrix_transpose(x); }),
              Array::of<int32_t>({1, 4, 2, 5, 3, 6}, {3, 2}));
  EXPECT_EQ(result_shape({2, n, 4, 5}, [](Tensor x) { return moveaxis(x, {0, -1}, {-1, 0}); }),
            "[5, n, 4, 2]");
  EXPECT_EQ(result_shape({2, n, 4}, [](Tensor x) { return moveaxis(x, 0, 1); }), "[n, 2, 4]");
}

TEST(Shape, AddsAndRemovesUnitDims) {
  EXPECT_EQ(result_shape({n, 3}, [](Tensor x) { return expand_dims(x, {0, -1}); }), "[1, n, 3, 1]");
  EXPECT_EQ(result_shape({1, n, 1}, [](Tensor x) { return squeeze(x, -1); }), "[1, n]");
  EXPECT_EQ(result_shape({1, n, 1}, [](Tensor x) { return squeeze(x); }), "[n]");
  EXPECT_EQ(result_shape({}, [](Tensor x) { return atleast_1d(x); }), "[1]");
  EXPECT_EQ(result_shape({n}, [](Tensor x) { return atleast_2d(x); }), "[1, n]");
  auto first = [](std::vector<Tensor> v) { return std::vector{squeeze(v[0], 0)}; };
  std::vector<TensorSpec> specs{{DType::i32, {n}}};
  expect_same(run_both(specs, {Array::of<int32_t>({5})}, first)[0], Array::scalar(5));
  EXPECT_EQ(run_error(specs, {counted({2}).array()}, first).slug(), "shape-mismatch");
}

TEST(Shape, JoinsWithExtentsThatAdd) {
  Array below = Array::of<int32_t>({7, 8, 9}, {1, 3});
  auto join = [](std::vector<Tensor> v) { return std::vector{concat({v[0], v[1]})}; };
  std::vector<TensorSpec> specs{{DType::i32, {n, 3}}, {DType::i32, {m, 3}}};
  EXPECT_EQ(to_string(trace(specs, join).results()[0].shape), "[m + n, 3]");
  Array expected = Array::of<int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3});
  expect_same(run_both(specs, {kMatrix, below}, join)[0], expected);
  expect_same(run_both({kMatrix, below}, join)[0], expected);
  EXPECT_EQ(run_both(specs, {counted({0, 3}).array(), counted({0, 3}).array()}, join)[0].size(), 0);
  auto flat = [](std::vector<Tensor> v) { return std::vector{concat({v[0], v[1]}, std::nullopt)}; };
  expect_same(run_both({kMatrix, below}, flat)[0], Array::of<int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST(Shape, StacksAndTakesApart) {
  auto columns = [](std::vector<Tensor> v) { return std::vector{stack({v[0], v[0]}, 1)}; };
  expect_same(run_both({Array::of<int32_t>({1, 2})}, columns)[0],
              Array::of<int32_t>({1, 1, 2, 2}, {2, 2}));
  auto parts = run_both({kMatrix}, [](std::vector<Tensor> v) { return unstack(v[0], 1); });
  ASSERT_EQ(parts.size(), 3u);
  expect_same(parts[2], Array::of<int32_t>({3, 6}));
}

TEST(Shape, SplitsEvenlyAndAtPlaces) {
  auto even = [](std::vector<Tensor> v) { return split(v[0], 2); };
  std::vector<TensorSpec> specs{{DType::i32, {n}}};
  expect_same(run_both(specs, {counted({4}).array()}, even)[1], Array::of<int32_t>({3, 4}));
  EXPECT_EQ(run_error(specs, {counted({5}).array()}, even).slug(), "uneven-split");
  auto at = [](std::vector<Tensor> v) { return split(v[0], std::vector<int64_t>{1, -1}); };
  std::vector<Array> parts = run_both(specs, {counted({4}).array()}, at);
  expect_same(parts[0], Array::of<int32_t>({1}));
  expect_same(parts[1], Array::of<int32_t>({2, 3}));
  expect_same(parts[2], Array::of<int32_t>({4}));
}

TEST(Shape, RotatesTilesAndRepeats) {
  Array row = Array::of<int32_t>({1, 2, 3});
  expect_same(apply_to(row, [](Tensor x) { return roll(x, 1, 0); }), Array::of<int32_t>({3, 1, 2}));
  expect_same(apply_to(row, [](Tensor x) { return roll(x, -7); }), Array::of<int32_t>({2, 3, 1}));
  expect_same(apply_to(row, [](Tensor x) { return tile(x, 2); }),
              Array::of<int32_t>({1, 2, 3, 1, 2, 3}));
  expect_same(apply_to(row, [](Tensor x) { return repeat(x, 2); }),
              Array::of<int32_t>({1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(result_shape({n}, [](Tensor x) { return tile(x, {2, 3}); }), "[2, 3*n]");
}

TEST(Shape, BroadcastsToOneShape) {
  auto both = [](std::vector<Tensor> v) { return broadcast_arrays({v[0], v[1]}); };
  Array column = Array::of<int32_t>({1, 2}, {2, 1}), row = Array::of<int32_t>({3, 4});
  std::vector<Array> results = run_both({column, row}, both);
  expect_same(results[0], Array::of<int32_t>({1, 1, 2, 2}, {2, 2}));
  expect_same(results[1], Array::of<int32_t>({3, 4, 3, 4}, {2, 2}));
  expect_same(apply_to(row, [](Tensor x) { return broadcast_to(x, {2, 2}); }), results[1]);
}

TEST(Shape, ArraysTakeTheSymbolsOfATrace) {
  std::vector<TensorSpec> specs{{DType::i32, {n}}};
  auto add_row = [](std::vector<Tensor> v) {
    return std::vector{v[0] + broadcast_to(Array::scalar(10), v[0].shape())};
  };
  expect_same(run_both(specs, {Array::of<int32_t>({1, 2})}, add_row)[0],
              Array::of<int32_t>({11, 12}));
}

TEST(Shape, MovesCellsOfEveryDtype) {
  for (DType dtype : kDTypes) {
    std::vector<uint8_t> bytes(6 * byte_width(dtype));
    for (size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<uint8_t>(dtype == DType::boolean ? i % 2 : 37 * i);
    Array x = Array::copy_of(dtype, {2, 3}, bytes.data());
    Array there = apply_to(x, [](Tensor t) {
      return pad(flip(concat({permute_dims(t, {1, 0}), reshape(t, {3, 2})})), {{1, 0}});
    });
    EXPECT_EQ(there.dtype(), dtype);
    // Back again by slices: what was moved has the same bits.
    Array back = apply_to(there, [](Tensor t) {
      return reshape(
          flip(split(split(t, std::vector<int64_t>{1, 4})[1], std::vector<int64_t>{1}, 1)[1]),
          {2, 3});
    });
    expect_same(back, x);
  }
}

TEST(Shape, ResultsDoNotViewForeignMemory) {
  alignas(64) int32_t memory[4] = {1, 2, 3, 4};
  Array x = Array::adopt(DType::i32, {4}, memory, [] {});
  Array square = reshape(x, {2, 2});
  memory[0] = 9;
  expect_same(square, Array::of<int32_t>({1, 2, 3, 4}, {2, 2}));
}

TEST(Shape, FunctionsRunAtOnceOnArrays) {
  EXPECT_EQ(reshape(kMatrix, {6}).array().shape(), (std::vector<int64_t>{6}));
  expect_same(stack({Array::scalar(1), Array::scalar(2)}).array(), Array::of<int32_t>({1, 2}));
}

TEST(Repeat, EachCellByItsOwnCount) {
  Array x = Array::of<int32_t>({7, 8, 9, 1, 2, 3}, {2, 3});
  expect_same(apply_to(x, [](Tensor v) { return repeat(v, {2, 0, 1}, 1); }),
              Array::of<int32_t>({7, 7, 9, 1, 1, 3}, {2, 3}));
  expect_same(apply_to(x, [](Tensor v) { return repeat(v, {0, 2}, 0); }),
              Array::of<int32_t>({1, 2, 3, 1, 2, 3}, {2, 3}));
  expect_same(apply_to(x, [](Tensor v) { return repeat(v, {1, 0, 0, 0, 0, 2}); }),
              Array::of<int32_t>({7, 3, 3}));
  expect_same(apply_to(x, [](Tensor v) { return repeat(v, Array::of<uint8_t>({2, 0, 1}), 1); }),
              Array::of<int32_t>({7, 7, 9, 1, 1, 3}, {2, 3}));
}

TEST(Repeat, NeedsACountForEachCell) {
  Array x = Array::of<int32_t>({7, 8, 9});
  EXPECT_EQ(test::error_of([&] { repeat(x, {1, 2}); }).slug(), "shape-mismatch");
  auto repeated = [](std::vector<Tensor> v) { return std::vector{repeat(v[0], {1, 2})}; };
  std::vector<TensorSpec> specs{{DType::i32, {Extent::symbol("n")}}};
  EXPECT_EQ(test::run_error(specs, {x}, repeated).slug(), "shape-mismatch");
  EXPECT_EQ(test::error_of([&] { repeat(x, {INT64_MAX, 1, 1}); }).slug(), "extent-overflow");
  auto traced = [](std::vector<Tensor> v) { return std::vector{repeat(v[0], v[0])}; };
  EXPECT_EQ(test::error_of([&] { test::run_both({x}, traced); }).slug(), "traced-value");
}

} // namespace
} // namespace kolam
