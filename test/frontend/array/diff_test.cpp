// diff: orders, axes, booleans, what stands before and behind, empty dims, symbolic extents.
#include "test/frontend/array/both_backends.h"

namespace kolam {
namespace {

using test::error_of;
using test::run_both;

void expect_same(const Array& actual, const Array& expected) {
  EXPECT_TRUE(runtime::same_bits(actual, expected)) << actual.to_string() << "\nexpected\n"
                                                    << expected.to_string();
}

Array differences(const Array& x, int64_t n = 1, int64_t axis = -1) {
  return run_both({x}, [&](std::vector<Tensor> v) { return std::vector{diff(v[0], n, axis)}; })[0];
}

TEST(Diff, OrdersAndAxes) {
  Array x = Array::of<int32_t>({1, 4, 9, 16, 25, 36}, {2, 3});
  expect_same(differences(x), Array::of<int32_t>({3, 5, 9, 11}, {2, 2}));
  expect_same(differences(x, 2), Array::of<int32_t>({2, 2}, {2, 1}));
  expect_same(differences(x, 1, 0), Array::of<int32_t>({15, 21, 27}, {1, 3}));
  expect_same(differences(x, 0), x);
  EXPECT_EQ(differences(x, 9).shape(), (std::vector<int64_t>{2, 0}));
  expect_same(differences(Array::of<uint8_t>({3, 1})), Array::of<uint8_t>({254}));
  expect_same(differences(Array::of<bool>({true, true, false})), Array::of<bool>({false, true}));
  EXPECT_EQ(differences(Array::zeros(DType::f32, {0})).size(), 0);
}

TEST(Diff, WithCellsAround) {
  Array x = Array::of<float>({1, 3}), more = Array::of<float>({4, 8});
  auto found = run_both({x, more}, [](std::vector<Tensor> v) {
    return std::vector{diff(v[0], 1, -1, 0), diff(v[0], 1, 0, {}, v[1]), diff(v[0], 2, 0, v[1], 7)};
  });
  expect_same(found[0], Array::of<float>({1, 2}));
  expect_same(found[1], Array::of<float>({2, 1, 4}));
  expect_same(found[2], Array::of<float>({-11, 9, 2}));
}

TEST(Diff, SymbolicExtents) {
  std::vector<TensorSpec> specs{{DType::i32, {Extent::symbol("n")}}};
  auto second = [](std::vector<Tensor> v) { return std::vector{diff(v[0], 2)}; };
  expect_same(run_both(specs, {Array::of<int32_t>({1, 4, 9, 16})}, second)[0],
              Array::of<int32_t>({2, 2}));
  for (int64_t extent : {0, 1, 2})
    EXPECT_EQ(run_both(specs, {Array::zeros(DType::i32, {extent})}, second)[0].size(), 0);
}

TEST(Diff, Refuses) {
  EXPECT_EQ(error_of([] { diff(Array::scalar(1.0f)); }).slug(), "rank-mismatch");
  EXPECT_EQ(error_of([] { diff(Array::of<float>({1}), -1); }).slug(), "negative-count");
  EXPECT_EQ(error_of([] { diff(Array::of<float>({1}), 1, 1); }).slug(), "axis-out-of-range");
}

} // namespace
} // namespace kolam
