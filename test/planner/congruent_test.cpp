// Which pieces are translates of one another.
#include "kolam/driver/parse.h"
#include "kolam/planner/congruent.h"

#include <gtest/gtest.h>

namespace kolam::planner {
namespace {

constexpr const char* kStencil = R"(
func.func @main(%x: tensor<20x6xf32>) -> tensor<20x6xf32> {
  %zero = kolam.constant dense<0.0> : tensor<f32>
  %p = kolam.pad %x, %zero "constant" low [1, 0] high [1, 0] : tensor<20x6xf32>, tensor<f32> -> tensor<22x6xf32>
  %a = kolam.slice %p <["0", "0"]> [1, 1] : tensor<22x6xf32> -> tensor<20x6xf32>
  %b = kolam.slice %p <["2", "0"]> [1, 1] : tensor<22x6xf32> -> tensor<20x6xf32>
  %s = kolam.elementwise "add" %a, %b : (tensor<20x6xf32>, tensor<20x6xf32>) -> tensor<20x6xf32>
  return %s : tensor<20x6xf32>
})";

struct Found {
  driver::Module program;
  transform::Cuts parts;
  std::vector<Stage> stages;
  llvm::DenseSet<mlir::Value> stored;
  std::vector<mlir::Operation*> ops;

  explicit Found(const std::string& text) : program(driver::parse(text, "test").program) {
    stages = stages_of(program.main(), usual_stored(program.main(), parts), parts);
    stored.insert(stages.back().reads.begin(), stages.back().reads.end());
    ops = transform::ops_of(parts, stages.back().root, stored);
  }
  transform::Piece piece(const space::Box& index) {
    mlir::Operation* root = stages.back().root;
    return transform::piece_of(parts, root, parts.part(root, index), stored);
  }
};

TEST(Congruence, PiecesMoveAsFarAsTheirHalosStayInside) {
  Found found(kStencil);
  const Congruence congruence(found.stages.back(), found.ops, found.parts);
  const Congruence::Room room = congruence.room_of(found.piece({{8, 2}, {10, 4}}));
  EXPECT_EQ(room.down, (space::Point{6, 1})); // rows 7 to 11 of the argument; row 0 is a border's
  EXPECT_EQ(room.up, (space::Point{8, 1}));
}

TEST(Congruence, WhatLiesAtABorderStaysThere) {
  Found found(kStencil);
  const Congruence congruence(found.stages.back(), found.ops, found.parts);
  const Congruence::Room room = congruence.room_of(found.piece({{0, 2}, {2, 4}}));
  EXPECT_EQ(room.down[0], 0);
  EXPECT_EQ(room.up[0], 0);
  EXPECT_EQ(room.up[1], 1);
}

TEST(Congruence, AMovedPieceIsThePieceThere) {
  Found found(kStencil);
  const Congruence congruence(found.stages.back(), found.ops, found.parts);
  const transform::Piece one = found.piece({{8, 2}, {10, 4}}),
                         other = found.piece({{5, 1}, {7, 3}});
  ASSERT_EQ(one.reads.size(), other.reads.size());
  for (size_t read = 0; read < one.reads.size(); ++read)
    EXPECT_EQ(congruence.moved(one.reads[read].value, one.reads[read].box, {-3, -1}),
              other.reads[read].box);
}

TEST(Congruence, DimsThatTwoReadersTakeOtherwiseAreFixed) {
  Found found(R"(
func.func @main(%x: tensor<9x9xf32>) -> tensor<9x9xf32> {
  %t = kolam.transpose %x [1, 0] : tensor<9x9xf32> -> tensor<9x9xf32>
  %s = kolam.elementwise "add" %x, %t : (tensor<9x9xf32>, tensor<9x9xf32>) -> tensor<9x9xf32>
  return %s : tensor<9x9xf32>
})");
  const Congruence congruence(found.stages.back(), found.ops, found.parts);
  const Congruence::Room room = congruence.room_of(found.piece({{3, 4}, {5, 6}}));
  EXPECT_EQ(room.down, (space::Point{0, 0}));
  EXPECT_EQ(room.up, (space::Point{0, 0}));
}

} // namespace
} // namespace kolam::planner
