// Equations of reductions that every order of elements serves: of integers, and extremes.
#include "kolam/rewrite/rule.h"

#include "kolam/ir/monoid.h"
#include "kolam/ir/reduction.h"
#include "kolam/language/elementwise.h"

namespace kolam::rewrite {
namespace {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

/// The op where it is such a reduction of one array, null otherwise.
ir::ReduceOp exact(Operation* op) {
  auto reduce = llvm::dyn_cast<ir::ReduceOp>(op);
  if (!reduce || reduce.getInputs().size() != 1)
    return {};
  const ir::Reduction reduction = ir::reduction_of(reduce);
  return reduction.function && ir::is_exact(*reduction.function, reduction.elements[0])
             ? reduce
             : ir::ReduceOp();
}

/// The same reduction of another array of as many dims.
Value reduced(ir::ReduceOp reduce, Value x, OpBuilder& b) {
  return ir::ReduceOp::create(b, reduce.getLoc(), reduce.getResultTypes(), mlir::ValueRange{x},
                              reduce.getMonoidAttr(), reduce.getCommutativeAttr(),
                              reduce.getDimsAttr(), reduce.getAccumulateAttr())
      .getResult(0);
}

/// What combines alike in every order combines what a transpose shows in the order in which that
/// lies.
Value exact_reduction_of_transpose(Operation* op, OpBuilder& b) {
  ir::ReduceOp reduce = exact(op);
  if (!reduce)
    return {};
  auto cast = reduce.getInputs()[0].getDefiningOp<ir::CastOp>();
  auto transpose =
      (cast ? cast.getOperand() : reduce.getInputs()[0]).getDefiningOp<ir::TransposeOp>();
  if (!transpose)
    return {};
  const ir::Reduction reduction = ir::reduction_of(reduce);
  mlir::MLIRContext* context = op->getContext();
  mlir::Location loc = op->getLoc();
  Value x = transpose.getOperand();
  const Shape shape = ir::shape_of(x);
  const auto permutation = transpose.getPermutation();
  const auto rank = static_cast<int64_t>(shape.size());
  llvm::SmallVector<int64_t> dims, order;
  for (int64_t dim : reduction.dims)
    dims.push_back(permutation[dim]);
  llvm::sort(dims);
  Shape kept;
  llvm::SmallVector<int64_t> places(shape.size(), -1); // of a dim among those that are kept
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!llvm::is_contained(dims, dim)) {
      places[dim] = static_cast<int64_t>(kept.size());
      kept.push_back(shape[dim]);
    }
  for (int64_t dim : reduction.kept_dims(rank))
    order.push_back(places[permutation[dim]]);
  if (cast)
    x = ir::CastOp::create(b, loc, ir::tensor_type(context, reduction.elements[0], shape), x);
  auto result = llvm::cast<mlir::RankedTensorType>(reduce.getResult(0).getType());
  const bool has_rows = llvm::is_contained(dims, rank - 1);
  Value combined =
      ir::ReduceOp::create(
          b, loc,
          mlir::TypeRange{ir::tensor_type(context, ir::dtype_of(reduce.getResult(0)), kept)},
          mlir::ValueRange{x}, reduce.getMonoidAttr(), reduce.getCommutativeAttr(),
          b.getDenseI64ArrayAttr(dims),
          ir::accumulate_attr(context, has_rows ? kReduceLast : kReduceKept))
          .getResult(0);
  return llvm::is_sorted(order) ? combined
                                : ir::TransposeOp::create(b, loc, result, combined, order);
}

/// Elements that stand in another order along what is reduced.
Value exact_reduction_of_reverse(Operation* op, OpBuilder& b) {
  ir::ReduceOp reduce = exact(op);
  auto reverse = reduce ? reduce.getInputs()[0].getDefiningOp<ir::ReverseOp>() : ir::ReverseOp();
  if (!reverse || !llvm::all_of(reverse.getDims(), [&](int64_t dim) {
        return llvm::is_contained(reduce.getDims(), dim);
      }))
    return {};
  return reduced(reduce, reverse.getOperand(), b);
}

/// Parts along what is reduced are reduced by themselves, but for those that a rule has made to be
/// merged.
Value exact_reduction_of_concat(Operation* op, OpBuilder& builder) {
  constexpr size_t kMostParts = 4; // size of code
  ir::ReduceOp reduce = exact(op);
  auto concat = reduce ? reduce.getInputs()[0].getDefiningOp<ir::ConcatOp>() : ir::ConcatOp();
  if (!concat || concat.getOperands().size() > kMostParts ||
      ir::accumulate_of(reduce.getAccumulate()).chunk == 1 ||
      !llvm::is_contained(reduce.getDims(), static_cast<int64_t>(concat.getDim())))
    return {};
  language::Builder b(op->getLoc(), builder);
  Value all;
  for (Value part : concat.getOperands()) {
    Value own = reduced(reduce, part, b);
    all = all ? language::elementwise(b, *ir::parse_monoid(reduce.getMonoid()), {all, own}) : own;
  }
  return all;
}

constexpr Rule kRules[] = {
    {"exact_reduction_of_transpose",
     "reduce(transpose(x)) = transpose(reduce(x)), where every order of elements gives the same",
     R"(%0 = kolam.iota 0 : tensor<6x5x4xf32>
        %1 = kolam.elementwise "sin" %0 : (tensor<6x5x4xf32>) -> tensor<6x5x4xf32>
        %2 = kolam.transpose %1 [2, 1, 0] : tensor<6x5x4xf32> -> tensor<4x5x6xf32>
        %r = kolam.reduce "maximum" %2 dims [1] commutative true <"chunk<64>"> : (tensor<4x5x6xf32>) -> tensor<4x6xf32>)",
     exact_reduction_of_transpose},
    {"exact_reduction_of_reverse",
     "reduce(reverse(x)) = reduce(x), where every order of elements gives the same",
     R"(%0 = kolam.iota 0 : tensor<4x6x5xf32>
        %1 = kolam.elementwise "sin" %0 : (tensor<4x6x5xf32>) -> tensor<4x6x5xf32>
        %2 = kolam.reverse %1 [2] : tensor<4x6x5xf32> -> tensor<4x6x5xf32>
        %r = kolam.reduce "maximum" %2 dims [2] commutative true <"lanes<64>, chunk<4096>"> : (tensor<4x6x5xf32>) -> tensor<4x6xf32>)",
     exact_reduction_of_reverse},
    {"exact_reduction_of_concat",
     "reduce(concat(x, y)) = combine(reduce(x), reduce(y)), where every order gives the same",
     R"(%0 = kolam.iota 0 : tensor<4x6x5xf32>
        %1 = kolam.elementwise "sin" %0 : (tensor<4x6x5xf32>) -> tensor<4x6x5xf32>
        %2 = kolam.concat %1, %0 dim 2 : (tensor<4x6x5xf32>, tensor<4x6x5xf32>) -> tensor<4x6x10xf32>
        %r = kolam.reduce "maximum" %2 dims [2] commutative true <"lanes<64>, chunk<4096>"> : (tensor<4x6x10xf32>) -> tensor<4x6xf32>)",
     exact_reduction_of_concat},
};

} // namespace

std::span<const Rule> exact_reduction_rules() { return kRules; }

} // namespace kolam::rewrite
