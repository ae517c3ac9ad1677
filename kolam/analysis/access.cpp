// Draws access facts from signatures.
#include "kolam/analysis/access.h"

#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/support/machine.h"

#include <algorithm>

namespace kolam::analysis {
namespace {

using ir::rough_count;

/// The part of the points that read inside, where an element outside is no element of the operand:
/// a row of one index dim that is longer than the tensor reads beside it.
double inside(const space::Operand& operand, const space::Signature& signature) {
  if (operand.policy.kind != space::Policy::Kind::pad || operand.indirect)
    return 1;
  double part = 1;
  for (size_t dim = 0; dim < operand.shape.size(); ++dim) {
    double steps = 1;
    for (auto [number, coefficient] :
         llvm::enumerate(operand.projection.map.rows[dim].coefficients))
      if (coefficient != 0)
        steps *= rough_count({signature.dims[number].extent});
    bool is_copy = llvm::count(operand.projection.map.rows[dim].coefficients, 0) ==
                   static_cast<int64_t>(signature.dims.size()) - 1;
    if (is_copy && steps > 0)
      part *= std::min(1.0, rough_count({operand.shape[dim]}) / steps);
  }
  return part;
}

bool is_single_cell(const space::Operand& operand) {
  return llvm::all_of(operand.projection.size,
                      [](const Extent& size) { return size == Extent(1); });
}

/// Whether each point along the map dims has elements of its own.
bool copies_map_dims(const space::Signature& signature, const space::Projection& projection) {
  for (size_t dim = 0; dim < signature.dims.size(); ++dim)
    if (signature.dims[dim].kind == space::DimKind::map &&
        llvm::none_of(projection.map.rows, [&](const space::AffineRow& row) {
          return copied_dim(row) == static_cast<int>(dim);
        }))
      return false;
  return true;
}

bool writes_own_cells(const space::Signature& signature) {
  return !signature.opaque && llvm::all_of(signature.operands, [&](const space::Operand& operand) {
    if (operand.role == space::Role::in || operand.role == space::Role::scratch)
      return true;
    return !operand.indirect && is_single_cell(operand) &&
           (operand.role == space::Role::out || copies_map_dims(signature, operand.projection));
  });
}

} // namespace

int copied_dim(const space::AffineRow& row) {
  int dim = -1;
  for (size_t i = 0; i < row.coefficients.size(); ++i) {
    if (row.coefficients[i] == 0)
      continue;
    if (dim >= 0 || row.coefficients[i] != 1)
      return -1;
    dim = static_cast<int>(i);
  }
  return row.offset == Extent(0) && space::is_affine(row) ? dim : -1;
}

const space::Operand& first_result(const space::Signature& signature) {
  auto result = llvm::find_if(signature.operands, [](const space::Operand& operand) {
    return operand.role != space::Role::in;
  });
  return result == signature.operands.end() ? signature.operands.back() : *result;
}

double share_inside(const space::Signature& signature, unsigned number) {
  return inside(signature.operands[number], signature);
}

bool reads_own_cell(mlir::Operation* op, unsigned number) {
  return reads_own_cell(llvm::cast<ir::SignedOp>(op).signature(), number);
}

bool reads_own_cell(const space::Signature& signature, unsigned number) {
  auto is_identity = [&](const space::Operand& operand) {
    return !operand.indirect && is_single_cell(operand) &&
           operand.projection.map == space::identity(static_cast<int>(signature.dims.size())).map;
  };
  return !signature.opaque && is_identity(signature.operands[number]) &&
         is_identity(first_result(signature));
}

SharedDims shared_dims(mlir::Operation* scatter) {
  space::Signature signature = llvm::cast<ir::SignedOp>(scatter).signature();
  const space::Operand& result = first_result(signature);
  const auto& rows = result.projection.map.rows;
  auto is_own = [&](const space::AffineRow& row) {
    int copied = copied_dim(row);
    return copied >= 0 && signature.dims[copied].kind == space::DimKind::map;
  };
  auto behind = std::find_if_not(rows.rbegin(), rows.rend(), is_own);
  auto trailing =
      std::min(static_cast<int>(behind - rows.rbegin()),
               static_cast<int>(rows.size()) -
                   static_cast<int>(llvm::cast<ir::ScatterOp>(scatter).getBatchedDims()));
  bool is_outermost = !rows.empty() && is_own(rows[0]) && trailing < static_cast<int>(rows.size());
  auto cells = element_count(Shape(result.shape.end() - trailing, result.shape.end())).constant();
  int64_t width = byte_width(ir::dtype_of(scatter->getResult(0)));
  return {is_outermost, trailing, trailing > 0 && (!cells || *cells >= kThreads.row_bytes / width)};
}

bool computes_cells(mlir::Operation* op) {
  Signatures signatures;
  return computes_cells(op, signatures);
}

bool computes_cells(mlir::Operation* op, Signatures& signatures) {
  auto is_scan = [](const space::IndexDim& dim) { return dim.kind == space::DimKind::scan; };
  auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
  if (!signed_op || op->getNumResults() == 0)
    return false;
  const space::Signature& signature = signatures.of(op);
  // Beside loops, which carry their own states, nothing that changes elements gives single ones.
  bool changes = llvm::any_of(signature.operands, [](const space::Operand& operand) {
    return operand.role == space::Role::inout;
  });
  if (changes && signed_op.facts().bodies == ir::Bodies::of_elements)
    return false;
  return writes_own_cells(signature) && llvm::none_of(signature.dims, is_scan) &&
         !signed_op.task_count();
}

bool writes_own_cells(mlir::Operation* op) {
  auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
  return signed_op && op->getNumResults() != 0 && writes_own_cells(signed_op.signature());
}

const space::Signature& Signatures::of(mlir::Operation* op) {
  auto& known = known_[op];
  if (!known)
    known = std::make_unique<const space::Signature>(llvm::cast<ir::SignedOp>(op).signature());
  return *known;
}

} // namespace kolam::analysis
