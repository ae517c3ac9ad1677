// kolam.scan: for each t: (state, y) = body(state, xs[t], captures); the y of all turns are
// stacked.
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

#include <cstring>

namespace kolam::interp {

void evaluate_op(ir::ScanOp op, Evaluation& e) {
  int64_t length = e.size(op.getLength().shape()[0]);
  std::vector<Array> state = arrays_of(op.getInits(), e), captures = arrays_of(op.getCaptures(), e);
  size_t carried = state.size();
  std::vector<Array> stacked;
  for (mlir::Value result : op.getResults().drop_front(carried))
    stacked.push_back(e.make(result));
  for (int64_t turn = 0; turn < length; ++turn) {
    poll_cancel(e.options());
    int64_t t = op.getReverse() ? length - 1 - turn : turn;
    std::vector<Array> slices;
    for (mlir::Value x : op.getXs())
      slices.push_back(e.get(x).slice_outer(t));
    std::vector<Array> yields = e.run(op.getBody(), joined({state, slices, captures}));
    for (size_t i = 0; i < stacked.size(); ++i) {
      const Array& y = yields[carried + i];
      std::memcpy(static_cast<std::byte*>(stacked[i].mutable_data()) + t * y.byte_count(), y.data(),
                  y.byte_count());
    }
    yields.resize(carried);
    state = std::move(yields);
  }
  state.insert(state.end(), stacked.begin(), stacked.end());
  set_all(op.getResults(), state, e);
}

} // namespace kolam::interp
