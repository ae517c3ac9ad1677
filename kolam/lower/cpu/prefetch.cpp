// Chooses how far ahead memory is asked for.
#include "kolam/lower/cpu/prefetch.h"

#include "kolam/ir/ops.h"

namespace kolam::lower::cpu {
namespace {

/// Bytes from a load to the memory that is asked for (Note [How far ahead]): whole rows where the
/// walk goes by rows.
Value distance_of(Value value, int64_t first_of_row, Emission& e) {
  Value row = e.i64(byte_width(ir::dtype_of(value)));
  Values shape = e.shape(value);
  for (Value extent : llvm::drop_begin(shape, first_of_row))
    row = e.mul(row, extent);
  auto larger = [&](Value x, Value y) { return e.b.createOrFold<mlir::arith::MaxSIOp>(x, y); };
  Value rows = e.b.createOrFold<mlir::arith::CeilDivSIOp>(e.i64(e.machine.caches.ahead),
                                                          larger(row, e.i64(1)));
  return e.mul(row, larger(rows, e.i64(kTiles.rows_at_once)));
}

} // namespace

void emit_prefetch(const nest::ScheduleAhead& ahead, Emission& e) {
  const nest::Nest& nest = e.nest();
  auto number = static_cast<size_t>(ahead.value);
  Value value = number < nest.outputs.size() ? nest.outputs[number]
                                             : nest.inputs[number - nest.outputs.size()];
  e.prefetch(value, distance_of(value, ahead.first_of_row, e));
}

} // namespace kolam::lower::cpu

// Note [How far ahead]
// Processors see for themselves that memory is read in order, but look no further than a page, and
// only while instructions that wait for it are few: a row's own arithmetic between its loads
// leaves the memory idle. Two pages are what the first cache holds beside the rows at work. Stores
// wait too, for the lines that they change.
