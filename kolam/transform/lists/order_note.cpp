// Writes lines on orders.
#include "kolam/transform/lists/order_note.h"

#include "kolam/ir/location.h"

namespace kolam::transform::lists {

std::string order_note(mlir::Operation* op, const std::string& order) {
  SourceLocation where = ir::to_source_location(op->getLoc());
  std::string text = op->getName().stripDialect().str();
  if (where)
    text += " (" + where.file.substr(where.file.rfind('/') + 1) + ":" + std::to_string(where.line) +
            ")";
  return text + ": " + order;
}

} // namespace kolam::transform::lists
