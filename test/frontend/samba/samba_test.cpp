// SambaFlow's documents' examples and published bodies.
#include "kolam/frontend/samba/samba.h"

#include "test/frontend/array/both_backends.h"

namespace kolam::samba {
namespace {

using test::error_of;
using test::run_both;

void expect_same(const Array& actual, const Array& expected) {
  EXPECT_TRUE(runtime::same_bits(actual, expected)) << actual.to_string() << "\nexpected\n"
                                                    << expected.to_string();
}

Array filled(float value, std::vector<int64_t> shape) {
  Array array = Array::uninitialized(DType::f32, std::move(shape));
  for (float& cell : array.mutable_values<float>())
    cell = value;
  return array;
}

TEST(Samba, GatherAndScatterExamples) {
  Tensor x = Array::of<int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9}, {3, 3});
  Tensor indices = Array::of<int32_t>({1, 0}, {2, 1});
  expect_same(sn_gather(x, indices, {0}, {2}),
              Array::of<int32_t>({4, 5, 6, 7, 8, 9, 1, 2, 3, 4, 5, 6}, {2, 2, 3}));
  Tensor update = Array::of<int32_t>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {2, 2, 3});
  Tensor zeros = Array::zeros(DType::i32, {3, 3});
  expect_same(sn_scatter(zeros, update, indices, {0}, "kAdd"),
              Array::of<int32_t>({7, 8, 9, 11, 13, 15, 4, 5, 6}, {3, 3}));
}

TEST(Samba, TopKFallbackKnocksOutTheLargest) {
  Tensor logits = Array::of<float>({1, 5, 2, 7, 0, 3}, {2, 3});
  Tensor place = Array::of<int32_t>({0, 1, 1, 0}, {2, 2});
  Tensor lowest = filled(std::numeric_limits<float>::lowest(), {2, 1, 1});
  Array result = sn_scatter(logits, lowest, place, {0, 1});
  EXPECT_EQ(result.values<float>()[1], std::numeric_limits<float>::lowest());
  EXPECT_EQ(result.values<float>()[3], std::numeric_limits<float>::lowest());
}

TEST(Samba, DiagonalFill) {
  Array result = run_both({filled(1, {1, 1, 4, 4})}, [](std::vector<Tensor> v) {
    return std::vector{sn_zipmapreduce(
        [](Attrs attrs, Tensor x) {
          Tensor keep = sn_iteridx(attrs, 2) >= sn_iteridx(attrs, 3);
          return sn_select(keep, x, sn_imm(0, DType::f32));
        },
        {v[0]})};
  })[0];
  expect_same(result,
              Array::of<float>({1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1}, {1, 1, 4, 4}));
}

TEST(Samba, RotaryEmbedding) {
  std::vector<Array> arrays{
      Array::of<float>({1, 2}, {1, 1, 1, 2}), Array::of<float>({2, 1}, {1, 1, 1, 2}),
      Array::of<float>({3, 4}, {1, 1, 1, 2}), Array::of<float>({4, 3}, {1, 1, 1, 2})};
  Array result = run_both(arrays, [](std::vector<Tensor> v) {
    return std::vector{sn_zipmapreduce(
        [](Attrs attrs, Tensor x, Tensor x_roll, Tensor y, Tensor y_roll) {
          Tensor even = x * y - x_roll * y_roll, odd = x_roll * y + x * y_roll;
          Tensor one = sn_imm(1, get_int_type(get_int_or_float_bit_width(x.dtype())));
          return sn_select(sn_iteridx(attrs, 3) & one, odd, even);
        },
        {v[0], v[1], v[2], v[3]})};
  })[0];
  expect_same(result, Array::of<float>({-5, 10}, {1, 1, 1, 2}));
}

TEST(Samba, SlidingWindowKeepsItsDiagonals) {
  Array result = run_both({filled(1, {4, 4})}, [](std::vector<Tensor> v) {
    return std::vector{sn_zipmapreduce(
        [](Attrs attrs, Tensor x) {
          Tensor l = sn_iteridx(attrs, 0), r = sn_iteridx(attrs, 1);
          return sn_select((l - r <= 1) & (l >= r), x, sn_imm(0, DType::f32));
        },
        {v[0]})};
  })[0];
  expect_same(result, Array::of<float>({1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1}, {4, 4}));
}

