// Makes composites.
#include "kolam/language/composite.h"

#include "kolam/language/region.h"

namespace kolam::language {
namespace {

thread_local bool keeps_now = false;

} // namespace

KeepComposites::KeepComposites(bool keeps) : outer_(keeps_now) { keeps_now = keeps; }
KeepComposites::~KeepComposites() { keeps_now = outer_; }
bool KeepComposites::keeps() { return keeps_now; }

Value composite(Builder& b, std::string_view name, const Values& operands,
                llvm::ArrayRef<mlir::NamedAttribute> attributes,
                const std::function<Value(const Values&)>& make) {
  if (!keeps_now)
    return make(operands);
  KeepComposites inside(false);
  mlir::TypeRange types = mlir::ValueRange(operands).getTypes();
  llvm::SmallVector<mlir::Type> given(types.begin(), types.end());
  auto region = make_region(b, given, [&](const Values& own) { return Values{make(own)}; });
  if (!isolate(*region).empty()) // what it uses from outside is no operand: as ops
    return make(operands);
  mlir::Type result = region->front().getTerminator()->getOperand(0).getType();
  auto op = ir::CompositeOp::create(b, mlir::TypeRange{result}, b.getStringAttr(name), operands, 0);
  for (mlir::NamedAttribute attribute : attributes)
    op->setAttr(attribute.getName(), attribute.getValue());
  op.getBody().takeBody(*region);
  return op.getResult(0);
}

mlir::NamedAttribute dims_attribute(Builder& b, const Axes& dims) {
  return b.getNamedAttr("dims", b.getDenseI64ArrayAttr(dims));
}

} // namespace kolam::language
