// Branches: one for all instances, or all of them with a choice behind; and checks.
#include "kolam/language/broadcast.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/promotion.h"
#include "kolam/transform/batch/bodies.h"

namespace kolam::transform::batch {
namespace {

Value negation(Builder& b, Value x) { return language::elementwise(b, Fn::logical_not, {x}); }

/// For each branch the instances that take it.
Values takers(ir::CondOp op, Value selector, Instances& all) {
  Builder& b = all.b;
  if (ir::dtype_of(selector) == DType::boolean)
    return {negation(b, selector), selector};
  int64_t last = static_cast<int64_t>(op.getBranches().size()) - 1;
  if (ir::dtype_of(selector) == DType::u64) // beyond int64 the last branch is meant
    selector = language::elementwise(b, Fn::minimum,
                                     {selector, language::weak_constant(b, last, DType::u64)});
  selector = language::cast(b, selector, DType::i64);
  Values masks;
  for (int64_t branch = 0; branch <= last; ++branch) {
    Fn fn = branch == 0 ? Fn::less_equal : branch == last ? Fn::greater_equal : Fn::equal;
    masks.push_back(
        language::elementwise(b, fn, {selector, language::weak_constant(b, branch, DType::i64)}));
  }
  if (last == 0)
    masks[0] = language::elementwise(b, Fn::equal, {selector, selector});
  return masks;
}

/// One branch for all instances: what those of `running` get counts.
Values branch_of_each(ir::CondOp op, mlir::Region& branch, Operands captures, Value running,
                      Instances& all) {
  Flags flags(op.getNumResults(), true);
  Instances taking = all.with(both(all, all.active, running));
  auto make = [&] { return fit(all, batch_region(branch, captures, taking), flags); };
  if (!must_be_asked_for(branch))
    return make();
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Type type : op.getResultTypes())
    types.push_back(each_type(all, type));
  return where_any(all, taking.active, types, make);
}

/// All branches, and for each instance the results of its own.
Results choose(ir::CondOp op, Operands operands, Instances& all) {
  Values masks = takers(op, operands[0].value, all);
  std::vector<Values> results;
  for (auto [branch, mask] : llvm::zip(op.getBranches(), masks))
    results.push_back(branch_of_each(op, branch, operands.drop_front(), mask, all));
  Values chosen = results.back();
  for (size_t branch = results.size() - 1; branch-- > 0;)
    for (size_t i = 0; i < chosen.size(); ++i)
      chosen[i] = select(all, masks[branch], results[branch][i], chosen[i]);
  return each(chosen);
}

} // namespace

Results batch_rule(ir::CondOp op, Operands operands, Instances& all) {
  if (operands[0].is_each)
    return choose(op, operands, all);
  Flags flags = all.analysis.results(op, flags_of(operands));
  std::vector<language::Body> branches;
  for (mlir::Region& branch : op.getBranches())
    branches.push_back(language::make_body(all.b, {}, [&](const Values&) {
      return fit(all, batch_region(branch, operands.drop_front(), all), flags);
    }));
  return with_flags(language::cond(all.b, operands[0].value, std::move(branches)), flags);
}

/// It holds for the instances that come to it.
Results batch_rule(ir::CheckOp op, Operands operands, Instances& all) {
  Value condition = operands[0].value;
  if (all.active) {
    Value idle = negation(all.b, spread(all, all.active, condition));
    condition = language::elementwise(all.b, Fn::logical_or, {condition, idle});
  }
  ir::CheckOp::create(all.b, condition, op.getSlug(), op.getMessage());
  return {};
}

} // namespace kolam::transform::batch