TEST(Samba, ReducedDimsStayAndIteratorsRangeBeforeTheReduction) {
  std::vector<Array> arrays{filled(1, {2, 1}), filled(1, {1, 3})};
  auto results = run_both(arrays, [](std::vector<Tensor> v) {
    auto [i, j] = sn_zipmapreduce(
        [](Attrs attrs, Tensor, Tensor) {
          return std::tuple(sn_iteridx(attrs, 0), sn_iteridx(attrs, 1));
        },
        {v[0], v[1]}, "sum", 1);
    return std::vector{i, j};
  });
  expect_same(results[0], Array::of<int32_t>({0, 3}, {2, 1}));
  expect_same(results[1], Array::of<int32_t>({3, 3}, {2, 1}));
}

TEST(Samba, AcceptedTokenCount) {
  std::vector<Array> arrays{Array::of<int32_t>({5, 6, 7, 5, 9, 7}, {2, 3}),
                            Array::of<int32_t>({5, 6, 8, 5, 6, 8}, {2, 3})};
  Array result = run_both(arrays, [](std::vector<Tensor> v) {
    return std::vector{sn_zipmapreduce(
        [](Attrs attrs, Tensor draft, Tensor target) {
          return sn_select(draft == target, sn_imm(4, DType::i32), sn_iteridx(attrs, 1) + 1);
        },
        {v[0], v[1]}, "MIN", {1})};
  })[0];
  expect_same(result, Array::of<int32_t>({3, 2}, {2, 1}));
}

TEST(Samba, AttentionMaskFromIds) {
  Array keys = Array::of<int32_t>({1, 1, 1, 0, 2, 2, 0}, {1, 7});
  Array queries = Array::of<int32_t>({1, 1, 1, -1, 2, 2, -1}, {7, 1});
  Array result = run_both({keys, queries}, [](std::vector<Tensor> v) {
    return std::vector{sn_zipmapreduce(
        [](Attrs, Tensor mask, Tensor mask_t) {
          return sn_select(mask == mask_t, sn_imm(1, DType::i32), sn_imm(0, DType::i32));
        },
        {v[0], v[1]})};
  })[0];
  for (int i = 0; i < 7; ++i)
    for (int j = 0; j < 7; ++j)
      EXPECT_EQ(result.values<int32_t>()[7 * i + j],
                (i < 3 && j < 3) || (i / 2 == 2 && j / 2 == 2 && i < 6 && j < 6));
}

TEST(Samba, ReduceKeepsItsDims) {
  Tensor x = Array::of<float>({3, 1, 2, 6, 5, 4}, {2, 3});
  expect_same(sn_reduce(x, 1, "MIN"), Array::of<float>({1, 4}, {2, 1}));
  expect_same(sn_reduce(x, {0, 1}, "sum"), Array::of<float>({21}, {1, 1}));
}

TEST(Samba, FmaRoundsOnce) {
  // (1 + 2^-12)^2 - 1 - 2^-11 = 2^-24, which a rounded product loses.
  float near_one = 1 + 0x1p-12f;
  Tensor x = Array::of<float>({near_one});
  Tensor result = sn_zipmapreduce(
      [&](Attrs, Tensor cell) { return sn_fma(cell, cell, sn_imm(-1 - 0x1p-11, DType::f32)); },
      {x});
  expect_same(result, Array::of<float>({0x1p-24f}));
}

TEST(Samba, IndexDtypes) {
  auto index_of = [](const Array& first, std::optional<DType> dtype = {}) {
    Tensor x = first;
    return sn_zipmapreduce([&](Attrs attrs, Tensor) { return sn_iteridx(attrs, 0, dtype); }, {x})
        .dtype();
  };
  EXPECT_EQ(index_of(Array::zeros(DType::bf16, {2})), DType::i32);
  EXPECT_EQ(index_of(Array::zeros(DType::f64, {2})), DType::i64);
  EXPECT_EQ(index_of(Array::zeros(DType::f32, {256}), DType::u8), DType::u8);
}

TEST(Samba, IterIdxOfASymbolicExtentMustFitWhenItRuns) {
  std::vector<TensorSpec> specs{{DType::i32, {Extent::symbol("n")}}};
  auto places = [](std::vector<Tensor> v) {
    return std::vector<Tensor>{sn_zipmapreduce(
        [](Attrs attrs, Tensor) { return sn_iteridx(attrs, 0, DType::u8); }, {v[0]})};
  };
  Array fits = run_both(specs, {Array::zeros(DType::i32, {256})}, places)[0];
  EXPECT_EQ(fits.values<uint8_t>()[255], 255);
  Array x = Array::zeros(DType::i32, {257});
  Error error = test::run_error(specs, {x}, places);
  EXPECT_EQ(error.slug(), "extent-does-not-fit");
  EXPECT_EQ(error_of([&] { run_both({x}, places); }).slug(), error.slug());
}

} // namespace
} // namespace kolam::samba
