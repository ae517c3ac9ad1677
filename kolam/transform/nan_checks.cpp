// Follows NaN from operands to results by running each op on marks: 1 where an element is NaN, 0
// elsewhere.
#include "kolam/transform/nan_checks.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/language/scatter.h"
#include "kolam/transform/interpret.h"
#include "kolam/transform/line_marks.h"

#include <numeric>

namespace kolam::transform {
namespace {

using language::Builder;
using language::elementwise;
using language::Values;
using mlir::Value;

Value marks_of(Builder& b, Value x) {
  if (!is_float(ir::dtype_of(x)))
    return language::broadcast_to(b, language::weak_constant(b, 0.0, DType::f32), ir::shape_of(x));
  return language::cast(b, elementwise(b, Fn::isnan, {x}), DType::f32);
}

Value ones_like(Builder& b, Value x) {
  return language::broadcast_to(b, language::weak_constant(b, 1.0, DType::f32), ir::shape_of(x));
}

/// Counts are sums of ones: never zero where there is one.
Value any_marked(Builder& b, Value x, Value y) {
  return elementwise(
      b, Fn::greater,
      {elementwise(b, Fn::add, {x, y}), language::weak_constant(b, 0.0, DType::f32)});
}

/// A clone of `op` on f32 operands, which gives f32.
Value on_marks(Builder& b, mlir::Operation* op, const Values& operands) {
  mlir::Operation* clone = b.clone(*op);
  clone->setOperands(0, static_cast<unsigned>(operands.size()), operands);
  Value result = clone->getResult(0);
  result.setType(language::tensor_type(b, DType::f32, ir::shape_of(result)));
  return result;
}

Value product_nan(Builder& b, mlir::Operation* op) {
  Value x = op->getOperand(0), y = op->getOperand(1);
  return any_marked(b, on_marks(b, op, {marks_of(b, x), ones_like(b, y)}),
                    on_marks(b, op, {ones_like(b, x), marks_of(b, y)}));
}

/// The largest mark over `dims` of all inputs.
Value reduced_nan(Builder& b, mlir::ValueRange inputs, const Shape& space,
                  llvm::ArrayRef<int64_t> dims, ir::AccumulateAttr accumulate, Value result) {
  Value marks = language::broadcast_to(b, language::weak_constant(b, 0.0, DType::f32), space);
  for (Value input : inputs)
    marks = elementwise(b, Fn::maximum, {marks, marks_of(b, input)});
  Value zero = language::weak_constant(b, 0.0, DType::f32);
  if (dims.empty())
    return elementwise(b, Fn::greater, {marks, zero});
  auto type = language::tensor_type(b, DType::f32, ir::shape_of(result));
  auto most = ir::ReduceOp::create(b, mlir::TypeRange{type}, mlir::ValueRange{marks},
                                   b.getStringAttr("maximum"), b.getBoolAttr(true),
                                   b.getDenseI64ArrayAttr(dims), accumulate);
  // No elements at all give the identity of maximum, which is no mark.
  return elementwise(b, Fn::greater, {most.getResult(0), zero});
}

/// Whether any element of x is NaN, a scalar.
Value holds_nan(Builder& b, Value x, ir::AccumulateAttr accumulate) {
  llvm::SmallVector<int64_t> dims(static_cast<size_t>(ir::rank_of(x)));
  std::iota(dims.begin(), dims.end(), 0);
  Value scalar = language::weak_constant(b, 0.0, DType::f32);
  return reduced_nan(b, {x}, ir::shape_of(x), dims, accumulate, scalar);
}

/// Elements that a NaN of a destination, an update or a capture reaches. A user's combiner may use
/// all parts of its state; others than it, kAdd and kMul make no NaN.
Value scattered_nan(Builder& b, ir::ScatterOp op, unsigned number) {
  bool is_user = op.getCombiner() == "user";
  if (!is_user && op.getCombiner() != "kAdd" && op.getCombiner() != "kMul")
    return nullptr;
  auto marks = [&](mlir::ValueRange parts) {
    Value most = marks_of(b, parts[number]);
    for (Value part : parts)
      if (is_user)
        most = elementwise(b, Fn::maximum, {most, marks_of(b, part)});
    return most;
  };
  language::ScatterSpec spec{.dims = {op.getDims().begin(), op.getDims().end()},
                             .combiner = "kAdd",
                             .batched_dims = static_cast<int64_t>(op.getBatchedDims()),
                             .mode = op.getMode()};
  Value reached = language::scatter(b, {marks(op.getDestinations())}, {marks(op.getUpdates())},
                                    op.getIndices(), spec)[0];
  Value before =
      elementwise(b, Fn::greater, {reached, language::weak_constant(b, 0.0, DType::f32)});
  auto order = ir::accumulate_attr(b.getContext(), kReduceLast);
  for (Value capture : op.getCaptures())
    before = elementwise(b, Fn::logical_or, {before, holds_nan(b, capture, order)});
  return before;
}

Value nan_before(Builder& b, ir::ElementwiseOp op, Value) {
  Value any;
  for (Value x : op.getOperands()) {
    if (!is_float(ir::dtype_of(x)))
      continue;
    Value is_nan = elementwise(b, Fn::isnan, {x});
    any = any ? elementwise(b, Fn::logical_or, {any, is_nan}) : is_nan;
  }
  return any;
}

Value nan_before(Builder& b, ir::ContractOp op, Value) { return product_nan(b, op); }
Value nan_before(Builder& b, ir::ConvolutionOp op, Value) { return product_nan(b, op); }

Value nan_before(Builder& b, ir::AttentionOp op, Value result) {
  auto order = ir::accumulate_attr(b.getContext(), kReduceLast);
  Value before = language::weak_constant(b, false, DType::boolean);
  for (Value x : op->getOperands())
    if (is_float(ir::dtype_of(x)))
      before = elementwise(b, Fn::logical_or, {before, holds_nan(b, x, order)});
  return language::broadcast_to(b, before, ir::shape_of(result));
}

Value nan_before(Builder& b, ir::CumulativeOp op, Value) {
  Value marks = on_marks(b, op, {marks_of(b, op.getOperand())});
  marks.getDefiningOp<ir::CumulativeOp>().setFunction("maximum");
  return elementwise(b, Fn::greater, {marks, language::weak_constant(b, 0.0, DType::f32)});
}

Value nan_before(Builder& b, ir::ReduceOp op, Value result) {
  return reduced_nan(b, op.getInputs(), ir::shape_of(op.getInputs().front()), op.getDims(),
                     op.getAccumulate(), result);
}

Value nan_before(Builder& b, ir::ZipMapReduceOp op, Value result) {
  Value before = reduced_nan(b, op.getInputs(), op.getSpace().shape(), op.getDims(),
                             op.getAccumulate(), result);
  // The body sees captures whole.
  for (Value capture : op.getCaptures())
    before = elementwise(b, Fn::logical_or, {before, holds_nan(b, capture, op.getAccumulate())});
  return before;
}

Value nan_before(Builder& b, ir::ScatterOp op, Value result) {
  return scattered_nan(b, op, llvm::cast<mlir::OpResult>(result).getResultNumber());
}

/// Which elements of a result may be NaN because an operand's are; null where nothing is checked.
Value nan_before_of(Builder& b, mlir::Operation* op, Value result) {
  auto without_rule = [](mlir::Operation* other) -> Value {
    fail(ErrorKind::internal, "internal",
         "no check of NaN for " + other->getName().getStringRef().str());
  };
  return by_rule<Value>(
      op,
      [&](auto typed) -> decltype(nan_before(b, typed, result)) {
        return nan_before(b, typed, result);
      },
      without_rule);
}

} // namespace

/// Whether a value is a tangent or a cotangent, seen a few ops back.
static bool is_linear(Value value, int ops = 8) {
  mlir::Operation* op = value.getDefiningOp();
  if (!op || ops == 0 || op->getNumOperands() == 0 || !is_in_derivative(op))
    return false;
  auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op);
  if (!elementwise)
    return is_linear(op->getOperand(0), ops - 1);
  const auto fn = parse_fn(elementwise.getFunction());
  return fn == Fn::scale || fn == Fn::scale_either ||
         llvm::any_of(op->getOperands(), [&](Value x) { return is_linear(x, ops / 2); });
}

