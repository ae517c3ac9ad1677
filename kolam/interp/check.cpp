// kolam.check: stops at the lowest row-major index where the condition is false.
#include "kolam/interp/check.h"

#include "kolam/interp/ops.h"
#include "kolam/ir/location.h"

#include <algorithm>

namespace kolam::interp {

Error check_error(const std::string& slug, const std::string& message, int64_t index,
                  const SourceLocation& where) {
  ErrorKind kind =
      slug.starts_with("index-") || slug == "list-index" ? ErrorKind::index : ErrorKind::value;
  return Error(kind, slug, message + " (first at row-major index " + std::to_string(index) + ")",
               where);
}

void evaluate_op(ir::CheckOp op, Evaluation& e) {
  auto condition = e.get(op.getCondition()).values<bool>();
  auto failed = std::find(condition.begin(), condition.end(), false);
  if (failed != condition.end())
    throw check_error(op.getSlug().str(), op.getMessage().str(), failed - condition.begin(),
                      ir::to_source_location(op.getLoc()));
}

} // namespace kolam::interp
