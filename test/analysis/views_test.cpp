// Views of single ops.
#include "kolam/analysis/views.h"

#include "kolam/driver/parse.h"

#include <gtest/gtest.h>

namespace kolam::analysis {
namespace {

std::string view_of(const std::string& argument, const std::string& line) {
  driver::Module program =
      driver::parse("func.func @main(%x: " + argument + ") {\n" + line + "\nreturn\n}\n", "test")
          .program;
  auto map = view_of_operand(&program.main().getBody().front().front());
  return map ? space::to_string(*map) : "none";
}

TEST(Views, AreAffineMapsFromTheResultToTheOperand) {
  EXPECT_EQ(view_of("tensor<2x3xf32>",
                    "%r = kolam.transpose %x [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>"),
            "[0 1 | 0; 1 0 | 0]");
  EXPECT_EQ(view_of("tensor<9xf32>",
                    "%r = kolam.slice %x <[\"1\"]> [2] : tensor<9xf32> -> tensor<4xf32>"),
            "[2 | 1]");
  EXPECT_EQ(view_of("tensor<6xf32>", "%r = kolam.reshape %x : tensor<6xf32> -> tensor<2x3xf32>"),
            "[3 1 | 0]");
  EXPECT_EQ(view_of("tensor<9xf32>", "%r = kolam.reverse %x [0] : tensor<9xf32> -> tensor<9xf32>"),
            "[-1 | 8]");
}

TEST(Views, AreNotOfOpsThatCompute) {
  EXPECT_EQ(view_of("tensor<9xf32>",
                    "%r = kolam.elementwise \"abs\" %x : (tensor<9xf32>) -> tensor<9xf32>"),
            "none");
  EXPECT_EQ(view_of("tensor<2x3xf32>", "%r = kolam.reshape %x : tensor<2x3xf32> -> tensor<6xf32>"),
            "none"); // places are quotients and remainders
  EXPECT_EQ(view_of("tensor<?x?xf32, #kolam.extents<[\"m\", \"n\"]>>",
                    "%r = kolam.reshape %x : tensor<?x?xf32, #kolam.extents<[\"m\", \"n\"]>> -> "
                    "tensor<?xf32, #kolam.extents<[\"m*n\"]>>"),
            "none"); // and those by sizes
}

} // namespace
} // namespace kolam::analysis
