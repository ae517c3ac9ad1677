// kolam.list_reduce: chunks of 64 left to right, merged pairwise, the initial state first.
#include "kolam/interp/list_values.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

#include <algorithm>

namespace kolam::interp {

constexpr static int64_t kChunk = 64;

void evaluate_op(ir::ListReduceOp op, Evaluation& e) {
  std::vector<List> lists = equal_lists(op.getLists(), e, op);
  Data captures = e.get_data(op.getCaptures());
  // b is made of the elements from i on.
  auto merge = [&](const Data& a, const Data& b, int64_t i) {
    poll_cancel(e.options());
    return e.run_element(i, op.getBody(), joined({a, b, captures}));
  };
  std::vector<Data> parts;
  for (int64_t i = 0; i < lists[0].size(); ++i)
    if (i % kChunk == 0)
      parts.push_back(elements(lists, i));
    else
      parts.back() = merge(parts.back(), elements(lists, i), i);
  for (int64_t length = kChunk; parts.size() > 1; length *= 2) {
    std::vector<Data> merged;
    for (int64_t i = 0; i < std::ssize(parts); i += 2)
      merged.push_back(i + 1 < std::ssize(parts) ? merge(parts[i], parts[i + 1], (i + 1) * length)
                                                 : parts[i]);
    parts = std::move(merged);
  }
  Data result = e.get_data(op.getInits());
  if (parts.empty() && result.empty())
    fail_op(op, e, ErrorKind::value, "list-empty",
            "expected an element or an initial value, but got an empty list");
  if (!parts.empty())
    result = result.empty() ? parts[0] : merge(result, parts[0], 0);
  for (size_t number = 0; number < result.size(); ++number)
    e.set_datum(op.getResult(number), result[number]);
}

} // namespace kolam::interp
