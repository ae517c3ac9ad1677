// Equations of literals: ops on small constants are computed now, by the interpreter, so the bits
// are the meaning's.
#include "kolam/rewrite/rule.h"

#include "kolam/interp/evaluation.h"
#include "kolam/interp/literal.h"
#include "kolam/ir/literal_number.h"
#include "kolam/ir/ops.h"
#include "kolam/rewrite/literals.h"
#include "kolam/support/error.h"

namespace kolam::rewrite {
namespace {

/// Bound: larger results stay ops, as a literal would make the program longer than its reason.
constexpr int64_t kMaxElements = 64;

bool is_small(mlir::Value value) {
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  return type.hasStaticShape() && type.getNumElements() <= kMaxElements;
}

mlir::Value of_literals(mlir::Operation* op, mlir::OpBuilder& b) {
  if (!llvm::isa<ir::ElementwiseOp, ir::CastOp>(op) || !is_small(op->getResult(0)))
    return {};
  for (mlir::Value operand : op->getOperands())
    if (!operand.getDefiningOp<ir::ConstantOp>() || !is_small(operand))
      return {};
  interp::Evaluation evaluation({}, {});
  for (mlir::Value operand : op->getOperands())
    evaluation.set(operand, interp::to_array(operand.getDefiningOp<ir::ConstantOp>().getValue()));
  interp::evaluate(op, evaluation);
  auto value = interp::to_literal(evaluation.get(op->getResult(0)), b.getContext());
  return ir::ConstantOp::create(b, op->getLoc(), value.getType(), value);
}

/// The literal scalar that fills a value, seen through broadcasts, or null.
mlir::Value scalar_of(mlir::Value value) {
  value = behind_broadcasts(value);
  bool is_scalar = value.getDefiningOp<ir::ConstantOp>() && ir::shape_of(value).empty();
  return is_scalar ? value : mlir::Value();
}

mlir::Value of_filled(mlir::Operation* op, mlir::OpBuilder& b) {
  if (!llvm::isa<ir::ElementwiseOp, ir::CastOp>(op) || ir::shape_of(op->getResult(0)).empty())
    return {};
  llvm::SmallVector<mlir::Value> scalars;
  for (mlir::Value operand : op->getOperands()) {
    scalars.push_back(scalar_of(operand));
    if (!scalars.back())
      return {};
  }
  mlir::Operation* once = b.clone(*op);
  once->setOperands(scalars);
  mlir::Value scalar = once->getResult(0);
  scalar.setType(ir::tensor_type(b.getContext(), ir::dtype_of(scalar), {}));
  return ir::BroadcastOp::create(b, op->getLoc(), op->getResult(0).getType(), scalar,
                                 llvm::ArrayRef<int64_t>());
}

constexpr Rule kRules[] = {
    {"of_filled", "f(broadcast(literal), ...) = broadcast(f(literal, ...))",
     R"(%a = kolam.constant dense<2.0> : tensor<f32>
        %b = kolam.broadcast %a [] : tensor<f32> -> tensor<4x6xf32>
        %c = kolam.elementwise "sqrt" %b : (tensor<4x6xf32>) -> tensor<4x6xf32>
        %r = kolam.elementwise "add" %x, %c : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>)",
     of_filled},
    {"of_literals", "f(literal, ...) = literal, for results of up to 64 elements",
     R"(%a = kolam.constant dense<2.0> : tensor<6xf32>
        %b = kolam.elementwise "sqrt" %a : (tensor<6xf32>) -> tensor<6xf32>
        %c = kolam.broadcast %b [1] : tensor<6xf32> -> tensor<4x6xf32>
        %r = kolam.elementwise "add" %x, %c : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>)",
     of_literals},
};

} // namespace

mlir::Value behind_broadcasts(mlir::Value value) {
  while (auto broadcast = value.getDefiningOp<ir::BroadcastOp>())
    value = broadcast.getOperand();
  return value;
}

mlir::DenseElementsAttr splat(mlir::Value value) {
  auto constant = behind_broadcasts(value).getDefiningOp<ir::ConstantOp>();
  auto literal = constant ? llvm::dyn_cast<mlir::DenseElementsAttr>(constant.getValue())
                          : mlir::DenseElementsAttr();
  return literal && literal.isSplat() ? literal : mlir::DenseElementsAttr();
}

std::optional<int64_t> splat_number(mlir::Value value) {
  auto constant = behind_broadcasts(value).getDefiningOp<ir::ConstantOp>();
  return constant ? ir::literal_number(constant) : std::nullopt;
}

std::span<const Rule> literal_rules() { return kRules; }

} // namespace kolam::rewrite
