// Reductions accumulate in the documented order, bit for bit.
#include "test/frontend/array/accumulation_order.h"
#include "test/frontend/array/one_tensor.h"

namespace kolam {
namespace {

using test::random_array;
using test::run_both;
using test::run_one;

const std::function<float(float, float)> kAdd = [](float a, float b) { return a + b; };

/// The elements of a [a, b, c] array at the reduced indices, row-major, for one kept index.
std::vector<float> cells(const Array& x, const std::function<bool(int64_t, int64_t, int64_t)>& in) {
  std::vector<float> result;
  auto values = x.values<float>();
  for (int64_t i = 0; i < x.shape()[0]; ++i)
    for (int64_t j = 0; j < x.shape()[1]; ++j)
      for (int64_t k = 0; k < x.shape()[2]; ++k)
        if (in(i, j, k))
          result.push_back(values[(i * x.shape()[1] + j) * x.shape()[2] + k]);
  return result;
}

class Lengths : public testing::TestWithParam<int64_t> {};
INSTANTIATE_TEST_SUITE_P(AroundLanesAndChunks, Lengths,
                         testing::Values(1, 2, 31, 33, 63, 64, 65, 127, 128, 129, 1000, 4095, 4096,
                                         4097, 4160, 8191, 8192, 8193, 12289));

TEST_P(Lengths, LastDimGoesInLanes) {
  Array x = random_array<float>({1, 2, GetParam()}, 1);
  Array result = run_one(x, [](Tensor t) { return sum(t, -1); });
  for (int64_t j = 0; j < 2; ++j)
    EXPECT_EQ(
        result.values<float>()[j],
        in_lanes(cells(x, [&](int64_t, int64_t b, int64_t) { return b == j; }), GetParam(), kAdd));
}

TEST_P(Lengths, KeptLastDimGoesInChunks) {
  Array x = random_array<float>({1, GetParam(), 3}, 2);
  Array result = run_one(x, [](Tensor t) { return sum(t, {0, 1}); });
  for (int64_t k = 0; k < 3; ++k)
    EXPECT_EQ(result.values<float>()[k],
              in_chunks(cells(x, [&](int64_t, int64_t, int64_t c) { return c == k; }), kAdd));
}

TEST(Order, TrailingRunOfReducedDimsIsFlattened) {
  Array x = random_array<float>({3, 70, 90}, 3);
  Array result = run_one(x, [](Tensor t) { return sum(t, {1, 2}); });
  for (int64_t i = 0; i < 3; ++i)
    EXPECT_EQ(
        result.values<float>()[i],
        in_lanes(cells(x, [&](int64_t a, int64_t, int64_t) { return a == i; }), 70 * 90, kAdd));
}

TEST(Order, OtherReducedDimsStartNewChunks) {
  Array x = random_array<float>({5, 2, 4500}, 4);
  Array result = run_one(x, [](Tensor t) { return sum(t, {0, 2}); });
  for (int64_t j = 0; j < 2; ++j)
    EXPECT_EQ(result.values<float>()[j],
              in_lanes(cells(x, [&](int64_t, int64_t b, int64_t) { return b == j; }), 4500, kAdd));
}

TEST(Order, AllDimsAreOneRun) {
  Array x = random_array<float>({3, 41, 83}, 5);
  auto all = cells(x, [](int64_t, int64_t, int64_t) { return true; });
  EXPECT_EQ(run_one(x, [](Tensor t) { return sum(t); }).item<float>(),
            in_lanes(all, all.size(), kAdd));
}

TEST(Order, HoldsForDoubles) {
  Array x = random_array<double>({5000}, 6);
  std::vector<double> values(x.values<double>().begin(), x.values<double>().end());
  std::function<double(double, double)> add = [](double a, double b) { return a + b; };
  EXPECT_EQ(run_one(x, [](Tensor t) { return sum(t); }).item<double>(),
            in_lanes(values, values.size(), add));
}

TEST(Order, HoldsForProducts) {
  Array x = random_array<float>({1, 1, 300}, 7);
  std::function<float(float, float)> multiply = [](float a, float b) { return a * b; };
  auto all = cells(x, [](int64_t, int64_t, int64_t) { return true; });
  EXPECT_EQ(run_one(x, [](Tensor t) { return prod(t); }).item<float>(),
            in_lanes(all, all.size(), multiply));
}

TEST(Order, DoesNotDependOnSymbols) {
  auto sums = [](std::vector<Tensor> t) {
    return std::vector{sum(t[0]), sum(t[0], 0), sum(t[0], 1)};
  };
  std::vector<TensorSpec> specs{{DType::f32, {Extent::symbol("m"), Extent::symbol("n")}}};
  for (auto shape : {std::vector<int64_t>{0, 3}, {3, 0}, {1, 1}, {70, 9000}, {200, 65}}) {
    Array x = random_array<float>(shape, 8);
    std::vector<Array> fixed = run_both({x}, sums), symbolic = run_both(specs, {x}, sums);
    for (int i = 0; i < 3; ++i)
      EXPECT_TRUE(runtime::same_bits(fixed[i], symbolic[i]));
  }
}

} // namespace
} // namespace kolam
