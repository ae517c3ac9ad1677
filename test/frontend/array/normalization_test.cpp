// Softmax, norms and cross entropy against their equations in double.
#include "test/frontend/array/one_tensor.h"

#include <cmath>
#include <limits>

namespace kolam {
namespace {

using test::run_both;
using test::run_one;
using test::run_one_dynamic;

constexpr int64_t kRows = 3, kColumns = 70;

Array grid() {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(1, 3);
  std::vector<float> values(kRows * kColumns);
  for (float& value : values)
    value = normal(random);
  return Array::of(values, {kRows, kColumns});
}

/// Compares rows with what `f` makes of a row of doubles; f32 composites keep about six digits.
void expect_rows(const Array& actual, const Array& x,
                 const std::function<std::vector<double>(std::vector<double>)>& f) {
  for (int64_t row = 0; row < kRows; ++row) {
    auto cells = x.values<float>().subspan(row * kColumns, kColumns);
    std::vector<double> expected = f(std::vector<double>(cells.begin(), cells.end()));
    for (int64_t i = 0; i < kColumns; ++i)
      EXPECT_NEAR(actual.values<float>()[row * kColumns + i], expected[i],
                  1e-5 * std::max(1.0, std::fabs(expected[i])));
  }
}

std::vector<double> softmax_row(std::vector<double> row) {
  double sum = 0;
  for (double& cell : row)
    sum += cell = std::exp(cell);
  for (double& cell : row)
    cell /= sum;
  return row;
}

TEST(Normalization, Softmax) {
  expect_rows(run_one(grid(), [](Tensor x) { return softmax(x); }), grid(), softmax_row);
  expect_rows(run_one_dynamic(grid(), [](Tensor x) { return softmax(x, 1); }), grid(), softmax_row);
}

TEST(Normalization, SoftmaxOfLargeAndMaskedCells) {
  float inf = std::numeric_limits<float>::infinity();
  Array result = run_one(Array::of<float>({1e4f, 1e4f, -inf}), [](Tensor x) { return softmax(x); });
  EXPECT_TRUE(runtime::same_bits(result, Array::of<float>({0.5f, 0.5f, 0})));
}

TEST(Normalization, LogSoftmax) {
  expect_rows(run_one(grid(), [](Tensor x) { return log_softmax(x); }), grid(),
              [](std::vector<double> row) {
                row = softmax_row(row);
                for (double& cell : row)
                  cell = std::log(cell);
                return row;
              });
}

std::vector<double> normalised(std::vector<double> row, bool centred) {
  double mean = 0, squares = 0;
  for (double cell : row)
    mean += cell / kColumns;
  for (double& cell : row) {
    cell -= centred ? mean : 0;
    squares += cell * cell / kColumns;
  }
  for (double& cell : row)
    cell /= std::sqrt(squares + 1e-5);
  return row;
}

TEST(Normalization, LayerNorm) {
  expect_rows(run_one(grid(), [](Tensor x) { return layer_norm(x); }), grid(),
              [](std::vector<double> row) { return normalised(row, true); });
  Array weight = Array::of(std::vector<float>(kColumns, 2)),
        bias = Array::of(std::vector<float>(kColumns, 1));
  Array result = run_both({grid(), weight, bias}, [](std::vector<Tensor> t) {
    return std::vector{layer_norm(t[0], t[1], t[2])};
  })[0];
  expect_rows(result, grid(), [](std::vector<double> row) {
    row = normalised(row, true);
    for (double& cell : row)
      cell = 2 * cell + 1;
    return row;
  });
}

TEST(Normalization, RmsNormOverSeveralAxes) {
  expect_rows(run_one(grid(), [](Tensor x) { return rms_norm(x); }), grid(),
              [](std::vector<double> row) { return normalised(row, false); });
  Array x = Array::of(std::vector<float>(24, 3), {2, 3, 4});
  Array weight = Array::of(std::vector<float>(8, 5), {2, 4});
  Array result = run_both({x, weight}, [](std::vector<Tensor> t) {
    return std::vector{rms_norm(t[0], t[1], {.axis = {0, 2}, .epsilon = 0})};
  })[0];
  EXPECT_TRUE(runtime::same_bits(result, Array::of(std::vector<float>(24, 5), {2, 3, 4})));
}

TEST(Normalization, NarrowFloatsRoundOnce) {
  Array narrow = run_one(grid(), [](Tensor x) { return imm(x, DType::bf16); });
  std::vector<Array> results = run_both({narrow}, [](std::vector<Tensor> t) {
    Tensor wide = imm(t[0], DType::f32);
    return std::vector{softmax(t[0]),    imm(softmax(wide), DType::bf16),
                       layer_norm(t[0]), imm(layer_norm(wide), DType::bf16),
                       std(t[0], 1),     imm(std(wide, 1), DType::bf16)};
  });
  for (size_t i = 0; i < results.size(); i += 2)
    EXPECT_TRUE(runtime::same_bits(results[i], results[i + 1]));
}

TEST(Normalization, CrossEntropyOfClassesAndProbabilities) {
  Array labels = Array::of<int32_t>({4, 69, 0});
  std::vector<float> odds(kRows * kColumns, 0);
  odds[4] = odds[kColumns + 69] = odds[2 * kColumns] = 1;
  std::vector<Array> results =
      run_both({grid(), labels, Array::of(odds, {kRows, kColumns})}, [](std::vector<Tensor> t) {
        return std::vector{cross_entropy(t[0], t[1]), cross_entropy(t[0], t[2], 1)};
      });
  EXPECT_TRUE(runtime::same_bits(results[0], results[1]));
  Array logits = grid();
  for (int64_t row = 0; row < kRows; ++row) {
    auto cells = logits.values<float>().subspan(row * kColumns, kColumns);
    double expected =
        -std::log(softmax_row({cells.begin(), cells.end()})[labels.values<int32_t>()[row]]);
    EXPECT_NEAR(results[0].values<float>()[row], expected, 1e-5 * std::max(1.0, expected));
  }
}

} // namespace
} // namespace kolam
