// Converts source locations.
#include "kolam/ir/location.h"

#include "mlir/IR/Builders.h"

namespace kolam::ir {

mlir::Location to_location(mlir::MLIRContext* context, const SourceLocation& where, unsigned call) {
  if (!where)
    return mlir::UnknownLoc::get(context);
  return mlir::FileLineColLoc::get(context, where.file, where.line, call);
}

mlir::Location call_location(mlir::Location location) {
  if (auto named = llvm::dyn_cast<mlir::NameLoc>(location))
    return call_location(named.getChildLoc());
  auto fused = llvm::dyn_cast<mlir::FusedLoc>(location);
  return fused && fused.getLocations().size() == 1 ? call_location(fused.getLocations()[0])
                                                   : location;
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

mlir::Location with_paths(mlir::Location location, const std::vector<std::string>& paths) {
  mlir::Builder b(location.getContext());
  llvm::SmallVector<llvm::StringRef> texts(paths.begin(), paths.end());
  return mlir::FusedLoc::get({location}, b.getStrArrayAttr(texts), location.getContext());
}

std::vector<std::string> paths_of(mlir::Location location) {
  std::vector<std::string> paths;
  location->walk([&](mlir::Location inner) {
    auto fused = llvm::dyn_cast<mlir::FusedLoc>(inner);
    auto texts = fused ? llvm::dyn_cast_if_present<mlir::ArrayAttr>(fused.getMetadata()) : nullptr;
    if (!texts)
      return mlir::WalkResult::advance();
    for (auto text : texts.getAsRange<mlir::StringAttr>())
      paths.push_back(text.str());
    return mlir::WalkResult::interrupt();
  });
  return paths;
}

} // namespace kolam::ir
