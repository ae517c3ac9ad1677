// Elements of kolam.elementwise: the scalar code of the table's row.
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/support/elementwise_code.h"

#include "llvm/Support/MathExtras.h"

namespace kolam::lower {
namespace {

/// k where every element of a signed integer tensor is the literal 2^k.
std::optional<unsigned> power_of_two(Value value) {
  if (!is_signed_integer(ir::dtype_of(value)))
    return std::nullopt;
  if (auto broadcast = value.getDefiningOp<ir::BroadcastOp>())
    value = broadcast.getOperand();
  auto constant = value.getDefiningOp<ir::ConstantOp>();
  auto literal =
      constant ? llvm::dyn_cast<mlir::DenseIntElementsAttr>(constant.getValue()) : nullptr;
  if (!literal || !literal.isSplat())
    return std::nullopt;
  const int64_t number = literal.getSplatValue<llvm::APInt>().getSExtValue();
  return number > 0 && llvm::isPowerOf2_64(static_cast<uint64_t>(number))
             ? std::optional(llvm::Log2_64(static_cast<uint64_t>(number)))
             : std::nullopt;
}

/// floor(x / 2^k) is a shift, and what remains the lowest bits, also where x is negative: LLVM does
/// not find that behind a quotient that is rounded to zero. Null for other functions and divisors.
Value divided_by_power(ir::ElementwiseOp op, ValueSpan arguments, Emission& e) {
  const auto fn = parse_fn(op.getFunction());
  const bool is_quotient = fn == Fn::floor_divide;
  if (!is_quotient && fn != Fn::remainder)
    return {};
  const auto power = power_of_two(op.getOperands()[1]);
  if (!power)
    return {};
  ScalarBuilder s(e.b);
  Value x = arguments[0];
  return is_quotient ? s.ashr(x, s.int_constant_like(x, *power))
                     : s.and_(x, s.int_constant_like(x, (int64_t{1} << *power) - 1));
}

} // namespace

Values emit_cells(ir::ElementwiseOp op, IndexSpan index, Emission& e) {
  Values arguments;
  for (Value operand : op.getOperands())
    arguments.push_back(e.cell(operand, index));
  if (Value quotient = divided_by_power(op, arguments, e))
    return {quotient};
  ScalarBuilder scalar_builder(e.b, e.machine);
  // The dtype of a row is that of its last operand: the condition of `where` comes first.
  return {elementwise<ScalarBuilder, Value>(scalar_builder, *parse_fn(op.getFunction()),
                                            ir::dtype_of(op.getOperands().back()), arguments)};
}

} // namespace kolam::lower
