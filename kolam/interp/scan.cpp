// kolam.scan: for each t: (state, y) = body(state, xs[t], captures); the y of all turns are
// stacked.
#include "kolam/interp/list_values.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

#include <cstring>

namespace kolam::interp {

void evaluate_op(ir::ScanOp op, Evaluation& e) {
  int64_t length = e.size(op.getLength().shape()[0]);
  Data state = e.get_data(op.getInits());
  const Data captures = e.get_data(op.getCaptures());
  const size_t carried = state.size();
  Data stacked;
  for (mlir::Value result : op.getResults().drop_front(carried))
    stacked.emplace_back(e.make(result));
  for (int64_t turn = 0; turn < length; ++turn) {
    poll_cancel(e.options());
    int64_t t = op.getReverse() ? length - 1 - turn : turn;
    Data slices;
    for (mlir::Value x : op.getXs())
      slices.emplace_back(e.get(x).slice_outer(t));
    Data yields = e.run_data(op.getBody(), joined({state, slices, captures}));
    for (size_t i = 0; i < stacked.size(); ++i) {
      const auto& y = std::get<Array>(yields[carried + i]);
      std::memcpy(static_cast<std::byte*>(std::get<Array>(stacked[i]).mutable_data()) +
                      t * y.byte_count(),
                  y.data(), y.byte_count());
    }
    yields.resize(carried);
    state = std::move(yields);
  }
  state.insert(state.end(), stacked.begin(), stacked.end());
  set_all(op.getResults(), state, e);
}

} // namespace kolam::interp
