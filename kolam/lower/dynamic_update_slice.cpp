// Cells of kolam.dynamic_update_slice; where the result has taken over the operand's memory, the
// update's alone.
#include "kolam/lower/clipped_starts.h"
#include "kolam/lower/map.h"
#include "kolam/lower/ops.h"
#include "kolam/lower/result_cells.h"
#include "kolam/lower/scalar_builder.h"

#include "kolam/nest/in_place.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace kolam::lower {

/// Runs of the update's last dim below this are not worth a vector.
constexpr int64_t kShortRun = 4;

Values emit_cells(ir::DynamicUpdateSliceOp op, IndexSpan index, Emission& e) {
  Shape sizes = ir::shape_of(op.getUpdate());
  Index place = clipped_starts(op, op.getStarts(), ir::shape_of(op.getOperand()), sizes, e);
  Value inside = mlir::arith::ConstantIntOp::create(e.b, e.b.getI1Type(), 1);
  ScalarBuilder s(e.b);
  for (size_t d = 0; d < place.size(); ++d) {
    place[d] = e.sub(index[d], place[d]);
    // Below zero is above every size, unsigned.
    inside =
        s.and_(inside, e.compare(mlir::arith::CmpIPredicate::ult, place[d], e.extent(sizes[d])));
  }
  return e.choose(
      inside, [&] { return Values{e.cell(op.getUpdate(), place)}; },
      [&] { return Values{e.cell(op.getOperand(), index)}; });
}

/// Stores the update's cells whose place along dim 0 is in the range of the call.
static void emit_update(ir::DynamicUpdateSliceOp op, Emission& e) {
  Value update = op.getUpdate();
  Shape sizes = ir::shape_of(update);
  Index start = clipped_starts(op, op.getStarts(), ir::shape_of(op.getOperand()), sizes, e);
  Values shape = e.shape(op.getResult()), window = e.shape(update);
  DType dtype = ir::dtype_of(update);
  size_t last = sizes.size() - 1;
  bool is_short = sizes[last].constant().value_or(INT64_MAX) < kShortRun;
  int lanes = is_short ? 1 : e.machine.vector_bytes / 4;
  Index source;
  auto store = [&](const Coordinate& i) {
    source.push_back(i);
    Index target;
    for (auto [first, offset] : llvm::zip(start, source))
      target.push_back(e.add(first, offset));
    e.store(0, dtype, e.ravel(target, shape), e.cell(update, source));
    source.pop_back();
  };
  auto run = [&](Value first, Value count) {
    Value left = e.b.createOrFold<mlir::arith::RemUIOp>(count, e.i64(lanes));
    Value end = e.add(first, e.sub(count, left));
    e.loop(
        first, end,
        [&](Value i) {
          with_cells(lanes, {}, e, [&](int) { store(Coordinate::progression(i, lanes > 1)); });
        },
        lanes);
    Value some =
        e.b.createOrFold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::sgt, left, e.i64(0));
    e.when(some, [&] {
      with_cells(lanes, left, e,
                 [&](int count) { store(Coordinate::progression(end, count > 1)); });
    });
  };
  std::function<void(size_t)> nested = [&](size_t dim) {
    Value first = e.i64(0), end = window[dim];
    if (dim == 0) {
      ScalarBuilder s(e.b);
      first = mlir::arith::MaxSIOp::create(e.b, e.sub(e.begin(), start[0].base), first);
      end = mlir::arith::MinSIOp::create(e.b, e.sub(e.end(), start[0].base), end);
      end = mlir::arith::MaxSIOp::create(e.b, first, end);
    }
    if (dim == last)
      return run(first, e.sub(end, first));
    e.loop(first, end, [&](Value i) {
      source.push_back(i);
      nested(dim + 1);
      source.pop_back();
    });
  };
  nested(0);
}

void emit_whole(ir::DynamicUpdateSliceOp op, Emission& e) {
  auto emit_all = [&] { emit_map(choose_map_plan(e.nest(), e.machine, e.schedule), e); };
  if (!nest::changed_input(e.nest(), 0) || ir::rank_of(op.getResult()) == 0)
    return emit_all();
  e.choose(
      e.lies_apart(0, op.getOperand()),
      [&] {
        emit_all();
        return Values();
      },
      [&] {
        emit_update(op, e);
        return Values();
      });
}

} // namespace kolam::lower
