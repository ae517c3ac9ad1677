// Object files in memory.
#include "kolam/backend/cpu/load.h"

#include "kolam/driver/compile.h"
#include "kolam/driver/parse.h"
#include "kolam/support/error.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kolam::backend::cpu {
namespace {

void expect_refused(const std::string& object) {
  try {
    link_nest(object, "nest");
    FAIL() << "it was linked";
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "internal");
    EXPECT_NE(std::string(error.what()).find("linking failed"), std::string::npos);
  }
}

TEST(LinkedNest, IsMadeOfObjectsAlone) {
  expect_refused("");
  expect_refused("no object file");
  expect_refused(std::string("\177ELF\2\1\1", 7) + std::string(57, '\0'));
}

/// Constants, and a function that lies far away.
TEST(LinkedNest, ReachesWhatItReadsAndCalls) {
  const std::string type = "tensor<3xf64>";
  driver::Module program = driver::parse("func.func @main(%x: " + type + ") -> " + type +
                                             " {\n  %r = kolam.elementwise \"sin\" %x : (" + type +
                                             ") -> " + type + "\n  return %r : " + type + "\n}\n",
                                         "sin.mlir")
                               .program;
  runtime::Array x = runtime::Array::of<double>({0.5, 1e9, -3e12});
  runtime::Array y = driver::compile(std::move(program), {})->run(std::vector{x}, nullptr).at(0);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(y.values<double>()[i], std::sin(x.values<double>()[i]), 1e-15);
}

} // namespace
} // namespace kolam::backend::cpu
