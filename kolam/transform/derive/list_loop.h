/// Loops over the elements of lists: what derivatives read of them, and how they make them.
#pragma once

#include "kolam/ir/ops.h"
#include "kolam/language/lists.h"
#include "kolam/transform/derive/bodies.h"

namespace kolam::transform::derive {

/// Any value of a type: zeros, or a list without elements.
Value anything(Builder& b, mlir::Type type);

/// Whether an op reads a value, also in what is computed again.
bool is_read(Value value);

/// What a map, a scan and a reduction over lists have in common. A map is a scan without states.
struct ListLoop {
  explicit ListLoop(ir::ListMapOp map)
      : op(map), body(map.getBody()), lists(map.getLists()), captures(map.getCaptures()) {}
  explicit ListLoop(ir::ListScanOp scan)
      : op(scan), body(scan.getBody()), inits(scan.getInits()), lists(scan.getLists()),
        captures(scan.getCaptures()), is_reverse(scan.getReverse()),
        after_first(scan.getAfterFirst()) {}

  explicit ListLoop(ir::ListReduceOp reduce)
      : op(reduce), body(reduce.getBody()), inits(reduce.getInits()), lists(reduce.getLists()),
        captures(reduce.getCaptures()) {}

  /// Of an op that is a map or a scan.
  static ListLoop of(mlir::Operation* op) {
    if (auto map = llvm::dyn_cast<ir::ListMapOp>(op))
      return ListLoop(map);
    return ListLoop(llvm::cast<ir::ListScanOp>(op));
  }

  language::ListScan options() const {
    using language::Direction;
    return {.direction = is_reverse ? Direction::reverse : Direction::forward,
            .after_first = after_first};
  }
  size_t states() const { return inits.size(); }
  bool is_state(size_t argument) const { return argument < states(); }
  bool is_element(size_t argument) const {
    return argument >= states() && argument < states() + lists.size();
  }

  mlir::Operation* op;
  mlir::Region& body;
  mlir::ValueRange inits, lists, captures;
  bool is_reverse = false;
  bool after_first = false; ///< for the places that errors name
};

/// What a loop gives: the last states, then, of each step, what its body gives: states, then
/// others.
struct ListResults {
  Values last, stepwise;
  /// The loop.
  mlir::Operation* op() const { return (last.empty() ? stepwise : last)[0].getDefiningOp(); }
};

/// A loop over lists whose body, which is called once, gives the next states, then other values of
/// each step.
ListResults run_over_lists(Builder& b, const Values& inits, const Values& lists,
                           const language::ListScan& options,
                           const std::function<Values(const Values&)>& body);

} // namespace kolam::transform::derive
