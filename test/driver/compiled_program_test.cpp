// Compiled programs as bytes, and back.
#include "kolam/driver/compiled_program.h"

#include "kolam/driver/executable.h"
#include "kolam/driver/parse.h"

#include <gtest/gtest.h>

namespace kolam::driver {
namespace {

/// A loop of sorted rows, with a symbol, a constant, a capture and a check.
constexpr const char* kText = R"(
func.func @main(%x: tensor<?x20xf32, #kolam.extents<["n", "20"]>>, %k: tensor<i32>) -> tensor<?x20xf32, #kolam.extents<["n", "20"]>> {
  %zero = kolam.constant dense<0> : tensor<i32>
  %weights = kolam.constant dense<[0.5, 1.5, 2.5, 3.5, 0.5, 1.5, 2.5, 3.5, 0.5, 1.5, 2.5, 3.5, 0.5, 1.5, 2.5, 3.5, 0.5, 1.5, 2.5, 3.5]> : tensor<20xf32>
  %holds = kolam.elementwise "greater" %k, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
  kolam.check %holds "bad-count" "expected a number of turns" : tensor<i1>
  %r = kolam.for from %zero to %k carry(%x) captures(%weights) : (tensor<i32>, tensor<i32>, tensor<?x20xf32, #kolam.extents<["n", "20"]>>, tensor<20xf32>) -> tensor<?x20xf32, #kolam.extents<["n", "20"]>> {
  ^bb0(%i: tensor<i32>, %s: tensor<?x20xf32, #kolam.extents<["n", "20"]>>, %w: tensor<20xf32>):
    %v, %p = kolam.sort %s {descending = false} : (tensor<?x20xf32, #kolam.extents<["n", "20"]>>) -> (tensor<?x20xf32, #kolam.extents<["n", "20"]>>, tensor<?x20xi32, #kolam.extents<["n", "20"]>>)
    %b = kolam.broadcast %w [1] : tensor<20xf32> -> tensor<?x20xf32, #kolam.extents<["n", "20"]>>
    %t = kolam.elementwise "multiply" %v, %b : (tensor<?x20xf32, #kolam.extents<["n", "20"]>>, tensor<?x20xf32, #kolam.extents<["n", "20"]>>) -> tensor<?x20xf32, #kolam.extents<["n", "20"]>>
    kolam.yield %t : tensor<?x20xf32, #kolam.extents<["n", "20"]>>
  }
  return %r : tensor<?x20xf32, #kolam.extents<["n", "20"]>>
}
)";

CompiledProgram compiled() {
  return compiled_program(travel(parse(kText, "loop.mlir").program, {}, kLoaded));
}

/// What it gives for two rows that fall.
std::vector<Array> run(CompiledProgram program, int turns) {
  Array x = Array::uninitialized(DType::f32, {2, 20});
  for (int i = 0; i < 40; ++i)
    x.mutable_values<float>()[static_cast<size_t>(i)] = static_cast<float>(40 - i);
  return native(std::move(program), {}, {})->run(std::vector{x, Array::scalar(turns)}, nullptr);
}

TEST(CompiledProgram, IsReadAsItWasWritten) {
  CompiledProgram program = compiled();
  const std::string bytes = to_bytes(program);
  std::optional<CompiledProgram> again = program_from(bytes);
  ASSERT_TRUE(again);
  EXPECT_EQ(to_bytes(*again), bytes);
  again->nests = program.nests;
  const std::vector<Array> expected = run(std::move(program), 3);
  EXPECT_TRUE(same_bits(run(std::move(*again), 3)[0], expected[0]));
}

TEST(CompiledProgram, KeepsTheLinesOfItsErrors) {
  CompiledProgram program = compiled();
  std::optional<CompiledProgram> again = program_from(to_bytes(program));
  ASSERT_TRUE(again);
  again->nests = program.nests;
  auto error_of = [](CompiledProgram failing) -> std::string {
    try {
      run(std::move(failing), 0);
    } catch (const Error& error) {
      return error.what();
    }
    return "none";
  };
  const std::string expected = error_of(std::move(program));
  EXPECT_NE(expected.find("[bad-count]"), std::string::npos) << expected;
  EXPECT_EQ(error_of(std::move(*again)), expected);
}

TEST(CompiledProgram, IsNotReadOfOtherBytes) {
  const std::string bytes = to_bytes(compiled());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(program_from(std::string_view(bytes).substr(0, size)));
  EXPECT_FALSE(program_from(bytes + "x"));
}

} // namespace
} // namespace kolam::driver
