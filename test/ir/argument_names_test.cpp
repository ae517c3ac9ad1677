// Names of arguments: kept by texts of programs, and none where they would be the same or numbers.
#include "kolam/ir/argument_names.h"

#include "kolam/driver/parse.h"

#include <gtest/gtest.h>

namespace kolam::ir {
namespace {

using Names = std::vector<std::string>;

driver::Module program(const std::string& x, const std::string& y) {
  return driver::parse("func.func @main(%x: tensor<f32>" + x + ", %y: tensor<f32>" + y +
                           ") -> tensor<f32> {\n  return %y : tensor<f32>\n}\n",
                       "names.mlir")
      .program;
}

TEST(ArgumentNames, AreNumbersWhereThereAreNone) {
  EXPECT_EQ(argument_names(program("", "").main()), (Names{"0", "1"}));
  EXPECT_EQ(argument_names(program(" {kolam.name = 3 : i32}", " {kolam.name = \"\"}").main()),
            (Names{"0", "1"}));
}

TEST(ArgumentNames, AreReadAndGiven) {
  driver::Module given = program("", "");
  name_arguments(given.main(), Names{"0", "params[0][\"w\"]"});
  EXPECT_EQ(argument_names(given.main()), (Names{"0", "params[0][\"w\"]"}));
  EXPECT_FALSE(given.main().getArgAttr(0, kArgumentName));
  driver::Module read = program(" {kolam.name = \"a\"}", " {kolam.name = \"b.c\"}");
  EXPECT_EQ(argument_names(read.main()), (Names{"a", "b.c"}));
}

TEST(ArgumentNames, TellArgumentsApart) {
  driver::Module twice = program(" {kolam.name = \"a\"}", " {kolam.name = \"a\"}");
  EXPECT_EQ(argument_names(twice.main()), (Names{"a", "1"}));
  driver::Module swapped = program(" {kolam.name = \"1\"}", "");
  EXPECT_EQ(argument_names(swapped.main()), (Names{"0", "1"}));
}

TEST(ArgumentNames, InWords) {
  EXPECT_EQ(argument_text("2"), "argument 2");
  EXPECT_EQ(argument_text("1[\"w\"]"), "argument 1[\"w\"]");
  EXPECT_EQ(argument_text("x.w"), "argument 'x.w'");
  driver::Module named = program("", " {kolam.name = \"rows\"}");
  EXPECT_EQ(argument_term(named.main().getArgument(0)), "arg0");
  EXPECT_EQ(argument_term(named.main().getArgument(1)), "rows");
}

} // namespace
} // namespace kolam::ir
