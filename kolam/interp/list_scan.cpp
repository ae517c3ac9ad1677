// kolam.list_scan: state = body(state..., lists[i]..., captures...), element by element.
#include "kolam/interp/list_values.h"
#include "kolam/interp/loop.h"
#include "kolam/interp/ops.h"

#include <algorithm>

namespace kolam::interp {
namespace {

/// Elements that an associative scan takes before it starts anew.
constexpr int64_t kChunk = 4096;

class Steps {
public:
  Steps(ir::ListScanOp op, Evaluation& e)
      : op_(op), e_(e), lists_(equal_lists(op.getLists(), e, op)),
        captures_(e.get_data(op.getCaptures())) {}

  int64_t length() { return lists_[0].size(); }
  /// The elements of turn t, which counts from the end where the scan is reversed.
  Data elements_of(int64_t turn) { return elements(lists_, place_of(turn)); }
  /// What turn t makes of them.
  Data step(int64_t turn, const Data& state, const Data& element) {
    poll_cancel(e_.options());
    return e_.run_element(written_place_of(turn), op_.getBody(),
                          joined({state, element, captures_}));
  }

private:
  int64_t place_of(int64_t turn) { return op_.getReverse() ? length() - 1 - turn : turn; }
  /// In the list that the user passed.
  int64_t written_place_of(int64_t turn) {
    return place_of(turn) + (op_.getAfterFirst() && !op_.getReverse());
  }

  ir::ListScanOp op_;
  Evaluation& e_;
  std::vector<List> lists_;
  Data captures_;
};

/// The states after each turn.
std::vector<Data> run_turns(ir::ListScanOp op, Steps& steps, Data state) {
  std::vector<Data> states;
  if (!op.getAssociative()) {
    for (int64_t turn = 0; turn < steps.length(); ++turn)
      states.push_back(state = steps.step(turn, state, steps.elements_of(turn)));
    return states;
  }
  // Within a chunk from its first element on, then each with what came before. A first element that
  // is the initial state begins the first chunk, before which nothing came.
  const bool after_first = op.getAfterFirst();
  Data running = state, carried = state;
  for (int64_t turn = 0; turn < steps.length(); ++turn) {
    const int64_t number = turn + (after_first ? 1 : 0);
    if (number % kChunk == 0) {
      running = steps.elements_of(turn);
      carried = state;
    } else {
      running = steps.step(turn, running, steps.elements_of(turn));
    }
    bool is_alone = after_first && number < kChunk;
    states.push_back(state = is_alone ? running : steps.step(turn, carried, running));
  }
  return states;
}

} // namespace

void evaluate_op(ir::ListScanOp op, Evaluation& e) {
  Steps steps(op, e);
  Data last = e.get_data(op.getInits());
  std::vector<Data> states = run_turns(op, steps, last);
  if (!states.empty())
    last = states.back();
  if (op.getReverse())
    std::reverse(states.begin(), states.end());
  for (size_t number = 0; number < last.size(); ++number) {
    e.set_datum(op.getResult(number), last[number]);
    Data all;
    for (const Data& state : states)
      all.push_back(state[number]);
    mlir::Value result = op.getResult(last.size() + number);
    e.set_datum(result, list_of(all, result.getType(), e));
  }
}

} // namespace kolam::interp
