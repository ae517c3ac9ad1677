// kolam.list_reduce: chunks left to right, merged pairwise, or lanes; the initial state first.
#include "kolam/interp/accumulation.h"
#include "kolam/interp/list_values.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"
#include "kolam/ir/reduction.h"

#include <algorithm>

namespace kolam::interp {

void evaluate_op(ir::ListReduceOp op, Evaluation& e) {
  std::vector<List> lists = equal_lists(op.getLists(), e, op);
  Data captures = e.get_data(op.getCaptures());
  // b is made of the elements from i on.
  auto merge = [&](const Data& a, const Data& b, int64_t i) {
    poll_cancel(e.options());
    return e.run_element(i, op.getBody(), joined({a, b, captures}));
  };
  const Accumulate order = ir::order_of(op);
  auto by_chunks = [&]() -> std::optional<Data> {
    std::vector<Data> parts;
    for (int64_t i = 0; i < lists[0].size(); ++i)
      if (i % order.chunk == 0)
        parts.push_back(elements(lists, i));
      else
        parts.back() = merge(parts.back(), elements(lists, i), i);
    for (int64_t length = order.chunk; parts.size() > 1; length *= 2) {
      std::vector<Data> merged;
      for (int64_t i = 0; i < std::ssize(parts); i += 2)
        merged.push_back(i + 1 < std::ssize(parts) ? merge(parts[i], parts[i + 1], (i + 1) * length)
                                                   : parts[i]);
      parts = std::move(merged);
    }
    return parts.empty() ? std::nullopt : std::optional(parts[0]);
  };
  auto by_lanes = [&] {
    auto first = [&](int64_t i) { return elements(lists, i); };
    auto step = [&](const Data& state, int64_t i) { return merge(state, first(i), i); };
    auto both = [&](const Data& a, const Data& b) { return merge(a, b, 0); };
    return accumulate<Data>(order, 1, lists[0].size(), first, step, both);
  };
  std::optional<Data> combined = order.order == Order::lanes ? by_lanes() : by_chunks();
  Data result = e.get_data(op.getInits());
  if (!combined && result.empty())
    fail_op(op, e, ErrorKind::value, "list-empty",
            "expected an element or an initial value, but got an empty list");
  if (combined)
    result = result.empty() ? *combined : merge(result, *combined, 0);
  for (size_t number = 0; number < result.size(); ++number)
    e.set_datum(op.getResult(number), result[number]);
}

} // namespace kolam::interp
