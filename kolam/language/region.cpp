// Builds regions.
#include "kolam/language/region.h"

#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/MapVector.h"

namespace kolam::language {

std::unique_ptr<mlir::Region> copy_of(mlir::Region& region) {
  auto copy = std::make_unique<mlir::Region>();
  mlir::IRMapping mapping;
  region.cloneInto(copy.get(), mapping);
  return copy;
}

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

Values inlined(Builder& b, mlir::Region& region, const Values& arguments) {
  mlir::Block& block = region.front();
  mlir::IRMapping map;
  for (auto [own, argument] : llvm::zip_equal(block.getArguments(), arguments))
    map.map(own, argument);
  for (mlir::Operation& op : block.without_terminator())
    b.clone(op, map);
  Values results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(map.lookupOrDefault(value));
  return results;
}

Values isolate(mlir::Region& region) {
  mlir::Block& block = region.front();
  llvm::MapVector<Value, Value> captures;
  // Regions inside are isolated already: what they capture is an operand of their op.
  for (mlir::Operation& op : block)
    for (mlir::OpOperand& operand : op.getOpOperands()) {
      Value value = operand.get();
      if (value.getParentBlock() == &block)
        continue;
      Value& argument = captures[value];
      if (!argument)
        argument = block.addArgument(value.getType(), value.getLoc());
      operand.set(argument);
    }
  Values outside;
  for (auto [value, argument] : captures)
    outside.push_back(value);
  return outside;
}

} // namespace kolam::language
