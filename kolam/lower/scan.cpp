// Elements of the states of kolam.scan, carried in registers. What its steps stack is stored on the
// way.
#include "kolam/lower/carried.h"
#include "kolam/lower/ops.h"
#include "kolam/support/error.h"

namespace kolam::lower {

Values emit_cells(ir::ScanOp op, IndexSpan index, Emission& e) {
  KOLAM_CHECK(op == e.nest().root);
  size_t states = op.getInits().size();
  Bodies bodies(op, index, e);
  mlir::Block& body = op.getBody().front();
  mlir::ValueRange yields = body.getTerminator()->getOperands();
  Values state = bodies.first(op.getInits());
  std::vector<Elements> captures = bodies.captured(states + op.getXs().size(), op.getCaptures());
  Value length = e.extent(op.getLength().shape()[0]);
  auto step = [&](Value k, ValueSpan carried) {
    Value t = op.getReverse() ? e.sub(e.sub(length, e.i64(1)), k) : k;
    std::vector<Elements> slices;
    for (mlir::Value x : op.getXs())
      slices.push_back([x, t, &e](IndexSpan inner) {
        Index place{Coordinate(t)};
        place.append(inner.begin(), inner.end());
        return e.cell(x, place);
      });
    bodies.enter(body, joined(joined(all_always(carried), slices), captures));
    Values next = bodies.next(yields.take_front(states));
    Values stacked = bodies.cells(yields.drop_front(states));
    e.leave();
    Index place{Coordinate(t)};
    place.append(index.begin(), index.end());
    for (auto [cell, whole] : llvm::zip(stacked, op.getResults().drop_front(states)))
      e.store_result(whole, place, cell);
    return next;
  };
  return emit_counted(length, bodies.pointwise().step_flops, state, step, e);
}

} // namespace kolam::lower
