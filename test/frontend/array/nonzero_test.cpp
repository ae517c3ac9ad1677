// nonzero, argwhere, flatnonzero, count_nonzero and masks in an index: at once and in programs
// whose extents data decide, of a size asked for, empty ones, symbolic extents, beside a brute
// force.
#include "test/frontend/array/both_backends.h"

#include <random>

namespace kolam {
namespace {

using test::error_of;
using test::run_both;
using test::run_error;

void expect_same(const Array& actual, const Array& expected) {
  EXPECT_TRUE(runtime::same_bits(actual, expected)) << actual.to_string() << "\nexpected\n"
                                                    << expected.to_string();
}

std::vector<Array> found(const Array& x, NonzeroOptions options = {}) {
  return run_both({x}, [&](std::vector<Tensor> v) { return nonzero(v[0], options); });
}

TEST(Nonzero, GivesCoordinatesInRowMajorOrder) {
  Array x = Array::of<float>({0, 2, -0.0f, NAN, 0, 1}, {2, 3});
  auto places = found(x);
  ASSERT_EQ(places.size(), 2u);
  expect_same(places[0], Array::of<int32_t>({0, 1, 1}));
  expect_same(places[1], Array::of<int32_t>({1, 0, 2}));
  expect_same(nonzero(x)[1].array(), places[1]);
  expect_same(run_both({x}, [](std::vector<Tensor> v) { return std::vector{argwhere(v[0])}; })[0],
              Array::of<int32_t>({0, 1, 1, 0, 1, 2}, {3, 2}));
  expect_same(flatnonzero(x).array(), Array::of<int32_t>({1, 3, 5}));
}

TEST(Nonzero, OfASizeThatIsAskedFor) {
  Array x = Array::of<bool>({true, false, true, true}, {2, 2});
  auto longer = found(x, {5, {-1, 7}});
  expect_same(longer[0], Array::of<int32_t>({0, 1, 1, -1, -1}));
  expect_same(longer[1], Array::of<int32_t>({0, 0, 1, 7, 7}));
  expect_same(found(x, {2})[1], Array::of<int32_t>({0, 0}));
  EXPECT_EQ(found(x, {0})[0].size(), 0);
}

TEST(Nonzero, OfNothing) {
  for (std::vector<int64_t> shape : {std::vector<int64_t>{0}, {3, 0}, {4}, {0, 2}}) {
    EXPECT_EQ(found(Array::zeros(DType::i8, shape))[0].shape(), std::vector<int64_t>{0});
    expect_same(found(Array::zeros(DType::i8, shape), {2, {9}})[0], Array::of<int32_t>({9, 9}));
  }
  EXPECT_EQ(argwhere(Array::zeros(DType::i8, {0, 2})).array().shape(),
            (std::vector<int64_t>{0, 2}));
}

TEST(Nonzero, SymbolicExtentsGiveWidePlaces) {
  std::vector<TensorSpec> specs{{DType::i32, {Extent::symbol("n"), 2}}};
  auto program = [](std::vector<Tensor> v) {
    std::vector<Tensor> places = nonzero(v[0]);
    return std::vector{places[0] * 10 + places[1], sum(v[0] * 1, 0)};
  };
  expect_same(run_both(specs, {Array::of<int32_t>({1, 0, 0, 5, 6, 7}, {3, 2})}, program)[0],
              Array::of<int64_t>({0, 11, 20, 21}));
  EXPECT_EQ(run_both(specs, {Array::zeros(DType::i32, {0, 2})}, program)[0].size(), 0);
}

TEST(Nonzero, FeedsWhatComesBehind) {
  Array x = Array::of<float>({3, -1, 4, -1, 5});
  auto kept = run_both({x}, [](std::vector<Tensor> v) {
    Tensor positive = index(v[0], {v[0] > 0});
    return std::vector{sum(positive), sort(positive, 0, true) * 2, concat({positive, v[0]})};
  });
  expect_same(kept[0], Array::scalar(12.0f));
  expect_same(kept[1], Array::of<float>({10, 8, 6}));
  expect_same(kept[2], Array::of<float>({3, 4, 5, 3, -1, 4, -1, 5}));
}

TEST(Nonzero, Refuses) {
  EXPECT_EQ(error_of([] { nonzero(Array::scalar(1.0f)); }).slug(), "rank-mismatch");
  EXPECT_EQ(error_of([] { nonzero(Array::of<float>({1}), {-1}); }).slug(), "extent-negative");
  EXPECT_EQ(error_of([] { nonzero(Array::of<float>({1}), {2, {1, 2}}); }).slug(), "rank-mismatch");
}

TEST(CountNonzero, OverAxes) {
  Array x = Array::of<double>({0, 1, NAN, 0, 0, -0.0}, {2, 3});
  expect_same(count_nonzero(x).array(), Array::scalar<int32_t>(2));
  auto counts = run_both({x}, [](std::vector<Tensor> v) {
    return std::vector{count_nonzero(v[0], 0), count_nonzero(v[0], {0, 1}, {true})};
  });
  expect_same(counts[0], Array::of<int32_t>({0, 1, 1}));
  expect_same(counts[1], Array::of<int32_t>({2}, {1, 1}));
}

TEST(Mask, StandsForItsDims) {
  Array x = Array::of<int32_t>({0, 1, 2, 3, 4, 5}, {2, 3});
  auto taken = run_both({x}, [](std::vector<Tensor> v) {
    Tensor columns = any(v[0] > 3, 0);
    return std::vector{index(v[0], {v[0] > 2}), index(v[0], {ellipsis, columns}),
                       index(v[0], {1, columns}), index(v[0], {any(v[0] > 3, 1), Slice{}})};
  });
  expect_same(taken[0], Array::of<int32_t>({3, 4, 5}));
  expect_same(taken[1], Array::of<int32_t>({1, 2, 4, 5}, {2, 2}));
  expect_same(taken[2], Array::of<int32_t>({4, 5}));
  expect_same(taken[3], Array::of<int32_t>({3, 4, 5}, {1, 3}));
  Tensor yes = Array::scalar(true), no = Array::scalar(false);
  EXPECT_EQ(index(x, {yes}).array().shape(), (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(index(x, {no}).array().shape(), (std::vector<int64_t>{0, 2, 3}));
}

TEST(Mask, OfOtherExtentsIsRefused) {
  Array x = Array::zeros(DType::f32, {2, 3});
  Error error = error_of([&] { index(x, {Tensor(Array::of<bool>({true}))}); });
  EXPECT_EQ(error.slug(), "shape-mismatch");
  EXPECT_EQ(error.message(), "argument 'index': expected a mask of extent 2 in dim 0, but got 1");
  EXPECT_EQ(error_of([&] { index(x, {Tensor(Array::zeros(DType::boolean, {2, 3, 1}))}); }).slug(),
            "rank-mismatch");
  std::vector<TensorSpec> specs{{DType::f32, {Extent::symbol("n")}},
                                {DType::boolean, {Extent::symbol("m")}}};
  Error later = run_error(specs, {Array::of<float>({1, 2}), Array::of<bool>({true})},
                          [](std::vector<Tensor> v) { return std::vector{index(v[0], {v[1]})}; });
  EXPECT_EQ(later.slug(), "shape-mismatch");
}

TEST(Nonzero, AgainstALoop) {
  const uint32_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int64_t length : {1, 17, 300, 5000}) {
    std::vector<int16_t> values(length);
    std::vector<int32_t> places;
    for (int64_t i = 0; i < length; ++i)
      if ((values[i] = static_cast<int16_t>(random() % 3)) != 0)
        places.push_back(static_cast<int32_t>(i));
    expect_same(found(Array::of(values))[0], Array::of(places));
  }
}

} // namespace
} // namespace kolam
