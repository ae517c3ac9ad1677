/// Indices that pass through the bodies of loops and branches.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/transform/cut.h"

namespace kolam::transform::cut {

/// Of a loop or branch: index dims along which each of its results, at one place, needs what it is
/// given at that place alone, so that the op on a part of them is a part of the op.
///
///     for t: h = tanh(xs[t] @ w + h @ u)      h [n, k], xs [t, n, m]: n passes, k does not
struct Passing {
  space::Signature signature; ///< over what passes; opaque where nothing does
  /// Of values of the bodies: the index dim that each of their dims is, -1 of those that stay
  /// whole.
  llvm::DenseMap<mlir::Value, std::vector<int>> values;
  /// Of ops of the bodies: the index dim that each of their own index dims is, or -1.
  llvm::DenseMap<mlir::Operation*, std::vector<int>> ops;

  /// What a value is where the op is the part `index`.
  space::Box box(mlir::Value value, const space::Box& index) const;
  /// What an op of a body then computes.
  OpPart part(Cuts& cuts, mlir::Operation* op, const space::Box& index) const;
};

/// Whether the op is a loop or branch that `passing_of` takes apart.
inline bool takes_bodies(ir::ForOp) { return true; }
inline bool takes_bodies(ir::WhileOp) { return true; }
inline bool takes_bodies(ir::ScanOp) { return true; }
inline bool takes_bodies(ir::CondOp) { return true; }

/// Looks through the signatures of the bodies' ops.
Passing passing_of(mlir::Operation* op, Cuts& cuts);

} // namespace kolam::transform::cut
