// kolam.check: stops at the lowest row-major index where the condition is false.
#include "kolam/interp/check.h"

#include "kolam/interp/ops.h"
#include "kolam/ir/location.h"

#include <algorithm>

namespace kolam::interp {

std::string check_message(const std::string& message, int64_t index) {
  return message + " (first at row-major index " + std::to_string(index) + ")";
}

void evaluate_op(ir::CheckOp op, Evaluation& e) {
  auto condition = e.get(op.getCondition()).values<bool>();
  auto failed = std::find(condition.begin(), condition.end(), false);
  if (failed != condition.end())
    throw Error(ErrorKind::value, op.getSlug().str(),
                check_message(op.getMessage().str(), failed - condition.begin()),
                ir::to_source_location(op.getLoc()));
}

} // namespace kolam::interp
