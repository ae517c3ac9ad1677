// Follows a dim from results to arguments by the signatures of the ops between.
#include "kolam/transform/kernels/widen.h"

#include "kolam/ir/facts.h"
#include "kolam/ir/ops.h"
#include "kolam/language/region.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

#include <map>

namespace kolam::transform::kernels {
namespace {

using language::Builder;
using language::Value;
using language::Values;

struct CannotWiden {};

/// The tensor dim that an index dim of `count` points counts, one element each; nullopt where none
/// depends on it. Throws CannotWiden where they depend on it otherwise.
std::optional<int64_t> dim_along(const space::Operand& operand, size_t index, const Extent& count) {
  std::optional<int64_t> found;
  for (auto [dim, row] : llvm::enumerate(operand.projection.map.rows)) {
    if (row.coefficients[index] == 0)
      continue;
    const bool is_alone = llvm::count_if(row.coefficients, [](int64_t c) { return c != 0; }) == 1;
    auto start = row.offset.constant(), extent = operand.shape[dim].constant();
    const bool is_inside =
        start && extent && count.constant() && *start >= 0 && *start + *count.constant() <= *extent;
    if (found || !is_alone || row.coefficients[index] != 1 || row.divisor != 1 ||
        row.modulus != 0 || !is_inside || !(operand.projection.size[dim] == Extent(1)))
      throw CannotWiden();
    found = static_cast<int64_t>(dim);
  }
  return found;
}

class Widening {
public:
  Widening(Builder& b, mlir::Region& region, const WideDims& dims)
      : b(b), block_(region.front()), dims_(dims) {}

  Values run(const Values& given) {
    given_ = given;
    Values yields;
    for (auto [value, dim] : llvm::zip(block_.getTerminator()->getOperands(), dims_.yields))
      yields.push_back(dim ? wide(value, *dim) : plain(value));
    return yields;
  }

private:
  Value argument(mlir::BlockArgument value, std::optional<int64_t> dim) {
    if (dims_.arguments[value.getArgNumber()] != dim)
      throw CannotWiden();
    return given_[value.getArgNumber()];
  }

  /// As it is.
  Value plain(Value value) {
    if (auto own = llvm::dyn_cast<mlir::BlockArgument>(value))
      return argument(own, std::nullopt);
    if (Value known = plain_.lookupOrNull(value))
      return known;
    mlir::Operation* op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      plain(operand);
    mlir::IRMapping operands;
    for (Value operand : op->getOperands())
      operands.map(operand, plain(operand));
    plain_.map(op->getResults(), b.clone(*op, operands)->getResults());
    return plain_.lookup(value);
  }

  /// Longer along a dim.
  Value wide(Value value, int64_t dim) {
    if (auto own = llvm::dyn_cast<mlir::BlockArgument>(value))
      return argument(own, dim);
    auto [known, is_new] = wide_.try_emplace({value.getAsOpaquePointer(), dim});
    if (is_new)
      known->second = copy(llvm::cast<mlir::OpResult>(value), dim);
    return known->second;
  }

  Value copy(mlir::OpResult value, int64_t dim) {
    mlir::Operation* op = value.getOwner();
    auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
    const bool looks_at_index = ir::facts_of(op).reads_index && !llvm::isa<ir::ContractOp>(op);
    if (!signed_op || op->getNumResults() != 1)
      throw CannotWiden();
    if (auto constant = llvm::dyn_cast<ir::ConstantOp>(op))
      return splat(constant, dim);
    if (looks_at_index)
      throw CannotWiden();
    const space::Signature signature = signed_op.signature();
    if (signature.opaque || signature.operands.size() != op->getNumOperands() + 1)
      throw CannotWiden();
    const space::Operand& result = signature.operands.back();
    std::optional<size_t> index;
    for (size_t own = 0; own < signature.dims.size(); ++own)
      if (result.projection.map.rows[static_cast<size_t>(dim)].coefficients[own] != 0)
        index = own;
    if (!index || signature.dims[*index].kind != space::DimKind::map ||
        dim_along(result, *index, signature.dims[*index].extent) != dim)
      throw CannotWiden();
    mlir::IRMapping operands;
    for (auto [operand, projected] : llvm::zip(op->getOperands(), signature.operands)) {
      if (projected.indirect)
        throw CannotWiden();
      std::optional<int64_t> along = dim_along(projected, *index, signature.dims[*index].extent);
      Value own = along ? wide(operand, *along) : plain(operand);
      if (operands.contains(operand) && operands.lookup(operand) != own)
        throw CannotWiden(); // along two dims
      operands.map(operand, own);
    }
    mlir::Operation* copied = b.clone(*op, operands);
    copied->getResult(0).setType(wide_type(value, dim));
    mlir::ScopedDiagnosticHandler quiet(b.getContext(),
                                        [](mlir::Diagnostic&) { return mlir::success(); });
    if (mlir::failed(mlir::verify(copied))) // its attributes hold extents
      throw CannotWiden();
    return copied->getResult(0);
  }

  Value splat(ir::ConstantOp op, int64_t dim) {
    auto elements = llvm::dyn_cast<mlir::DenseElementsAttr>(op->getAttr("value"));
    if (!elements || !elements.isSplat())
      throw CannotWiden();
    auto type = llvm::cast<mlir::ShapedType>(wide_type(op.getResult(), dim));
    return language::make_constant(b, elements.resizeSplat(type));
  }

  mlir::Type wide_type(Value value, int64_t dim) {
    Shape shape = ir::shape_of(value);
    Extent& extent = shape[static_cast<size_t>(dim)];
    extent = extent + Extent(dims_.more);
    return language::tensor_type(b, ir::dtype_of(value), shape);
  }

  Builder& b;
  mlir::Block& block_;
  const WideDims& dims_;
  Values given_;
  mlir::IRMapping plain_;
  std::map<std::pair<void*, int64_t>, Value> wide_;
};

} // namespace

std::unique_ptr<mlir::Region> widened(Builder& b, mlir::Region& region, const WideDims& dims) {
  llvm::SmallVector<mlir::Type> types;
  for (auto [argument, dim] : llvm::zip(region.front().getArguments(), dims.arguments)) {
    types.push_back(argument.getType());
    if (!dim)
      continue;
    Shape shape = ir::shape_of(argument);
    Extent& extent = shape[static_cast<size_t>(*dim)];
    extent = extent + Extent(dims.more);
    types.back() = language::tensor_type(b, ir::dtype_of(argument), shape);
  }
  try {
    return language::make_region(
        b, types, [&](const Values& given) { return Widening(b, region, dims).run(given); });
  } catch (const CannotWiden&) {
    return nullptr;
  }
}

} // namespace kolam::transform::kernels
