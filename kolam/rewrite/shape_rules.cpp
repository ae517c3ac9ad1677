// Equations of ops that only move elements.
#include "kolam/rewrite/rule.h"

#include "kolam/ir/ops.h"
#include "kolam/support/machine.h"

namespace kolam::rewrite {
namespace {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

/// The op of kind Op that makes operand `number` of `op`, or null.
template <class Op> Op producer(Operation* op, unsigned number = 0) {
  return op->getOperand(number).getDefiningOp<Op>();
}

bool is_identity(llvm::ArrayRef<int64_t> permutation) {
  for (auto [place, dim] : llvm::enumerate(permutation))
    if (dim != static_cast<int64_t>(place))
      return false;
  return true;
}

Value same_type(Operation* op, OpBuilder&) {
  bool moves_nothing = false;
  if (auto transpose = llvm::dyn_cast<ir::TransposeOp>(op))
    moves_nothing = is_identity(transpose.getPermutation());
  else if (auto slice = llvm::dyn_cast<ir::SliceOp>(op))
    moves_nothing = llvm::all_of(slice.getSteps(), [](int64_t step) { return step == 1; });
  else
    moves_nothing = ir::facts_of(op).keeps_order || llvm::isa<ir::BroadcastOp>(op);
  return moves_nothing && op->getOperand(0).getType() == op->getResult(0).getType()
             ? op->getOperand(0)
             : Value();
}

Value transpose_transpose(Operation* op, OpBuilder& b) {
  auto outer = llvm::dyn_cast<ir::TransposeOp>(op);
  auto inner = outer ? producer<ir::TransposeOp>(op) : ir::TransposeOp();
  if (!inner)
    return {};
  llvm::SmallVector<int64_t> permutation;
  for (int64_t dim : outer.getPermutation())
    permutation.push_back(inner.getPermutation()[dim]);
  return ir::TransposeOp::create(b, op->getLoc(), outer.getType(), inner.getOperand(), permutation);
}

Value reshape_reshape(Operation* op, OpBuilder& b) {
  if (!ir::facts_of(op).keeps_order)
    return {};
  Operation* inner = op->getOperand(0).getDefiningOp();
  if (!inner || !ir::facts_of(inner).keeps_order)
    return {};
  return ir::ReshapeOp::create(b, op->getLoc(), op->getResult(0).getType(), inner->getOperand(0));
}

Value broadcast_broadcast(Operation* op, OpBuilder& b) {
  auto outer = llvm::dyn_cast<ir::BroadcastOp>(op);
  auto inner = outer ? producer<ir::BroadcastOp>(op) : ir::BroadcastOp();
  if (!inner)
    return {};
  llvm::SmallVector<int64_t> dims;
  for (int64_t dim : inner.getDims())
    dims.push_back(outer.getDims()[dim]);
  return ir::BroadcastOp::create(b, op->getLoc(), outer.getType(), inner.getOperand(), dims);
}

Value reverse_reverse(Operation* op, OpBuilder&) {
  auto outer = llvm::dyn_cast<ir::ReverseOp>(op);
  auto inner = outer ? producer<ir::ReverseOp>(op) : ir::ReverseOp();
  return inner && inner.getDims() == outer.getDims() ? inner.getOperand() : Value();
}

Value slice_slice(Operation* op, OpBuilder& b) {
  auto outer = llvm::dyn_cast<ir::SliceOp>(op);
  auto inner = outer ? producer<ir::SliceOp>(op) : ir::SliceOp();
  if (!inner)
    return {};
  Shape starts = inner.getStarts().shape(), more = outer.getStarts().shape();
  llvm::SmallVector<int64_t> steps;
  for (size_t d = 0; d < starts.size(); ++d) {
    starts[d] = starts[d] + Extent(inner.getSteps()[d]) * more[d];
    steps.push_back(inner.getSteps()[d] * outer.getSteps()[d]);
  }
  return ir::SliceOp::create(b, op->getLoc(), outer.getType(), inner.getOperand(),
                             ir::ExtentsAttr::of(b.getContext(), starts), steps);
}

Value concat_of_one(Operation* op, OpBuilder&) {
  auto concat = llvm::dyn_cast<ir::ConcatOp>(op);
  return concat && concat.getOperands().size() == 1 ? concat.getOperands()[0] : Value();
}

bool is_shorter(const Extent& extent, int64_t length) {
  std::optional<int64_t> known = extent.constant();
  return known && *known < length;
}

/// Consumers of a view of padded elements read them where they lie. Where rows are shorter than
/// vectors this way, they are padded as they lie.
Value pad_transpose(Operation* op, OpBuilder& b) {
  auto pad = llvm::dyn_cast<ir::PadOp>(op);
  auto transpose = pad ? producer<ir::TransposeOp>(op) : ir::TransposeOp();
  if (!transpose || !is_shorter(ir::shape_of(pad.getResult()).back(), kWideRun))
    return {};
  llvm::ArrayRef<int64_t> permutation = transpose.getPermutation();
  llvm::SmallVector<int64_t> low(permutation.size()), high(permutation.size());
  Shape shape(permutation.size());
  for (auto [dim, from] : llvm::enumerate(permutation)) {
    low[from] = pad.getLow()[dim];
    high[from] = pad.getHigh()[dim];
    shape[from] = ir::shape_of(pad.getResult())[dim];
  }
  Value padded = ir::PadOp::create(
      b, op->getLoc(), ir::tensor_type(op->getContext(), ir::dtype_of(pad.getResult()), shape),
      transpose.getOperand(), op->getOperand(1), b.getDenseI64ArrayAttr(low),
      b.getDenseI64ArrayAttr(high), pad.getModeAttr());
  return ir::TransposeOp::create(b, op->getLoc(), pad.getType(), padded, permutation);
}

/// Whether elements along the last dim come from different parts.
bool has_parts_in_rows(Value value, int depth = 8 /* bound */) {
  if (auto concat = value.getDefiningOp<ir::ConcatOp>())
    return static_cast<int64_t>(concat.getDim()) + 1 == ir::rank_of(value);
  auto elementwise = value.getDefiningOp<ir::ElementwiseOp>();
  return elementwise && depth > 0 && llvm::any_of(elementwise.getOperands(), [&](Value operand) {
           return has_parts_in_rows(operand, depth - 1);
         });
}

/// A reshape that puts short rows of parts one behind the other.
ir::ReshapeOp interleaving(Value value) {
  constexpr int64_t kMost = 8; // size of code: parts of a row
  auto reshape = value.getDefiningOp<ir::ReshapeOp>();
  if (!reshape || ir::rank_of(value) == 0)
    return {};
  Shape rows = ir::shape_of(reshape.getOperand()), all = ir::shape_of(value);
  std::optional<int64_t> parts = rows.empty() ? std::nullopt : rows.back().constant();
  if (rows.size() != all.size() + 1 || !parts || *parts < 2 || *parts > kMost ||
      !has_parts_in_rows(reshape.getOperand()))
    return {};
  rows.pop_back();
  rows.back() = rows.back() * *parts;
  return rows == all ? reshape : ir::ReshapeOp();
}

/// Over rows of parts a row's elements are known by their places, over all of them they are looked
/// for.
Value of_interleaved(Operation* op, OpBuilder& b) {
  auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op);
  if (!elementwise)
    return {};
  ir::ReshapeOp found;
  for (Value operand : elementwise.getOperands())
    if (!found)
      found = interleaving(operand);
  if (!found)
    return {};
  const Shape rows = ir::shape_of(found.getOperand());
  auto type = [&](Value like) { return ir::tensor_type(b.getContext(), ir::dtype_of(like), rows); };
  llvm::SmallVector<Value> operands;
  for (Value operand : elementwise.getOperands()) {
    ir::ReshapeOp own = interleaving(operand);
    operands.push_back(own && ir::shape_of(own.getOperand()) == rows
                           ? own.getOperand()
                           : ir::ReshapeOp::create(b, op->getLoc(), type(operand), operand));
  }
  Value result = ir::ElementwiseOp::create(b, op->getLoc(), type(elementwise.getResult()),
                                           elementwise.getFunctionAttr(), operands);
  return ir::ReshapeOp::create(b, op->getLoc(), elementwise.getType(), result);
}

constexpr Rule kRules[] = {
    {"of_interleaved",
     "f(reshape(x), y) = reshape(f(x, reshape(y))) of rows of few parts, concat(a, b)",
     R"(%a = kolam.slice %x <["0", "0"]> [1, 2] : tensor<4x6xf32> -> tensor<4x3xf32>
        %b = kolam.slice %x <["0", "1"]> [1, 2] : tensor<4x6xf32> -> tensor<4x3xf32>
        %0 = kolam.expand_dims %b [2] : tensor<4x3xf32> -> tensor<4x3x1xf32>
        %1 = kolam.expand_dims %a [2] : tensor<4x3xf32> -> tensor<4x3x1xf32>
        %2 = kolam.concat %0, %1 dim 2 : (tensor<4x3x1xf32>, tensor<4x3x1xf32>) -> tensor<4x3x2xf32>
        %3 = kolam.reshape %2 : tensor<4x3x2xf32> -> tensor<4x6xf32>
        %r = kolam.elementwise "subtract" %x, %3 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>)",
     of_interleaved},
    {"same_type", "a transpose, slice, reshape or broadcast that moves nothing = its operand",
     R"(%r = kolam.transpose %x [0, 1] : tensor<4x6xf32> -> tensor<4x6xf32>)", same_type},
    {"transpose_transpose", "transpose(transpose(x, p), q) = transpose(x, p[q])",
     R"(%0 = kolam.transpose %x [1, 0] : tensor<4x6xf32> -> tensor<6x4xf32>
        %r = kolam.transpose %0 [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>)",
     transpose_transpose},
    {"pad_transpose", "pad(transpose(x, p)) = transpose(pad(x), p)",
     R"(%0 = kolam.slice %x <["0", "1"]> [1, 1] : tensor<4x6xf32> -> tensor<4x2xf32>
        %1 = kolam.transpose %0 [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
        %c = kolam.constant dense<3.0> : tensor<f32>
        %r = kolam.pad %1, %c "constant" low [1, 2] high [1, 0] : tensor<2x4xf32>, tensor<f32> -> tensor<4x6xf32>)",
     pad_transpose},
    {"reshape_reshape", "reshape(reshape(x)) = reshape(x); squeeze and expand_dims are reshapes",
     R"(%0 = kolam.reshape %x : tensor<4x6xf32> -> tensor<24xf32>
        %r = kolam.reshape %0 : tensor<24xf32> -> tensor<4x6xf32>)",
     reshape_reshape},
    {"broadcast_broadcast", "broadcast(broadcast(x, d), e) = broadcast(x, e[d])",
     R"(%0 = kolam.broadcast %x [1, 2] : tensor<4x6xf32> -> tensor<2x4x6xf32>
        %1 = kolam.broadcast %0 [1, 2, 3] : tensor<2x4x6xf32> -> tensor<1x2x4x6xf32>
        %2 = kolam.reshape %1 : tensor<1x2x4x6xf32> -> tensor<8x6xf32>
        %r = kolam.slice %2 <["0", "0"]> [2, 1] : tensor<8x6xf32> -> tensor<4x6xf32>)",
     broadcast_broadcast},
    {"reverse_reverse", "reverse(reverse(x, d), d) = x",
     R"(%0 = kolam.reverse %x [1] : tensor<4x6xf32> -> tensor<4x6xf32>
        %r = kolam.reverse %0 [1] : tensor<4x6xf32> -> tensor<4x6xf32>)",
     reverse_reverse},
    {"slice_slice", "x[a::s][b::t] = x[a + s b::s t]",
     R"(%0 = kolam.concat %x, %x dim 0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
        %1 = kolam.slice %0 <["1", "0"]> [2, 1] : tensor<8x6xf32> -> tensor<4x6xf32>
        %2 = kolam.slice %1 <["1", "2"]> [2, 2] : tensor<4x6xf32> -> tensor<2x2xf32>
        %c = kolam.constant dense<0.0> : tensor<f32>
        %r = kolam.pad %2, %c "edge" low [1, 2] high [1, 2] : tensor<2x2xf32>, tensor<f32> -> tensor<4x6xf32>)",
     slice_slice},
    {"concat_of_one", "concat(x) = x",
     R"(%r = kolam.concat %x dim 0 : (tensor<4x6xf32>) -> tensor<4x6xf32>)", concat_of_one},
};

} // namespace

std::span<const Rule> shape_rules() { return kRules; }

} // namespace kolam::rewrite
