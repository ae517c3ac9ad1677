// Equations of elementwise functions and casts. Each holds for every bit: x + 0 = x does not (x may
// be -0).
#include "kolam/rewrite/rule.h"

#include "kolam/analysis/ranges.h"
#include "kolam/ir/ops.h"
#include "kolam/rewrite/literals.h"

#include "llvm/ADT/StringSwitch.h"

namespace kolam::rewrite {
namespace {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

/// `op` as a call of `function`, or null.
ir::ElementwiseOp call(Operation* op, llvm::StringRef function) {
  auto elementwise = llvm::dyn_cast_if_present<ir::ElementwiseOp>(op);
  return elementwise && elementwise.getFunction() == function ? elementwise : ir::ElementwiseOp();
}

bool is_number(Value value, double expected) {
  mlir::DenseElementsAttr literal = splat(value);
  if (!literal)
    return false;
  if (is_float(ir::dtype_of(value))) {
    llvm::APFloat number = literal.getSplatValue<llvm::APFloat>();
    double wide = number.convertToDouble();
    return wide == expected && std::signbit(wide) == std::signbit(expected);
  }
  return ir::dtype_of(value) != DType::boolean &&
         literal.getSplatValue<llvm::APInt>() == static_cast<uint64_t>(expected);
}

Value involution(Operation* op, OpBuilder&) {
  for (llvm::StringRef function : {"negative", "logical_not", "bitwise_invert"})
    if (auto outer = call(op, function))
      if (auto inner = call(outer.getOperands()[0].getDefiningOp(), function))
        return inner.getOperands()[0];
  return {};
}

Value neutral_operand(Operation* op, OpBuilder&) {
  auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op);
  if (!elementwise || elementwise.getOperands().size() != 2)
    return {};
  Value x = elementwise.getOperands()[0], y = elementwise.getOperands()[1];
  bool floats = is_float(ir::dtype_of(x));
  llvm::StringRef function = elementwise.getFunction();
  if (function == "add")
    return is_number(y, floats ? -0.0 : 0.0) ? x : is_number(x, floats ? -0.0 : 0.0) ? y : Value();
  if (function == "subtract")
    return is_number(y, 0.0) ? x : Value();
  if (function == "multiply")
    return is_number(y, 1.0) ? x : is_number(x, 1.0) ? y : Value();
  if (function == "divide")
    return is_number(y, 1.0) ? x : Value();
  return {};
}

Value idempotent(Operation* op, OpBuilder&) {
  auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op);
  if (!elementwise || elementwise.getOperands().size() != 2 ||
      elementwise.getOperands()[0] != elementwise.getOperands()[1])
    return {};
  bool same =
      llvm::StringSwitch<bool>(elementwise.getFunction())
          .Cases({"maximum", "minimum", "bitwise_and", "bitwise_or", "logical_and", "logical_or"},
                 true)
          .Default(false);
  return same ? elementwise.getOperands()[0] : Value();
}

Value where_same(Operation* op, OpBuilder&) {
  auto where = call(op, "where");
  return where && where.getOperands()[1] == where.getOperands()[2] ? where.getOperands()[1]
                                                                   : Value();
}

Value where_known(Operation* op, OpBuilder&) {
  auto where = call(op, "where");
  mlir::DenseElementsAttr condition = where ? splat(where.getOperands()[0]) : nullptr;
  if (!condition)
    return {};
  return where.getOperands()[condition.getSplatValue<bool>() ? 1 : 2];
}

/// true is neutral for `and`, false for `or`.
Value logical_known(Operation* op, OpBuilder&) {
  auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op);
  bool is_and = elementwise && elementwise.getFunction() == "logical_and";
  if (!is_and && !(elementwise && elementwise.getFunction() == "logical_or"))
    return {};
  Value x = elementwise.getOperands()[0], y = elementwise.getOperands()[1];
  if (mlir::DenseElementsAttr known = splat(x))
    return known.getSplatValue<bool>() == is_and ? y : x;
  if (mlir::DenseElementsAttr known = splat(y))
    return known.getSplatValue<bool>() == is_and ? x : y;
  return {};
}

/// A literal in every element of a tensor of this type.
Value filled(OpBuilder& b, mlir::Location loc, mlir::Type type, bool value) {
  auto cell = ir::tensor_type(b.getContext(), DType::boolean, {});
  auto literal = mlir::DenseElementsAttr::get(llvm::cast<mlir::ShapedType>(cell), value);
  Value scalar = ir::ConstantOp::create(b, loc, cell, literal);
  return cell == type ? scalar
                      : ir::BroadcastOp::create(b, loc, type, scalar, llvm::ArrayRef<int64_t>());
}

/// NaN is not equal to itself: integers and booleans alone.
Value compare_same(Operation* op, OpBuilder& b) {
  auto compare = llvm::dyn_cast<ir::ElementwiseOp>(op);
  if (!compare || compare.getOperands().size() != 2 ||
      compare.getOperands()[0] != compare.getOperands()[1] ||
      is_float(ir::dtype_of(compare.getOperands()[0])))
    return {};
  auto known = llvm::StringSwitch<std::optional<bool>>(compare.getFunction())
                   .Cases({"equal", "less_equal", "greater_equal"}, true)
                   .Cases({"not_equal", "less", "greater"}, false)
                   .Default(std::nullopt);
  return known ? filled(b, op->getLoc(), op->getResult(0).getType(), *known) : Value();
}

