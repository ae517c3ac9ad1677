// kolam.check as a nest of its own: finds the lowest element where the condition is false.
#include "kolam/lower/cpu/whole.h"

namespace kolam::lower::cpu {

void emit_whole(ir::CheckOp op, Emission& e) {
  Values shape = e.shape(op.getCondition());
  Value lowest = e.scratch(DType::i64, 1), first = e.i64(0);
  e.store(lowest, DType::i64, first, e.i64(-1));
  auto none_yet = [&] {
    Value found = e.load(lowest, DType::i64, first);
    return mlir::arith::CmpIOp::create(e.b, mlir::arith::CmpIPredicate::slt, found, e.i64(0));
  };
  e.loops(shape, [&](IndexSpan index) {
    Value holds = e.cell(op.getCondition(), index);
    Value fails = mlir::arith::XOrIOp::create(e.b, holds, e.constant(DType::boolean, 1));
    Value is_lowest = mlir::arith::AndIOp::create(e.b, fails, none_yet());
    e.when(is_lowest, [&] { e.store(lowest, DType::i64, first, e.value(e.ravel(index, shape))); });
  });
  Value passed = none_yet();
  e.status = mlir::arith::SelectOp::create(
      e.b, passed, mlir::arith::ConstantIntOp::create(e.b, e.b.getI32Type(), abi::ok),
      mlir::arith::ConstantIntOp::create(e.b, e.b.getI32Type(), abi::check_failed));
  e.choose(
      passed, [] { return Values(); },
      [&] {
        e.record_error(op, e.load(lowest, DType::i64, first));
        return Values();
      });
}

} // namespace kolam::lower::cpu
