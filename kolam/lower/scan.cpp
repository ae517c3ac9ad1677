// Elements of the states of kolam.scan, carried in registers. What its steps stack is stored on the
// way.
#include "kolam/lower/scan.h"

#include "kolam/lower/ops.h"
#include "kolam/support/error.h"

namespace kolam::lower {

ScanSteps::ScanSteps(ir::ScanOp op, IndexSpan index, Emission& e, bool lanes_differ)
    : op_(op), e_(e), index_(index), bodies_(op, index, e, lanes_differ),
      captures_(bodies_.captured(op.getInits().size() + op.getXs().size(), op.getCaptures())),
      length_(e.extent(op.getLength().shape()[0])) {
  KOLAM_CHECK(op == e.nest().root);
}

ScanSteps::Step ScanSteps::step(ValueSpan states, llvm::ArrayRef<Elements> slices) {
  mlir::Block& body = op_.getBody().front();
  mlir::ValueRange yields = body.getTerminator()->getOperands();
  bodies_.enter(body, joined(joined(all_always(states), slices), captures_));
  Step step{bodies_.next(yields.take_front(states.size())),
            bodies_.cells(yields.drop_front(states.size()))};
  e_.leave();
  return step;
}

Values ScanSteps::run(Value k, ValueSpan states) {
  Value t = op_.getReverse() ? e_.sub(e_.sub(length_, e_.i64(1)), k) : k;
  std::vector<Elements> slices;
  for (mlir::Value x : op_.getXs())
    slices.push_back([x, t, &e = e_](IndexSpan inner) {
      Index place{Coordinate(t)};
      place.append(inner.begin(), inner.end());
      return e.cell(x, place);
    });
  Step step = this->step(states, slices);
  Index place{Coordinate(t)};
  place.append(index_.begin(), index_.end());
  for (auto [cell, whole] : llvm::zip(step.stacked, op_.getResults().drop_front(states.size())))
    e_.store_result(whole, place, cell);
  return step.states;
}

Values emit_cells(ir::ScanOp op, IndexSpan index, Emission& e) {
  ScanSteps steps(op, index, e);
  return emit_counted(
      steps.length(), steps.flops(), steps.first(),
      [&](Value k, ValueSpan states) { return steps.run(k, states); }, e);
}

} // namespace kolam::lower
