// The benchmark compares what it measures: wrong, missing and unwritten results are found.
#include "bench/harness.h"
#include "bench/operands.h"

#include <cmath>
#include <gtest/gtest.h>

namespace kolam::bench {
namespace {

const std::vector<double> kExpected = {1, 2, 4};

Array floats(std::vector<float> values) { return Array::of(values); }

Case case_of(std::function<Array()> ours, double tolerance = 0) {
  return {.work = {},
          .goal = {},
          .ours = std::move(ours),
          .reference = [] { return kExpected; },
          .tolerance = tolerance};
}

std::string error_of(const Case& row) {
  try {
    check(row);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(BenchCheck, PassesWhatIsClose) {
  EXPECT_EQ(error_of(case_of([] { return floats({1, 2, 4}); })), "");
  // The tolerance is a share of the greatest magnitude: 4 / 8.
  EXPECT_EQ(error_of(case_of([] { return floats({1.5f, 2, 4}); }, 0.125)), "");
}

TEST(BenchCheck, NamesWhoIsWrongAndWhere) {
  EXPECT_EQ(error_of(case_of([] { return floats({1, 2.5f, 4}); }, 0.1)),
            "kolam gives 2.500000 in element 1, but expected 2.000000");
}

TEST(BenchCheck, FindsNaN) {
  EXPECT_NE(error_of(case_of([] { return floats({1, NAN, 4}); }, 10)), "");
}

TEST(BenchCheck, FindsMissingCells) {
  EXPECT_EQ(error_of(case_of([] { return floats({1, 2}); })),
            "kolam gives 2 elements, but expected 3");
}

TEST(BenchCheck, FindsCellsThatAPeerLeavesUnwritten) {
  Case row = case_of([] { return floats({1, 2, 4}); });
  Array output = floats({1, 2, 4});
  row.peers.push_back(peer("lazy", output, [output]() mutable {
    output.mutable_values<float>()[0] = 1;
    output.mutable_values<float>()[1] = 2;
  }));
  EXPECT_NE(error_of(row).find("in element 2, but expected 4.000000"), std::string::npos);
}

TEST(BenchCheck, TakesTheCallThatIsMeantForIt) {
  Case row = case_of([] { return floats({0, 0, 0}); });
  row.checked = [] { return floats({1, 2, 4}); };
  EXPECT_EQ(error_of(row), "");
}

TEST(BenchMeasure, TakesAsManyTurnsOfEveryRunner) {
  Case row = case_of([] { return floats({1, 2, 4}); });
  row.peers = {limit("a second", 1), not_available("nobody")};
  Measured measured = measure(row, {.rounds = 3, .seconds_a_turn = 0});
  EXPECT_EQ(measured.ours.size(), 3u);
  ASSERT_EQ(measured.peers.size(), 2u);
  EXPECT_EQ(measured.peers[0], Rounds(3, 1.0));
  EXPECT_EQ(measured.peers[1], Rounds());
}

TEST(BenchOperands, AreRandomAndNeverZero) {
  for (DType dtype : {DType::f32, DType::bf16, DType::i8}) {
    std::vector<double> cells = to_doubles(random_array(dtype, {1000}, 1));
    EXPECT_EQ(std::ranges::count(cells, 0.0), 0);
    EXPECT_NE(cells[0], cells[1]);
    EXPECT_NE(cells, to_doubles(random_array(dtype, {1000}, 2)));
  }
}

TEST(BenchOperands, MultiplyInF64) {
  EXPECT_EQ(product({1, 2, 3, 4}, {5, 6, 7, 8}, 2, 2, 2), (std::vector<double>{19, 22, 43, 50}));
}

TEST(BenchOperands, PoisonIsNoNumber) {
  Array array = floats({1, 2});
  poison(array);
  EXPECT_TRUE(std::isnan(to_doubles(array)[1]));
}

} // namespace
} // namespace kolam::bench
