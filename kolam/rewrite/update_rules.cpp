// Equations of updates of a box.
#include "kolam/rewrite/rule.h"

#include "kolam/analysis/covering_updates.h"
#include "kolam/analysis/views.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/rewrite/literals.h"

namespace kolam::rewrite {
namespace {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

/// A box of a value at places that are literals.
struct Box {
  Value of;
  llvm::SmallVector<int64_t> starts;
  Shape sizes;
};

/// What an update changes; nullopt where its place is not known, or moved to lie inside.
std::optional<Box> changed_box(ir::DynamicUpdateSliceOp update) {
  Box box{update.getOperand(), {}, ir::shape_of(update.getUpdate())};
  Shape shape = ir::shape_of(update.getOperand());
  for (auto [dim, start] : llvm::enumerate(update.getStarts())) {
    mlir::DenseElementsAttr literal = splat(start);
    std::optional<int64_t> extent = shape[dim].constant(), size = box.sizes[dim].constant();
    if (!literal || !extent || !size)
      return std::nullopt;
    box.starts.push_back(literal.getSplatValue<llvm::APInt>().getSExtValue());
    if (box.starts.back() < 0 || box.starts.back() > *extent - *size)
      return std::nullopt;
  }
  return box;
}

/// Whether a value is the box as it was before.
bool shows(Value value, const Box& box) {
  auto slice = value.getDefiningOp<ir::SliceOp>();
  if (!slice || slice.getOperand() != box.of || ir::shape_of(value) != box.sizes)
    return value == box.of && ir::shape_of(value) == box.sizes;
  Shape starts = slice.getStarts().shape();
  for (auto [dim, step] : llvm::enumerate(slice.getSteps()))
    if (step != 1 || starts[dim] != Extent(box.starts[dim]))
      return false;
  return true;
}

/// The elementwise op of floats that makes a value for nobody else.
ir::ElementwiseOp arithmetic(Value value) {
  auto op = value.getDefiningOp<ir::ElementwiseOp>();
  bool is_ours = op && value.hasOneUse() && is_float(ir::dtype_of(value));
  return is_ours ? op : ir::ElementwiseOp();
}

/// Whether a value shows elements of what the box is of, wherever they lie.
bool shows_any(Value value, const Box& box) {
  while (value != box.of) {
    Operation* op = value.getDefiningOp();
    if (!op || !analysis::view_of_operand(op))
      return false;
    value = op->getOperand(0);
  }
  return true;
}

/// Whether a value is arithmetic with elements of what it changes.
bool reads_changed(Value value, const Box& box) {
  ir::ElementwiseOp op = arithmetic(value);
  return op && llvm::any_of(op.getOperands(), [&](Value operand) {
           return shows_any(operand, box) || reads_changed(operand, box);
         });
}

/// Writes values of the box as values of all that it is a box of.
class Extension {
public:
  Extension(const Box& box, mlir::Location loc, OpBuilder& b) : box_(box), loc_(loc), b_(b) {
    Shape shape = ir::shape_of(box.of);
    for (auto [dim, start] : llvm::enumerate(box.starts))
      high_.push_back(*shape[dim].constant() - start - *box.sizes[dim].constant());
  }

  /// Outside the box any values.
  Value extended(Value value) {
    if (shows(value, box_))
      return box_.of;
    if (!reads_changed(value, box_)) {
      if (Value scalar = behind_broadcasts(value); ir::rank_of(scalar) == 0)
        return ir::BroadcastOp::create(b_, loc_, all(ir::dtype_of(value)), scalar,
                                       llvm::ArrayRef<int64_t>());
      return padded(value);
    }
    ir::ElementwiseOp op = arithmetic(value);
    llvm::SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(extended(operand));
    return ir::ElementwiseOp::create(b_, op.getLoc(), all(ir::dtype_of(value)),
                                     op.getFunctionAttr(), operands);
  }

