// kolam.list_positions: the numbers of a list's elements.
#include "kolam/interp/ops.h"

#include <numeric>

namespace kolam::interp {

void evaluate_op(ir::ListPositionsOp op, Evaluation& e) {
  Array numbers = Array::uninitialized(DType::i64, {e.get_list(op.getList()).size()});
  auto values = numbers.mutable_values<int64_t>();
  std::iota(values.begin(), values.end(), 0);
  e.set_datum(op.getResult(), List::from_offsets(numbers, {}));
}

} // namespace kolam::interp
