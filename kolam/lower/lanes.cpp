// Chooses lanes from the signatures of a nest's ops.
#include "kolam/lower/lanes.h"

#include "kolam/ir/ops.h"
#include "kolam/support/accumulate.h"

namespace kolam::lower {
namespace {

/// Extents below this are not worth a vector.
constexpr int64_t kShort = 4;

using Dims = std::vector<bool>;

/// The dims of an op's results whose place differs between the lanes that compute the root, for
/// every op of a nest.
class Variation {
public:
  Variation(const nest::Nest& nest, int64_t first_run) {
    Dims innermost(ir::rank_of(nest.root->getResult(0)));
    std::fill(innermost.begin() + first_run, innermost.end(), true);
    varies_[nest.root] = innermost;
    spread(nest.root);
    for (mlir::Operation* op : nest.fused) // consumers first
      spread(op);
  }

  bool varies(mlir::Operation* op) const {
    auto found = varies_.find(op);
    return found != varies_.end() && llvm::is_contained(found->second, true);
  }

private:
  void spread(mlir::Operation* op) {
    auto found = varies_.find(op);
    if (found == varies_.end())
      return;
    space::Signature signature = llvm::cast<ir::SignedOp>(op).signature();
    Dims index = index_dims(signature, found->second);
    for (auto [number, value] : llvm::enumerate(op->getOperands())) {
      mlir::Operation* producer = value.getDefiningOp();
      if (!producer)
        continue;
      Dims& dims = varies_[producer];
      dims.resize(ir::rank_of(value));
      const space::Operand& operand = signature.operands[number];
      for (size_t dim = 0; dim < dims.size(); ++dim)
        dims[dim] = dims[dim] || uses(operand.projection.map.rows[dim], index) ||
                    (operand.indirect && llvm::is_contained(index, true));
    }
  }

  static bool uses(const space::AffineRow& row, const Dims& index) {
    for (size_t dim = 0; dim < index.size(); ++dim)
      if (index[dim] && dim < row.coefficients.size() && row.coefficients[dim] != 0)
        return true;
    return false;
  }

  /// The index dims that write the varying dims of the results.
  static Dims index_dims(const space::Signature& signature, const Dims& result) {
    Dims index(signature.dims.size());
    const auto& rows = signature.operands.back().projection.map.rows;
    for (size_t dim = 0; dim < result.size() && dim < rows.size(); ++dim)
      for (size_t i = 0; result[dim] && i < index.size(); ++i)
        if (i < rows[dim].coefficients.size() && rows[dim].coefficients[i] != 0)
          index[i] = true;
    return index;
  }

  llvm::DenseMap<mlir::Operation*, Dims> varies_;
};

} // namespace

bool has_loop(mlir::Operation* op) {
  return llvm::any_of(
      llvm::cast<ir::SignedOp>(op).signature().dims,
      [](const space::IndexDim& dim) { return dim.kind == space::DimKind::reduce; });
}

bool goes_by_lanes(mlir::Operation* op) {
  auto attr = op->getAttrOfType<ir::AccumulateAttr>("accumulate");
  return attr && ir::accumulate_of(attr).order == Order::lanes;
}

Lanes choose_lanes(const nest::Nest& nest, int64_t first_run,
                   llvm::ArrayRef<mlir::Operation*> together, const Machine& machine) {
  Shape shape = ir::shape_of(nest.root->getResult(0));
  if (shape.empty())
    return {1, "a single element"};
  shape.erase(shape.begin(), shape.begin() + first_run);
  if (element_count(shape).constant().value_or(kShort) < kShort)
    return {1, "rows too short for vectors"};
  Variation variation(nest, first_run);
  int registers = 1;
  for (mlir::Operation* op : llvm::concat<mlir::Operation* const>(
           llvm::ArrayRef<mlir::Operation*>(nest.root), llvm::ArrayRef(nest.fused))) {
    if (!variation.varies(op) || !has_loop(op))
      continue;
    if (goes_by_lanes(op))
      return {1, "lanes along the elements of an element"};
    if (!llvm::is_contained(together, op))
      registers = 4;
  }
  return {registers * machine.vector_bytes / 4};
}

} // namespace kolam::lower
