// kolam.for: state = inits; for i in [lower, upper): state = body(i, state, captures).
#include "kolam/interp/list_values.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

#include <cstring>

namespace kolam::interp {

/// The rows of `behind` behind those of `rows`.
static Array appended(const Array& rows, const Array& behind) {
  std::vector<int64_t> shape = rows.shape();
  shape[0] += behind.shape()[0];
  Array result = Array::uninitialized(rows.dtype(), shape);
  auto* cells = static_cast<std::byte*>(result.mutable_data());
  if (rows.byte_count())
    std::memcpy(cells, rows.data(), rows.byte_count());
  if (behind.byte_count())
    std::memcpy(cells + rows.byte_count(), behind.data(), behind.byte_count());
  return result;
}

void evaluate_op(ir::ForOp op, Evaluation& e) {
  DType dtype = ir::dtype_of(op.getLower());
  int64_t lower = integer_of(e.get(op.getLower())), upper = integer_of(e.get(op.getUpper()));
  Data state = e.get_data(op.getInits()), captures = e.get_data(op.getCaptures());
  bind_late(op, state, e);
  for (int64_t i = lower; i < upper; ++i) {
    poll_cancel(e.options());
    Data next = e.run_data(op.getBody(), joined({{scalar_of(i, dtype)}, state, captures}));
    for (size_t number = 0; number < state.size(); ++number)
      state[number] = op.is_appended(number)
                          ? appended(std::get<Array>(state[number]), std::get<Array>(next[number]))
                          : next[number];
    bind_late(op, state, e);
  }
  set_all(op.getResults(), state, e);
}

} // namespace kolam::interp
