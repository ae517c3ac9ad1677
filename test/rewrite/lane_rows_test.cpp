// Products by lanes over rows: each form that a number of terms has keeps every bit.
#include "kolam/driver/parse.h"
#include "kolam/interp/interpreter.h"
#include "kolam/rewrite/engine.h"
#include "kolam/rewrite/lane_rows.h"

#include <gtest/gtest.h>

#include <random>

namespace kolam {
namespace {

using runtime::Array;

/// transpose(x) @ y of `terms` rows of 24 and `columns` elements.
driver::Module product_of(int64_t terms, int64_t columns) {
  const std::string k = std::to_string(terms), n = std::to_string(columns);
  const std::string x = "tensor<" + k + "x24xf32>", y = "tensor<" + k + "x" + n + "xf32>",
                    turned = "tensor<24x" + k + "xf32>", result = "tensor<24x" + n + "xf32>";
  return driver::parse("func.func @main(%x: " + x + ", %y: " + y + ") -> " + result +
                           " {\n%t = kolam.transpose %x [1, 0] : " + x + " -> " + turned +
                           "\n%r = kolam.contract \"mk,kn->mn\" %t, %y <\"lanes<64>, "
                           "chunk<4096>\"> : (" +
                           turned + ", " + y + ") -> " + result + "\nreturn %r : " + result +
                           "\n}\n",
                       "product")
      .program;
}

Array drawn(std::vector<int64_t> shape, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  Array array = Array::uninitialized(DType::f32, std::move(shape));
  for (float& value : array.mutable_values<float>())
    value = normal(generator);
  return array;
}

class LaneRows : public testing::TestWithParam<std::pair<int64_t, int64_t>> {};

TEST_P(LaneRows, KeepEveryBit) {
  const auto [terms, columns] = GetParam();
  driver::Module program = product_of(terms, columns);
  const std::vector<Array> arguments = {drawn({terms, 24}, 1), drawn({terms, columns}, 2)};
  const Array before = interp::interpret(program.main(), arguments)[0];
  auto counts = rewrite::apply_rules(*program.module, rewrite::contract_rules());
  EXPECT_GE(counts.at("lanes_of_rows"), 1);
  EXPECT_TRUE(runtime::same_bits(before, interp::interpret(program.main(), arguments)[0]));
}

INSTANTIATE_TEST_SUITE_P(Terms, LaneRows,
                         testing::Values(std::pair(17, 3), std::pair(64, 1), std::pair(80, 2),
                                         std::pair(128, 2), std::pair(200, 1), std::pair(4100, 2),
                                         std::pair(8300, 3)));

// Fifteen sums of each row, of few terms: the rows of the factor become those of the result.
TEST(LaneRowsTest, OfManySumsAndFewTermsIsAnotherProduct) {
  driver::Module program = product_of(65, 15);
  auto counts = rewrite::apply_rules(*program.module, rewrite::contract_rules());
  EXPECT_EQ(counts.at("lanes_of_rows"), 1);
}

} // namespace
} // namespace kolam
