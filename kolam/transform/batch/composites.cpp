// Composites: one composite for all instances, whose dims lie behind theirs and whose rules are
// batched too.
#include "kolam/language/collective.h"
#include "kolam/language/creation.h"
#include "kolam/language/elementwise.h"
#include "kolam/language/reduction.h"
#include "kolam/language/region.h"
#include "kolam/language/user_check.h"
#include "kolam/transform/batch/bodies.h"
#include "kolam/transform/derive.h"
#include "kolam/transform/derive/attention_rules.h"

namespace kolam::transform::batch {
namespace {

/// The body alone; the rule where further derivatives are those of the rule.
Results written_out(ir::CompositeOp op, Operands operands, Instances& all) {
  return batch_region(op.getName() == kWithinLimit ? op.getRules()[0] : op.getBody(), operands,
                      all);
}

using Fit = std::function<Values(const Results&, Instances&)>;

/// A region over values of its own, then operands; what `fit` makes of what it yields. Its own are
/// of each instance or, where they are tangents of the first operands, as these. `running`: those
/// that run it, one argument more behind all operands; null: all. Tangents of the others are zero,
/// whatever a user's rule multiplies them with.
std::unique_ptr<mlir::Region> batched(mlir::Region& region, Operands operands, Value running,
                                      bool has_tangents, Instances& all, const Fit& fit) {
  const size_t own = region.getNumArguments() - operands.size();
  auto is_each = [&](size_t number) { return !has_tangents || operands[number].is_each; };
  llvm::SmallVector<mlir::Type> types;
  for (size_t number = 0; number < own; ++number) {
    mlir::Type type = region.getArgument(static_cast<unsigned>(number)).getType();
    types.push_back(is_each(number) ? each_type(all, type) : type);
  }
  for (const Batched& operand : operands)
    types.push_back(operand.value.getType());
  if (running)
    types.push_back(running.getType());
  return language::make_region(all.b, types, [&](const Values& arguments) {
    Results given;
    for (size_t number = 0; number < own + operands.size(); ++number)
      given.push_back(
          {arguments[number], number < own ? is_each(number) : operands[number - own].is_each});
    Instances inside = all.with(running ? arguments.back() : Value());
    if (running && has_tangents)
      for (Batched& tangent : llvm::MutableArrayRef(given).take_front(own))
        tangent = zero_unless_active(inside, Batched{as_each(inside, tangent), true})[0];
    return fit(batch_region(region, given, inside), inside);
  });
}

/// Cotangents of a rule, for its first operands: of what all share the sum over the instances that
/// run it.
Values summed_where_shared(const Results& cotangents, Operands operands, Instances& all) {
  Values values;
  for (auto [cotangent, operand] : llvm::zip(cotangents, operands)) {
    Value value = zero_unless_active(all, Batched{as_each(all, cotangent), true})[0].value;
    values.push_back(operand.is_each ? value
                                     : language::combine(all.b, value, Fn::add, language::Axes{0}));
  }
  return values;
}

/// Whether a derivative's rule reads dims of other operands than the first.
bool mixes_dims(ir::CompositeOp op, Operands operands) {
  return op->hasAttr("dims") &&
         (!operands[0].is_each || llvm::any_of(operands.drop_front(), [](const Batched& operand) {
           return operand.is_each;
         }));
}

/// Only what checks, loops or multiplies, as users' rules may, asks which instances run it.
/// Derivatives of attention do not: their operands are zero for the others.
bool asks_who_runs(ir::CompositeOp op) {
  const llvm::StringRef name = op.getName();
  if (name == derive::kAttentionTangent || name == derive::kAttentionGradient)
    return false;
  return name == "custom_jvp" || name == "custom_vjp" ||
         llvm::any_of(op->getRegions(), [](mlir::Region& region) {
           return must_be_asked_for(region) || holds_factors(region);
         });
}

/// Operands of attention's gradient, those that it is to of each instance: else the derivative of
/// its rule would be of their sum.
Results with_own_gradients(ir::CompositeOp op, Operands operands, Instances& all) {
  Results results(operands.begin(), operands.end());
  for (int64_t number : derive::numbers_of(op)) {
    Batched& operand = results[static_cast<size_t>(number)];
    operand = {as_each(all, operand), true};
  }
  return results;
}

/// A collective: over another vmap's instances one of values of each of these.
Results over_instances(const language::Collective& known, const Batched& operand, Instances& all) {
  Builder& b = all.b;
  if (known.axis != all.options.axis_name)
    return {{language::collective(b, operand.value, known.fn, known.axis), operand.is_each}};
  if (operand.is_each)
    return {{language::combine(b, operand.value, known.fn, language::Axes{0}), false}};
  if (known.fn != Fn::add)
    return {operand};
  Value count = language::extent_scalar(b, all.count, ir::dtype_of(operand.value));
  return {{language::elementwise(b, Fn::multiply, {operand.value, count}), false}};
}

/// A check of the user's: it holds for the instances that come to it.
Results check_each(language::UserCheck check, Operands operands, Instances& all) {
  const bool is_each =
      all.active || llvm::any_of(operands, [](const Batched& operand) { return operand.is_each; });
  Values values;
  for (const Batched& operand : operands)
    values.push_back(is_each ? as_each(all, operand) : operand.value);
  check.condition = values[0];
  check.values.assign(values.begin() + 1, values.end());
  if (all.active) {
    Value idle =
        language::elementwise(all.b, Fn::logical_not, {spread(all, all.active, check.condition)});
    check.condition = language::elementwise(all.b, Fn::logical_or, {check.condition, idle});
  }
  language::user_check(all.b, check);
  return {};
}

} // namespace

Results batch_rule(ir::CompositeOp op, Operands operands, Instances& all) {
  if (auto known = language::collective_of(op))
    return over_instances(*known, operands[0], all);
  if (auto check = language::user_check_of(op))
    return check_each(*check, operands, all);
  if (op.getName() == kCustomVmap && all.options.custom)
    if (auto results = all.options.custom(op, operands))
      return *results;
  if (op.getName() == derive::kAttentionTangent)
    if (auto results = batch_attention_tangent(op, operands, all))
      return *results;
  Results own;
  if (op.getName() == derive::kAttentionGradient)
    operands = own = with_own_gradients(op, operands, all);
  // What a linear composite's rule gives is counted from its last operands: written out.
  if (op->hasAttr("residuals") || mixes_dims(op, operands))
    return written_out(op, operands, all);
  const Value running = asks_who_runs(op) ? all.active : Value();
  auto each_value = [&](const Results& results, Instances&) {
    Values values;
    for (const Batched& result : results)
      values.push_back(as_each(all, result));
    return values;
  };
  llvm::SmallVector<mlir::Type> types;
  for (mlir::Type type : op.getResultTypes())
    types.push_back(each_type(all, type));
  Values values;
  for (const Batched& operand : operands)
    values.push_back(operand.value);
  if (running)
    values.push_back(running);
  std::vector<std::unique_ptr<mlir::Region>> regions;
  regions.push_back(batched(op.getBody(), operands, running, false, all, each_value));
  for (auto [number, rule] : llvm::enumerate(op.getRules())) {
    const bool gives_cotangents = op.getName() == "custom_vjp" && number == 1;
    const bool has_tangents = op.getName() == "custom_jvp";
    // That of an associative scan is over slices of what is scanned.
    Operands whole = operands.drop_front(op.getName() == "associative_scan" ? types.size() : 0);
    regions.push_back(batched(
        rule, whole, running, has_tangents, all, [&](const Results& results, Instances& inside) {
          return gives_cotangents ? summed_where_shared(results, operands, inside)
                                  : each_value(results, inside);
        }));
  }
  auto made = ir::CompositeOp::create(all.b, types, op.getNameAttr(), values,
                                      static_cast<unsigned>(op.getRules().size()));
  for (mlir::NamedAttribute attribute : op->getDiscardableAttrs())
    made->setAttr(attribute.getName(), attribute.getValue());
  if (auto dims = op->getAttrOfType<mlir::DenseI64ArrayAttr>("dims"))
    made->setAttr("dims", all.b.getDenseI64ArrayAttr(behind(dims.asArrayRef())));
  made.getBody().takeBody(*regions[0]);
  for (size_t number = 1; number < regions.size(); ++number)
    made.getRules()[number - 1].takeBody(*regions[number]);
  return each(made.getResults());
}

} // namespace kolam::transform::batch
