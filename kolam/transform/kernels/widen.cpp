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

/// An argument of a body is needed longer along this dim, nullopt: as it is.
struct Needed {
  unsigned argument;
  std::optional<int64_t> dim;
};

/// The tensor dim that an index dim of `count` points counts, one element each; nullopt where none
/// depends on it. Throws CannotWiden where they depend on it otherwise.
std::optional<int64_t> dim_along(const space::Operand& operand, size_t index,
                                 llvm::ArrayRef<space::IndexDim> dims) {
  std::optional<int64_t> found;
  const Extent count = dims[index].extent;
  for (auto [dim, row] : llvm::enumerate(operand.projection.map.rows)) {
    if (row.coefficients[index] == 0)
      continue;
    bool is_alone = true; // others are 0, or of one point
    for (size_t other = 0; other < dims.size(); ++other)
      is_alone &= other == index || row.coefficients[other] == 0 || dims[other].extent == Extent(1);
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

/// The region for these extents. Throws CannotWiden and, of an argument that is none of these,
/// Needed.
std::unique_ptr<mlir::Region> longer(Builder& b, mlir::Region& region, const WideDims& dims);

class Widening {
public:
  Widening(Builder& b, mlir::Region& region, const WideDims& dims)
      : b(b), block_(region.front()), dims_(dims) {}

  Values run(const Values& given) {
    given_ = given;
    Values yields(dims_.yields.size());
    // What is longer says what arguments have to be; the rest is as it is where that allows it.
    for (bool is_wide : {true, false})
      for (auto [yield, value, dim] :
           llvm::zip(yields, block_.getTerminator()->getOperands(), dims_.yields))
        if (dim.has_value() == is_wide)
          yield = dim ? wide(value, *dim) : plain(value);
    return yields;
  }

private:
  Value argument(mlir::BlockArgument value, std::optional<int64_t> dim) {
    if (dims_.arguments[value.getArgNumber()] != dim)
      throw Needed{value.getArgNumber(), dim};
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
    if (llvm::isa<ir::ForOp, ir::CondOp>(op))
      return program(value, dim);
    if (auto slice = llvm::dyn_cast<ir::DynamicSliceOp>(op))
      return along_box(slice, {slice.getOperand()}, dim);
    if (auto update = llvm::dyn_cast<ir::DynamicUpdateSliceOp>(op))
      return along_box(update, {update.getOperand(), update.getUpdate()}, dim);
    auto signed_op = llvm::dyn_cast<ir::SignedOp>(op);
    if (!signed_op || op->getNumResults() != 1)
      throw CannotWiden();
    if (auto constant = llvm::dyn_cast<ir::ConstantOp>(op))
      return splat(constant, dim);
    if (ir::facts_of(op).reads_index)
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
        dim_along(result, *index, signature.dims) != dim)
      throw CannotWiden();
    mlir::IRMapping operands;
    for (auto [operand, projected] : llvm::zip(op->getOperands(), signature.operands)) {
      const bool is_read_along =
          llvm::any_of(projected.projection.map.rows,
                       [&](const space::AffineRow& row) { return row.coefficients[*index] != 0; });
      if (projected.indirect && is_read_along)
        throw CannotWiden();
      std::optional<int64_t> along = dim_along(projected, *index, signature.dims);
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

  /// A box that has all elements along the dim, of arrays that are longer there.
  Value along_box(mlir::Operation* op, llvm::ArrayRef<Value> arrays, int64_t dim) {
    const auto place = static_cast<size_t>(dim);
    const Extent extent = ir::shape_of(op->getResult(0))[place];
    for (Value array : arrays)
      if (ir::shape_of(array)[place] != extent)
        throw CannotWiden();
    llvm::SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(operands.size() < arrays.size() ? wide(operand, dim) : plain(operand));
    mlir::Operation* copied = b.insert(op->clone());
    copied->setOperands(operands);
    copied->getResult(0).setType(wide_type(op->getResult(0), dim));
    return copied->getResult(0);
  }

  /// A loop or a branch: which of its arguments and results are longer is found by trying. A state
  /// that is needed longer is so from the start.
  Value program(mlir::OpResult value, int64_t dim) {
    mlir::Operation* op = value.getOwner();
    const bool is_loop = llvm::isa<ir::ForOp>(op);
    if (op->hasAttr("late") || op->hasAttr("appended"))
      throw CannotWiden();
    auto& results = programs_[op];
    if (results.dims.empty())
      results.dims.resize(op->getNumResults());
    results.dims[value.getResultNumber()] = dim;
    mlir::Region& first = op->getRegion(0);
    const size_t states = is_loop ? op->getNumResults() : 0, before = is_loop ? 1 : 0;
    WideDims dims{std::vector<std::optional<int64_t>>(first.getNumArguments()), {}, dims_.more};
    std::vector<std::unique_ptr<mlir::Region>> regions;
    for (size_t tries = 0; regions.size() != op->getNumRegions(); ++tries) {
      if (tries > 2 * dims.arguments.size())
        throw CannotWiden();
      for (size_t state = 0; state < states; ++state)
        dims.arguments[before + state] = results.dims[state];
      dims.yields = results.dims;
      regions.clear();
      try {
        for (mlir::Region& region : op->getRegions())
          regions.push_back(longer(b, region, dims));
      } catch (const Needed& needed) {
        regions.clear();
        auto& known = dims.arguments[needed.argument];
        const bool is_state = needed.argument >= before && needed.argument < before + states;
        if (known || !needed.dim || needed.argument < before)
          throw CannotWiden();
        known = needed.dim;
        if (is_state)
          results.dims[needed.argument - before] = needed.dim;
      }
    }
    llvm::SmallVector<Value> operands;
    const size_t given = op->getNumOperands() - (dims.arguments.size() - before);
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      std::optional<int64_t> own;
      if (number >= given)
        own = dims.arguments[before + number - given];
      operands.push_back(own ? wide(operand, *own) : plain(operand));
    }
    mlir::Operation* copied = b.insert(op->cloneWithoutRegions());
    copied->setOperands(operands);
    for (auto [own, region] : llvm::zip_equal(copied->getRegions(), regions))
      own.takeBody(*region);
    for (auto [result, own] : llvm::zip_equal(copied->getResults(), results.dims))
      if (own)
        result.setType(wide_type(op->getResult(result.getResultNumber()), *own));
    for (auto [result, known] : llvm::zip_equal(op->getResults(), results.dims))
      if (known)
        wide_[{result.getAsOpaquePointer(), *known}] = copied->getResult(result.getResultNumber());
    return copied->getResult(value.getResultNumber());
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
    extent = extent + dims_.more;
    return language::tensor_type(b, ir::dtype_of(value), shape);
  }

  Builder& b;
  mlir::Block& block_;
  const WideDims& dims_;
  Values given_;
  mlir::IRMapping plain_;
  std::map<std::pair<void*, int64_t>, Value> wide_;
  struct Results {
    std::vector<std::optional<int64_t>> dims;
  };
  llvm::DenseMap<mlir::Operation*, Results> programs_; ///< loops and branches that were asked
};

std::unique_ptr<mlir::Region> longer(Builder& b, mlir::Region& region, const WideDims& dims) {
  llvm::SmallVector<mlir::Type> types;
  for (auto [argument, dim] : llvm::zip(region.front().getArguments(), dims.arguments)) {
    types.push_back(argument.getType());
    if (!dim)
      continue;
    Shape shape = ir::shape_of(argument);
    Extent& extent = shape[static_cast<size_t>(*dim)];
    extent = extent + dims.more;
    types.back() = language::tensor_type(b, ir::dtype_of(argument), shape);
  }
  return language::make_region(
      b, types, [&](const Values& given) { return Widening(b, region, dims).run(given); });
}

} // namespace

std::unique_ptr<mlir::Region> widened(Builder& b, mlir::Region& region, const WideDims& dims) {
  try {
    return longer(b, region, dims);
  } catch (const CannotWiden&) {
  } catch (const Needed&) {
  }
  return nullptr;
}

} // namespace kolam::transform::kernels
