// scatter: the document's example with every combiner, duplicates, NaN, modes, users' combiners and
// refusals.
#include "test/frontend/array/both_backends.h"

#include <cmath>

namespace kolam {
namespace {

using test::error_of;
using test::run_both;
using test::run_error;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

void expect_same(const Array& actual, const Array& expected) {
  EXPECT_TRUE(runtime::same_bits(actual, expected)) << actual.to_string() << "\nexpected\n"
                                                    << expected.to_string();
}

struct Options {
  std::string rmw_op = "kUpdate";
  int64_t batched = 0;
  std::string mode = "drop";
};

Array scattered(const Array& operand, const Array& update, const Array& indices,
                std::vector<int64_t> dims, const Options& options) {
  return run_both({operand, update, indices}, [&](std::vector<Tensor> v) {
    return std::vector{
        scatter(v[0], v[1], v[2], dims, options.rmw_op, false, options.batched, options.mode)};
  })[0];
}

Array seed_example(const std::string& rmw_op) {
  Array update = Array::of<float>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {2, 2, 3});
  return scattered(Array::zeros(DType::f32, {3, 3}), update, Array::of<int32_t>({1, 0}, {2, 1}),
                   {0}, {.rmw_op = rmw_op});
}

TEST(Scatter, SeedExampleWithEveryCombiner) {
  Array last = Array::of<float>({7, 8, 9, 10, 11, 12, 4, 5, 6}, {3, 3});
  expect_same(seed_example("kAdd"), Array::of<float>({7, 8, 9, 11, 13, 15, 4, 5, 6}, {3, 3}));
  expect_same(seed_example("kUpdate"), last);
  expect_same(seed_example("kMul"), Array::zeros(DType::f32, {3, 3}));
  expect_same(seed_example("kMin"), Array::zeros(DType::f32, {3, 3}));
  expect_same(seed_example("kMax"), last);
}

TEST(Scatter, DuplicatesActInBatchOrder) {
  Array indices = Array::of<int32_t>({1, 1, 1}, {3, 1}), zeros = Array::zeros(DType::f32, {2});
  Array update = Array::of<float>({1e8f, 1, -1e8f}, {3, 1});
  expect_same(scattered(zeros, update, indices, {0}, {}), Array::of<float>({0, -1e8f}));
  expect_same(scattered(zeros, update, indices, {0}, {"kAdd"}), Array::of<float>({0, 0}));
}

TEST(Scatter, NarrowFloatsRoundAfterEveryUpdate) {
  // 256 + 1 is 256 in bf16, 2048 + 1 is 2048 in f16: a sum in f32 would give 260 and 2052.
  Array indices = Array::zeros(DType::u8, {4, 1});
  Array bf16 = Array::of<BFloat16>({{0x3f80}, {0x3f80}, {0x3f80}, {0x3f80}}, {4, 1});
  expect_same(scattered(Array::of<BFloat16>({{0x4380}}), bf16, indices, {0}, {"kAdd"}),
              Array::of<BFloat16>({{0x4380}}));
  Array f16 = Array::of<Float16>({{0x3c00}, {0x3c00}, {0x3c00}, {0x3c00}}, {4, 1});
  expect_same(scattered(Array::of<Float16>({{0x6800}}), f16, indices, {0}, {"kAdd"}),
              Array::of<Float16>({{0x6800}}));
}

TEST(Scatter, MinAndMaxCompareThenInsert) {
  Array operand = Array::of<float>({kNaN, 1, 0.0f, -0.0f});
  Array update = Array::of<float>({2, kNaN, -0.0f, 0.0f}, {4, 1});
  Array indices = Array::of<int32_t>({0, 1, 2, 3}, {4, 1});
  expect_same(scattered(operand, update, indices, {0}, {"kMin"}), operand);
  expect_same(scattered(operand, update, indices, {0}, {"kMax"}), operand);
}

TEST(Scatter, DropsAWindowThatIsNotWhollyInside) {
  Array operand = Array::zeros(DType::i32, {4});
  Array indices = Array::of<int64_t>({3, -1, 1}, {3, 1});
  Array update = Array::of<int32_t>({1, 2, 3, 4, 5, 6}, {3, 2});
  auto run = [&](const std::string& mode) {
    return scattered(operand, update, indices, {0}, {.mode = mode});
  };
  expect_same(run("drop"), Array::of<int32_t>({0, 5, 6, 0}));
  expect_same(run("element"), Array::of<int32_t>({4, 5, 6, 1}));
  expect_same(run("clip"), Array::of<int32_t>({3, 5, 6, 2}));
}

TEST(Scatter, FarPlacesAreOutside) {
  Array operand = Array::zeros(DType::i32, {300});
  Array update = Array::of<int32_t>({1, 2, 3, 4}, {2, 2});
  Array huge = Array::of<uint64_t>({UINT64_MAX, uint64_t{1} << 63}, {2, 1});
  Array far = Array::of<int64_t>({INT64_MAX, INT64_MIN}, {2, 1});
  for (const Array& indices : {huge, far})
    for (std::string mode : {"drop", "element"})
      expect_same(scattered(operand, update, indices, {0}, {.mode = mode}), operand);
  Array narrow = scattered(operand, Array::of<int32_t>({9}, {1, 1}),
                           Array::of<uint8_t>({200}, {1, 1}), {0}, {});
  EXPECT_EQ(narrow.values<int32_t>()[200], 9);
}

TEST(Scatter, ShapesFromPublicCode) {
  Array cache = Array::zeros(DType::f32, {2, 2, 3, 2});
  Array update = Array::of<float>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 1, 2, 1, 2});
  Array places = Array::of<int32_t>({2, 0}, {2, 1, 1});
  expect_same(
      scattered(cache, update, places, {1}, {.batched = 1}),
      Array::of<float>({0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 3, 4, 5, 6, 0, 0, 0, 0, 7, 8, 0, 0, 0, 0},
                       {2, 2, 3, 2}));
  Array tokens = Array::of<int32_t>({1, 1, 3, 0, 2, 9}, {2, 3, 1});
  Array ones = Array::of<int32_t>({1, 1, 1, 1, 1, 1}, {2, 3, 1});
  expect_same(scattered(Array::zeros(DType::i32, {2, 4}), ones, tokens, {0}, {"kAdd", 1}),
              Array::of<int32_t>({0, 2, 0, 1, 1, 0, 1, 0}, {2, 4}));
  Array mask = Array::of<int8_t>({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 3, 4});
  Array columns = Array::of<int32_t>({0, 1, 1, 2, 3, 9}, {1, 1, 3, 2, 1});
  expect_same(
      scattered(mask, Array::zeros(DType::i8, {1, 1, 3, 2, 1}), columns, {0}, {.batched = 3}),
      Array::of<int8_t>({0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0}, {1, 1, 3, 4}));
}

