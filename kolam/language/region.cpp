// Builds regions.
#include "kolam/language/region.h"

namespace kolam::language {

std::unique_ptr<mlir::Region> make_region(Builder& b, mlir::TypeRange types,
                                          const std::function<Values(const Values&)>& body) {
  auto region = std::make_unique<mlir::Region>();
  auto* block = new mlir::Block;
  region->push_back(block);
  Values arguments;
  for (mlir::Type type : types)
    arguments.push_back(block->addArgument(type, b.getLoc()));
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(block);
  ir::YieldOp::create(b, body(arguments));
  return region;
}

} // namespace kolam::language
