// What tells programs apart.
#include "kolam/driver/program_key.h"

#include "kolam/driver/compile.h"
#include "kolam/driver/parse.h"

#include <gtest/gtest.h>

namespace kolam::driver {
namespace {

std::string content_of(const std::string& body, const std::string& arguments = "%x, %y",
                       const std::string& file = "file.mlir") {
  const std::string type = "tensor<4xf32>";
  const size_t comma = arguments.find(", ");
  const std::string text = "func.func @main(" + arguments.substr(0, comma) + ": " + type + ", " +
                           arguments.substr(comma + 2) + ": " + type + ") -> " + type + " {\n" +
                           body + "  return %r : " + type + "\n}\n";
  return program_content(*parse(text, file).program.module);
}

std::string call(const std::string& function, const std::string& operands) {
  return "  %r = kolam.elementwise \"" + function + "\" " + operands +
         " : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n";
}

TEST(ProgramContent, IsThatOfEqualProgramsInOtherContexts) {
  EXPECT_EQ(content_of(call("add", "%x, %y")), content_of(call("add", "%x, %y")));
}

TEST(ProgramContent, TellsFunctionsApart) {
  EXPECT_NE(content_of(call("add", "%x, %y")), content_of(call("subtract", "%x, %y")));
}

TEST(ProgramContent, TellsOperandsApart) {
  EXPECT_NE(content_of(call("subtract", "%x, %y")), content_of(call("subtract", "%y, %x")));
}

TEST(ProgramContent, TellsLinesApart) {
  EXPECT_NE(content_of(call("add", "%x, %y")), content_of("\n" + call("add", "%x, %y")));
  EXPECT_NE(content_of(call("add", "%x, %y")),
            content_of(call("add", "%x, %y"), "%x, %y", "other.mlir"));
}

TEST(ProgramContent, TellsBodiesApart) {
  auto loop = [](const std::string& function) {
    const std::string x = "tensor<4xf32>", i = "tensor<i32>";
    return "  %n = kolam.constant dense<3> : tensor<i32>\n"
           "  %r = kolam.for from %n to %n carry(%x) captures(%y) : (" +
           i + ", " + i + ", " + x + ", " + x + ") -> " + x + " {\n  ^bb0(%i: " + i + ", %s: " + x +
           ", %c: " + x + "):\n    %t = kolam.elementwise \"" + function + "\" %s, %c : (" + x +
           ", " + x + ") -> " + x + "\n    kolam.yield %t : " + x + "\n  }\n";
  };
  EXPECT_EQ(content_of(loop("add")), content_of(loop("add")));
  EXPECT_NE(content_of(loop("add")), content_of(loop("multiply")));
}

} // namespace
} // namespace kolam::driver
