// Words conflicts, and tries repairs.
#include "kolam/analysis/data_dim/explanation.h"

#include "kolam/analysis/data_dim/stacked_slices.h"
#include "kolam/ir/types.h"
#include "kolam/space/data_dim_rules.h"
#include "kolam/support/short_location.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <algorithm>
#include <set>

namespace kolam::analysis {
namespace {

using space::kAnyDim;

/// Bound: so many moves of values are offered, in a large program one, and no other rules.
constexpr size_t kMostMoves = 8;
/// Bound: so many values are looked at for each.
constexpr size_t kMostLooks = 16;
/// Bound: programs of more ops are large: solving one again takes as long as all words.
constexpr size_t kLargeProgram = 2000;

/// Bound: longer dims are not sliced and stacked.
constexpr int64_t kMostSlices = 1024;

/// Bound: of a long conflict so many operations are shown from the front and from the end.
constexpr size_t kMostShown = 20;

/// The op that has this place in a function's order (DataDimOp::number).
mlir::Operation* op_at(mlir::func::FuncOp function, int place) {
  mlir::Operation* found = nullptr;
  function.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
    if (place-- > 0)
      return mlir::WalkResult::advance();
    found = op;
    return mlir::WalkResult::interrupt();
  });
  return found;
}

class Explainer {
public:
  Explainer(mlir::func::FuncOp function, const DataDimAsked& asked, const DataDimProblem& problem)
      : function_(function), asked_(asked), problem_(problem) {
    Conflict conflict = find_conflict(problem);
    members_ = std::move(conflict.members);
    core_ = std::move(conflict.core);
  }

  Explanation run() {
    Explanation explanation;
    std::vector<int> made = dims_without_last();
    for (size_t at = 0; at < core_.size(); ++at)
      for (int op : members_[core_[at]].ops)
        explanation.core.push_back(member(op, made, at + 1 == core_.size()));
    explanation.names = names_text(problem_);
    try_options();
    try_pins();
    try_moves();
    try_stacks();
    std::ranges::sort(repairs_, {}, [](const DataDimRepair& repair) {
      return std::pair(repair.total, repair.text);
    });
    explanation.repairs = std::move(repairs_);
    return explanation;
  }

private:
  bool is_large() const { return problem_.ops.size() > kLargeProgram; }

  /// The problem with these members alone.
  DataDimProblem with_members(const std::vector<int>& members) const {
    DataDimProblem part = problem_;
    std::vector<bool> stays(problem_.ops.size(), false);
    for (int member : members)
      for (int op : members_[member].ops)
        stays[op] = true;
    part.ops.clear();
    for (size_t op = 0; op < problem_.ops.size(); ++op)
      if (stays[op])
        part.ops.push_back(problem_.ops[op]);
    return part;
  }

  /// D of each value where all members but the last hold; kAnyDim of those that they do not touch.
  std::vector<int> dims_without_last() const {
    std::vector<int> members(core_.begin(), core_.end());
    if (!members.empty())
      members.pop_back();
    DataDimProblem part = with_members(members);
    std::vector<int> made(problem_.values.size(), kAnyDim);
    DataDimSolution solution = solve(part);
    if (!solution.is_possible)
      return made;
    for (const DataDimOp& op : part.ops)
      for (const std::vector<int>* touched : {&op.operands, &op.results})
        for (int value : *touched)
          made[value] = solution.made[value];
    return made;
  }

  ExplainedMember member(int number, const std::vector<int>& made, bool is_last) const {
    const DataDimOp& op = problem_.ops[number];
    PricedRow row;
    for (const std::vector<int>* touched : {&op.operands, &op.results})
      for (int value : *touched)
        row.dims.push_back(made[value]);
    if (op.kind != DataDimOp::Kind::op)
      row.dims = op.rows.empty() ? row.dims : op.rows[0].dims;
    std::string text = op_text(problem_, op, row);
    if (is_last && op.kind == DataDimOp::Kind::op)
      text += missing(op, made);
    if (op.kind != DataDimOp::Kind::op)
      text += " as given";
    return {op.kind, op.name, op.where, std::move(text)};
  }

