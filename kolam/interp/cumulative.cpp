// kolam.cumulative: result[i] = x[0] fn ... fn x[i] along a dim, left to right.
#include "kolam/interp/convert.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/interp/reduction.h"
#include "kolam/ir/monoid.h"
#include "kolam/support/elementwise_host.h"
#include "kolam/support/identity.h"

namespace kolam::interp {

void evaluate_op(ir::CumulativeOp op, Evaluation& e) {
  const Array& operand = e.get(op.getOperand());
  Array result = e.make(op.getResult());
  Fn fn = *parse_fn(op.getFunction());
  DType dtype = operand.dtype(), state_dtype = ir::named_state(fn, dtype);
  auto dim = static_cast<size_t>(op.getDim());
  int64_t extent = operand.shape()[dim];
  Cell identity{};
  uint64_t bits = identity_bits(fn, state_dtype);
  std::memcpy(identity.bytes, &bits, sizeof bits);

  std::vector<int64_t> lines = operand.shape();
  lines[dim] = extent > 0 ? 1 : 0;
  for_each_index(e, lines, [&](const Index& line) {
    Index index = line;
    Array state = to_array(identity, state_dtype);
    auto give = [&] { copy_cell(convert(state, dtype), {}, result, index); };
    for (int64_t step = 0; step < extent; ++step) {
      poll_cancel(e.options());
      index[dim] = op.getReverse() ? extent - 1 - step : step;
      if (op.getExclusive())
        give();
      Array next = convert(Array::copy_of(dtype, {}, cell(operand, index)), state_dtype);
      if (step > 0 || op.getExclusive()) {
        const void* inputs[] = {state.data(), next.data()};
        int64_t strides[] = {1, 1};
        Array merged = Array::uninitialized(state_dtype, {});
        apply_elementwise(fn, state_dtype, inputs, strides, merged.mutable_data(), 1);
        next = merged;
      }
      state = next;
      if (!op.getExclusive())
        give();
    }
  });
  e.set(op.getResult(), result);
}

} // namespace kolam::interp
