// Puts values in the place of extents, through nested bodies.
#include "kolam/transform/size_values.h"

#include "kolam/ir/visit.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"

#include "llvm/ADT/SetVector.h"

namespace kolam::transform {
namespace {

using language::Builder;
using language::Value;
using language::Values;

/// The bodies that an op has.
llvm::SmallVector<mlir::Block*> blocks_of(mlir::Operation* op) {
  llvm::SmallVector<mlir::Block*> blocks;
  for (mlir::Region& region : op->getRegions())
    if (!region.empty())
      blocks.push_back(&region.front());
  return blocks;
}

/// Appends to what bodies of an op capture. Whether it can.
bool capture(mlir::Operation* op, llvm::ArrayRef<Value> values) {
  return ir::visit<bool>(
      op,
      [&](auto typed) {
        if constexpr (requires { typed.getCapturesMutable().append(mlir::ValueRange()); }) {
          if (!values.empty())
            typed.getCapturesMutable().append(values);
          return true;
        } else {
          return false;
        }
      },
      [](mlir::Operation*) { return false; });
}
bool can_capture(mlir::Operation* op) { return capture(op, {}); }

} // namespace

Value computed(Builder& b, const Extent& extent,
               const std::function<Value(const std::string&)>& value_of) {
  auto number = [&](int64_t value) { return language::integer_constant(b, value, DType::i64); };
  auto quotient = [&](Value x, Value y) { // 0 where the divisor is not above 0
    Value zero = number(0);
    Value is_above = language::elementwise(b, Fn::greater, {y, zero});
    Value divided = language::elementwise(b, Fn::floor_divide, {x, y});
    return language::elementwise(b, Fn::where, {is_above, divided, zero});
  };
  auto negative = [&](Value x) { return language::elementwise(b, Fn::negative, {x}); };
  return extent.visit<Value>(number, value_of, [&](char op, Value x, Value y) {
    switch (op) {
    case '+':
      return language::elementwise(b, Fn::add, {x, y});
    case '*':
      return language::elementwise(b, Fn::multiply, {x, y});
    case 'f':
      return quotient(x, y);
    case 'c':
      return negative(quotient(negative(x), y));
    case 'm':
      return language::elementwise(b, Fn::minimum, {x, y});
    default:
      return language::elementwise(b, Fn::maximum, {x, y});
    }
  });
}

bool SizeValues::names(mlir::Type type) const {
  if (auto ref = llvm::dyn_cast<ir::RefType>(type))
    type = ref.getValue();
  return !llvm::isa<ir::ListType>(type) && llvm::any_of(ir::shape_of(type), differs_);
}

std::optional<std::string> SizeValues::note(mlir::Region& region) {
  std::optional<std::string> why;
  region.walk([&](mlir::Operation* op) {
    if (auto size = llvm::dyn_cast<ir::ExtentOp>(op)) {
      const Extent extent = *Extent::parse(size.getExpression());
      if (!differs_(extent))
        return mlir::WalkResult::advance();
      for (mlir::Operation* around = op->getParentOp(); around != region.getParentOp();
           around = around->getParentOp())
        if (!can_capture(around)) {
          why = "a body in it names a size that differs from instance to instance";
          return mlir::WalkResult::interrupt();
        }
      if (!llvm::is_contained(found_, extent))
        found_.push_back(extent);
      return mlir::WalkResult::advance();
    }
    bool is_named = llvm::any_of(op->getResultTypes(), [&](mlir::Type t) { return names(t); });
    for (mlir::NamedAttribute attr : op->getAttrs())
      if (auto extents = llvm::dyn_cast<ir::ExtentsAttr>(attr.getValue()))
        is_named |= llvm::any_of(extents.shape(), differs_);
    for (mlir::Region& inner : op->getRegions())
      is_named |= llvm::any_of(inner.getArgumentTypes(), [&](mlir::Type t) { return names(t); });
    if (!is_named)
      return mlir::WalkResult::advance();
    why = "an array of it has other extents at each instance";
    return mlir::WalkResult::interrupt();
  });
  return why;
}

Value SizeValues::replacement(mlir::Operation* op, const Values& values) const {
  auto size = llvm::dyn_cast<ir::ExtentOp>(op);
  if (!size)
    return {};
  auto found = llvm::find(found_, *Extent::parse(size.getExpression()));
  return found == found_.end() ? Value() : values[static_cast<size_t>(found - found_.begin())];
}

/// Bodies of an op, which use nothing from outside but what they capture, capture the sizes that
/// they name.
void SizeValues::replace_inside(mlir::Operation* op, const Values& values) const {
  llvm::SetVector<Value> captured;
  for (mlir::Block* block : blocks_of(op))
    for (mlir::Operation& inner : llvm::make_early_inc_range(*block)) {
      replace_inside(&inner, values);
      for (Value operand : inner.getOperands())
        if (llvm::is_contained(values, operand))
          captured.insert(operand);
      if (Value size = replacement(&inner, values)) {
        captured.insert(size);
        inner.replaceAllUsesWith(mlir::ValueRange{size});
        inner.erase();
      }
    }
  if (captured.empty())
    return;
  capture(op, captured.getArrayRef());
  for (mlir::Block* block : blocks_of(op))
    for (Value size : captured) {
      Value own = block->addArgument(size.getType(), op->getLoc());
      for (mlir::Operation& inner : *block) // bodies in it capture the size themselves
        inner.replaceUsesOfWith(size, own);
    }
}

void SizeValues::copy_ops(Builder& b, mlir::Block& block, const Values& values,
                          mlir::IRMapping& mapping) const {
  for (mlir::Operation& op : block.without_terminator())
    if (Value size = replacement(&op, values))
      mapping.map(op.getResult(0), size);
    else
      replace_inside(b.clone(op, mapping), values);
}

} // namespace kolam::transform
