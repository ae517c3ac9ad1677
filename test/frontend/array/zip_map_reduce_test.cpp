// The zip-map-reduce pattern: the documents' bodies, reductions by name, captures, dtypes.
#include "test/frontend/array/one_tensor.h"

#include <limits>

namespace kolam {
namespace {

using test::run_both;
using test::run_one;

void expect_same(const Array& actual, const Array& expected) {
  EXPECT_TRUE(runtime::same_bits(actual, expected))
      << actual.to_string() << " of " << name(actual.dtype()) << "\nexpected\n"
      << expected.to_string() << " of " << name(expected.dtype());
}

/// The tensors of a pattern over `arrays`, on both backends.
Array pattern(const std::vector<Array>& arrays,
              const std::function<Tensor(const std::vector<Tensor>&)>& function) {
  return run_both(arrays, [&](std::vector<Tensor> t) { return std::vector{function(t)}; })[0];
}

TEST(Pattern, DiagonalFill) {
  Array result = run_one(Array::of(std::vector<float>(16, 1), {1, 1, 4, 4}), [](Tensor x) {
    return zip_map_reduce(
        [](Tensor cell) { return select(iter_idx(2) >= iter_idx(3), cell, imm(0.0, DType::f32)); },
        {x});
  });
  expect_same(result,
              Array::of<float>({1, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1}, {1, 1, 4, 4}));
}

TEST(Pattern, RotaryEmbedding) {
  std::vector<Array> arrays;
  for (auto values : {std::vector<float>{1, 2}, {3, 4}, {2, 1}, {4, 3}})
    arrays.push_back(Array::of(values, {1, 1, 1, 2}));
  Array result = pattern(arrays, [](const std::vector<Tensor>& t) {
    return zip_map_reduce(
        [](Tensor x, Tensor y, Tensor x_roll, Tensor y_roll) {
          Tensor even = x * y - x_roll * y_roll, odd = x_roll * y + x * y_roll;
          return select(iter_idx(3) & imm(1, DType::i32), odd, even);
        },
        {t[0], t[1], t[2], t[3]});
  });
  expect_same(result, Array::of<float>({-5, 10}, {1, 1, 1, 2}));
}

TEST(Pattern, AttentionMask) {
  Array ids = Array::of<int32_t>({1, 1, 1, 0, 2, 2, 0}, {7, 1});
  Array other = Array::of<int32_t>({1, 1, 1, -1, 2, 2, -1}, {1, 7});
  Array result = pattern({ids, other}, [](const std::vector<Tensor>& t) {
    return zip_map_reduce([](Tensor a, Tensor b) { return select(a == b, 1, 0); }, {t[0], t[1]});
  });
  auto block = [](int64_t i) { return i < 3 ? 1 : i == 4 || i == 5 ? 2 : 0; };
  for (int64_t i = 0; i < 7; ++i)
    for (int64_t j = 0; j < 7; ++j)
      EXPECT_EQ(result.values<int32_t>()[i * 7 + j], block(i) != 0 && block(i) == block(j));
}

TEST(Pattern, BroadcastsAndReducesOverTheWholeSpace) {
  Array rows = Array::of<int32_t>({10, 20, 30}, {3, 1}),
        columns = Array::of<int32_t>({1, 2}, {1, 2});
  Array result = pattern({rows, columns}, [](const std::vector<Tensor>& t) {
    return zip_map_reduce(
        [](Tensor a, Tensor b) { return a * b + iter_idx(0) * 100 + iter_idx(1) * 1000; },
        {t[0], t[1]}, {.reduce = "sum", .axis = 1, .keepdims = true});
  });
  expect_same(result, Array::of<int32_t>({1030, 1260, 1490}, {3, 1}));
}

TEST(Pattern, SlidingWindow) {
  Array result = run_one(Array::of(std::vector<float>(25, 1), {5, 5}), [](Tensor x) {
    return zip_map_reduce(
        [](Tensor cell) {
          Tensor l = iter_idx(0), r = iter_idx(1);
          return select((l - r <= 2) & (l >= r), cell, 0);
        },
        {x});
  });
  for (int64_t i = 0; i < 5; ++i)
    for (int64_t j = 0; j < 5; ++j)
      EXPECT_EQ(result.values<float>()[i * 5 + j], i >= j && i - j <= 2 ? 1 : 0);
}

TEST(Pattern, AcceptedTokenCount) {
  Array draft = Array::of<int32_t>({7, 8, 9, 1, 2, 3}, {2, 3});
  Array target = Array::of<int32_t>({7, 5, 9, 1, 2, 3}, {2, 3});
  Array result = pattern({draft, target}, [](const std::vector<Tensor>& t) {
    return zip_map_reduce([](Tensor a, Tensor b) { return select(a == b, 3, iter_idx(1)); },
                          {t[0], t[1]}, {.reduce = "MIN", .axis = 1, .keepdims = true});
  });
  expect_same(result, Array::of<int32_t>({1, 3}, {2, 1}));
}

TEST(Pattern, RepetitionPenalty) {
  Array counts = Array::of<int32_t>({0, 1, 2}, {1, 3});
  Array logits = Array::of<float>({4, 4, -4}, {1, 3}), penalty = Array::of<float>({2}, {1, 1});
  Array result = pattern({counts, logits, penalty}, [](const std::vector<Tensor>& t) {
    return zip_map_reduce(
        [](Tensor count, Tensor logit, Tensor by) {
          return select(count > 0, select(logit > 0, logit / by, logit * by), logit);
        },
        {t[0], t[1], t[2]});
  });
  expect_same(result, Array::of<float>({4, 2, -8}, {1, 3}));
}

TEST(Pattern, NamesInAnyCase) {
  Array x = Array::of<float>({1, 5, 2, 4}, {2, 2});
  auto by = [&](const std::string& reduce) {
    return run_one(x, [&](Tensor t) {
      return zip_map_reduce([](Tensor cell) { return cell + 1; }, {t},
                            {.reduce = reduce, .axis = 1});
    });
  };
  for (const char* reduce : {"SUM", "add", "Sum"})
    expect_same(by(reduce), Array::of<float>({8, 8}));
  for (const char* reduce : {"PROD", "mul"})
    expect_same(by(reduce), Array::of<float>({12, 15}));
  expect_same(by("min"), Array::of<float>({2, 3}));
  expect_same(by("Max"), Array::of<float>({6, 5}));
  expect_same(by("MEAN"), Array::of<float>({4, 4}));
  expect_same(by("any"), Array::of<bool>({true, true}));
  expect_same(by("ALL"), Array::of<bool>({true, true}));
  expect_same(by("argmin"), Array::of<int32_t>({0, 0}));
  expect_same(by("ARGMAX"), Array::of<int32_t>({1, 1}));
}

TEST(Pattern, GivesSeveralResultsInTheirStructure) {
  Array x = Array::of<float>({3, 1, 2});
  std::vector<Array> results = run_both({x}, [](std::vector<Tensor> t) {
    auto body = [](Tensor cell) { return std::tuple(cell * 2, cell > 1.5f, iter_idx(0)); };
    auto [doubled, large, place] = zip_map_reduce(body, {t[0]});
    auto [least, none, last] = zip_map_reduce(body, {t[0]}, {.reduce = "argmin"});
    auto [sum, count, places] = zip_map_reduce(body, {t[0]}, {.reduce = "sum"});
    return std::vector{doubled, large, place, least, none, last, sum, count, places};
  });
  expect_same(results[0], Array::of<float>({6, 2, 4}));
  expect_same(results[1], Array::of<bool>({true, false, true}));
  expect_same(results[2], Array::of<int32_t>({0, 1, 2}));
  EXPECT_EQ(results[3].item<int32_t>(), 1);
  EXPECT_EQ(results[4].item<int32_t>(), 1);
  EXPECT_EQ(results[5].item<int32_t>(), 0);
  EXPECT_EQ(results[6].item<float>(), 12);
  EXPECT_EQ(results[7].item<int32_t>(), 2);
  EXPECT_EQ(results[8].item<int32_t>(), 3);
}

TEST(Pattern, SelectBlendsAndPromotes) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  Array x = Array::of<float>({nan, 2});
  expect_same(run_one(x, [](Tensor t) { return select(isnan(t), 0, t); }),
              Array::of<float>({0, 2}));
  Array bytes = Array::of<uint8_t>({0, 2});
  expect_same(run_one(bytes, [](Tensor t) { return select(t, 1000, -1); }),
              Array::of<int32_t>({-1, 1000}));
  Program program = trace(std::vector<TensorSpec>{{DType::bf16, {3}}}, [](std::vector<Tensor> t) {
    return std::vector{
        zip_map_reduce([](Tensor c) { return select(c > 0, c, imm(0.5, DType::f32)); }, {t[0]})};
  });
  EXPECT_EQ(program.results()[0].dtype, DType::f32);
}

TEST(Pattern, BodyUsesOuterTensors) {
  Array x = Array::of<float>({1, 2, 3}), scale = Array::scalar(10.0f);
  Array table = Array::of<float>({0.5f, 0.25f, 0.125f});
  Array result = pattern({x, scale}, [&](const std::vector<Tensor>& t) {
    Tensor twice = t[1] * 2;
    return zip_map_reduce([&](Tensor cell) { return cell * twice + sum(Tensor(table)); }, {t[0]});
  });
  expect_same(result, Array::of<float>({20.875f, 40.875f, 60.875f}));
}

TEST(Pattern, GathersFromOuterArrays) {
  auto reversed = [](Tensor table, int64_t size) {
    return [=](Tensor cell) {
      Tensor place = reshape(size - 1 - iter_idx(0), {1, 1});
      return cell * reshape(gather(table, place, {0}, {1}), {});
    };
  };
  Array x = Array::of<float>({1, 2, 3}), table = Array::of<float>({5, 6, 7});
  Array result = pattern({x, table}, [&](const std::vector<Tensor>& t) {
    return zip_map_reduce(reversed(t[1], 3), {t[0]});
  });
  expect_same(result, Array::of<float>({7, 12, 15}));
  // At once, too, where the captured array is too large to be a literal.
  constexpr int64_t kSize = 20000;
  Array ones = Array::of(std::vector<float>(kSize, 1));
  for (float factor : {2.0f, 3.0f}) {
    Array large = Array::of(std::vector<float>(kSize, factor));
    Tensor sum = zip_map_reduce(reversed(large, kSize), {ones}, {.reduce = "sum"});
    EXPECT_EQ(sum.item<float>(), kSize * factor);
  }
}

TEST(Pattern, NestsInBodies) {
  Array x = Array::of<int32_t>({1, 2, 3}), y = Array::of<int32_t>({10, 20});
  Array result = pattern({x, y}, [](const std::vector<Tensor>& t) {
    return zip_map_reduce(
        [&](Tensor a) {
          Tensor outer = iter_idx(0);
          return zip_map_reduce([&](Tensor b) { return a * b + outer * iter_idx(0); }, {t[1]},
                                {.reduce = "sum"});
        },
        {t[0]});
  });
  expect_same(result, Array::of<int32_t>({30, 61, 92}));
}

TEST(Pattern, TakesSymbolicExtents) {
  Extent m = Extent::symbol("m"), n = Extent::symbol("n");
  std::vector<TensorSpec> specs{{DType::f32, {m, n}}, {DType::f32, {n}}};
  for (int64_t rows : {0, 1, 3})
    for (int64_t columns : {1, 5}) {
      std::vector<Array> arrays{Array::of(std::vector<float>(rows * columns, 2), {rows, columns}),
                                Array::of(std::vector<float>(columns, 3))};
      Array result = run_both(specs, arrays, [](std::vector<Tensor> t) {
        return std::vector{zip_map_reduce([](Tensor x, Tensor y) { return x * y + iter_idx(1); },
                                          {t[0], t[1]}, {.reduce = "mean", .axis = 1})};
      })[0];
      float expected = 6 + static_cast<float>(columns - 1) / 2;
      expect_same(result, Array::of(std::vector<float>(rows, expected)));
    }
}

TEST(Pattern, NarrowIndicesWrap) {
  Array result = run_one(Array::zeros(DType::i32, {300}), [](Tensor x) {
    return zip_map_reduce([](Tensor) { return iter_idx(0, DType::u8); }, {x});
  });
  EXPECT_EQ(result.values<uint8_t>()[299], 43);
}

} // namespace
} // namespace kolam
