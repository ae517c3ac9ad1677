// kolam.list_map: results[i] = body(lists[i]..., captures...).
#include "kolam/interp/list_values.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::ListMapOp op, Evaluation& e) {
  std::vector<List> lists = equal_lists(op.getLists(), e, op);
  Data captures = e.get_data(op.getCaptures());
  std::vector<Data> results(op.getNumResults());
  for (int64_t i = 0; i < lists[0].size(); ++i) {
    poll_cancel(e.options());
    Data yields = e.run_element(i, op.getBody(), joined({elements(lists, i), captures}));
    for (size_t number = 0; number < yields.size(); ++number)
      results[number].push_back(std::move(yields[number]));
  }
  for (auto [result, rows] : llvm::zip(op.getResults(), results))
    e.set_datum(result, list_of(rows, result.getType(), e));
}

} // namespace kolam::interp
