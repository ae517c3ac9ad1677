// Makes and finds checks whose messages show values.
#include "kolam/language/user_check.h"

#include "kolam/language/control.h"
#include "kolam/language/reduction.h"
#include "kolam/language/region.h"

#include <numeric>

namespace kolam::language {
namespace {

constexpr llvm::StringLiteral kName = "check", kMessage = "message", kCallee = "callee";

/// Calls the function of the host where the condition does not hold.
void call_where_false(Builder& b, const Values& operands, const std::string& callee) {
  Axes dims(static_cast<size_t>(ir::rank_of(operands[0])));
  std::iota(dims.begin(), dims.end(), 0);
  std::vector<Body> branches;
  branches.push_back(make_body(b, {}, [&](const Values&) {
    ir::OpaqueCallOp::create(b, mlir::TypeRange{}, callee, operands);
    return Values();
  }));
  branches.push_back(make_body(b, {}, [](const Values&) { return Values(); }));
  Value holds = dims.empty() ? operands[0] : combine(b, operands[0], Fn::logical_and, dims);
  cond(b, holds, std::move(branches));
}

} // namespace

void user_check(Builder& b, const UserCheck& check) {
  Values operands{check.condition};
  operands.insert(operands.end(), check.values.begin(), check.values.end());
  auto op = ir::CompositeOp::create(b, mlir::TypeRange{}, kName, operands, 0);
  op->setAttr(kMessage, b.getStringAttr(check.message));
  op->setAttr(kCallee, b.getStringAttr(check.callee));
  op.getBody().takeBody(
      *make_region(b, mlir::ValueRange(operands).getTypes(), [&](const Values& own) {
        call_where_false(b, own, check.callee);
        return Values();
      }));
}

std::optional<UserCheck> user_check_of(mlir::Operation* op) {
  auto composite = llvm::dyn_cast<ir::CompositeOp>(op);
  if (!composite || composite.getName() != kName)
    return std::nullopt;
  auto text = [&](llvm::StringRef name) {
    return op->getAttrOfType<mlir::StringAttr>(name).getValue().str();
  };
  Values operands(op->operand_begin(), op->operand_end());
  return UserCheck{operands[0], Values(operands.begin() + 1, operands.end()), text(kMessage),
                   text(kCallee)};
}

} // namespace kolam::language
