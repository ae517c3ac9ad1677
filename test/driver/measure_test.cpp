// What steps take: the longest first, with the user's line, sizes as they were, and sums that add
// up.
#include "kolam/driver/measure.h"

#include "kolam/driver/explain.h"
#include "kolam/driver/parse.h"
#include "kolam/driver/spine.h"
#include "kolam/runtime/cancel.h"

#include <gtest/gtest.h>

#include <sstream>

namespace kolam::driver {
namespace {

/// Both nests read n elements: one negates them twice over, the other adds them up.
constexpr const char* kTwo =
    R"(func.func @main(%x: tensor<?xf32, #kolam.extents<["n"]>>) -> (tensor<?xf32, #kolam.extents<["n"]>>, tensor<f32>) {
  %y = kolam.elementwise "exp" %x : (tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<?xf32, #kolam.extents<["n"]>>
  %s = kolam.reduce "add" %x dims [0] commutative true <"lanes<64>, chunk<4096>"> : (tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<f32>
  return %y, %s : tensor<?xf32, #kolam.extents<["n"]>>, tensor<f32>
}
)";

/// x negated in each of 10 turns.
constexpr const char* kLoop = R"(func.func @main(%x: tensor<6000xf32>) -> tensor<6000xf32> {
  %l = kolam.constant dense<0> : tensor<i32>
  %u = kolam.constant dense<10> : tensor<i32>
  %r = kolam.for from %l to %u carry(%x) captures() : (tensor<i32>, tensor<i32>, tensor<6000xf32>) -> tensor<6000xf32> {
  ^bb0(%i: tensor<i32>, %s: tensor<6000xf32>):
    %v = kolam.reverse %s [0] : tensor<6000xf32> -> tensor<6000xf32>
    %n = kolam.elementwise "exp" %v : (tensor<6000xf32>) -> tensor<6000xf32>
    kolam.yield %n : tensor<6000xf32>
  }
  return %r : tensor<6000xf32>
}
)";

Module program(const char* text) { return parse(text, "two.mlir").program; }

Array ramp(int64_t count) {
  Array array = Array::uninitialized(DType::f32, {count});
  for (float& value : array.mutable_values<float>())
    value = static_cast<float>(&value - array.values<float>().data()) / 100;
  return array;
}

MeasuredRuns measured(const char* text, std::vector<Array> arguments, Options options = {}) {
  auto executable = compile(program(text), options);
  return measure(*executable, arguments, nullptr);
}

/// The table of a measurement, by lines.
std::vector<std::string> lines_of(const char* text, const MeasuredRuns& measurement) {
  Road road = travel(program(text), {}, kNests);
  OpNames names(*road.program.module);
  std::istringstream table(
      to_string(measurement, road.nests, names, backend::default_backend()->machine()));
  std::vector<std::string> lines;
  for (std::string line; std::getline(table, line);)
    lines.push_back(line);
  return lines;
}

double first_number(const std::string& line) { return std::stod(line); }

TEST(Measure, CountsTheExecutionsOfEachStep) {
  MeasuredRuns loop = measured(kLoop, {ramp(6000)});
  EXPECT_GE(loop.runs, 1);
  int64_t of_loop = 0;
  for (const runtime::StepRecord& step : loop.quickest.steps)
    of_loop += step.times == 10;
  EXPECT_GE(of_loop, 1);
  EXPECT_GT(loop.quickest.seconds, 0);
}

