// Converts source locations.
#include "kolam/ir/location.h"

namespace kolam::ir {

mlir::Location to_location(mlir::MLIRContext* context, const SourceLocation& where) {
  if (!where)
    return mlir::UnknownLoc::get(context);
  return mlir::FileLineColLoc::get(context, where.file, where.line, 0);
}

SourceLocation to_source_location(mlir::Location location) {
  SourceLocation result;
  location->walk([&](mlir::Location inner) {
    auto line = llvm::dyn_cast<mlir::FileLineColLoc>(inner);
    if (!line)
      return mlir::WalkResult::advance();
    result = {line.getFilename().str(), static_cast<int>(line.getLine())};
    return mlir::WalkResult::interrupt();
  });
  return result;
}

std::string note_of(mlir::Location location) {
  auto named = llvm::dyn_cast<mlir::NameLoc>(location);
  return named ? named.getName().str() : "";
}

} // namespace kolam::ir
