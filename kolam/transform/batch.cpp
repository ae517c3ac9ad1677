// Batches one op by its rule; takes back what was made where it can't.
#include "kolam/transform/batch.h"

#include "kolam/language/collective.h"
#include "kolam/language/user_check.h"
#include "kolam/transform/attempt.h"
#include "kolam/transform/batch/bodies.h"
#include "kolam/transform/derive/attention_rules.h"
#include "kolam/transform/interpret.h"

namespace kolam::transform {
namespace batch {

void require_repeatable(mlir::Operation* op) {
  op->walk<mlir::WalkOrder::PreOrder>([](mlir::Operation* inner) {
    if (language::user_check_of(inner)) // one call says all
      return mlir::WalkResult::skip();
    if (ir::facts_of(inner).effect == ir::Effect::host)
      refuse("a function of the host is called once for each instance");
    return mlir::WalkResult::advance();
  });
}

namespace {

/// Whether an op is the same for all instances where its operands are.
bool is_shared(mlir::Operation* op, Operands operands, Instances& all) {
  auto call = llvm::dyn_cast<ir::KernelCallOp>(op);
  return llvm::none_of(operands, [](const Batched& operand) { return operand.is_each; }) &&
         !language::user_check_of(op) && !(call && has_own_grid(call, all)) &&
         (all.options.axis_name.empty() || !language::holds_collective(op, all.options.axis_name));
}

Results shared_by_all(mlir::Operation* op, Operands operands, Instances& all) {
  require_repeatable(op);
  mlir::Operation* copied = all.b.insert(op->clone());
  for (auto [number, operand] : llvm::enumerate(operands))
    copied->setOperand(static_cast<unsigned>(number), operand.value);
  return with_flags(copied->getResults(), Flags(copied->getNumResults(), false));
}

/// Whether an op multiplies its operands with one another, or its derivative does.
bool has_factors(mlir::Operation* op, const Instances& all) {
  auto composite = llvm::dyn_cast<ir::CompositeOp>(op);
  if (!composite)
    return ir::facts_of(op).has_factors;
  return composite.getName() == derive::kAttentionTangent ||
         composite.getName() == derive::kAttentionGradient ||
         (composite.getName() == kCustomVmap && all.options.custom &&
          holds_factors(composite.getBody()));
}

[[noreturn]] void refuse_op(mlir::Operation* op) {
  if (llvm::isa<ir::OpaqueCallOp>(op))
    require_repeatable(op);
  refuse(op->getName().stripDialect().str() + " has no rule for many instances");
}

} // namespace

Results batch_any(mlir::Operation* op, Operands operands, Instances& all) {
  AtLine line(all.b, op->getLoc());
  if (is_shared(op, operands, all))
    return shared_by_all(op, operands, all);
  Results factors;
  if (all.active && has_factors(op, all)) {
    factors = zero_unless_active(all, operands);
    operands = factors;
  }
  return by_rule_or_row<Results>(
      op,
      [&](auto typed) -> decltype(batch_rule(typed, operands, all)) {
        return batch_rule(typed, operands, all);
      },
      [](auto typed) -> decltype(has_none(typed)) {},
      [](mlir::Operation* other) -> Results { refuse_op(other); });
}

// Note [Factors]
// Where instances take different branches, ops run for all, and only results are chosen. The
// cotangents of what is not chosen are zero, and elementwise derivatives keep them so (`scale`). A
// product's do not: w~ = sum_n y~[n] x[n] over all instances is NaN where x[n] is, though y~[n] is
// zero. So ops with factors take zero from instances that do not run them.

} // namespace batch

/// What `make` gives; without a value where it refuses, and then nothing is left of it.
static std::optional<std::vector<Batched>>
try_batch(language::Builder& b, const Extent& count, std::string* why, const BatchOptions& options,
          const std::function<std::vector<Batched>(batch::Instances&)>& make) {
  Attempt attempt(b);
  batch::EachAnalysis analysis(options.axis_name);
  std::map<std::string, language::Value> sizes;
  batch::Instances all{b, count, analysis, options, sizes, {}};
  try {
    std::vector<Batched> results = make(all);
    attempt.keep();
    return results;
  } catch (const batch::Refusal& refusal) {
    *why = refusal.why;
  } catch (const Error& error) {
    if (error.slug() != "extent-overflow")
      throw;
    *why = error.message();
  }
  return std::nullopt;
}

std::optional<std::vector<Batched>> batch_op(language::Builder& b, mlir::Operation* op,
                                             llvm::ArrayRef<Batched> operands, const Extent& count,
                                             std::string* why) {
  return try_batch(b, count, why, {},
                   [&](batch::Instances& all) { return batch::batch_any(op, operands, all); });
}

std::optional<std::vector<Batched>> batch_body(language::Builder& b, mlir::Region& body,
                                               llvm::ArrayRef<Batched> arguments,
                                               const Extent& count, std::string* why,
                                               const BatchOptions& options) {
  return try_batch(b, count, why, options, [&](batch::Instances& all) {
    return batch::batch_region(body, arguments, all);
  });
}

} // namespace kolam::transform