  /// What the op would need; of a reshape the stride that is wanted, and those on offer.
  std::string missing(const DataDimOp& op, const std::vector<int>& made) const {
    if (op.rows.empty())
      return "  no data dimension is allowed";
    if (op.keeps_order && op.operands.size() == 1 && op.results.size() == 1 &&
        made[op.operands[0]] >= 0 && !is_kept(made[op.operands[0]])) {
      const Shape &from = problem_.values[op.operands[0]].shape,
                  &to = problem_.values[op.results[0]].shape;
      std::string offered;
      for (size_t dim = 0; dim < to.size(); ++dim)
        offered += (dim == 0 ? "" : " ") + space::stride_of(to, static_cast<int>(dim)).to_string();
      return "  needs a dim of stride " + space::stride_of(from, made[op.operands[0]]).to_string() +
             ", that of the data dimension, but its dims have strides [" + offered + "]";
    }
    std::set<std::string> takes;
    for (const PricedRow& row : op.rows) {
      std::string operands;
      for (size_t at = 0; at < op.operands.size(); ++at)
        operands +=
            (at == 0 ? "" : " ") + shape_text(problem_.values[op.operands[at]], row.dims[at]);
      takes.insert(std::move(operands));
    }
    std::string text;
    for (const std::string& one : takes)
      text += (text.empty() ? "" : " or ") + one;
    return text.empty() ? "" : "  takes " + text;
  }

  void offer(const std::string& text, const DataDimProblem& problem) {
    DataDimSolution solution = solve(problem);
    if (solution.is_possible)
      repairs_.push_back({text, solution.total});
  }

  void try_options() {
    DataDimAsked other = asked_;
    if (!asked_.allow_dynamic_weights) {
      other.allow_dynamic_weights = true;
      offer("allow_dynamic_weights=True", data_dim_problem(function_, other));
    }
    if (is_large())
      return;
    other = asked_;
    other.keeping = Keeping::all;
    offer("keepdims=True", data_dim_problem(function_, other));
    for (const space::DataDimProfile& profile : space::data_dim_profiles()) {
      if (profile.name == asked_.profile.name)
        continue;
      other = asked_;
      other.profile = profile;
      offer("profile=\"" + profile.name + "\"", data_dim_problem(function_, other));
      if (!asked_.allow_dynamic_weights) {
        other.allow_dynamic_weights = true;
        offer("profile=\"" + profile.name + "\" with allow_dynamic_weights=True",
              data_dim_problem(function_, other));
      }
    }
  }

  /// Another D where one is pinned.
  void try_pins() {
    for (int number : core_)
      for (int at : members_[number].ops) {
        const DataDimOp& op = problem_.ops[at];
        if (op.kind == DataDimOp::Kind::op)
          continue;
        DataDimProblem problem = data_dim_problem(function_, without_pin(op));
        DataDimSolution solution = solve(problem);
        if (!solution.is_possible)
          continue;
        const int value = op.operands.empty() ? op.results[0] : op.operands[0];
        repairs_.push_back(
            {pin_text(op) + " given as " + shape_text(problem_.values[value], solution.made[value]),
             solution.total});
      }
  }

  DataDimAsked without_pin(const DataDimOp& op) const {
    DataDimAsked other = asked_;
    if (op.kind == DataDimOp::Kind::pin)
      other.unpinned.push_back(op.number);
    else if (op.kind == DataDimOp::Kind::argument)
      other.inputs[static_cast<size_t>(op.number)].reset();
    else
      other.outputs[static_cast<size_t>(op.number)].reset();
    return other;
  }

  static std::string pin_text(const DataDimOp& op) {
    if (op.kind != DataDimOp::Kind::pin)
      return (op.kind == DataDimOp::Kind::argument ? "input " : "output ") + op.name;
    std::string line = short_location(op.where);
    return "the pin" + (line.empty() ? "" : " at " + line);
  }

