// Which reductions of a nest may run together.
#include "kolam/nest/row_reductions.h"

#include "kolam/driver/parse.h"

#include <gtest/gtest.h>

namespace kolam::nest {
namespace {

struct Formed {
  driver::Module program;
  NestList nests;
};

/// The nests of a function of %x (64 x 80), %c (64) and %r (80), all f32.
Formed formed(const std::string& ops, const std::string& results) {
  std::string text = "func.func @main(%x: tensor<64x80xf32>, %c: tensor<64xf32>, %r: "
                     "tensor<80xf32>) -> (" +
                     results + ") {\n" + ops + "}\n";
  Formed result{driver::parse(text, "text.mlir").program, {}};
  result.nests = form_nests(result.program.main());
  return result;
}

/// The relation of a program's first nest.
NestRelation relation_of(const Nest& nest) {
  // Signatures are kept by address: each nest needs its own.
  static std::vector<std::unique_ptr<analysis::Signatures>> kept;
  kept.push_back(std::make_unique<analysis::Signatures>());
  return {nest.root, nest.fused, *kept.back()};
}

const std::string kSum = "  %s = kolam.reduce \"add\" %x dims [0] commutative true <\"chunk<64>\"> "
                         ": (tensor<64x80xf32>) -> tensor<80xf32>\n";

TEST(ColumnReductions, AreThoseOfTheRootsOwnCells) {
  Formed root = formed(kSum + "  %a = kolam.elementwise \"add\" %s, %r : (tensor<80xf32>, "
                              "tensor<80xf32>) -> tensor<80xf32>\n  return %a : tensor<80xf32>\n",
                       "tensor<80xf32>");
  const Nest& nest = root.nests.nests[0];
  EXPECT_EQ(column_reductions(nest, relation_of(nest)).size(), 1u);
  EXPECT_EQ(std::get<NestStep>(root.nests.program.steps[0].what).least_piece,
            kThreads.block_columns);
}

TEST(ColumnReductions, AreNotThoseOfOtherCellsOrOrders) {
  Formed flipped = formed(kSum + "  %a = kolam.reverse %s [0] : tensor<80xf32> -> tensor<80xf32>\n"
                                 "  return %a : tensor<80xf32>\n",
                          "tensor<80xf32>");
  const Nest& nest = flipped.nests.nests[0];
  ASSERT_EQ(flipped.nests.nests.size(), 1u);
  EXPECT_TRUE(column_reductions(nest, relation_of(nest)).empty());
  EXPECT_EQ(std::get<NestStep>(flipped.nests.program.steps[0].what).least_piece, 1);

  Formed rows = formed("  %s = kolam.reduce \"add\" %x dims [1] commutative true <\"lanes<64>, "
                       "chunk<4096>\"> : (tensor<64x80xf32>) -> tensor<64xf32>\n"
                       "  return %s : tensor<64xf32>\n",
                       "tensor<64xf32>");
  EXPECT_TRUE(column_reductions(rows.nests.nests[0], relation_of(rows.nests.nests[0])).empty());
}

} // namespace
} // namespace kolam::nest
