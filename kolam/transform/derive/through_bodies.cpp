// Adds results and operands to ops with bodies.
#include "kolam/transform/derive/through_bodies.h"

#include "kolam/language/broadcast.h"
#include "kolam/language/control.h"
#include "kolam/transform/derive.h"

namespace kolam::transform::derive {
namespace {

using language::Values;

mlir::Operation* yield_of(mlir::Region& region) { return region.front().getTerminator(); }

void yield_too(mlir::Region& region, Value value) {
  mlir::Operation* yield = yield_of(region);
  yield->insertOperands(yield->getNumOperands(), value);
}

/// The op with one more result, in its place; its bodies move into it.
mlir::Operation* with_result(Builder& b, mlir::Operation* op, mlir::Type type) {
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  mlir::OperationState state(op->getLoc(), op->getName());
  state.addOperands(op->getOperands());
  state.addTypes(op->getResultTypes());
  state.addTypes(type);
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  for (mlir::Region& region : op->getRegions())
    state.addRegion()->takeBody(region);
  mlir::Operation* made = b.insert(mlir::Operation::create(state));
  for (auto [result, other] : llvm::zip_first(op->getResults(), made->getResults()))
    result.replaceAllUsesWith(other);
  op->erase();
  return made;
}

/// The type of what an op gives for a value of one of its bodies.
mlir::Type type_outside(Builder& b, mlir::Operation* op, Value value) {
  auto scan = llvm::dyn_cast<ir::ScanOp>(op);
  if (!scan)
    return value.getType();
  Shape shape = ir::shape_of(value);
  shape.insert(shape.begin(), scan.getLength().shape()[0]);
  return language::tensor_type(b, ir::dtype_of(value), shape);
}

/// What `op` gives for `value`, which one of its bodies computes.
Value given_by(Builder& b, mlir::Operation* op, Value value) {
  mlir::Region& body = *value.getParentRegion();
  auto scan = llvm::dyn_cast<ir::ScanOp>(op);
  const size_t states = scan ? scan.getInits().size() : 0;
  for (auto [number, yielded] : llvm::enumerate(yield_of(body)->getOperands()))
    if (number >= states && yielded == value)
      return op->getResult(static_cast<unsigned>(number));
  yield_too(body, value);
  mlir::OpBuilder::InsertionGuard guard(b);
  if (llvm::isa<ir::CondOp>(op))
    for (mlir::Region& other : op->getRegions())
      if (&other != &body) {
        b.setInsertionPoint(yield_of(other));
        yield_too(other, zeros(b, value.getType()));
      }
  mlir::Operation* made = with_result(b, op, type_outside(b, op, value));
  return made->getResults().back();
}

/// The argument of each body of `op` that stands for `value`, one more operand: of a scan for a
/// slice of it.
Values taken_by(Builder& b, mlir::Operation* op, Value value) {
  Values arguments;
  if (auto scan = llvm::dyn_cast<ir::ScanOp>(op)) {
    const auto place = static_cast<unsigned>(scan.getInits().size() + scan.getXs().size());
    scan.getXsMutable().append(value);
    arguments.push_back(
        scan.getBody().insertArgument(place, language::slice_type(b, value), value.getLoc()));
    return arguments;
  }
  if (auto choice = llvm::dyn_cast<ir::CondOp>(op))
    choice.getCapturesMutable().append(value);
  else
    llvm::cast<ir::CompositeOp>(op).getOperandsMutable().append(value);
  mlir::MutableArrayRef<mlir::Region> bodies = op->getRegions();
  if (llvm::isa<ir::CompositeOp>(op))
    bodies = bodies.take_front(1);
  for (mlir::Region& body : bodies)
    arguments.push_back(body.addArgument(value.getType(), value.getLoc()));
  return arguments;
}

} // namespace

bool may_pass(mlir::Operation* op) {
  if (auto composite = llvm::dyn_cast<ir::CompositeOp>(op))
    return composite.getName() == "checkpoint";
  return llvm::isa<ir::ScanOp>(op) || (llvm::isa<ir::CondOp>(op) && !op->hasAttr("late"));
}

std::optional<Way> way_between(mlir::Block* outer, mlir::Block* inner) {
  Way way;
  for (mlir::Block* block = inner; block != outer;) {
    mlir::Operation* op = block->getParentOp();
    if (!op || !op->getBlock() || !may_pass(op))
      return std::nullopt;
    way.blocks.insert(way.blocks.begin(), block);
    if (auto scan = llvm::dyn_cast<ir::ScanOp>(op))
      way.lengths.insert(way.lengths.begin(), scan.getLength().shape()[0]);
    block = op->getBlock();
  }
  return way;
}

Value brought_out(Builder& b, Value value, mlir::Block* block) {
  while (value.getParentBlock() != block)
    value = given_by(b, value.getParentBlock()->getParentOp(), value);
  return value;
}

Value brought_in(Builder& b, Value value, const Way& way) {
  for (mlir::Block* block : way.blocks)
    for (Value argument : taken_by(b, block->getParentOp(), value))
      if (argument.getParentBlock() == block)
        value = argument;
  return value;
}

void replace_within(Builder& b, Value value, Value stands) {
  value.replaceAllUsesExcept(stands, stands.getDefiningOp());
  auto result = llvm::dyn_cast<mlir::OpResult>(value);
  if (!result || !may_pass(result.getOwner()))
    return;
  mlir::Operation* op = result.getOwner();
  if (auto scan = llvm::dyn_cast<ir::ScanOp>(op);
      scan && result.getResultNumber() < scan.getInits().size())
    return; // the last of many
  Values arguments = taken_by(b, op, stands);
  for (auto [argument, body] : llvm::zip_first(arguments, op->getRegions())) {
    Value inner = yield_of(body)->getOperand(result.getResultNumber());
    if (inner.getDefiningOp())
      replace_within(b, inner, argument);
  }
}

} // namespace kolam::transform::derive
