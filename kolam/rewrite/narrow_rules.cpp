// Integers that are computed wider than they get.
#include "kolam/analysis/ranges.h"
#include "kolam/ir/ops.h"
#include "kolam/rewrite/literals.h"
#include "kolam/rewrite/rule.h"
#include "kolam/support/elementwise.h"

namespace kolam::rewrite {
namespace {

using mlir::OpBuilder;
using mlir::Operation;
using mlir::Value;

/// Whether integers of a range are values of a dtype of one or two bytes.
bool holds(DType dtype, const analysis::Range& range) {
  const int bits = 8 * byte_width(dtype);
  const int64_t most = (int64_t{1} << (is_signed_integer(dtype) ? bits - 1 : bits)) - 1;
  return range.least >= (is_signed_integer(dtype) ? -most - 1 : 0) && range.most <= most;
}

/// Functions that give the same numbers in every dtype that holds their operands and results.
bool is_exact(Fn fn) {
  switch (fn) {
  case Fn::add:
  case Fn::subtract:
  case Fn::multiply:
  case Fn::minimum:
  case Fn::maximum:
  case Fn::bitwise_right_shift:
    return true;
  default:
    return false;
  }
}

/// A tree of such functions over casts of narrow integers and literals, in another dtype.
class Narrowed {
public:
  explicit Narrowed(DType dtype) : dtype_(dtype) {}

  /// Whether every value of the tree is one of the dtype, and nobody else reads what is computed.
  bool can(Value value) {
    constexpr int kMostOps = 64; // bound
    auto range = ranges_.of(value);
    if (!range || !holds(dtype_, *range) || ++seen_ > kMostOps)
      return false;
    if (splat(value))
      return true;
    if (auto cast = value.getDefiningOp<ir::CastOp>()) {
      const DType from = ir::dtype_of(cast.getOperand());
      return is_integer(from) && byte_width(from) <= byte_width(dtype_);
    }
    auto op = value.getDefiningOp<ir::ElementwiseOp>();
    if (!op || !value.hasOneUse() || !is_exact(*parse_fn(op.getFunction())))
      return false;
    computes_ = true;
    return llvm::all_of(op.getOperands(), [&](Value operand) { return can(operand); });
  }
  bool computes() const { return computes_; }

  Value of(Value value, OpBuilder& b) const {
    mlir::Type type = ir::tensor_type(b.getContext(), dtype_, ir::shape_of(value));
    if (mlir::DenseElementsAttr literal = splat(value)) {
      auto number = llvm::cast<mlir::DenseIntElementsAttr>(literal).getSplatValue<llvm::APInt>();
      auto scalar = ir::tensor_type(b.getContext(), dtype_, {});
      auto one = ir::ConstantOp::create(
          b, value.getLoc(), scalar,
          mlir::DenseElementsAttr::get(scalar, number.trunc(8 * byte_width(dtype_))));
      return ir::BroadcastOp::create(b, value.getLoc(), type, one, llvm::ArrayRef<int64_t>{});
    }
    if (auto cast = value.getDefiningOp<ir::CastOp>())
      return ir::CastOp::create(b, value.getLoc(), type, cast.getOperand());
    auto op = value.getDefiningOp<ir::ElementwiseOp>();
    llvm::SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(of(operand, b));
    return ir::ElementwiseOp::create(b, value.getLoc(), type, op.getFunction(), operands);
  }

private:
  DType dtype_;
  analysis::Ranges ranges_;
  int seen_ = 0;
  bool computes_ = false;
};

Value narrow_integers(Operation* op, OpBuilder& b) {
  auto cast = llvm::dyn_cast<ir::CastOp>(op);
  if (!cast || !is_integer(ir::dtype_of(cast.getResult())) ||
      byte_width(ir::dtype_of(cast.getResult())) > 2 ||
      !is_integer(ir::dtype_of(cast.getOperand())) ||
      byte_width(ir::dtype_of(cast.getOperand())) < 4)
    return {};
  for (DType dtype : {DType::u8, DType::i8, DType::i16, DType::u16}) {
    Narrowed tree(dtype);
    if (tree.can(cast.getOperand()) && tree.computes())
      return ir::CastOp::create(b, op->getLoc(), cast.getType(), tree.of(cast.getOperand(), b));
  }
  return {};
}

constexpr Rule kRules[] = {
    {"narrow_integers",
     "cast(f(cast(x, i32), cast(y, i32)), u8) = cast(f(cast(x, i16), cast(y, i16)), u8), where x "
     "and y "
     "have one or two bytes and all numbers on the way are values of the narrower dtype",
     R"(%n = kolam.cast %x : tensor<4x6xf32> -> tensor<4x6xui8>
        %w = kolam.cast %n : tensor<4x6xui8> -> tensor<4x6xi32>
        %c = kolam.constant dense<100> : tensor<4x6xi32>
        %e = kolam.constant dense<8> : tensor<4x6xi32>
        %p = kolam.elementwise "multiply" %w, %c : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi32>
        %s = kolam.elementwise "bitwise_right_shift" %p, %e : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi32>
        %d = kolam.cast %s : tensor<4x6xi32> -> tensor<4x6xui8>
        %r = kolam.cast %d : tensor<4x6xui8> -> tensor<4x6xf32>)",
     narrow_integers},
};

} // namespace

std::span<const Rule> narrow_rules() { return kRules; }

} // namespace kolam::rewrite
