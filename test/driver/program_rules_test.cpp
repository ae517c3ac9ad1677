// What single ops cannot see: functions and symbols.
#include "kolam/driver/program_rules.h"

#include "kolam/driver/parse.h"
#include "kolam/support/error.h"

#include <gtest/gtest.h>

namespace kolam::driver {
namespace {

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.message();
  }
  return "";
}

std::string refusal(const std::string& text) {
  return message_of([&] { parse(text, "test.mlir"); });
}

TEST(ProgramRules, SymbolsNeedAnArgument) {
  EXPECT_EQ(refusal(R"(func.func @main() {
  %0 = kolam.extent "n + 1" : tensor<i64>
  return
})"),
            "test.mlir: line 2, column 8: expected an argument, or an op before, that binds the "
            "extent 'n', but got none");
  EXPECT_NE(refusal(R"(func.func @main(%x: tensor<?xf32, #kolam.extents<["n + 1"]>>) { return })"),
            "");
  EXPECT_EQ(refusal(R"(func.func @main(%x: tensor<?xf32, #kolam.extents<["n"]>>) {
  %0 = kolam.extent "n + 1" : tensor<i64>
  return
})"),
            "");
}

TEST(ProgramRules, FunctionsHaveOneBlock) {
  EXPECT_NE(refusal("func.func @main() {\n  return\n^bb1:\n  return\n}").find("one block"),
            std::string::npos);
}

} // namespace
} // namespace kolam::driver