TEST(Measure, StepsTakeNoLongerThanTheRun) {
  MeasuredRuns two = measured(kTwo, {ramp(100'000)});
  double sum = 0;
  for (const runtime::StepRecord& step : two.quickest.steps) {
    EXPECT_EQ(step.times, 1);
    EXPECT_GT(step.seconds, 0);
    sum += step.seconds;
  }
  EXPECT_EQ(two.quickest.steps.size(), 2u);
  EXPECT_LE(sum, two.quickest.seconds);
}

TEST(Measure, ArgumentsStayAsTheyAre) {
  Array x = ramp(1000);
  Array copy = Array::copy_of(x.dtype(), x.shape(), x.data());
  measured(kTwo, {x});
  EXPECT_TRUE(runtime::same_bits(x, copy));
}

TEST(Measure, PutsTheLongestFirst) {
  MeasuredRuns given = measured(kTwo, {ramp(5000)});
  for (bool is_first_longer : {true, false}) {
    given.quickest.seconds = 0.010;
    given.quickest.steps[0].seconds = is_first_longer ? 0.007 : 0.002;
    given.quickest.steps[1].seconds = is_first_longer ? 0.002 : 0.007;
    std::vector<std::string> lines = lines_of(kTwo, given);
    ASSERT_GE(lines.size(), 6u);
    const std::string exp = "nest0 = %0 exp (two.mlir:2)", sum = "nest1 = %1 reduce (two.mlir:3)";
    EXPECT_TRUE(lines[2].ends_with(is_first_longer ? exp : sum)) << lines[2];
    EXPECT_TRUE(lines[3].ends_with(is_first_longer ? sum : exp)) << lines[3];
    EXPECT_NE(lines[2].find("    7.000    70.0%        1"), std::string::npos) << lines[2];
    EXPECT_NE(lines[3].find("    2.000    20.0%        1"), std::string::npos) << lines[3];
    EXPECT_NE(lines[4].find("    1.000    10.0%"), std::string::npos) << lines[4];
    EXPECT_TRUE(lines[5].ends_with("in all")) << lines[5];
    EXPECT_EQ(first_number(lines[2]) + first_number(lines[3]) + first_number(lines[4]),
              first_number(lines[5]));
  }
}

/// n elements in and out; a sum reads n and writes one, and adds n.
TEST(Measure, CountsWithTheSizesOfTheRun) {
  MeasuredRuns given = measured(kTwo, {ramp(250'000)});
  for (runtime::StepRecord& step : given.quickest.steps)
    step.seconds = 0.001;
  std::vector<std::string> lines = lines_of(kTwo, given);
  EXPECT_NE(lines[2].find("    2.000     2.00 "), std::string::npos) << lines[2]; // MB, GB/s
  EXPECT_NE(lines[3].find("    1.000     1.00     0.25 "), std::string::npos) << lines[3];
}

TEST(Measure, OfAShareOfALimit) {
  MeasuredRuns given = measured(kTwo, {ramp(250'000)});
  std::vector<std::string> lines = lines_of(kTwo, given);
  EXPECT_TRUE(lines[1].ends_with("of limit  step")) << lines[1];
  EXPECT_NE(lines[3].find('%', lines[3].find('%') + 1), std::string::npos) << lines[3];
  EXPECT_TRUE(lines.back().starts_with("limits, measured now on these threads: ")) << lines.back();
  EXPECT_NE(lines.back().find("GB/s of 1 MiB"), std::string::npos) << lines.back();
}

/// The columns of a captured factor are packed once.
TEST(Measure, TellsWhatIsComputedOnce) {
  constexpr const char* kCaptured =
      R"(func.func @main(%x: tensor<100x64xf32>, %w: tensor<64x80xf32>) -> tensor<100x80xf32> {
  %p = kolam.contract "ij,jk->ik" %x, %w <"chain<8192>"> : (tensor<100x64xf32>, tensor<64x80xf32>) -> tensor<100x80xf32>
  return %p : tensor<100x80xf32>
}
)";
  Options options;
  options.captured = 1;
  std::vector<Array> arguments = {Array::zeros(DType::f32, {100, 64}),
                                  Array::zeros(DType::f32, {64, 80})};
  MeasuredRuns given = measured(kCaptured, arguments, options);
  ASSERT_FALSE(given.preparation.empty());
  EXPECT_EQ(given.preparation[0].times, 1);
  EXPECT_GT(given.preparation_seconds, 0);
  Road road = travel(program(kCaptured), options, kNests);
  OpNames names(*road.program.module);
  std::string text = to_string(given, road.nests, names, backend::default_backend()->machine());
  EXPECT_NE(text.find("computed once, before the first run:\n"), std::string::npos) << text;
}

TEST(Measure, ThrowsWhatARunThrows) {
  auto executable = compile(program(kLoop), {});
  int32_t cancel = 1;
  std::vector<Array> arguments = {ramp(6000)};
  EXPECT_THROW(measure(*executable, arguments, &cancel), Error);
  arguments = {ramp(5)};
  EXPECT_THROW(measure(*executable, arguments, nullptr), Error);
}

TEST(Measure, StandsBehindWhatExplainSays) {
  Module two = program(kTwo);
  MeasuredRuns given = measured(kTwo, {ramp(100)});
  std::string plain = explain(two, {}), with = explain(two, {}, &given);
  EXPECT_EQ(plain.find("measured on"), std::string::npos);
  EXPECT_TRUE(with.starts_with(plain.substr(0, plain.find("compiled before"))));
  EXPECT_NE(with.find("measured on"), std::string::npos);
}

} // namespace
} // namespace kolam::driver
