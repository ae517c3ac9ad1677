// Makes composites.
#include "kolam/language/composite.h"

#include "kolam/language/region.h"

namespace kolam::language {
namespace {

thread_local int derivatives_now = 0;

} // namespace

KeepComposites::KeepComposites(int derivatives) : outer_(derivatives_now) {
  derivatives_now = derivatives;
}
KeepComposites::~KeepComposites() { derivatives_now = outer_; }
int KeepComposites::derivatives() { return derivatives_now; }

Value composite(Builder& b, std::string_view name, const Values& operands,
                llvm::ArrayRef<mlir::NamedAttribute> attributes,
                const std::function<Value(const Values&)>& make) {
  if (!KeepComposites::keeps())
    return make(operands);
  KeepComposites inside(0);
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
