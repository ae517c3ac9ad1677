// at(x, index): updates and reads by brute force on both backends, places outside and refusals.
// Every form of index is in test/python/at_test.py, beside NumPy.
#include "kolam/frontend/array/at.h"

#include "test/frontend/array/both_backends.h"

namespace kolam {
namespace {

using test::error_of;
using test::run_both;

std::vector<float> result_of(const std::vector<Array>& arrays,
                             const std::function<Tensor(std::vector<Tensor>)>& function) {
  Array result =
      run_both(arrays, [&](std::vector<Tensor> v) { return std::vector{function(v)}; })[0];
  auto values = result.values<float>();
  return {values.begin(), values.end()};
}

TEST(At, AddsAsOftenAsAPlaceOccurs) {
  Array x = Array::of<float>({1, 2, 3}), places = Array::of<int32_t>({0, -1, -1, 7});
  EXPECT_EQ(result_of({x, places}, [](auto v) { return at(v[0], {v[1]}).add(10); }),
            (std::vector<float>{11, 2, 23}));
  EXPECT_EQ(result_of({x, places}, [](auto v) { return at(v[0], {v[1]}).add(10, "clip"); }),
            (std::vector<float>{11, 2, 33}));
}

TEST(At, TakesEveryItemOfAnIndex) {
  Array x = Array::of<float>({0, 1, 2, 3, 4, 5}, {2, 3});
  EXPECT_EQ(result_of({x}, [](auto v) { return at(v[0], {ellipsis, Slice{{}, {}, -2}}).set(9); }),
            (std::vector<float>{9, 1, 9, 9, 4, 9}));
  EXPECT_EQ(result_of({x}, [](auto v) { return at(v[0], {1, Slice{1}}).multiply(2); }),
            (std::vector<float>{0, 1, 2, 3, 8, 10}));
  EXPECT_EQ(result_of({x}, [](auto v) { return at(v[0], {v[0] > 3}).set(0); }),
            (std::vector<float>{0, 1, 2, 3, 0, 0}));
  EXPECT_EQ(result_of({x}, [](auto v) { return at(v[0], {newaxis, 0}).max(1); }),
            (std::vector<float>{1, 1, 2, 3, 4, 5}));
}

TEST(At, AppliesAFunction) {
  Array x = Array::of<float>({1, 4, 9}), places = Array::of<int32_t>({2, 1});
  auto root = [](std::vector<Tensor> v) {
    return at(v[0], {v[1]}).apply([](const Tensor& cell) { return sqrt(cell); });
  };
  EXPECT_EQ(result_of({x, places}, root), (std::vector<float>{1, 2, 3}));
}

TEST(At, ReadsWithFill) {
  Array x = Array::of<float>({1, 2}), places = Array::of<int32_t>({1, 5});
  EXPECT_EQ(result_of({x, places}, [](auto v) { return at(v[0], {v[1]}).get("fill", -1); }),
            (std::vector<float>{2, -1}));
}

TEST(At, RefusesWhatDoesNotFit) {
  Tensor x(Array::of<int32_t>({1, 2, 3}));
  EXPECT_EQ(error_of([&] { at(x, {3}).set(1); }).slug(), "index-out-of-range");
  EXPECT_EQ(error_of([&] { at(x, {0}).set(1.5); }).slug(), "dtype-mismatch");
  EXPECT_EQ(error_of([&] { at(x, {0}).set(1, "wrap"); }).slug(), "unknown-mode");
  EXPECT_EQ(error_of([&] { at(x, {Slice{1}}).set(x); }).slug(), "shape-mismatch");
}

} // namespace
} // namespace kolam
