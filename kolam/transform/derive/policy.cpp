// Asks policies.
#include "kolam/transform/derive/policy.h"

#include "kolam/ir/contract_spec.h"
#include "kolam/transform/derive/residuals.h"

#include "llvm/ADT/StringSet.h"

namespace kolam::transform::derive {
namespace {

using language::Values;

bool has_batch_dims(ir::ContractOp op) {
  const auto letters = ir::contract_letters(op.getSpec());
  return llvm::any_of(letters.result, [&](char letter) {
    return llvm::is_contained(letters.lhs, letter) && llvm::is_contained(letters.rhs, letter);
  });
}

/// The name of what `checkpoint_name` gave; empty for other ops.
llvm::StringRef name_of(mlir::Operation* op) {
  auto composite = llvm::dyn_cast<ir::CompositeOp>(op);
  if (!composite || composite.getName() != "checkpoint_name")
    return {};
  auto name = op->getAttrOfType<mlir::StringAttr>("saved_name");
  return name ? name.getValue() : llvm::StringRef();
}

} // namespace

Values kept_by_policy(ir::CompositeOp checkpoint) {
  auto attribute = checkpoint->getAttrOfType<mlir::StringAttr>("policy");
  if (!attribute)
    return {};
  llvm::StringRef policy = attribute.getValue();
  llvm::StringSet<> names;
  if (auto given = checkpoint->getAttrOfType<mlir::ArrayAttr>("names"))
    for (mlir::Attribute name : given)
      names.insert(llvm::cast<mlir::StringAttr>(name).getValue());
  mlir::Block& block = checkpoint.getBody().front();
  llvm::DenseSet<mlir::Value> named; // and what was given that name
  for (mlir::Operation& op : block)
    if (!name_of(&op).empty() && names.contains(name_of(&op))) {
      named.insert(op.getResult(0));
      named.insert(op.getOperand(0));
    }
  auto keeps = [&](mlir::Operation& op) {
    auto contract = llvm::dyn_cast<ir::ContractOp>(op);
    if (policy == "dots_saveable")
      return bool(contract);
    if (policy == "dots_with_no_batch_dims_saveable")
      return contract && !has_batch_dims(contract);
    if (policy == "dear_saveable")
      return !is_cheap_again(&op);
    if (policy == "save_only_these_names")
      return names.contains(name_of(&op));
    return policy == "save_anything_except_these_names" && op.getNumResults() > 0 &&
           !named.contains(op.getResult(0));
  };
  Values kept;
  for (mlir::Operation& op : block.without_terminator())
    if (keeps(op))
      for (mlir::Value result : op.getResults())
        if (llvm::isa<mlir::RankedTensorType>(result.getType()))
          kept.push_back(result);
  return kept;
}

} // namespace kolam::transform::derive
