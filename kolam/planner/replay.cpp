// Makes plans again from their trace.
#include "kolam/planner/replay.h"

#include "kolam/plan/expand.h"
#include "kolam/planner/rewritten.h"

#include <charconv>

namespace kolam::planner {
namespace {

using plans::Plan;
using space::Issue;

void add_issue(std::vector<Issue>& issues, const std::string& subject, const std::string& message) {
  issues.push_back({"plan-trace", subject, message});
}

std::optional<size_t> as_number(const std::string& text) {
  size_t number = 0;
  const char* end = text.data() + text.size();
  auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// The results of the ops that the trace keeps; nullopt where it names one that is not there.
std::optional<llvm::DenseSet<mlir::Value>> kept_values(mlir::func::FuncOp main, const Plan& plan) {
  std::vector<mlir::Operation*> ops;
  for (mlir::Operation& op : main.getBody().front().without_terminator())
    ops.push_back(&op);
  llvm::DenseSet<mlir::Value> kept;
  for (const plans::Choice& choice : plan.trace) {
    auto op = choice.parameters.find("op");
    if (!is_cut(choice) || op == choice.parameters.end())
      continue;
    const std::optional<size_t> number = as_number(op->second);
    if (!number || *number >= ops.size())
      return std::nullopt;
    for (mlir::Value result : ops[*number]->getResults())
      if (transform::has_numbers(result))
        kept.insert(result);
  }
  return kept;
}

/// Compares lists of parts, of which the first that differs is named.
template <class Part>
void compare(const char* what, const std::vector<Part>& given, const std::vector<Part>& made,
             std::vector<Issue>& issues) {
  for (size_t number = 0; number < std::min(given.size(), made.size()); ++number)
    if (!(given[number] == made[number])) {
      add_issue(issues, std::string(what) + "[" + std::to_string(number) + "]",
                "expected what the trace gives for the program, but it differs");
      return;
    }
  if (given.size() != made.size())
    add_issue(issues, what,
              "expected " + std::to_string(made.size()) + ", but got " +
                  std::to_string(given.size()));
}

} // namespace

std::string number_of(mlir::Operation* op) {
  return std::to_string(std::distance(op->getBlock()->begin(), op->getIterator()));
}

std::vector<Issue> replay(mlir::func::FuncOp given, const Plan& plan) {
  if (const std::string why = transform::why_not_cut(given); !why.empty())
    return {{"plan-trace", "program", "expected a program that can be cut, but " + why}};
  mlir::OwningOpRef<mlir::ModuleOp> module = given->getParentOfType<mlir::ModuleOp>().clone();
  auto main = module->lookupSymbol<mlir::func::FuncOp>(given.getSymName());
  try {
    rewrite_as(main, plan.trace);
  } catch (const Error& error) {
    return {{"plan-trace", "trace", error.message()}};
  }
  auto kept = kept_values(main, plan);
  if (!kept)
    return {
        {"plan-trace", "trace", "expected ops of the program, but it names one that is not there"}};
  transform::Cuts parts;
  const std::vector<Stage> stages = stages_of(main, *kept, parts);
  std::vector<StageCut> cuts(stages.size());
  for (const plans::Event& event : plans::expand(plan)) {
    if (event.is_move)
      continue;
    const auto piece = plan.tasks[static_cast<size_t>(event.family)].piece;
    const auto stage = static_cast<size_t>(plan.pieces[static_cast<size_t>(piece)].stage);
    if (stage < stages.size() && plan.stages[stage].work == plans::Work::compute &&
        event.index.rank() == static_cast<int>(stages[stage].signature.dims.size()))
      cuts[stage].pieces.push_back({event.index, event.worker});
  }
  std::vector<Issue> issues;
  try {
    const Plan made = make_plan(main, stages, cuts,
                                {.workers = plan.workers,
                                 .memory_per_worker = plan.memory_per_worker,
                                 .keeps_results = plan.keeps_results},
                                parts);
    compare("tensors", plan.tensors, made.tensors, issues);
    compare("stages", plan.stages, made.stages, issues);
    compare("pieces", plan.pieces, made.pieces, issues);
    compare("tasks", plan.tasks, made.tasks, issues);
    compare("moves", plan.moves, made.moves, issues);
  } catch (const Error& error) {
    add_issue(issues, "plan", error.message());
  }
  return issues;
}

} // namespace kolam::planner