  /// One value that ops of the core read moved to another D.
  void try_moves() {
    std::set<int> values;
    for (int number : core_)
      for (int op : members_[number].ops)
        values.insert(problem_.ops[op].operands.begin(), problem_.ops[op].operands.end());
    size_t left = is_large() ? 1 : kMostMoves;
    size_t looks = left * kMostLooks;
    DataDimProblem core = with_members(core_), whole = problem_;
    for (int value : values) {
      if (looks-- == 0)
        return;
      core.values[value].may_move = true;
      const bool helps = solve(core).is_possible;
      core.values[value].may_move = false;
      if (!helps)
        continue;
      if (left-- == 0)
        return;
      whole.values[value].may_move = true;
      DataDimSolution solution = solve(whole);
      whole.values[value].may_move = false;
      if (!solution.is_possible || solution.relayouts.empty())
        continue;
      const Relayout& move = solution.relayouts[0];
      const DataDimValue& of = problem_.values[value];
      std::string line = short_location(of.where);
      repairs_.push_back({"a relayout of " + shape_text(of, move.from) + " to " +
                              shape_text(of, move.to) + (line.empty() ? "" : ", made at " + line),
                          solution.total});
    }
  }

  /// D of what an op of the core adds a dim to, on that dim: the document's own way.
  void try_stacks() {
    if (is_large())
      return;
    size_t left = kMostMoves;
    for (int number : core_)
      for (int at : members_[number].ops)
        if (problem_.ops[at].kind == DataDimOp::Kind::op)
          for (const NewAxis& axis : new_axes(op_at(function_, problem_.ops[at].number)))
            if (left > 0 && try_stack(problem_.ops[at], axis))
              --left;
  }

  /// Whether it was tried.
  bool try_stack(const DataDimOp& op, const NewAxis& at) {
    mlir::Operation* made = op_at(function_, op.number);
    const Shape shape = ir::shape_of(made->getOperand(0));
    const std::optional<int64_t> count = shape[at.dim].constant();
    if (op.operands.empty() || !count || *count == 0 || *count > kMostSlices)
      return false;
    mlir::OwningOpRef<mlir::ModuleOp> copy = function_->getParentOfType<mlir::ModuleOp>().clone();
    auto function = copy->lookupSymbol<mlir::func::FuncOp>(function_.getName());
    stack_slices(op_at(function, op.number), at);
    const std::string line = short_location(op.where);
    offer("slices of " + shape_text(problem_.values[op.operands[0]], static_cast<int>(at.dim)) +
              " stacked along a dim of their own" + (line.empty() ? "" : ", at " + line),
          data_dim_problem(function, asked_));
    return true;
  }

  mlir::func::FuncOp function_;
  const DataDimAsked& asked_;
  const DataDimProblem& problem_;
  std::vector<ConflictMember> members_;
  std::vector<int> core_;
  std::vector<DataDimRepair> repairs_;
};

} // namespace

Explanation explain_conflict(mlir::func::FuncOp function, const DataDimAsked& asked,
                             const DataDimProblem& problem) {
  return Explainer(function, asked, problem).run();
}

std::string to_string(const Explanation& explanation) {
  const size_t count = explanation.core.size();
  std::string text =
      "no data dimension satisfies " +
      (count == 1 ? "this operation" : "these " + std::to_string(count) + " operations");
  for (size_t at = 0; at < count; ++at) {
    if (at == kMostShown && count > 2 * kMostShown) {
      at = count - kMostShown;
      text += "\n  ... " + std::to_string(count - 2 * kMostShown) + " more";
    }
    std::string line = short_location(explanation.core[at].where);
    text += "\n  " + (line.empty() ? "" : line + "  ") + explanation.core[at].text;
  }
  if (!explanation.names.empty())
    text += "\n  names: " + explanation.names;
  for (size_t at = 0; at < explanation.repairs.size(); ++at) {
    const DataDimRepair& repair = explanation.repairs[at];
    text += (at == 0 ? "\n  repairs: " : "; ") + repair.text + " (total " +
            std::to_string(repair.total) + ")";
  }
  return text;
}

} // namespace kolam::analysis
