// Makes and finds reductions over instances.
#include "kolam/language/collective.h"

#include "kolam/language/region.h"

namespace kolam::language {
namespace {

constexpr llvm::StringLiteral kName = "collective", kFunction = "function", kAxis = "axis";

} // namespace

Value collective(Builder& b, Value x, Fn fn, llvm::StringRef axis) {
  mlir::Type type = x.getType();
  auto op = ir::CompositeOp::create(b, mlir::TypeRange{type}, kName, mlir::ValueRange{x}, 0);
  op->setAttr(kFunction, b.getStringAttr(elementwise_row(fn).name));
  op->setAttr(kAxis, b.getStringAttr(axis));
  op.getBody().takeBody(*make_region(b, {type}, [](const Values& own) { return own; }));
  return op.getResult(0);
}

std::optional<Collective> collective_of(mlir::Operation* op) {
  auto composite = llvm::dyn_cast<ir::CompositeOp>(op);
  if (!composite || composite.getName() != kName)
    return std::nullopt;
  return Collective{*parse_fn(op->getAttrOfType<mlir::StringAttr>(kFunction).getValue().str()),
                    op->getAttrOfType<mlir::StringAttr>(kAxis).getValue().str()};
}

bool holds_collective(mlir::Operation* op, llvm::StringRef axis) {
  return op
      ->walk([&](ir::CompositeOp inner) {
        std::optional<Collective> found = collective_of(inner);
        return found && (axis.empty() || found->axis == axis) ? mlir::WalkResult::interrupt()
                                                              : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace kolam::language