  Value inside() {
    mlir::Type type = ir::tensor_type(b_.getContext(), DType::boolean, box_.sizes);
    Value yes = ir::BroadcastOp::create(b_, loc_, type, literal(b_.getBoolAttr(true)),
                                        llvm::ArrayRef<int64_t>());
    return padded(yes);
  }

private:
  mlir::Type all(DType dtype) {
    return ir::tensor_type(b_.getContext(), dtype, ir::shape_of(box_.of));
  }
  Value literal(mlir::TypedAttr number) {
    auto type = mlir::RankedTensorType::get({}, number.getType());
    return ir::ConstantOp::create(b_, loc_, type, mlir::DenseElementsAttr::get(type, number));
  }
  Value padded(Value value) {
    mlir::TypedAttr zero =
        b_.getZeroAttr(llvm::cast<mlir::RankedTensorType>(value.getType()).getElementType());
    return ir::PadOp::create(b_, loc_, all(ir::dtype_of(value)), value, literal(zero),
                             b_.getDenseI64ArrayAttr(box_.starts), b_.getDenseI64ArrayAttr(high_),
                             b_.getStringAttr("constant"));
  }

  const Box& box_;
  mlir::Location loc_;
  OpBuilder& b_;
  llvm::SmallVector<int64_t> high_;
};

/// Where a small box of memory is changed, the rest stays as it is. Most of it, which needs what
/// was there before, is written anew in one reading, and readers may compute it where they need it.
Value update_of_most(Operation* op, OpBuilder& b) {
  constexpr double kMost = 0.75;
  auto update = llvm::dyn_cast<ir::DynamicUpdateSliceOp>(op);
  std::optional<Box> box = update ? changed_box(update) : std::nullopt;
  if (!box || !reads_changed(update.getUpdate(), *box) ||
      ir::rough_count(box->sizes) < kMost * ir::rough_count(ir::shape_of(update.getResult())))
    return {};
  Extension extension(*box, op->getLoc(), b);
  Value changed = extension.extended(update.getUpdate());
  if (box->sizes == ir::shape_of(update.getResult()))
    return changed;
  Value operands[] = {extension.inside(), changed, box->of};
  return ir::ElementwiseOp::create(b, op->getLoc(), update.getType(), b.getStringAttr("where"),
                                   operands);
}

/// Nothing of what was there before is left.
Value updates_of_all(Operation* op, OpBuilder& b) {
  auto update = llvm::dyn_cast<ir::DynamicUpdateSliceOp>(op);
  std::optional<analysis::CoveringUpdates> all =
      update ? analysis::covering_updates(update) : std::nullopt;
  return all ? ir::ConcatOp::create(b, op->getLoc(), update.getType(), all->parts,
                                    static_cast<uint64_t>(all->dim))
                   .getResult()
             : Value();
}

constexpr Rule kRules[] = {
    {"updates_of_all",
     "dynamic_update_slice(dynamic_update_slice(x, y, box), z, rest) = concat(y, z), of boxes that "
     "cover x",
     R"(%i = kolam.constant dense<0> : tensor<i64>
        %j = kolam.constant dense<2> : tensor<i64>
        %0 = kolam.slice %x <["0", "0"]> [1, 1] : tensor<4x6xf32> -> tensor<4x2xf32>
        %1 = kolam.slice %x <["0", "1"]> [1, 1] : tensor<4x6xf32> -> tensor<4x4xf32>
        %2 = kolam.dynamic_update_slice %x, %1[%i, %j] : (tensor<4x6xf32>, tensor<4x4xf32>, tensor<i64>, tensor<i64>) -> tensor<4x6xf32>
        %r = kolam.dynamic_update_slice %2, %0[%i, %i] : (tensor<4x6xf32>, tensor<4x2xf32>, tensor<i64>, tensor<i64>) -> tensor<4x6xf32>)",
     updates_of_all},
    {"update_of_most",
     "dynamic_update_slice(x, f(x[box], y), box) = where(inside, f(x, pad(y)), x), of a large box",
     R"(%i = kolam.constant dense<1> : tensor<i64>
        %j = kolam.constant dense<0> : tensor<i64>
        %0 = kolam.slice %x <["1", "0"]> [1, 1] : tensor<4x6xf32> -> tensor<3x6xf32>
        %1 = kolam.slice %x <["0", "0"]> [1, 1] : tensor<4x6xf32> -> tensor<3x6xf32>
        %2 = kolam.elementwise "add" %0, %1 : (tensor<3x6xf32>, tensor<3x6xf32>) -> tensor<3x6xf32>
        %r = kolam.dynamic_update_slice %x, %2[%i, %j] : (tensor<4x6xf32>, tensor<3x6xf32>, tensor<i64>, tensor<i64>) -> tensor<4x6xf32>)",
     update_of_most},
};

} // namespace

std::span<const Rule> update_rules() { return kRules; }

} // namespace kolam::rewrite
