/// Pieces of a stage that are one another's translates.
#pragma once

#include "kolam/planner/stages.h"

namespace kolam::planner {

/// How boxes move with a stage's index box: dim by dim of the values that its pieces compute or
/// read, with one dim of the root's index space or with none.
///
/// Where all ops of a stage walk values element by element, as stencils do, a piece whose boxes lie
/// inside of all borders is the piece at another place, moved there:
///
///     piece(index + d) = piece(index) + d        as long as no box comes to a border
class Congruence {
public:
  /// `ops` are those that pieces may compute, in program order, the root last.
  Congruence(const Stage& stage, llvm::ArrayRef<mlir::Operation*> ops, transform::Cuts& cuts);

  /// By dim of the root's index space: how far a piece may move down and up with all of its boxes
  /// inside of borders; 0 along dims that it can't move along.
  struct Room {
    space::Point down, up;
  };
  Room room_of(const transform::Piece& piece) const;

  /// A box of one of the stage's values, moved.
  space::Box moved(mlir::Value value, const space::Box& box, const space::Point& by) const;

private:
  void follow(mlir::Operation* op, llvm::ArrayRef<int> index);
  void read(mlir::Value value, size_t dim, int with);
  void fix(int dim);

  transform::Cuts& cuts_;
  std::vector<bool> is_fixed_;                          ///< by dim of the root's index space
  llvm::DenseMap<mlir::Value, std::vector<int>> moves_; ///< with which dim each of theirs moves
};

} // namespace kolam::planner
