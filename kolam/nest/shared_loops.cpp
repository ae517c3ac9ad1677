// Finds values that are computed over the same range of the same memory.
#include "kolam/nest/shared_loops.h"

#include "kolam/analysis/cost.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/nest/changes.h"
#include "kolam/nest/lanes.h"
#include "kolam/nest/relation.h"
#include "kolam/nest/row_reductions.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SetVector.h"

#include <list>

namespace kolam::nest {
namespace {

/// Size of code: ops of one nest.
constexpr size_t kMostOps = 96;
/// Bound: values whose ops lie further apart are not looked at together.
constexpr int kMostBetween = 256;
/// Bound: nor are those with so many others begun between them.
constexpr int kMostGroups = 64;

using Ops = llvm::SetVector<mlir::Operation*>;
using ValueSet = llvm::SetVector<mlir::Value>;
using analysis::elements_of;

/// A stored value that its nest computes element by element, or a reduction of such elements.
struct Member {
  mlir::Operation* op;
  double elements; ///< how many the loops go over
  Ops fused;
  ValueSet reads;     ///< from memory
  ValueSet elsewhere; ///< of them what is read at other indices than the value's own
};

/// What becomes one nest, in the order of the block.
struct Group {
  std::vector<const Member*> members;
  ValueSet reads;
  Ops fused;
};

/// What must happen so that a group has one nest.
struct Plan {
  Ops members, inside;                  ///< `inside`: fused ops between a member and another
  std::vector<mlir::Operation*> behind; ///< ops that read members and move behind the group
};

class LoopSharer {
public:
  LoopSharer(mlir::Block& block, Materialized& materialized,
             llvm::function_ref<bool(mlir::Value)> fixed, analysis::Signatures& signatures,
             const Machine& machine)
      : block_(block), materialized_(materialized), fixed_(fixed), signatures_(signatures),
        machine_(machine) {}

  Replaced share() {
    for (mlir::Operation& op : block_.without_terminator())
      if (materialized_.contains(&op))
        if (std::optional<Member> member = member_of(&op))
          add(members_.emplace_back(std::move(*member)));
    Replaced replaced;
    for (const Group& group : groups_)
      if (group.members.size() > 1)
        if (std::optional<Plan> plan = plan_of(group.members))
          apply(group, *plan, replaced);
    return replaced;
  }

private:
  /// The op with its nest, where that goes element by element and along its operands.
  std::optional<Member> member_of(mlir::Operation* op) {
    std::optional<Shape> reduced = reduced_space(op);
    if (op->getNumResults() != 1 || forms_step(op) || carries(op) || keeps_order(op) ||
        llvm::isa<ir::ConstantOp>(op) || !changed_by(op).empty() ||
        !analysis::computes_cells(op, signatures_))
      return std::nullopt;
    Member member{
        op, ir::rough_count(reduced.value_or(ir::shape_of(op->getResult(0)))), {}, {}, {}};
    if (member.elements < 2)
      return std::nullopt;
    if (!collect(op, member) || member.fused.size() > kMostOps ||
        llvm::all_of(member.reads, fixed_))
      return std::nullopt;
    std::vector<mlir::Operation*> fused(member.fused.rbegin(), member.fused.rend());
    if (llvm::any_of(fused, has_loop))
      return std::nullopt;
    if (reduced) {
      member.elsewhere = member.reads;
      return member;
    }
    if (has_loop(op))
      return std::nullopt;
    NestRelation relation(op, fused, signatures_);
    const int last = relation.access().rank() - 1;
    const analysis::RelationIndex& own = relation.access().indices(0).front();
    for (const analysis::RelationUse& read : relation.access().reads()) {
      if (read.at != own)
        member.elsewhere.insert(relation.value_of(read));
      if (!read.at.empty() && read.at.back().copied_loop() >= 0 &&
          read.at.back().copied_loop() != last)
        return std::nullopt; // it lies across: such nests have tiles of their own
    }
    return member;
  }

  /// Producers before consumers.
  bool collect(mlir::Operation* op, Member& member) {
    for (mlir::Value operand : op->getOperands()) {
      mlir::Operation* producer = operand.getDefiningOp();
      if (!producer || producer->getBlock() != &block_ || materialized_.contains(producer)) {
        member.reads.insert(operand);
      } else if (!member.fused.contains(producer)) {
        if (member.fused.size() > kMostOps || !collect(producer, member))
          return false;
        member.fused.insert(producer);
      }
    }
    return true;
  }

  void add(const Member& member) {
    int looked_at = 0;
    for (Group& group : llvm::reverse(groups_)) {
      if (++looked_at > kMostGroups)
        break;
      if (!fits(member, group))
        continue;
      group.members.push_back(&member);
      group.reads.insert_range(member.reads);
      group.fused.insert_range(member.fused);
      return;
    }
    groups_.push_back({{&member}, member.reads, member.fused});
  }

  bool fits(const Member& member, const Group& group) {
    mlir::Operation* first = group.members[0]->op;
    const bool is_reduction = reduced_space(first).has_value();
    if (is_reduction != reduced_space(member.op).has_value() ||
        (is_reduction && !reduce_alike(first, member.op)) ||
        ir::shape_of(member.op->getResult(0)) != ir::shape_of(first->getResult(0)))
      return false;
    for (const Member* other : group.members)
      if (member.elsewhere.contains(other->op->getResult(0)))
        return false;
    if (!is_worth(member, group) || streams_of(member, group) > machine_.caches.streams ||
        ops_of(member, group) > kMostOps)
      return false;
    std::vector<const Member*> all = group.members;
    all.push_back(&member);
    return plan_of(all).has_value();
  }