/// Ranges of integers decide: an index that counts a loop is not negative.
Value compare_known(Operation* op, OpBuilder& b) {
  auto compare = llvm::dyn_cast<ir::ElementwiseOp>(op);
  if (!compare || compare.getOperands().size() != 2 ||
      ir::dtype_of(compare.getResult()) != DType::boolean ||
      !is_integer(ir::dtype_of(compare.getOperands()[0])))
    return {};
  auto range = analysis::Ranges().of(compare.getResult());
  return range && range->least == range->most
             ? filled(b, op->getLoc(), op->getResult(0).getType(), range->most == 1)
             : Value();
}

/// Whether every value of `from` is one of `to`.
bool widens(DType from, DType to) {
  if (is_float(from) && is_float(to))
    return to == DType::f64 || (to == DType::f32 && is_narrow_float(from));
  if (from == DType::boolean)
    return to != DType::boolean;
  if (is_integer(from) && is_integer(to))
    return byte_width(to) > byte_width(from) && (is_signed_integer(to) || !is_signed_integer(from));
  return false;
}

Value cast_back(Operation* op, OpBuilder&) {
  auto outer = llvm::dyn_cast<ir::CastOp>(op);
  auto inner = outer ? outer.getOperand().getDefiningOp<ir::CastOp>() : ir::CastOp();
  return inner && inner.getOperand().getType() == outer.getType() &&
                 widens(ir::dtype_of(inner.getOperand()), ir::dtype_of(inner.getResult()))
             ? inner.getOperand()
             : Value();
}

Value cast_same(Operation* op, OpBuilder&) {
  auto cast = llvm::dyn_cast<ir::CastOp>(op);
  return cast && cast.getOperand().getType() == cast.getType() ? cast.getOperand() : Value();
}

constexpr Rule kRules[] = {
    {"involution", "-(-x) = x; not(not x) = x; ~~x = x",
     R"(%0 = kolam.elementwise "negative" %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
        %r = kolam.elementwise "negative" %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>)",
     involution},
    {"neutral_operand", "x * 1 = x / 1 = x - 0 = x + (-0) = x; for integers x + 0 = x",
     R"(%c = kolam.constant dense<1.0> : tensor<4x6xf32>
        %r = kolam.elementwise "multiply" %x, %c : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>)",
     neutral_operand},
    {"idempotent", "max(x, x) = min(x, x) = x & x = x | x = x",
     R"(%r = kolam.elementwise "maximum" %x, %x : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>)",
     idempotent},
    {"where_same", "where(c, x, x) = x",
     R"(%c = kolam.elementwise "less" %x, %x : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
        %r = kolam.elementwise "where" %c, %x, %x : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>)",
     where_same},
    {"where_known", "where(true, x, y) = x; where(false, x, y) = y",
     R"(%c = kolam.constant dense<true> : tensor<i1>
        %b = kolam.broadcast %c [] : tensor<i1> -> tensor<4x6xi1>
        %y = kolam.elementwise "negative" %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
        %r = kolam.elementwise "where" %b, %x, %y : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>)",
     where_known},
    {"logical_known", "x and true = x or false = x; x and false = false; x or true = true",
     R"(%c = kolam.constant dense<false> : tensor<4x6xi1>
        %y = kolam.elementwise "negative" %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
        %l = kolam.elementwise "less" %y, %x : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
        %a = kolam.elementwise "logical_or" %l, %c : (tensor<4x6xi1>, tensor<4x6xi1>) -> tensor<4x6xi1>
        %r = kolam.cast %a : tensor<4x6xi1> -> tensor<4x6xf32>)",
     logical_known},
    {"compare_same", "x = x is true, x < x false; not for floats, as NaN is not equal to itself",
     R"(%l = kolam.elementwise "less" %x, %x : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xi1>
        %e = kolam.elementwise "equal" %l, %l : (tensor<4x6xi1>, tensor<4x6xi1>) -> tensor<4x6xi1>
        %r = kolam.cast %e : tensor<4x6xi1> -> tensor<4x6xf32>)",
     compare_same},
    {"compare_known", "min(n, 5) < 6 is true: where the ranges of integers say so",
     R"(%n = kolam.cast %x : tensor<4x6xf32> -> tensor<4x6xi32>
        %five = kolam.constant dense<5> : tensor<4x6xi32>
        %six = kolam.constant dense<6> : tensor<4x6xi32>
        %m = kolam.elementwise "minimum" %n, %five : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi32>
        %l = kolam.elementwise "less" %m, %six : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi1>
        %r = kolam.cast %l : tensor<4x6xi1> -> tensor<4x6xf32>)",
     compare_known},
    {"cast_back", "cast(cast(x, wider), dtype of x) = x",
     R"(%0 = kolam.cast %x : tensor<4x6xf32> -> tensor<4x6xf64>
        %r = kolam.cast %0 : tensor<4x6xf64> -> tensor<4x6xf32>)",
     cast_back},
    {"cast_same", "cast(x, dtype of x) = x",
     R"(%r = kolam.cast %x : tensor<4x6xf32> -> tensor<4x6xf32>)", cast_same},
};

} // namespace

std::span<const Rule> elementwise_rules() { return kRules; }

} // namespace kolam::rewrite
