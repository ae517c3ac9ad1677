// kolam.elementwise: a function of the elementwise table, element by element.
#include "kolam/support/elementwise.h"
#include "kolam/ir/expectations.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/support/machine.h"

namespace kolam::ir {

llvm::LogicalResult ElementwiseOp::verify() {
  std::optional<Fn> fn = parse_fn(getFunction());
  if (!fn)
    return emitOpError("expected an elementwise function, but got '") << getFunction() << "'";
  mlir::ValueRange operands = getOperands();
  if (failed(expect_count(*this, operands.size(), elementwise_row(*fn).arity, "operands")))
    return mlir::failure();
  DType dtype = dtype_of(operands.back());
  for (auto [number, operand] : llvm::enumerate(operands)) {
    bool is_condition = fn == Fn::where && number == 0;
    if (failed(expect_shape(*this, operand, shape_of(getResult()),
                            "operand " + llvm::Twine(number))) ||
        failed(expect_dtype(*this, operand, is_condition ? DType::boolean : dtype,
                            "operand " + llvm::Twine(number))))
      return mlir::failure();
  }
  if (!accepts(*fn, dtype))
    return emitOpError("expected a dtype that '")
           << getFunction() << "' takes, but got " << llvm::StringRef(name(dtype));
  return expect_dtype(*this, getResult(), result_dtype(*fn, dtype), "the result");
}

space::Signature ElementwiseOp::signature() { return cell_by_cell(*this); }

/// Whether all elements have the same divisor or exponent, a number of the program.
static bool has_fixed_divisor(ElementwiseOp op) {
  mlir::Operation* divisor = op.getOperands().back().getDefiningOp();
  while (auto broadcast = llvm::dyn_cast_if_present<BroadcastOp>(divisor))
    divisor = broadcast.getOperand().getDefiningOp();
  auto constant = llvm::dyn_cast_if_present<ConstantOp>(divisor);
  return constant && llvm::cast<mlir::DenseElementsAttr>(constant.getValue()).isSplat();
}

double ElementwiseOp::flops_per_point() {
  Fn fn = *parse_fn(getFunction());
  const ElementwiseRow& row = elementwise_row(fn);
  if (!is_float(dtype_of(getOperands().back()))) {
    if (fn != Fn::floor_divide && fn != Fn::remainder && fn != Fn::pow)
      return 1;
    return has_fixed_divisor(*this) ? kArithmetic.divide_by_number : kArithmetic.divide_integers;
  }
  if (row.calls_library && dtype_of(getOperands().back()) == DType::f64)
    return kArithmetic.library;
  if (row.operations)
    return row.operations;
  if (row.accuracy.f32 > 0.5) // a polynomial
    return kArithmetic.polynomial;
  return fn == Fn::divide || fn == Fn::reciprocal || fn == Fn::sqrt ? kArithmetic.divide : 1;
}

} // namespace kolam::ir
