// Nests copied out of their programs: all that code depends on, and nothing else, is in their text.
#include "kolam/nest/isolate.h"

#include "kolam/driver/compile.h"
#include "kolam/driver/parse.h"

#include "mlir/IR/Verifier.h"

#include <gtest/gtest.h>

namespace kolam::nest {
namespace {

/// A function of x, f32[4, n], and y, f32[n].
driver::Module program_of(const std::string& ops) {
  std::string matrix = "tensor<4x?xf32, #kolam.extents<[\"4\", \"n\"]>>",
              row = "tensor<?xf32, #kolam.extents<[\"n\"]>>";
  std::string text =
      "func.func @main(%x: " + matrix + ", %y: " + row + ") -> " + matrix + " {\n" + ops + "}\n";
  for (const auto& [name, type] : {std::pair("MATRIX", matrix), std::pair("ROW", row)})
    for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at))
      text.replace(at, std::string(name).size(), type);
  return driver::parse(text, "text.mlir").program;
}

std::string sum_of(const std::string& row) {
  return "  %b = kolam.broadcast " + row +
         " [1] : ROW -> MATRIX\n  %s = kolam.elementwise \"add\" %x, %b : (MATRIX, MATRIX) -> "
         "MATRIX\n  return %s : MATRIX\n";
}

/// The text of the last nest of a program.
std::string content(const std::string& ops) {
  driver::Module program = program_of(ops);
  NestList nests = form_nests(program.main());
  return isolate(nests.nests.back()).content;
}

TEST(Isolate, CopiesOpsInAndBuffersAsArguments) {
  driver::Module program = program_of(sum_of("%y"));
  NestList nests = form_nests(program.main());
  ASSERT_EQ(nests.nests.size(), 1u);
  IsolatedNest isolated = isolate(nests.nests[0]);
  EXPECT_TRUE(mlir::succeeded(mlir::verify(*isolated.module)));
  EXPECT_NE(isolated.nest.root, nests.nests[0].root);
  ASSERT_EQ(isolated.nest.fused.size(), 1u);
  EXPECT_EQ(isolated.nest.fused[0]->getBlock(), isolated.nest.root->getBlock());
  ASSERT_EQ(isolated.nest.inputs.size(), 2u);
  for (mlir::Value input : isolated.nest.inputs)
    EXPECT_TRUE(llvm::isa<mlir::BlockArgument>(input));
  EXPECT_EQ(isolated.nest.outputs[0], isolated.nest.root->getResult(0));
}

TEST(Isolate, HasNoTraceOfOtherNestsAndLines) {
  std::string reversed = "  %r = kolam.reverse %y [0] : ROW -> ROW\n";
  std::string running = "  %r = kolam.cumulative \"add\" %y dim 0 {exclusive = false, reverse = "
                        "false} : ROW -> ROW\n";
  EXPECT_EQ(content(sum_of("%y")), content("\n\n" + sum_of("%y")));
  EXPECT_EQ(content(sum_of("%y")), content(running + sum_of("%r")));
  EXPECT_NE(content(sum_of("%y")), content(reversed + sum_of("%r"))); // fused
}

TEST(Isolate, TellsAttributesApart) {
  auto sum = [](const std::string& order) {
    return "  %r = kolam.cumulative \"add\" %x dim 1 {exclusive = false, reverse = " + order +
           "} : MATRIX -> MATRIX\n  return %r : MATRIX\n";
  };
  EXPECT_NE(content(sum("false")), content(sum("true")));
}

TEST(Isolate, TellsAlignedResultsApart) {
  driver::Module program = program_of(sum_of("%y"));
  NestList nests = form_nests(program.main());
  ASSERT_TRUE(nests.nests[0].aligned_outputs);
  Nest unaligned = nests.nests[0];
  unaligned.aligned_outputs = false;
  EXPECT_NE(isolate(nests.nests[0]).content, isolate(unaligned).content);
}

} // namespace
} // namespace kolam::nest