TEST(Scatter, EmptyWindowsBatchesAndScalars) {
  Array operand = Array::of<float>({1, 2, 3});
  expect_same(scattered(operand, Array::zeros(DType::f32, {2, 0}), Array::zeros(DType::i32, {2, 1}),
                        {0}, {}),
              operand);
  expect_same(scattered(operand, Array::zeros(DType::f32, {0, 1}), Array::zeros(DType::i32, {0, 1}),
                        {0}, {}),
              operand);
  expect_same(scattered(Array::scalar(1.0f), Array::of<float>({2, 3}),
                        Array::zeros(DType::i32, {2, 0}), {}, {"kAdd"}),
              Array::scalar(6.0f));
  EXPECT_EQ(scattered(Array::zeros(DType::f32, {0, 2}), Array::zeros(DType::f32, {1, 0, 1}),
                      Array::zeros(DType::i32, {1, 1}), {1}, {})
                .shape(),
            (std::vector<int64_t>{0, 2}));
}

TEST(Scatter, BooleansUpdateAndCompare) {
  Array operand = Array::of<bool>({false, true});
  Array update = Array::of<bool>({true, false}, {2, 1}),
        indices = Array::of<int32_t>({0, 1}, {2, 1});
  expect_same(scattered(operand, update, indices, {0}, {"kUpdate"}),
              Array::of<bool>({true, false}));
  expect_same(scattered(operand, update, indices, {0}, {"kMax"}), Array::of<bool>({true, true}));
}

TEST(Scatter, UserCombinerWithACapture) {
  std::vector<Array> arrays{Array::of<float>({1, 2}), Array::of<float>({3, 4, 5}, {3, 1}),
                            Array::of<int32_t>({0, 1, 0}, {3, 1}), Array::scalar(10.0f)};
  Array result = run_both(arrays, [](std::vector<Tensor> v) {
    Tensor ten = v[3] + 0;
    return std::vector{scatter(v[0], v[1], v[2], {0},
                               [&](Tensor cell, Tensor update) { return cell * ten + update; })};
  })[0];
  expect_same(result, Array::of<float>({135, 24}));
}

