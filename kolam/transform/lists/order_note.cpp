// Writes lines on orders.
#include "kolam/transform/lists/order_note.h"

#include "kolam/ir/location.h"
#include "kolam/support/short_location.h"

namespace kolam::transform::lists {

std::string order_note(mlir::Operation* op, const std::string& order) {
  SourceLocation where = ir::to_source_location(op->getLoc());
  std::string text = op->getName().stripDialect().str();
  if (where)
    text += " (" + short_location(where) + ")";
  return text + ": " + order;
}

} // namespace kolam::transform::lists
