// Elements of kolam.pad.
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kolam::lower {
namespace {

using mlir::arith::CmpIPredicate;

/// x mod period, in [0, period) for x of either sign.
Coordinate modulo(const Coordinate& x, Value period, Emission& e) {
  ScalarBuilder s(e.b);
  Value remainder = s.srem(e.value(x), period);
  return Coordinate::of(s.select(s.slt(remainder, e.i64(0)), s.iadd(remainder, period), remainder));
}

/// Where in [0, extent) the mode finds the element at `i`, which may lie outside; needs extent > 0.
Coordinate source_of(const Coordinate& i, Value extent, llvm::StringRef mode, Emission& e) {
  Value last = e.sub(extent, e.i64(1));
  if (mode == "edge")
    return e.clip(i, last);
  if (mode == "wrap")
    return modulo(i, extent, e);
  Value turn = e.mul(last, e.i64(2));
  Value period = mlir::arith::MaxSIOp::create(e.b, turn, e.i64(1)); // a single element repeats
  ScalarBuilder s(e.b);
  Value place = e.value(modulo(i, period, e)), back = s.isub(period, place);
  return Coordinate::of(s.select(s.slt(place, back), place, back));
}

} // namespace

Values emit_cells(ir::PadOp op, IndexSpan index, Emission& e) {
  Shape shape = ir::shape_of(op.getOperand());
  Value found = mlir::arith::ConstantIntOp::create(e.b, e.b.getI1Type(), 1);
  ScalarBuilder s(e.b);
  auto require = [&](CmpIPredicate predicate, const Coordinate& x, const Coordinate& y) {
    found = s.and_(found, e.compare(predicate, x, y));
  };
  Index source(index);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (op.getLow()[d] == 0 && op.getHigh()[d] == 0)
      continue;
    Value extent = e.extent(shape[d]);
    Coordinate i = e.sub(index[d], e.i64(op.getLow()[d]));
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
