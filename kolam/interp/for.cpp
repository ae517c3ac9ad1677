// kolam.for: state = inits; for i in [lower, upper): state = body(i, state, captures).
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
  std::vector<Array> state = arrays_of(op.getInits(), e), captures = arrays_of(op.getCaptures(), e);
  auto bind = [&] {
    for (size_t number = 0; number < state.size(); ++number)
      if (auto symbol = op.late_symbol(number))
        e.bind(*symbol, state[number].shape()[0]);
  };
  bind();
  for (int64_t i = lower; i < upper; ++i) {
    poll_cancel(e.options());
    std::vector<Array> next = e.run(op.getBody(), joined({{scalar_of(i, dtype)}, state, captures}));
    for (size_t number = 0; number < state.size(); ++number)
      state[number] = op.is_appended(number) ? appended(state[number], next[number]) : next[number];
    bind();
  }
  set_all(op.getResults(), state, e);
}

} // namespace kolam::interp
