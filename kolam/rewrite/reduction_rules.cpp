// Equations of reductions.
#include "kolam/rewrite/rule.h"

#include "kolam/ir/going.h"
#include "kolam/ir/reduction.h"
#include "kolam/support/machine.h"

namespace kolam::rewrite {
namespace {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

/// Results of so many elements can be shared instead.
constexpr int64_t kManyCells = kThreads.parts;

/// The elements of x that are combined, by `length` rows of kept elements.
struct Rows {
  Value x;
  int64_t length;
  Shape kept;
  DType dtype;
};

/// The rows [start, start + lines * count) of x as [lines, count, kept...], combined to [lines,
/// kept...].
Value reduced_rows(ir::ReduceOp op, const Rows& rows, int64_t start, int64_t lines, int64_t count,
                   OpBuilder& b) {
  mlir::MLIRContext* context = op.getContext();
  mlir::Location loc = op.getLoc();
  Shape taken{lines * count}, parted{lines, count}, result{lines}, starts{start};
  for (Shape* shape : {&taken, &parted, &result})
    shape->insert(shape->end(), rows.kept.begin(), rows.kept.end());
  starts.resize(taken.size(), 0);
  llvm::SmallVector<int64_t> steps(taken.size(), 1);
  Value part = ir::SliceOp::create(b, loc, ir::tensor_type(context, rows.dtype, taken), rows.x,
                                   ir::ExtentsAttr::of(context, starts), steps);
  part = ir::ReshapeOp::create(b, loc, ir::tensor_type(context, rows.dtype, parted), part);
  return ir::ReduceOp::create(b, loc, mlir::TypeRange{ir::tensor_type(context, rows.dtype, result)},
                              mlir::ValueRange{part}, op.getMonoidAttr(), op.getCommutativeAttr(),
                              b.getDenseI64ArrayAttr({1}), op.getAccumulateAttr())
      .getResult(0);
}

/// The elements of a large reduction to few, cut at every `part` rows; none where it stays whole.
std::optional<int64_t> choose_part(ir::ReduceOp op, const ir::Reduction& reduction) {
  Shape shape = ir::shape_of(op.getInputs()[0]);
  auto rank = static_cast<int64_t>(shape.size());
  std::optional<int64_t> all = element_count(shape).constant(),
                         kept = element_count(ir::shape_of(op.getResult(0))).constant();
  bool is_whole = op.getInputs().size() != 1 || !reduction.function || !all || !kept ||
                  *all < kThreads.least_parted || *kept >= kManyCells ||
                  reduction.accumulate.chunk == 1;
  if (is_whole || reduction.run_length() != reduction.dims.size())
    return std::nullopt;
  // Reduced dims come first, but for kept ones of one element.
  bool is_leading = true;
  for (int64_t dim : reduction.kept_dims(rank))
    is_leading &= dim > reduction.dims.back() || shape[dim] == Extent(1);
  int64_t length = *all / *kept, part = reduction.accumulate.chunk;
  while (length / part >= 2 * kThreads.parts)
    part *= 2;
  return is_leading && length / part >= kThreads.parts ? std::optional(part) : std::nullopt;
}

/// Chunks merge pairwise, so those of parts of 2^k chunks merge before the parts do.
Value reduction_of_parts(Operation* op, OpBuilder& b) {
  auto reduce = llvm::dyn_cast<ir::ReduceOp>(op);
  if (!reduce || reduce.getNumResults() != 1)
    return {};
  auto loop = llvm::dyn_cast<ir::WhileOp>(op->getParentOp());
  if (loop && ir::going(loop)) // asked of each element where that is
    return {};
  ir::Reduction reduction = ir::reduction_of(reduce);
  std::optional<int64_t> part = choose_part(reduce, reduction);
  if (!part)
    return {};
  mlir::MLIRContext* context = op->getContext();
  mlir::Location loc = op->getLoc();
  Value x = reduce.getInputs()[0];
  Shape shape = ir::shape_of(x), kept = ir::shape_of(reduce.getResult(0));
  bool is_last = reduction.dims.back() + 1 == static_cast<int64_t>(shape.size());
  Rows rows{x, 1, is_last ? Shape() : kept, reduction.states[0]};
  for (int64_t dim : reduction.dims)
    rows.length *= *shape[dim].constant();
  shape = rows.kept;
  shape.insert(shape.begin(), rows.length);
  // Narrow floats are combined as f32 and rounded once.
  rows.x = ir::CastOp::create(b, loc, ir::tensor_type(context, rows.dtype, ir::shape_of(rows.x)),
                              rows.x);
  rows.x = ir::ReshapeOp::create(b, loc, ir::tensor_type(context, rows.dtype, shape), rows.x);
  int64_t parts = rows.length / *part, left = rows.length % *part;
  Value states = reduced_rows(reduce, rows, 0, parts, *part, b);
  if (left > 0) {
    Value last = reduced_rows(reduce, rows, parts * *part, 1, left, b);
    shape[0] = parts + 1;
    states = ir::ConcatOp::create(b, loc, ir::tensor_type(context, rows.dtype, shape),
                                  mlir::ValueRange{states, last}, b.getI64IntegerAttr(0));
  }
  Value merged =
      ir::ReduceOp::create(b, loc, mlir::TypeRange{ir::tensor_type(context, rows.dtype, rows.kept)},
                           mlir::ValueRange{states}, reduce.getMonoidAttr(),
                           reduce.getCommutativeAttr(), b.getDenseI64ArrayAttr({0}),
                           ir::accumulate_attr(context, {Order::chunk, 1, 1}))
          .getResult(0);
  merged = ir::ReshapeOp::create(b, loc, ir::tensor_type(context, rows.dtype, kept), merged);
  return ir::CastOp::create(b, loc, reduce.getResult(0).getType(), merged);
}

constexpr Rule kRules[] = {
    {"reduction_of_parts",
     "reduce(x) of many elements to few = reduce(reduce(parts of 2^k chunks), chunk<1>)",
     R"(%0 = kolam.iota 0 : tensor<22222x24xf32>
        %1 = kolam.elementwise "sin" %0 : (tensor<22222x24xf32>) -> tensor<22222x24xf32>
        %2 = kolam.reduce "add" %1 dims [0, 1] commutative true <"lanes<64>, chunk<4096>"> : (tensor<22222x24xf32>) -> tensor<f32>
        %r = kolam.broadcast %2 [] : tensor<f32> -> tensor<4x6xf32>)",
     reduction_of_parts},
};

} // namespace

std::span<const Rule> reduction_rules() { return kRules; }

} // namespace kolam::rewrite
