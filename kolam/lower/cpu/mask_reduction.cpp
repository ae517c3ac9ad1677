// Goes through booleans by vectors of as many as a number has bits.
#include "kolam/lower/cpu/mask_reduction.h"

#include "kolam/lower/cpu/masked_memory.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace kolam::lower::cpu {
namespace {

constexpr int kBits = 32; // size of code: booleans at once

Value bits(int64_t value, Emission& e) {
  return mlir::arith::ConstantOp::create(e.b, e.b.getIntegerAttr(e.b.getI32Type(), value));
}

/// The state with the booleans of a mask, as bits. Bits that do not count are neutral.
Value with_bits(Fn fn, Value state, Value chosen, Emission& e) {
  if (fn == Fn::logical_and)
    return mlir::arith::AndIOp::create(e.b, state, chosen);
  if (fn == Fn::logical_or)
    return mlir::arith::OrIOp::create(e.b, state, chosen);
  Value holding = mlir::math::CtPopOp::create(e.b, chosen);
  return mlir::arith::AddIOp::create(e.b, state,
                                     mlir::arith::ExtUIOp::create(e.b, state.getType(), holding));
}

} // namespace

Value emit_mask_reduction(Fn fn, DType dtype, Value start, Value count,
                          llvm::function_ref<Value(const Coordinate&)> element, Emission& e) {
  const int64_t neutral = fn == Fn::logical_and ? -1 : 0;
  auto mask_at = [&](Value first) {
    auto lanes = Coordinate::progression(e.add(start, first), 1);
    return e.spread(element(lanes));
  };
  Value whole = e.sub(count, e.b.createOrFold<mlir::arith::RemUIOp>(count, e.i64(kBits)));
  Value zero = fn == Fn::add ? e.i64(0) : bits(neutral, e);
  Value state = e.loop(
      e.i64(0), whole, zero,
      [&](Value first, ValueSpan before) {
        Value chosen;
        e.with_lanes(kBits, {}, [&] { chosen = mask_bits(mask_at(first), e); });
        return Values{with_bits(fn, before[0], chosen, e)};
      },
      kBits)[0];
  Value left = e.sub(count, whole);
  Value has_rest =
      mlir::arith::CmpIOp::create(e.b, mlir::arith::CmpIPredicate::sgt, left, e.i64(0));
  state = e.choose(
      has_rest,
      [&] {
        Value chosen;
        e.with_lanes(kBits, left, [&] {
          Value mask = mask_at(whole), active = e.active();
          Value others = mlir::arith::ConstantOp::create(
              e.b, mlir::DenseElementsAttr::get(llvm::cast<mlir::VectorType>(mask.getType()),
                                                fn == Fn::logical_and));
          chosen = mask_bits(mlir::arith::SelectOp::create(e.b, active, mask, others), e);
        });
        return Values{with_bits(fn, state, chosen, e)};
      },
      [&] { return Values{state}; })[0];
  if (fn == Fn::add)
    return byte_width(dtype) == 8 ? state
                                  : mlir::arith::TruncIOp::create(
                                        e.b, e.b.getIntegerType(8 * byte_width(dtype)), state)
                                        .getResult();
  auto holds =
      fn == Fn::logical_and ? mlir::arith::CmpIPredicate::eq : mlir::arith::CmpIPredicate::ne;
  return mlir::arith::CmpIOp::create(e.b, holds, state, bits(neutral, e));
}

} // namespace kolam::lower::cpu
