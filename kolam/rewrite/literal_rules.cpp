// Equations of literals: ops on small constants are computed now, by the interpreter, so the bits
// are the meaning's.
#include "kolam/rewrite/rule.h"

#include "kolam/interp/evaluation.h"
#include "kolam/interp/literal.h"
#include "kolam/ir/ops.h"
#include "kolam/support/error.h"

namespace kolam::rewrite {
namespace {

/// Larger results stay ops: a literal would make the program longer than its reason.
constexpr int64_t kMaxElements = 64;

bool is_small(mlir::Value value) {
  auto type = llvm::cast<mlir::RankedTensorType>(value.getType());
  return type.hasStaticShape() && type.getNumElements() <= kMaxElements;
}

mlir::Value of_literals(mlir::Operation* op, mlir::OpBuilder& b) {
  if (!llvm::isa<ir::ElementwiseOp, ir::CastOp>(op) || !is_small(op->getResult(0)))
    return {};
  interp::Evaluation evaluation({}, {});
  for (mlir::Value operand : op->getOperands()) {
    auto constant = operand.getDefiningOp<ir::ConstantOp>();
    if (!constant || !is_small(operand))
      return {};
    evaluation.set(operand, interp::to_array(constant.getValue()));
  }
  interp::evaluate(op, evaluation);
  auto value = interp::to_literal(evaluation.get(op->getResult(0)), b.getContext());
  return ir::ConstantOp::create(b, op->getLoc(), value.getType(), value);
}

constexpr Rule kRules[] = {
    {"of_literals", "f(literal, ...) = literal, for results of up to 64 elements",
     R"(%a = kolam.constant dense<2.0> : tensor<6xf32>
        %b = kolam.elementwise "sqrt" %a : (tensor<6xf32>) -> tensor<6xf32>
        %c = kolam.broadcast %b [1] : tensor<6xf32> -> tensor<4x6xf32>
        %r = kolam.elementwise "add" %x, %c : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>)",
     of_literals},
};

} // namespace

std::span<const Rule> literal_rules() { return kRules; }

} // namespace kolam::rewrite