  /// Whether memory is read once instead of twice, or much is computed once.
  bool is_worth(const Member& member, const Group& group) const {
    const double half = member.elements / 2;
    for (mlir::Value value : member.reads) {
      bool is_shared =
          group.reads.contains(value) || llvm::any_of(group.members, [&](const Member* other) {
            return other->op->getResult(0) == value;
          });
      if (is_shared && elements_of(value) >= half)
        return true;
    }
    double work = 0;
    for (mlir::Operation* op : member.fused)
      if (group.fused.contains(op))
        work += analysis::flops_per_cell(op, signatures_);
    return work >= machine_.prices.shared;
  }

  /// What is read and written side by side.
  static int64_t streams_of(const Member& member, const Group& group) {
    ValueSet all = group.reads;
    all.insert_range(member.reads);
    return static_cast<int64_t>(all.size() + group.members.size()) + 1;
  }
  static size_t ops_of(const Member& member, const Group& group) {
    Ops all = group.fused;
    all.insert_range(member.fused);
    return all.size() + group.members.size() + 1;
  }

  static bool uses_any(mlir::Operation* op, const llvm::DenseSet<mlir::Value>& values) {
    return op
        ->walk([&](mlir::Operation* inner) {
          return llvm::any_of(inner->getOperands(),
                              [&](mlir::Value operand) { return values.contains(operand); })
                     ? mlir::WalkResult::interrupt()
                     : mlir::WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// Nullopt where something between the members needs one of them and is needed by another, or may
  /// not move.
  std::optional<Plan> plan_of(const std::vector<const Member*>& members) const {
    Plan plan;
    auto is_before = [](const Member* x, const Member* y) { return x->op->isBeforeInBlock(y->op); };
    mlir::Operation* first = (*llvm::min_element(members, is_before))->op;
    mlir::Operation* last = (*llvm::max_element(members, is_before))->op;
    Ops fused;
    ValueSet reads;
    for (const Member* member : members) {
      plan.members.insert(member->op);
      fused.insert_range(member->fused);
      reads.insert_range(member->reads);
    }
    // Of members, and of what is computed from them inside the group and outside.
    llvm::DenseSet<mlir::Value> from_members, from_behind;
    int between = 0;
    for (mlir::Operation* op = first;; op = op->getNextNode()) {
      if (++between > kMostBetween)
        return std::nullopt;
      for (mlir::Value changed : changed_by(op))
        if (reads.contains(changed))
          return std::nullopt; // the group would read what it was later
      const bool is_member = plan.members.contains(op), is_fused = fused.contains(op);
      const bool uses_behind = uses_any(op, from_behind), uses_inside = uses_any(op, from_members);
      if (is_member || is_fused) {
        if (uses_behind)
          return std::nullopt; // a value between them is stored
        if (is_member || uses_inside)
          from_members.insert(op->result_begin(), op->result_end());
        if (is_fused && !is_member && uses_inside)
          plan.inside.insert(op);
      } else if (uses_behind || uses_inside) {
        if (!may_move(op))
          return std::nullopt;
        plan.behind.push_back(op);
        from_behind.insert(op->result_begin(), op->result_end());
      }
      if (op == last)
        break;
    }
    for (mlir::Operation* op : plan.inside)
      for (mlir::Operation* user : op->getUsers())
        if (!plan.inside.contains(user) && !plan.members.contains(user))
          return std::nullopt; // it reads the members inside the group and outside
    return plan;
  }

  static bool may_move(mlir::Operation* op) {
    return ir::facts_of(op).effect == ir::Effect::none && changed_by(op).empty() &&
           op->getNumRegions() == 0;
  }

  void apply(const Group& group, const Plan& plan, Replaced& replaced) {
    auto is_outside = [&](mlir::OpOperand& use) {
      return !plan.members.contains(use.getOwner()) && !plan.inside.contains(use.getOwner());
    };
    mlir::Operation* last = group.members[0]->op;
    llvm::SmallVector<mlir::Value> values;
    for (const Member* member : group.members) {
      if (last->isBeforeInBlock(member->op))
        last = member->op;
      mlir::Value value = member->op->getResult(0);
      if (llvm::any_of(value.getUses(), is_outside))
        values.push_back(value);
    }
    if (values.empty())
      return;
    const std::string reason = materialized_.lookup(values[0].getDefiningOp());
    for (const Member* member : group.members)
      materialized_.erase(member->op);
    if (values.size() == 1) { // the others are computed on the way to it
      materialized_[values[0].getDefiningOp()] = reason;
      return;
    }
    mlir::OpBuilder builder(block_.getParentOp()->getContext());
    builder.setInsertionPointAfter(last);
    auto together = ir::TogetherOp::create(builder, last->getLoc(),
                                           mlir::ValueRange(values).getTypes(), values);
    materialized_[together] = reason;
    for (auto [value, result] : llvm::zip(values, together.getResults())) {
      value.replaceUsesWithIf(result, [&](mlir::OpOperand& use) {
        return use.getOwner() != together && is_outside(use);
      });
      replaced.push_back({value, result});
    }
    mlir::Operation* at = together;
    for (mlir::Operation* op : plan.behind) {
      op->moveAfter(at);
      at = op;
    }
  }

  mlir::Block& block_;
  Materialized& materialized_;
  llvm::function_ref<bool(mlir::Value)> fixed_;
  analysis::Signatures& signatures_;
  const Machine& machine_;
  std::list<Member> members_;
  std::list<Group> groups_;
};

} // namespace

Replaced share_loops(mlir::Block& block, Materialized& materialized,
                     llvm::function_ref<bool(mlir::Value)> fixed, analysis::Signatures& signatures,
                     const Machine& machine) {
  return LoopSharer(block, materialized, fixed, signatures, machine).share();
}

} // namespace kolam::nest
