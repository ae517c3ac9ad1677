// Rewrites programs whose plans are compared.
#include "kolam/planner/variants.h"

#include "kolam/ir/facts.h"
#include "kolam/planner/rewritten.h"
#include "kolam/planner/stages.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>
#include <set>

namespace kolam::planner {
namespace {

using rewrite::Keeps;
using rewrite::Step;
using rewrite::Taken;

std::shared_ptr<Variant> copy_of(mlir::func::FuncOp main) {
  auto copy = std::make_shared<Variant>();
  copy->module = main->getParentOfType<mlir::ModuleOp>().clone();
  copy->main = copy->module->lookupSymbol<mlir::func::FuncOp>(main.getSymName());
  copy->parts = std::make_unique<transform::Cuts>();
  return copy;
}

std::string printed(mlir::Operation* op) {
  std::string text;
  llvm::raw_string_ostream out(text);
  op->print(out, mlir::OpPrintingFlags().useLocalScope());
  return text;
}

/// Ops of one form, at which a step does the same; other ops are named by how far they are away.
std::string form_of(mlir::Operation* op, const Step& step) {
  std::string form = step.name;
  for (const auto& [name, numbers] : step.parameters)
    for (int64_t number : numbers)
      form += " " + name + "=" + std::to_string(name == "with" ? step.op - number : number);
  llvm::raw_string_ostream out(form);
  out << op->getName() << op->getAttrDictionary();
  for (mlir::Type type : op->getOperandTypes())
    out << type;
  return form;
}

/// The numbers of the step's ops where `before` has been taken; none where they are gone.
std::optional<Step> renumbered(Step step, const std::vector<Taken>& before) {
  auto renumber = [](int64_t& number, const Taken& taken) {
    const std::vector<int64_t>& now = taken.ops[static_cast<size_t>(number)];
    if (now.size() != 1)
      return false;
    number = now[0];
    return true;
  };
  for (const Taken& taken : before) {
    if (!renumber(step.op, taken))
      return std::nullopt;
    auto with = step.parameters.find("with");
    const bool names_op = step.name == "fuse_projections" || step.name == "join_ops";
    if (names_op && with != step.parameters.end() && !renumber(with->second[0], taken))
      return std::nullopt;
  }
  return step;
}

/// The program after these steps, as far as they still apply; null where none does.
std::shared_ptr<Variant> after(const Variant& variant, const std::vector<Step>& steps,
                               Keeps keeps) {
  std::shared_ptr<Variant> next = copy_of(variant.main);
  next->trace = variant.trace;
  std::vector<Taken> taken;
  for (const Step& step : steps)
    if (const std::optional<Step> now = renumbered(step, taken)) {
      try {
        taken.push_back(rewrite::take(next->main, *now, keeps));
      } catch (const Error&) {
        continue; // an earlier step took what it was about
      }
      next->trace.push_back(trace_of(taken.back()));
    }
  if (taken.empty())
    return nullptr;
  next->text = printed(next->main);
  return next;
}

/// Bound: of programs with more places each is not tried alone.
constexpr size_t kFewSteps = 16;

} // namespace

std::shared_ptr<Variant> variant_of(mlir::func::FuncOp main, std::span<const std::string> choices,
                                    int64_t workers, Keeps keeps) {
  std::shared_ptr<Variant> variant = copy_of(main);
  for (const Taken& taken : rewrite::take_all(variant->main, choices, workers, keeps))
    variant->trace.push_back(trace_of(taken));
  variant->text = printed(variant->main);
  find_values(*variant);
  return variant;
}

void find_values(Variant& variant) {
  variant.stored = usual_stored(variant.main, *variant.parts);
  variant.dear = variant.stored;
  for (mlir::Operation& op : variant.main.getBody().front().without_terminator())
    if (ir::facts_of(&op).again == ir::Again::dear)
      for (mlir::Value result : op.getResults())
        if (transform::has_numbers(result))
          variant.dear.insert(result);
}

std::vector<std::shared_ptr<Variant>> next_variants(const Variant& variant, int64_t workers,
                                                    Keeps keeps, size_t most) {
  std::vector<mlir::Operation*> ops;
  mlir::func::FuncOp main = variant.main;
  for (mlir::Operation& op : main.getBody().front())
    ops.push_back(&op);
  const std::vector<rewrite::Possible> steps = rewrite::possible_steps(main, {}, workers, keeps);
  std::map<std::string, std::vector<Step>> by_form;
  for (const auto& [step, is_exact, what] : steps)
    by_form[form_of(ops[static_cast<size_t>(step.op)], step)].push_back(step);
  std::vector<std::vector<Step>> candidates;
  for (auto& [form, alike] : by_form) {
    std::ranges::reverse(alike); // later ops first: numbers of earlier ones stay
    candidates.push_back(std::move(alike));
  }
  std::ranges::sort(candidates, [](const auto& x, const auto& y) { return x.size() > y.size(); });
  if (steps.size() <= kFewSteps)
    for (const auto& [step, is_exact, what] : steps)
      candidates.push_back({step});
  std::set<std::string> seen;
  std::vector<std::shared_ptr<Variant>> all;
  for (const std::vector<Step>& candidate : candidates) {
    if (all.size() >= most)
      break;
    std::shared_ptr<Variant> next = after(variant, candidate, keeps);
    if (next && seen.insert(next->text).second)
      all.push_back(std::move(next));
  }
  return all;
}

} // namespace kolam::planner