/// Whether it multiplies a tangent or a cotangent by a value of the function.
static bool multiplies_linear(mlir::Operation* op) {
  auto of_function = [](Value x) {
    return !x.getDefiningOp() || !is_in_derivative(x.getDefiningOp());
  };
  return (is_linear(op->getOperand(0)) && of_function(op->getOperand(1))) ||
         (is_linear(op->getOperand(1)) && of_function(op->getOperand(0)));
}

/// Whether an op computes a derivative's coefficient, which may be NaN where zero times it is zero.
static bool is_coefficient(mlir::Operation* op) {
  auto elementwise = llvm::dyn_cast<ir::ElementwiseOp>(op);
  if (!elementwise || !is_in_derivative(op))
    return false;
  const auto fn = parse_fn(elementwise.getFunction());
  return fn != Fn::scale && fn != Fn::scale_either &&
         fn != Fn::add && // by which tangents and cotangents go
         !(fn == Fn::multiply && multiplies_linear(op));
}

void check_nan(Builder& b, mlir::Operation* op) {
  if (!ir::facts_of(op).checks(ir::Checked::nan) || is_coefficient(op))
    return;
  for (Value result : op->getResults()) {
    if (!is_float(ir::dtype_of(result)))
      continue;
    Value before = nan_before_of(b, op, result);
    if (!before)
      continue;
    Value fine = elementwise(b, Fn::logical_not, {elementwise(b, Fn::isnan, {result})});
    language::check(b, elementwise(b, Fn::logical_or, {fine, before}), "nan-created",
                    place_of(op) + ": expected a number from operands without NaN, but got NaN");
  }
}

} // namespace kolam::transform
