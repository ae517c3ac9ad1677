// Tensors made from shapes and numbers, against values written out.
#include "both_backends.h"

#include <cmath>

namespace kolam::test {
namespace {

using runtime::same_bits;

/// `make` inside a trace, on both backends.
Array made(const std::function<Tensor()>& make) {
  return run_both(std::vector<Array>{},
                  [&](std::vector<Tensor>) { return std::vector<Tensor>{make()}; })[0];
}

/// `make` of a symbolic extent n, run with n = `size`.
Array made_of(int64_t size, const std::function<Tensor(Extent)>& make) {
  return run_both(
      {{DType::u8, {Extent::symbol("n")}}}, {Array::zeros(DType::u8, {size})},
      [&](std::vector<Tensor> t) { return std::vector<Tensor>{make(t[0].shape()[0])}; })[0];
}

TEST(Arange, IntegersTakeTheSmallestOfI32AndI64) {
  EXPECT_TRUE(same_bits(made([] { return arange(4); }), Array::of<int32_t>({0, 1, 2, 3})));
  EXPECT_TRUE(same_bits(made([] { return arange(5, -3, -3); }), Array::of<int32_t>({5, 2, -1})));
  EXPECT_TRUE(same_bits(made([] { return arange(3000000000, 3000000002); }),
                        Array::of<int64_t>({3000000000, 3000000001})));
  EXPECT_TRUE(same_bits(made([] { return arange(3, 3); }), Array::zeros(DType::i32, {0})));
  EXPECT_TRUE(same_bits(made([] { return arange(250, 240, -5, DType::u8); }),
                        Array::of<uint8_t>({250, 245})));
}

TEST(Arange, FloatsAreCountedExactly) {
  EXPECT_TRUE(same_bits(made([] { return arange(0, 1, 0.25); }),
                        Array::of<float>({0, 0.25f, 0.5f, 0.75f})));
  // 0.1 is a little more than a tenth: 10 of them exceed 1, in f64 arithmetic as well as exactly.
  EXPECT_EQ(arange(0, 1, 0.1).shape(), Shape{10});
  // 1.3 - 1 is more than 3 * 0.1, although (1.3 - 1) / 0.1 rounds either way.
  EXPECT_EQ(arange(1.0, 1.3, 0.1).shape(), Shape{4});
  EXPECT_EQ(arange(0, 9007199254740993, 9007199254740992.0).shape(), Shape{2});
  EXPECT_EQ(arange(0, 5e-324, 5e-324).shape(), Shape{1});
  EXPECT_EQ(arange(1.0, 0.0, 0.5).shape(), Shape{0});
  EXPECT_TRUE(
      same_bits(made([] { return arange(0.5, 3, 1, DType::i16); }), Array::of<int16_t>({0, 1, 2})));
}

TEST(Arange, SymbolicBounds) {
  for (int64_t n : {0, 1, 7}) {
    std::vector<int64_t> all, odd;
    for (int64_t i = 0; i < n; ++i)
      all.push_back(i);
    for (int64_t i = n; i > 0; i -= 2)
      odd.push_back(i);
    EXPECT_TRUE(same_bits(made_of(n, [](Extent n) { return arange(n); }), Array::of(all)));
    EXPECT_TRUE(same_bits(made_of(n, [](Extent n) { return arange(n, 0, -2); }), Array::of(odd)));
    EXPECT_EQ(made_of(n, [](Extent n) { return arange(0, n, 1, DType::f32); }).size(), n);
  }
}

TEST(Filled, ZerosOnesFull) {
  for (DType dtype : kDTypes) {
    EXPECT_TRUE(same_bits(made([=] { return zeros({2, 3}, dtype); }), Array::zeros(dtype, {2, 3})));
    EXPECT_TRUE(same_bits(made([=] { return ones({2}, dtype); }),
                          made([=] { return full({2}, 1, dtype); })));
  }
  EXPECT_TRUE(same_bits(made([] { return full({2}, 7); }), Array::of<int32_t>({7, 7})));
  EXPECT_TRUE(same_bits(made([] { return full({}, true); }), Array::scalar(true)));
  EXPECT_TRUE(same_bits(made([] { return full({1, 1}, 0.5); }), Array::of<float>({0.5f}, {1, 1})));
  EXPECT_TRUE(same_bits(made([] { return full({2}, 2.9, DType::i8); }), Array::of<int8_t>({2, 2})));
  EXPECT_TRUE(same_bits(made([] { return full({2, 2}, Array::of<int32_t>({1, 2})); }),
                        Array::of<int32_t>({1, 2, 1, 2}, {2, 2})));
  EXPECT_TRUE(same_bits(made([] { return empty({0, 3}); }), Array::zeros(DType::f32, {0, 3})));
}

TEST(Filled, SymbolicShapesAndLikes) {
  Array one = Array::scalar<int16_t>(3);
  for (int64_t n : {0, 1, 5}) {
    EXPECT_TRUE(
        same_bits(made_of(n, [](Extent n) { return ones({n, 2 * n}); }), ones({n, 2 * n}).array()));
    EXPECT_TRUE(same_bits(made_of(n, [&](Extent n) { return full({n}, Tensor(one)); }),
                          full({n}, 3, DType::i16).array()));
  }
  Array x = Array::of<int8_t>({5, 6});
  EXPECT_TRUE(same_bits(zeros_like(x).array(), Array::of<int8_t>({0, 0})));
  EXPECT_TRUE(same_bits(ones_like(x, DType::f64).array(), Array::of<double>({1, 1})));
  EXPECT_TRUE(same_bits(full_like(x, 2.5).array(), Array::of<int8_t>({2, 2})));
}

TEST(Eye, Diagonals) {
  EXPECT_TRUE(same_bits(made([] { return eye(2); }), Array::of<float>({1, 0, 0, 1}, {2, 2})));
  EXPECT_TRUE(same_bits(made([] { return eye(2, 3, 1, DType::i8); }),
                        Array::of<int8_t>({0, 1, 0, 0, 0, 1}, {2, 3})));
  EXPECT_TRUE(same_bits(made([] { return eye(3, 2, -2, DType::boolean); }),
                        Array::of<bool>({false, false, false, false, true, false}, {3, 2})));
  EXPECT_TRUE(same_bits(made_of(3, [](Extent n) { return eye(n); }), eye(3).array()));
}

TEST(Linspace, EndsAreExact) {
  EXPECT_TRUE(same_bits(made([] { return linspace(0, 1, 5); }),
                        Array::of<float>({0, 0.25f, 0.5f, 0.75f, 1})));
  EXPECT_TRUE(same_bits(made([] { return linspace(0, 1, 4, false); }),
                        Array::of<float>({0, 0.25f, 0.5f, 0.75f})));
  EXPECT_TRUE(same_bits(made([] { return linspace(3.5, 9, 1); }), Array::of<float>({3.5f})));
  Array tenths = made([] { return linspace(0.1, 0.7, 11, true, DType::f64); });
  EXPECT_EQ(tenths.values<double>()[10], 0.7);
  EXPECT_TRUE(
      same_bits(made_of(5, [](Extent n) { return linspace(0, 1, n); }), linspace(0, 1, 5).array()));
  EXPECT_TRUE(
      same_bits(made_of(1, [](Extent n) { return linspace(2, 1, n); }), Array::of<float>({2})));
  Tensor start = Array::scalar(-1.0), stop = Array::scalar(1.0);
  EXPECT_TRUE(same_bits(linspace(start, stop, 3).array(), Array::of<double>({-1, 0, 1})));
}

TEST(Triangles, KeepOneSide) {
  Array x = Array::of<int32_t>({1, 2, 3, 4, 5, 6}, {2, 3});
  auto both = [&](int64_t k) {
    return run_both({x}, [=](std::vector<Tensor> t) {
      return std::vector<Tensor>{tril(t[0], k), triu(t[0], k)};
    });
  };
  EXPECT_TRUE(same_bits(both(0)[0], Array::of<int32_t>({1, 0, 0, 4, 5, 0}, {2, 3})));
  EXPECT_TRUE(same_bits(both(0)[1], Array::of<int32_t>({1, 2, 3, 0, 5, 6}, {2, 3})));
  EXPECT_TRUE(same_bits(both(1)[0], Array::of<int32_t>({1, 2, 0, 4, 5, 6}, {2, 3})));
  EXPECT_TRUE(same_bits(both(-1)[1], x));
  EXPECT_TRUE(same_bits(both(-5)[0], Array::zeros(DType::i32, {2, 3})));
  Array batch = Array::of<float>({1, 2, 3, 4, NAN, 6, 7, 8}, {2, 2, 2});
  EXPECT_TRUE(
      same_bits(tril(batch).array(), Array::of<float>({1, 0, 3, 4, NAN, 0, 7, 8}, {2, 2, 2})));
}

TEST(Meshgrid, BothIndexings) {
  Array x = Array::of<int32_t>({1, 2, 3}), y = Array::of<float>({4, 5});
  auto grid = [&](Indexing indexing) {
    return run_both({x, y},
                    [=](std::vector<Tensor> t) { return meshgrid({t[0], t[1]}, indexing); });
  };
  EXPECT_TRUE(same_bits(grid(Indexing::ij)[0], Array::of<int32_t>({1, 1, 2, 2, 3, 3}, {3, 2})));
  EXPECT_TRUE(same_bits(grid(Indexing::ij)[1], Array::of<float>({4, 5, 4, 5, 4, 5}, {3, 2})));
  EXPECT_TRUE(same_bits(grid(Indexing::xy)[0], Array::of<int32_t>({1, 2, 3, 1, 2, 3}, {2, 3})));
  EXPECT_TRUE(same_bits(grid(Indexing::xy)[1], Array::of<float>({4, 4, 4, 5, 5, 5}, {2, 3})));
  EXPECT_TRUE(same_bits(meshgrid({x})[0].array(), x));
  EXPECT_EQ(meshgrid({x, Array::scalar(2.0), y})[0].shape(), (Shape{1, 3, 2}));
}

TEST(OneHot, ClassesOutsideGiveZeros) {
  Array x = Array::of<int32_t>({0, 2, -1, 3});
  Array expected = Array::of<float>({1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0}, {4, 3});
  for (DType dtype : {DType::i8, DType::i32, DType::u32, DType::i64, DType::u64}) {
    Array classes = astype(x, dtype).array();
    Array result = run_both(
        {classes}, [](std::vector<Tensor> t) { return std::vector<Tensor>{one_hot(t[0], 3)}; })[0];
    EXPECT_TRUE(same_bits(result, expected)) << name(dtype);
  }
  // A narrow class beside more classes than its dtype counts.
  EXPECT_EQ(one_hot(Array::scalar<uint8_t>(1), 300, DType::i32).array().values<int32_t>()[257], 0);
  EXPECT_TRUE(same_bits(made_of(3, [&](Extent n) { return one_hot(Tensor(x), n); }), expected));
}

TEST(FromFunction, TracedOnceAndVectorised) {
  int calls = 0;
  auto f = [&](std::vector<Tensor> i) {
    ++calls;
    return 10 * i[0] + i[1];
  };
  Array expected = Array::of<int32_t>({0, 1, 2, 10, 11, 12}, {2, 3});
  EXPECT_TRUE(same_bits(made([&] { return fromfunction(f, {2, 3}); }), expected));
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(same_bits(fromfunction(f, {2, 3}).array(), expected));
  Array captured = Array::of<int32_t>({5, 6, 7});
  EXPECT_TRUE(same_bits(
      fromfunction([&](std::vector<Tensor> i) { return i[0] + Tensor(captured); }, {2, 3}).array(),
      Array::of<int32_t>({5, 6, 7, 6, 7, 8}, {2, 3})));
  EXPECT_TRUE(same_bits(
      fromfunction([](std::vector<Tensor>) { return Tensor(Array::scalar(1.5f)); }, {2}).array(),
      Array::of<float>({1.5f, 1.5f})));
}

} // namespace
} // namespace kolam::test
