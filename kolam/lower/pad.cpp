// Cells of kolam.pad.
#include "kolam/lower/ops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kolam::lower {
namespace {

using mlir::arith::CmpIPredicate;

/// x mod period, in [0, period) for x of either sign.
Value modulo(Value x, Value period, Emission& e) {
  Value remainder = mlir::arith::RemSIOp::create(e.b, x, period);
  Value is_negative = mlir::arith::CmpIOp::create(e.b, CmpIPredicate::slt, remainder, e.i64(0));
  return mlir::arith::SelectOp::create(e.b, is_negative, e.add(remainder, period), remainder);
}

/// Where in [0, extent) the mode finds the cell at `i`, which may lie outside; needs extent > 0.
Value source_of(Value i, Value extent, llvm::StringRef mode, Emission& e) {
  Value last = e.sub(extent, e.i64(1));
  if (mode == "edge")
    return e.clip(i, last);
  if (mode == "wrap")
    return modulo(i, extent, e);
  Value turn = e.mul(last, e.i64(2));
  Value period = mlir::arith::MaxSIOp::create(e.b, turn, e.i64(1)); // a single cell repeats
  Value place = modulo(i, period, e);
  return mlir::arith::MinSIOp::create(e.b, place, e.sub(period, place));
}

} // namespace

Values emit_cells(ir::PadOp op, ValueSpan index, Emission& e) {
  Shape shape = ir::shape_of(op.getOperand());
  Value found = mlir::arith::ConstantIntOp::create(e.b, e.b.getI1Type(), 1);
  auto require = [&](CmpIPredicate predicate, Value x, Value y) {
    Value holds = mlir::arith::CmpIOp::create(e.b, predicate, x, y);
    found = e.b.createOrFold<mlir::arith::AndIOp>(found, holds);
  };
  Values source(index.begin(), index.end());
  for (size_t d = 0; d < shape.size(); ++d) {
    if (op.getLow()[d] == 0 && op.getHigh()[d] == 0)
      continue;
    Value extent = e.extent(shape[d]);
    Value i = e.sub(index[d], e.i64(op.getLow()[d]));
    if (op.getMode() == "constant") {
      // Below zero is above every extent, unsigned.
      require(CmpIPredicate::ult, i, extent);
      source[d] = i;
      continue;
    }
    Value safe = mlir::arith::MaxSIOp::create(e.b, extent, e.i64(1));
    require(CmpIPredicate::sgt, extent, e.i64(0));
    source[d] = source_of(i, safe, op.getMode(), e);
  }
  return e.choose(
      found, [&] { return Values{e.cell(op.getOperand(), source)}; },
      [&] { return Values{e.cell(op.getValue(), {})}; });
}

} // namespace kolam::lower
