// kolam.list_index: result = list[i], from the end where i is below 0.
#include "kolam/interp/list_values.h"
#include "kolam/interp/ops.h"

#include <cstring>

namespace kolam::interp {

void evaluate_op(ir::ListIndexOp op, Evaluation& e) {
  List list = e.get_list(op.getList());
  auto i = e.get(op.getIndex()).item<int64_t>();
  const bool is_outside = i < -list.size() || i >= list.size();
  if (is_outside && op->hasAttr("or_zeros")) {
    Array zeros = e.make(op.getResult());
    std::memset(zeros.mutable_data(), 0, zeros.byte_count());
    return e.set(op.getResult(), zeros);
  }
  if (is_outside)
    fail_op(op, e, ErrorKind::index, "list-index",
            "expected an index into a list of length " + std::to_string(list.size()) +
                ", but got " + std::to_string(i));
  e.set_datum(op.getResult(), element(list, i < 0 ? i + list.size() : i));
}

} // namespace kolam::interp