TEST(Scatter, SeveralOperandsShareOneCombiner) {
  // The largest value and where it came from.
  std::vector<Array> arrays{Array::of<float>({0, 0}), Array::of<int32_t>({-1, -1}),
                            Array::of<float>({3, 5, 4, 1}, {4, 1}),
                            Array::of<int32_t>({0, 1, 2, 3}, {4, 1}),
                            Array::of<int32_t>({0, 1, 0, 1}, {4, 1})};
  auto results = run_both(arrays, [](std::vector<Tensor> v) {
    ScatterCombiner largest = [](std::vector<Tensor> state, std::vector<Tensor> update) {
      Tensor larger = update[0] > state[0];
      return std::vector{where(larger, update[0], state[0]), where(larger, update[1], state[1])};
    };
    return scatter({v[0], v[1]}, {v[2], v[3]}, v[4], {0}, largest);
  });
  expect_same(results[0], Array::of<float>({4, 5}));
  expect_same(results[1], Array::of<int32_t>({2, 1}));
  auto sums = run_both(arrays, [](std::vector<Tensor> v) {
    return scatter({v[0], v[1]}, {v[2], v[3]}, v[4], {0}, "kAdd");
  });
  expect_same(sums[0], Array::of<float>({7, 6}));
  expect_same(sums[1], Array::of<int32_t>({1, 3}));
}

TEST(Scatter, ProducersAreComputedInsideAndResultsFeedOn) {
  std::vector<Array> arrays{Array::of<float>({1, 2, 3}), Array::of<float>({1, 1}, {2, 1}),
                            Array::of<int32_t>({0, 2}, {2, 1})};
  auto function = [](std::vector<Tensor> v) {
    return std::vector{scatter(v[0] * 2, v[1] + 1, v[2], {0}, "kAdd") * 10};
  };
  expect_same(run_both(arrays, function)[0], Array::of<float>({40, 40, 80}));
  std::string nests = trace(test::static_specs(arrays), function).as_text("nests");
  EXPECT_NE(nests.find("scatter"), std::string::npos);
  EXPECT_NE(nests.find("over [0:1] with"), std::string::npos) << nests;
}

TEST(Scatter, SymbolicExtents) {
  Extent s = Extent::symbol("s"), n = Extent::symbol("n");
  for (int64_t extent : {1, 4})
    for (int64_t batches : {0, 1, 5}) {
      Array indices = Array::uninitialized(DType::i32, {batches, 1});
      Array update = Array::uninitialized(DType::f32, {batches, 1, 2});
      for (int64_t i = 0; i < batches; ++i) {
        indices.mutable_values<int32_t>()[i] = static_cast<int32_t>(2 * i - 1);
        update.mutable_values<float>()[2 * i] = update.mutable_values<float>()[2 * i + 1] = 1;
      }
      Array operand = Array::zeros(DType::f32, {extent, 2});
      for (std::string mode : {"drop", "element", "clip"}) {
        auto function = [&](std::vector<Tensor> v) {
          return std::vector{scatter(v[0], v[1], v[2], {0}, "kAdd", false, 0, mode)};
        };
        Array dynamic =
            run_both({{DType::f32, {s, 2}}, {DType::f32, {n, 1, 2}}, {DType::i32, {n, 1}}},
                     {operand, update, indices}, function)[0];
        expect_same(dynamic, run_both({operand, update, indices}, function)[0]);
      }
    }
}

TEST(Scatter, CheckRaisesAtTheLowestBatch) {
  std::vector<Array> arrays{Array::zeros(DType::f32, {3}), Array::zeros(DType::f32, {2, 2, 1}),
                            Array::of<int32_t>({0, 2, 3, -1}, {2, 2, 1})};
  Error error = run_error(test::static_specs(arrays), arrays, [](std::vector<Tensor> v) {
    return std::vector{scatter(v[0], v[1], v[2], {0}, "kAdd", false, 0, "check")};
  });
  EXPECT_EQ(error.slug(), "index-out-of-range");
  EXPECT_EQ(error.message(), "scatter: argument 'start_indices': expected every window inside the "
                             "operand [3], but got one outside (first at row-major index 2)");
}

} // namespace
} // namespace kolam
