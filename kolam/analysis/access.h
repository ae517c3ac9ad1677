/// How an op reads its operands: the facts that fusion asks, drawn from signatures.
#pragma once

#include "kolam/space/affine_map.h"

#include "kolam/space/signature.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace kolam::analysis {

/// The signatures of ops that do not change meanwhile: making one costs as much as all else that is
/// asked about an op.
class Signatures {
public:
  /// Of a SignedOp; valid as long as this lives.
  const space::Signature& of(mlir::Operation* op);

private:
  llvm::DenseMap<mlir::Operation*, std::unique_ptr<const space::Signature>> known_;
};

/// The index dim that a row of a projection copies; -1 where it is another expression.
int copied_dim(const space::AffineRow& row);

/// Of an op's results the first, whose elements stand for those of all.
const space::Operand& first_result(const space::Signature& signature);

/// The part of the op's points that read an element of operand `number`; the others read outside.
double share_inside(const space::Signature& signature, unsigned number);

/// True where any one result element can be computed alone: no carried state, no place decided by
/// data on the writing side, no tasks of the op's own, and a signature at all.
bool computes_cells(mlir::Operation* op);
bool computes_cells(mlir::Operation* op, Signatures& signatures);

/// True where a point reads, of operand `number`, only the element that has the place of the result
/// element it writes.
bool reads_own_cell(mlir::Operation* op, unsigned number);
bool reads_own_cell(const space::Signature& signature, unsigned number);

/// The dims of a scatter's results along which parts need nothing of one another.
struct SharedDims {
  bool outermost = false; ///< dim 0: its places have batches of their own, or windows cover it
  int trailing = 0;       ///< the last dims, which windows cover whole
  bool are_wide = false;  ///< these are enough for calls to share them
};
SharedDims shared_dims(mlir::Operation* scatter);

/// True where every point writes result elements of its own, so that points along a map dim are
/// independent. The points along a scan dim may carry a state.
bool writes_own_cells(mlir::Operation* op);

} // namespace kolam::analysis
