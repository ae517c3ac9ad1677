// By which indices a program's nest reads its inputs.
#include "kolam/nest/relation.h"

#include "kolam/driver/parse.h"
#include "kolam/nest/nest.h"

#include <gtest/gtest.h>

namespace kolam::nest {
namespace {

/// The rows of every read of a nest of %x (64 x 80) and %c (64), both f32.
std::vector<std::vector<std::string>> reads_of(const std::string& ops, const std::string& result) {
  std::string text = "func.func @main(%x: tensor<64x80xf32>, %c: tensor<64xf32>) -> " + result +
                     " {\n" + ops + "}\n";
  driver::Module program = driver::parse(text, "text.mlir").program;
  NestList nests = form_nests(program.main());
  analysis::Signatures signatures;
  NestRelation relation(nests.nests[0].root, nests.nests[0].fused, signatures);
  std::vector<std::vector<std::string>> reads;
  for (const analysis::RelationUse& read : relation.access().reads()) {
    auto& rows = reads.emplace_back();
    for (const analysis::RelationCoordinate& at : read.at)
      rows.push_back(at.row ? space::to_string(*at.row) : "unknown");
  }
  return reads;
}

using Reads = std::vector<std::vector<std::string>>;

TEST(NestRelation, FollowsEveryPathToTheInputs) {
  EXPECT_EQ(reads_of("  %t = kolam.transpose %x [1, 0] : tensor<64x80xf32> -> tensor<80x64xf32>\n"
                     "  %b = kolam.broadcast %c [1] : tensor<64xf32> -> tensor<80x64xf32>\n"
                     "  %s = kolam.elementwise \"add\" %t, %b : (tensor<80x64xf32>, "
                     "tensor<80x64xf32>) -> tensor<80x64xf32>\n"
                     "  return %s : tensor<80x64xf32>\n",
                     "tensor<80x64xf32>"),
            (Reads{{"0 1 | 0", "1 | 0"}, {"0 1 | 0"}}));
}

TEST(NestRelation, ComposesWhatIsNoCopy) {
  EXPECT_EQ(reads_of("  %v = kolam.reverse %x [1] : tensor<64x80xf32> -> tensor<64x80xf32>\n"
                     "  %s = kolam.slice %v <[\"3\", \"0\"]> [2, 1] : tensor<64x80xf32> -> "
                     "tensor<20x80xf32>\n"
                     "  return %s : tensor<20x80xf32>\n",
                     "tensor<20x80xf32>"),
            (Reads{{"2 | 3", "0 -1 | 79"}}));
}

TEST(NestRelation, KnowsWhatGoesAlongADim) {
  std::string text =
      "func.func @main(%x: tensor<64x80xf32>, %c: tensor<64xf32>) -> tensor<64x80xf32> {\n"
      "  %e = kolam.elementwise \"exp\" %c : (tensor<64xf32>) -> tensor<64xf32>\n"
      "  %b = kolam.broadcast %e [0] : tensor<64xf32> -> tensor<64x80xf32>\n"
      "  %s = kolam.elementwise \"add\" %x, %b : (tensor<64x80xf32>, tensor<64x80xf32>) -> "
      "tensor<64x80xf32>\n"
      "  return %s : tensor<64x80xf32>\n}\n";
  driver::Module program = driver::parse(text, "text.mlir").program;
  auto op = program.main().getBody().front().begin();
  mlir::Operation *exp = &*op++, *broadcast = &*op++, *sum = &*op;
  analysis::Signatures signatures;
  NestRelation relation(sum, {broadcast, exp}, signatures);
  EXPECT_TRUE(relation.always_varies(exp, 0));
  EXPECT_FALSE(relation.always_varies(exp, 1));
  EXPECT_TRUE(relation.always_varies(broadcast, 1));
}

/// Whether what the contraction combines lies side by side along the result's last dim.
bool lies_across(const std::string& spec, const std::string& operands, const std::string& result) {
  std::string text = "func.func @main(%x: tensor<64x80xf32>, %r: tensor<80xf32>, %c: "
                     "tensor<64xf32>) -> " +
                     result + " {\n  %s = kolam.contract \"" + spec + "\" " + operands + " -> " +
                     result + "\n  return %s : " + result + "\n}\n";
  driver::Module program = driver::parse(text, "text.mlir").program;
  NestList nests = form_nests(program.main());
  analysis::Signatures signatures;
  NestRelation relation(nests.nests[0].root, nests.nests[0].fused, signatures);
  return relation.lies_across(nests.nests[0].root);
}

TEST(NestRelation, SaysWhatLiesAcross) {
  const std::string by_lanes = " <\"lanes<64>, chunk<4096>\"> : ";
  EXPECT_TRUE(lies_across("km,k->m", "%x, %c" + by_lanes + "(tensor<64x80xf32>, tensor<64xf32>)",
                          "tensor<80xf32>"));
  EXPECT_FALSE(lies_across("mk,k->m", "%x, %r" + by_lanes + "(tensor<64x80xf32>, tensor<80xf32>)",
                           "tensor<64xf32>"));
}

} // namespace
} // namespace kolam::nest
