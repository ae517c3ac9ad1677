// kolam.list_filter: the elements whose mask is true.
#include "kolam/interp/list_values.h"
#include "kolam/interp/ops.h"

namespace kolam::interp {

void evaluate_op(ir::ListFilterOp op, Evaluation& e) {
  std::vector<List> lists = equal_lists(op.getOperands(), e, op);
  std::vector<int64_t> places;
  for (int64_t i = 0; i < lists[0].size(); ++i)
    if (lists[1].leaf(i).item<bool>())
      places.push_back(i);
  e.set_datum(op.getResult(), lists[0].take(places));
}

} // namespace kolam::interp
