// Asks policies.
#include "kolam/transform/derive/policy.h"

#include "kolam/ir/contract_spec.h"
#include "kolam/transform/derive/residuals.h"
#include "kolam/transform/derive/through_bodies.h"
#include "kolam/transform/lists/rename.h"

#include "llvm/ADT/StringSet.h"

#include <set>

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

constexpr llvm::StringLiteral kPolicy = "policy", kNames = "names", kAround = "policies_around";

class Policy {
public:
  /// `attributes` of a checkpoint, or as they were handed on.
  explicit Policy(mlir::DictionaryAttr attributes, mlir::Block& block) {
    if (auto policy = attributes.getAs<mlir::StringAttr>(kPolicy))
      name_ = policy.getValue();
    if (auto given = attributes.getAs<mlir::ArrayAttr>(kNames))
      for (mlir::Attribute name : given)
        names_.insert(llvm::cast<mlir::StringAttr>(name).getValue());
    block.walk([&](mlir::Operation* op) {
      if (!name_of(op).empty() && names_.contains(name_of(op))) {
        named_.insert(op->getResult(0));
        named_.insert(op->getOperand(0));
      }
    });
  }

  bool keeps(mlir::Operation* op, bool is_outermost) const {
    auto contract = llvm::dyn_cast<ir::ContractOp>(op);
    if (name_ == "dots_saveable")
      return bool(contract);
    if (name_ == "dots_with_no_batch_dims_saveable")
      return contract && !has_batch_dims(contract);
    if (name_ == "dear_saveable")
      return is_outermost && !is_cheap_again(op);
    if (name_ == "save_only_these_names")
      return names_.contains(name_of(op));
    return name_ == "save_anything_except_these_names" && op->getNumResults() > 0 &&
           !named_.contains(op->getResult(0));
  }

private:
  llvm::StringRef name_;
  llvm::StringSet<> names_;
  llvm::DenseSet<mlir::Value> named_; // and what was given that name
};

mlir::DictionaryAttr own_policy(ir::CompositeOp checkpoint) {
  llvm::SmallVector<mlir::NamedAttribute> own;
  for (llvm::StringRef attribute : {kPolicy, kNames})
    if (mlir::Attribute value = checkpoint->getAttr(attribute))
      own.emplace_back(mlir::StringAttr::get(checkpoint.getContext(), attribute), value);
  return mlir::DictionaryAttr::get(checkpoint.getContext(), own);
}

/// Those of the checkpoint, then of those around it.
llvm::SmallVector<mlir::Attribute> policies_of(ir::CompositeOp checkpoint) {
  llvm::SmallVector<mlir::Attribute> all;
  if (checkpoint->hasAttr(kPolicy))
    all.push_back(own_policy(checkpoint));
  if (auto around = checkpoint->getAttrOfType<mlir::ArrayAttr>(kAround))
    llvm::append_range(all, around);
  return all;
}

/// Whether the extents of a value are known in `block`, where they may be bound to a number.
bool has_known_extents(mlir::Value value, mlir::Block& block) {
  std::set<std::string> bound;
  for (auto bind : block.getOps<ir::BindExtentOp>())
    bound.insert(bind.getSymbol().str());
  return llvm::none_of(ir::shape_of(value), [&](const Extent& extent) {
    return llvm::any_of(extent.symbols(), [&](const std::string& symbol) {
      return !bound.contains(symbol) && lists::binds(*block.getParent(), symbol);
    });
  });
}

/// The ops that `policies` keep, of a block and of those that values are brought out of.
void find_kept(mlir::Block::iterator begin, mlir::Block::iterator end, bool is_outermost,
               llvm::ArrayRef<Policy> policies, llvm::SmallVector<mlir::Operation*>& kept) {
  for (mlir::Operation& op : llvm::make_range(begin, end)) {
    if (llvm::any_of(policies,
                     [&](const Policy& policy) { return policy.keeps(&op, is_outermost); }))
      kept.push_back(&op);
    if (may_pass(&op))
      for (mlir::Region& region : op.getRegions())
        find_kept(region.front().begin(), std::prev(region.front().end()), false, policies, kept);
  }
}

} // namespace

Values kept_by_policy(language::Builder& b, ir::CompositeOp checkpoint, mlir::Block& block,
                      mlir::Operation* end) {
  std::vector<Policy> policies;
  for (mlir::Attribute attributes : policies_of(checkpoint))
    policies.emplace_back(llvm::cast<mlir::DictionaryAttr>(attributes), block);
  llvm::SmallVector<mlir::Operation*> ops;
  if (!policies.empty())
    find_kept(block.begin(), end->getIterator(), true, policies, ops);
  Values inner, kept;
  for (mlir::Operation* op : ops)
    for (mlir::Value result : op->getResults())
      if (llvm::isa<mlir::RankedTensorType>(result.getType()) && has_known_extents(result, block))
        (op->getBlock() == &block ? kept : inner).push_back(result);
  if (inner.empty())
    return kept;
  // Ops are other ones once their bodies give more: what they give is found anew.
  auto holder = ir::YieldOp::create(b, kept);
  for (mlir::Value value : inner)
    holder->insertOperands(holder->getNumOperands(), brought_out(b, value, &block));
  kept.clear();
  for (mlir::Value value : holder->getOperands())
    if (!llvm::is_contained(kept, value))
      kept.push_back(value);
  holder->erase();
  return kept;
}

void hand_policies_on(ir::CompositeOp checkpoint) {
  llvm::SmallVector<mlir::Attribute> own = policies_of(checkpoint);
  if (own.empty())
    return;
  checkpoint.getBody().walk([&](ir::CompositeOp inner) {
    if (inner.getName() != "checkpoint")
      return;
    llvm::SmallVector<mlir::Attribute> around;
    if (auto there = inner->getAttrOfType<mlir::ArrayAttr>(kAround))
      llvm::append_range(around, there);
    for (mlir::Attribute policy : own)
      if (!llvm::is_contained(around, policy))
        around.push_back(policy);
    inner->setAttr(kAround, mlir::ArrayAttr::get(inner.getContext(), around));
  });
}

} // namespace kolam::transform::derive
