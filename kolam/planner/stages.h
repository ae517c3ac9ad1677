/// The stages of a program: which ops run together, over whose index space, reading which values.
#pragma once

#include "kolam/plan/plan.h"
#include "kolam/transform/cut.h"

#include <string>
#include <vector>

namespace kolam::planner {

/// Ops that run together: `root`, whose results are kept block by block, and what is computed anew
/// where its pieces need it.
struct Stage {
  mlir::Operation* root;
  std::vector<mlir::Value> reads;  ///< stored values and arguments, by operand of `signature`
  std::vector<mlir::Value> writes; ///< the root's results that somebody reads
  space::Signature signature;      ///< over the root's index space: `reads`, then `writes`
  /// The index dim that may be cut although it is summed: the first with more than one point; -1.
  int summed_dim = -1;
  int64_t chunk_points = 0; ///< transform::Cuts::points_of_chunk of it
  /// It calls the host, or checks something in a program that does: one worker runs all of these,
  /// in program order.
  bool keeps_order = false;
};

/// The stages, in program order, where the values in `stored` are kept, the program's results among
/// them. Values that nobody needs have none; checks and calls of the host have one each. The index
/// space of each is its root's; what it reads through ops that are computed anew is composed row by
/// row, and what can't be, as the whole extent.
std::vector<Stage> stages_of(mlir::func::FuncOp main, const llvm::DenseSet<mlir::Value>& stored,
                             transform::Cuts& cuts);

/// Values that are surely to be kept: results, what is costly and read several times over, and what
/// is costly to compute and read by an op that looks at each element often.
llvm::DenseSet<mlir::Value> usual_stored(mlir::func::FuncOp main, transform::Cuts& cuts);

/// Values, in program order, that several ops read and beside which nothing else that was computed
/// is still needed: arguments, what is `stored` and what costs nothing apart.
std::vector<mlir::Value> waists_of(mlir::func::FuncOp main,
                                   const llvm::DenseSet<mlir::Value>& stored,
                                   transform::Cuts& cuts);

/// Bytes that are read and written to put `box` of an array of that shape together, so that its
/// elements lie one after the other; none where they do.
double bytes_put_together(const space::Point& shape, DType dtype, const space::Box& box);

/// `contract at model.py:12`: the op and the user's line.
std::string name_of(mlir::Operation* op);

} // namespace kolam::planner
