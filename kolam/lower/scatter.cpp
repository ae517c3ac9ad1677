// kolam.scatter as a nest of its own: copies the destinations, then combines updates in batch
// order.
#include "kolam/lower/ops.h"
#include "kolam/lower/scalar_builder.h"
#include "kolam/lower/window.h"
#include "kolam/support/elementwise_code.h"

namespace kolam::lower {
namespace {

void emit_copies(ir::ScatterOp op, Emission& e) {
  Values shape = e.shape(op.getDestinations()[0]);
  e.loops(shape, [&](IndexSpan index) {
    Coordinate number = e.ravel(index, shape);
    for (auto [parameter, destination] : llvm::enumerate(op.getDestinations()))
      e.store(static_cast<int>(parameter), ir::dtype_of(destination), number,
              e.cell(destination, index));
  });
}

/// The next state of one cell of all destinations.
Values emit_combine(ir::ScatterOp op, const Values& state, const Values& update, Emission& e) {
  llvm::StringRef combiner = op.getCombiner();
  if (combiner == "kUpdate")
    return update;
  if (combiner == "user") {
    Values arguments = state;
    arguments.append(update);
    return e.region(op.getCombine(), arguments, op.getCaptures());
  }
  ScalarBuilder s(e.b);
  Values next;
  for (auto [destination, old, value] : llvm::zip(op.getDestinations(), state, update)) {
    DType dtype = ir::dtype_of(destination);
    auto apply = [&](Fn fn, Value x, Value y) {
      return elementwise<ScalarBuilder, Value>(s, fn, dtype, Values{x, y});
    };
    if (combiner == "kAdd")
      next.push_back(apply(Fn::add, old, value));
    else if (combiner == "kMul")
      next.push_back(apply(Fn::multiply, old, value));
    else if (combiner == "kMin")
      next.push_back(s.select(apply(Fn::less, value, old), value, old));
    else
      next.push_back(s.select(apply(Fn::greater, value, old), value, old));
  }
  return next;
}

/// result[target] = combine(result[target], update[source]) for all destinations.
void emit_update(ir::ScatterOp op, const Coordinate& target, IndexSpan source, Emission& e) {
  Values state, update;
  for (auto [parameter, value] : llvm::enumerate(op.getUpdates())) {
    state.push_back(e.load(static_cast<int>(parameter), ir::dtype_of(value), target));
    update.push_back(e.cell(value, source));
  }
  for (auto [parameter, value] : llvm::enumerate(emit_combine(op, state, update, e)))
    e.store(static_cast<int>(parameter), ir::dtype_of(op.getUpdates()[parameter]), target, value);
}

/// All cells of a batch's window at `start`; those outside are left out where `by_element`.
void emit_window(ir::ScatterOp op, IndexSpan batch, IndexSpan start, ValueSpan window,
                 bool by_element, Emission& e) {
  Values shape = e.shape(op.getDestinations()[0]);
  size_t batched = op.getBatchedDims();
  ScalarBuilder s(e.b);
  e.loops(window, [&](IndexSpan offset) {
    Index target(batch.take_front(batched)), source(batch);
    source.append(offset.begin(), offset.end());
    Value inside = e.constant(DType::boolean, 1);
    for (auto [place, o, extent] : llvm::zip(start, offset, ValueSpan(shape).drop_front(batched))) {
      target.push_back(e.add(place, o));
      if (by_element)
        inside = s.and_(inside, emit_cell_is_inside(place, o, extent, e));
    }
    auto update = [&] { emit_update(op, e.ravel(target, shape), source, e); };
    if (by_element)
      e.when(inside, update);
    else
      update();
  });
}

} // namespace

void emit_whole(ir::ScatterOp op, Emission& e) {
  emit_copies(op, e);
  Values shape = e.shape(op.getDestinations()[0]);
  Values indices = e.shape(op.getIndices()), updates = e.shape(op.getUpdates()[0]);
  ValueSpan batches = ValueSpan(indices).drop_back();
  ValueSpan window = ValueSpan(updates).drop_front(batches.size());
  ValueSpan extents = ValueSpan(shape).drop_front(op.getBatchedDims());
  e.loops(batches, [&](IndexSpan batch) {
    WindowStart places =
        window_start(emit_places(op.getIndices(), batch, e), op.getDims(), extents, window, e);
    if (op.getMode() == "drop")
      e.when(emit_is_inside(places, op.getDims(), e),
             [&] { emit_window(op, batch, places.start, window, false, e); });
    else if (op.getMode() == "element")
      emit_window(op, batch, places.start, window, true, e);
    else
      emit_window(op, batch, emit_clip_start(places, op.getDims(), e), window, false, e);
  });
}

} // namespace kolam::lower
