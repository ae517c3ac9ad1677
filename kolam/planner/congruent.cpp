// Finds which boxes move along with an index box.
#include "kolam/planner/congruent.h"

#include "kolam/analysis/access.h"
#include "kolam/ir/types.h"

#include <algorithm>

namespace kolam::planner {
namespace {

using mlir::Value;
using space::Box;

constexpr int kUnknown = -2, kNone = -1;

} // namespace

Congruence::Congruence(const Stage& stage, llvm::ArrayRef<mlir::Operation*> ops,
                       transform::Cuts& cuts)
    : cuts_(cuts), is_fixed_(stage.signature.dims.size(), false) {
  std::vector<int> own(is_fixed_.size());
  for (size_t dim = 0; dim < own.size(); ++dim)
    own[dim] = static_cast<int>(dim);
  for (mlir::Operation* op : llvm::reverse(ops)) {
    const space::Signature& signature = cuts.signature(op);
    std::vector<int> index(signature.dims.size(), kNone);
    if (op == stage.root)
      index = own;
    else
      for (mlir::OpResult result : op->getResults()) {
        auto asked = moves_.find(result);
        if (asked == moves_.end())
          continue;
        const space::Operand& written =
            signature.operands[op->getNumOperands() + result.getResultNumber()];
        for (size_t dim = 0; dim < asked->second.size(); ++dim) {
          const int with = asked->second[dim];
          if (with < 0)
            continue;
          const int walked =
              signature.opaque ? -1 : analysis::copied_dim(written.projection.map.rows[dim]);
          if (walked < 0 || !(written.projection.size[dim] == Extent(1)) ||
              (index[static_cast<size_t>(walked)] >= 0 &&
               index[static_cast<size_t>(walked)] != with))
            fix(with);
          else
            index[static_cast<size_t>(walked)] = with;
        }
      }
    follow(op, index);
    for (mlir::OpResult result : op->getResults())
      if (op == stage.root)
        for (auto [dim, row] :
             llvm::enumerate(signature.operands[op->getNumOperands() + result.getResultNumber()]
                                 .projection.map.rows))
          read(result, dim, signature.opaque ? kNone : analysis::copied_dim(row));
  }
}

/// What an op reads of its operands where its index dims move with `index`.
void Congruence::follow(mlir::Operation* op, llvm::ArrayRef<int> index) {
  const space::Signature& signature = cuts_.signature(op);
  if (!cuts_.moves_freely(op))
    llvm::for_each(index, [&](int with) { fix(with); });
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    const space::Operand& own = signature.operands[number];
    for (size_t dim = 0; dim < own.shape.size(); ++dim) {
      const space::AffineRow& row = own.projection.map.rows[dim];
      int with = kNone;
      for (size_t walked = 0; walked < row.coefficients.size(); ++walked) {
        if (row.coefficients[walked] == 0 || index[walked] < 0)
          continue;
        if (with >= 0 || row.coefficients[walked] != 1 || !space::is_affine(row)) {
          fix(index[walked]);
          fix(with);
        }
        with = index[walked];
      }
      read(operand, dim, with);
    }
  }
}

void Congruence::fix(int dim) {
  if (dim >= 0)
    is_fixed_[static_cast<size_t>(dim)] = true;
}

void Congruence::read(Value value, size_t dim, int with) {
  std::vector<int>& moves = moves_[value];
  if (moves.empty() && transform::has_numbers(value))
    moves.assign(static_cast<size_t>(ir::rank_of(value)), kUnknown);
  if (dim >= moves.size())
    return;
  if (moves[dim] != kUnknown && moves[dim] != with) { // two readers disagree
    fix(with);
    fix(moves[dim]);
  }
  moves[dim] = with;
}

Congruence::Room Congruence::room_of(const transform::Piece& piece) const {
  const size_t rank = is_fixed_.size();
  Room room{space::Point(rank, INT64_MAX), space::Point(rank, INT64_MAX)};
  for (size_t dim = 0; dim < rank; ++dim)
    if (is_fixed_[dim])
      room.down[dim] = room.up[dim] = 0;
  // One more element on either side would be a border's.
  auto bound = [&](size_t with, int64_t start, int64_t end, int64_t extent) {
    room.down[with] = std::min(room.down[with], std::max<int64_t>(0, start - 1));
    room.up[with] = std::min(room.up[with], std::max<int64_t>(0, extent - end - 1));
    if (start == 0 || end == extent)
      room.down[with] = room.up[with] = 0;
  };
  auto bound_value = [&](Value value, const Box& box) {
    auto found = moves_.find(value);
    if (found == moves_.end() || !transform::has_numbers(value))
      return;
    for (size_t dim = 0; dim < found->second.size(); ++dim)
      if (const int with = found->second[dim]; with >= 0)
        bound(static_cast<size_t>(with), box.start()[dim], box.end()[dim],
              *ir::shape_of(value)[dim].constant());
  };
  for (const transform::Piece::Step& step : piece.steps) {
    for (auto [operand, box] : llvm::zip(step.op->getOperands(), step.part.reads))
      bound_value(operand, box);
    if (step.op != piece.steps.back().op) // results of the root may lie at the end of what they are
      for (auto [result, box] : llvm::zip(step.op->getResults(), step.part.writes))
        bound_value(result, box);
  }
  for (const transform::ValueBox& read : piece.reads)
    bound_value(read.value, read.box);
  const Box& index = piece.steps.back().part.index;
  const Box whole = space::index_box(cuts_.signature(piece.steps.back().op));
  for (size_t dim = 0; dim < rank; ++dim) {
    room.down[dim] = std::min(room.down[dim], index.start()[dim]);
    room.up[dim] = std::min(room.up[dim], whole.end()[dim] - index.end()[dim]);
  }
  return room;
}

Box Congruence::moved(Value value, const Box& box, const space::Point& by) const {
  auto found = moves_.find(value);
  if (found == moves_.end())
    return box;
  const std::vector<int>& moves = found->second;
  space::Point start = box.start(), end = box.end();
  for (size_t dim = 0; dim < moves.size(); ++dim)
    if (moves[dim] >= 0) {
      start[dim] += by[static_cast<size_t>(moves[dim])];
      end[dim] += by[static_cast<size_t>(moves[dim])];
    }
  return {std::move(start), std::move(end)};
}

} // namespace kolam::planner
