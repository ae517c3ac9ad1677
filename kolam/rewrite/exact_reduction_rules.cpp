// Equations of reductions that every order of elements serves: of integers, and extremes.
#include "kolam/rewrite/rule.h"

#include "kolam/ir/monoid.h"
#include "kolam/ir/reduced_dims.h"
#include "kolam/ir/reduction.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/reduction.h"
#include "kolam/language/transpose.h"

namespace kolam::rewrite {
namespace {

using language::Builder;
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

/// The same reduction of another array over other dims, in any order.
Value combined(Builder& b, ir::ReduceOp reduce, Value x, llvm::ArrayRef<int64_t> dims) {
  return language::combine(b, x, *ir::parse_monoid(reduce.getMonoid()),
                           language::Axes(dims.begin(), dims.end()));
}

/// What combines alike in every order combines what a transpose shows in the order in which that
/// lies.
Value exact_reduction_of_transpose(Operation* op, OpBuilder& builder) {
  ir::ReduceOp reduce = exact(op);
  if (!reduce)
    return {};
  Value input = reduce.getInputs()[0];
  auto cast = input.getDefiningOp<ir::CastOp>();
  auto transpose = (cast ? cast.getOperand() : input).getDefiningOp<ir::TransposeOp>();
  if (!transpose)
    return {};
  Builder b(op->getLoc(), builder);
  const auto permutation = transpose.getPermutation();
  const int64_t rank = ir::rank_of(input);
  llvm::SmallVector<int64_t> dims;
  for (int64_t dim : reduce.getDims())
    dims.push_back(permutation[dim]);
  llvm::sort(dims);
  const std::vector<int> places = ir::index_of_dims(rank, dims); // of kept dims, which come first
  language::Axes order;
  for (int64_t dim : ir::reduction_of(reduce).kept_dims(rank))
    order.push_back(places[permutation[dim]]);
  Value x = language::cast(b, transpose.getOperand(), ir::dtype_of(input));
  return language::permute_dims(b, combined(b, reduce, x, dims), order);
}

/// Elements that stand in another order along what is reduced.
Value exact_reduction_of_reverse(Operation* op, OpBuilder& builder) {
  ir::ReduceOp reduce = exact(op);
  auto reverse = reduce ? reduce.getInputs()[0].getDefiningOp<ir::ReverseOp>() : ir::ReverseOp();
  if (!reverse || !llvm::all_of(reverse.getDims(), [&](int64_t dim) {
        return llvm::is_contained(reduce.getDims(), dim);
      }))
    return {};
  Builder b(op->getLoc(), builder);
  return combined(b, reduce, reverse.getOperand(), reduce.getDims());
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
  Builder b(op->getLoc(), builder);
  Value all;
  for (Value part : concat.getOperands()) {
    Value own = combined(b, reduce, part, reduce.getDims());
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
