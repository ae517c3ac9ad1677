// Compiled nests: equal ones of any programs are compiled once and shared while one is used.
#include "kolam/driver/nest_cache.h"

#include "kolam/driver/parse.h"
#include "kolam/driver/spine.h"

#include <gtest/gtest.h>

namespace kolam::driver {
namespace {

using Loaded = std::shared_ptr<const backend::cpu::LoadedNest>;

/// The only nest of `function` on four cells of `dtype`, compiled; the program does not outlive it.
Loaded compile_one(const std::string& function, const std::string& dtype,
                   const std::string& argument = "x") {
  std::string type = "tensor<4x" + dtype + ">";
  std::string text = "func.func @main(%" + argument + ": " + type + ") -> " + type +
                     " {\n  %r = kolam.elementwise \"" + function + "\" %" + argument + " : (" +
                     type + ") -> " + type + "\n  return %r : " + type + "\n}\n";
  Module program = parse(text, argument + ".mlir").program;
  Road road = travel(std::move(program), {}, Stage::loaded);
  EXPECT_EQ(road.loaded.size(), 1u);
  return road.loaded[0];
}

TEST(NestCache, SharesEqualNestsOfTwoPrograms) {
  Loaded first = compile_one("negative", "f32", "x"), second = compile_one("negative", "f32", "y");
  EXPECT_EQ(first, second);
}

TEST(NestCache, KeepsUnequalNestsApart) {
  Loaded negative = compile_one("negative", "f32");
  EXPECT_NE(negative, compile_one("abs", "f32"));
  EXPECT_NE(negative, compile_one("negative", "f64"));
}

TEST(NestCache, ForgetsWhatNobodyUses) {
  std::weak_ptr<const backend::cpu::LoadedNest> gone = compile_one("sign", "f32");
  EXPECT_TRUE(gone.expired());
  EXPECT_NE(compile_one("sign", "f32"), nullptr);
}

} // namespace
} // namespace kolam::driver
