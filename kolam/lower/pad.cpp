// Elements of kolam.pad.
#include "kolam/lower/inside.h"
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

/// `x` where a < b, else `y`.
Coordinate chosen(const Coordinate& a, const Coordinate& b, const Coordinate& x,
                  const Coordinate& y, Emission& e) {
  Value condition = e.compare(CmpIPredicate::slt, a, b);
  return Coordinate::of(ScalarBuilder(e.b).select(condition, e.value(x), e.value(y)));
}

/// Where in [0, extent) the mode finds the element at `i`, which may lie outside; needs extent > 0.
Coordinate source_of(const Coordinate& i, Value extent, llvm::StringRef mode, Emission& e) {
  const Coordinate none(e.i64(0)), all(extent), last(e.sub(extent, e.i64(1)));
  auto holds = [](std::optional<bool> known) { return known.value_or(false); };
  auto fails = [](std::optional<bool> known) { return !known.value_or(true); };
  const bool is_before = holds(e.is_less(i, none)), is_behind = holds(e.is_less(last, i));
  // Where the mode is a shift of the index, or turns it round, neighbours stay neighbours.
  if (mode == "edge")
    return is_before ? none : is_behind ? last : e.clip(i, last.base);
  if (mode == "wrap") {
    Coordinate later = e.add(i, all), earlier = e.sub(i, all);
    if (is_before && fails(e.is_less(later, none)))
      return later;
    if (is_behind && holds(e.is_less(earlier, all)))
      return earlier;
    if (fails(e.is_less(later, none)) && holds(e.is_less(earlier, all))) // one period away
      return chosen(i, none, later, chosen(last, i, earlier, i, e), e);
    return modulo(i, extent, e);
  }
  Coordinate turned = e.sub(none, i), back = e.sub(e.mul(last, e.i64(2)), i);
  if (is_before && holds(e.is_less(turned, all)))
    return turned;
  if (is_behind && fails(e.is_less(back, none)))
    return back;
  if (holds(e.is_less(turned, all)) && fails(e.is_less(back, none)))
    return chosen(i, none, turned, chosen(last, i, back, i, e), e);
  Value turn = e.mul(last.base, e.i64(2));
  Value period = e.b.createOrFold<mlir::arith::MaxSIOp>(turn, e.i64(1)); // a single element repeats
  ScalarBuilder s(e.b);
  Value place = e.value(modulo(i, period, e)), rest = s.isub(period, place);
  return Coordinate::of(s.select(s.slt(place, rest), place, rest));
}

} // namespace

Values emit_cells(ir::PadOp op, IndexSpan index, Emission& e) {
  Shape shape = ir::shape_of(op.getOperand());
  Inside inside(e);
  auto require = [&](CmpIPredicate predicate, const Coordinate& x, const Coordinate& y) {
    inside.require(e.compare(predicate, x, y));
  };
  bool is_outside = false;
  Index source(index);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (op.getLow()[d] == 0 && op.getHigh()[d] == 0)
      continue;
    Value extent = e.extent(shape[d]);
    Coordinate i = e.sub(index[d], e.i64(op.getLow()[d]));
    std::optional<bool> is_before = e.is_less(i, e.i64(0)), is_within = e.is_less(i, extent);
    if (is_before == false && is_within == true) {
      source[d] = i;
    } else if (op.getMode() == "constant") {
      is_outside |= is_before == true || is_within == false;
      // Below zero is above every extent, unsigned.
      require(CmpIPredicate::ult, i, extent);
      source[d] = i;
    } else {
      Value safe = e.b.createOrFold<mlir::arith::MaxSIOp>(extent, e.i64(1));
      require(CmpIPredicate::sgt, extent, e.i64(0));
      source[d] = source_of(i, shape[d].is_constant() ? extent : safe, op.getMode(), e);
    }
  }
  if (is_outside)
    return {e.cell(op.getValue(), {})};
  return inside.choose(
      ir::dtype_of(op.getResult()), [&] { return Values{e.cell(op.getOperand(), source)}; },
      [&] { return Values{e.cell(op.getValue(), {})}; });
}

} // namespace kolam::lower
