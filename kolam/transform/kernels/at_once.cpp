// Follows what differs from point to point, and weighs loops and branches.
#include "kolam/transform/kernels/at_once.h"

#include "kolam/analysis/covering_updates.h"
#include "kolam/ir/ops.h"
#include "kolam/ir/pointwise.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/support/machine.h"

#include "llvm/ADT/DenseSet.h"

namespace kolam::transform::kernels {
namespace {

bool is_loop(mlir::Operation* op) { return ir::facts_of(op).bodies == ir::Bodies::in_turn; }

class Differing {
public:
  Differing(mlir::Region& point, const std::vector<bool>& differs) {
    for (auto [argument, own] : llvm::zip_equal(point.getArguments(), differs))
      if (own)
        values_.insert(argument);
    size_t before = 0;
    do { // until states of loops add nothing
      before = values_.size();
      follow(point);
    } while (values_.size() != before);
  }

  bool contains(mlir::Value value) const { return values_.contains(value); }

private:
  void follow(mlir::Region& region) {
    for (mlir::Operation& op : region.front()) {
      for (mlir::Region& inner : op.getRegions())
        enter(op, inner);
      if (llvm::any_of(op.getOperands(), [&](mlir::Value x) { return contains(x); }))
        values_.insert_range(op.getResults());
    }
  }

  /// Bodies are given the operands that they name from the last one on, loops a counter before.
  void enter(mlir::Operation& op, mlir::Region& inner) {
    if (inner.empty())
      return;
    const size_t count = std::min<size_t>(inner.getNumArguments(), op.getNumOperands());
    auto arguments = inner.getArguments().take_back(count);
    for (auto [argument, operand] : llvm::zip_equal(arguments, op.getOperands().take_back(count)))
      if (contains(operand))
        values_.insert(argument);
    if (llvm::isa<ir::ForOp>(op) && (contains(op.getOperand(0)) || contains(op.getOperand(1))))
      values_.insert(inner.getArgument(0));
    follow(inner);
    const unsigned first = llvm::isa<ir::ForOp>(op) ? 1 : 0;
    if (!is_loop(&op))
      return;
    for (auto [number, yielded] : llvm::enumerate(inner.front().getTerminator()->getOperands()))
      if (contains(yielded) && number < op.getNumResults()) {
        values_.insert(op.getResult(static_cast<unsigned>(number)));
        if (is_state(op, number))
          values_.insert(inner.getArgument(first + static_cast<unsigned>(number)));
      }
  }

  static bool is_state(mlir::Operation& op, size_t number) {
    auto scan = llvm::dyn_cast<ir::ScanOp>(op);
    return !scan || number < scan.getInits().size();
  }

  llvm::DenseSet<mlir::Value> values_;
};

double count_of(mlir::Value value) { return ir::rough_count(ir::shape_of(value)); }

/// Elements that an op computes: where others lie side by side, they are read there.
double elements_of(mlir::Operation& op) {
  if (llvm::isa<ir::DynamicSliceOp>(op) || ir::facts_of(&op).keeps_order)
    return 0;
  if (auto update = llvm::dyn_cast<ir::DynamicUpdateSliceOp>(op))
    return count_of(update.getUpdate());
  if (auto scatter = llvm::dyn_cast<ir::ScatterOp>(op))
    return count_of(scatter.getUpdates()[0]);
  double most = 0;
  for (mlir::Value result : op.getResults())
    if (llvm::isa<mlir::RankedTensorType>(result.getType()))
      most = std::max(most, count_of(result));
  return most;
}

/// The elements of the largest op in the bodies of a loop or branch.
double largest_in(mlir::Operation* program) {
  double most = 0;
  program->walk([&](mlir::Operation* op) {
    if (op != program && !is_loop(op) && !llvm::isa<ir::YieldOp>(op))
      most = std::max(most, elements_of(*op));
  });
  return most;
}

bool has_products(mlir::Operation* program) {
  return program
      ->walk([](mlir::Operation* op) {
        return ir::facts_of(op).has_factors ? mlir::WalkResult::interrupt()
                                            : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether a loop goes step by step: its states are not computed element by element.
bool goes_by_steps(mlir::Operation* op) {
  return is_loop(op) && !ir::pointwise(op).why_not.empty();
}

class Question {
public:
  Question(const Differing& differing, int64_t points) : differing_(differing), points_(points) {}

  std::string why(mlir::Operation* op) const {
    const ir::Facts facts = ir::facts_of(op);
    if (facts.runs == ir::Runs::lists)
      return "it uses lists";
    if (points_ == 1)
      return "";
    if (goes_by_steps(op))
      return of_steps(op);
    if (auto branch = llvm::dyn_cast<ir::CondOp>(op))
      return of_branch(branch);
    if (facts.checks(ir::Checked::bounds))
      return of_access(op);
    return "";
  }

private:
  std::string of_steps(mlir::Operation* op) const {
    const bool is_counted_apart =
        llvm::isa<ir::ForOp>(op) &&
        (differing_.contains(op->getOperand(0)) || differing_.contains(op->getOperand(1)));
    if (is_counted_apart)
      return "a loop has other bounds at other points";
    const double most = largest_in(op);
    if (most >= kPoints.large_step)
      return "a step of a loop computes " + std::to_string(static_cast<int64_t>(most)) +
             " elements";
    if (most > kPoints.small_step && most * static_cast<double>(points_) > kPoints.near_elements)
      return "a step of a loop in all points would compute " +
             std::to_string(static_cast<int64_t>(most * static_cast<double>(points_))) +
             " elements";
    return "";
  }

  /// A selector that is the same at all points stays a branch.
  std::string of_branch(ir::CondOp op) const {
    if (!differing_.contains(op.getSelector()))
      return "";
    double flops = 0;
    op.walk([&](mlir::Operation* inner) {
      if (auto signed_op = llvm::dyn_cast<ir::SignedOp>(inner); signed_op && inner != op)
        flops += ir::facts_of(inner).bodies == ir::Bodies::none ? signed_op.flops_per_point() : 0;
    });
    const bool is_small = flops <= kPoints.cheap_branch && largest_in(op) < kPoints.large_step;
    return is_small && !has_products(op) ? "" : "points take branches that compute much";
  }

  std::string of_access(mlir::Operation* op) const {
    auto differ = [&](mlir::ValueRange places) {
      return llvm::any_of(places, [&](mlir::Value place) { return differing_.contains(place); });
    };
    auto written = [&](mlir::ValueRange places, mlir::Value part) -> std::string {
      if (differ(places))
        return "data choose where it writes";
      // One after the other, points change them in place; small steps of loops all at once, too.
      const bool is_small_step = llvm::isa_and_present<ir::ForOp>(op->getParentOp()) &&
                                 count_of(part) <= kPoints.small_step;
      return count_of(op->getOperand(0)) >= kPoints.large_step && !is_small_step
                 ? "it writes parts of large blocks"
                 : "";
    };
    if (auto update = llvm::dyn_cast<ir::DynamicUpdateSliceOp>(op))
      return analysis::is_covered_with_others(update)
                 ? ""
                 : written(update.getStarts(), update.getUpdate());
    if (auto scatter = llvm::dyn_cast<ir::ScatterOp>(op))
      return written(scatter.getIndices(), scatter.getUpdates()[0]);
    const bool is_long =
        llvm::isa<ir::DynamicSliceOp>(op) && elements_of(*op) >= kPoints.long_window;
    return is_long && differ(op->getOperands().drop_front()) ? "data choose its elements" : "";
  }

  const Differing& differing_;
  int64_t points_;
};

} // namespace

bool computes_values(mlir::Region& point) {
  return !point
              .walk([](mlir::Operation* op) {
                return ir::facts_of(op).effect == ir::Effect::none ? mlir::WalkResult::advance()
                                                                   : mlir::WalkResult::interrupt();
              })
              .wasInterrupted();
}

bool is_worth_widening(mlir::Region& point, int64_t points) {
  bool is_worth = true;
  point.walk([&](mlir::Operation* op) {
    if (!goes_by_steps(op))
      return;
    const double most = largest_in(op);
    // Blocks of products say what stays in caches.
    is_worth &= most * static_cast<double>(points) <= kPoints.near_elements / 2 &&
                (most <= kPoints.small_step || !has_products(op));
  });
  return is_worth;
}

std::string why_one_by_one(mlir::Region& point, const std::vector<bool>& differs, int64_t points) {
  const Differing differing(point, differs);
  const Question question(differing, points);
  std::string why;
  point.walk([&](mlir::Operation* op) {
    why = question.why(op);
    return why.empty() ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return why;
}

std::string why_surely_one_by_one(mlir::Region& kernel, const std::vector<bool>& differs,
                                  int64_t points) {
  const Differing differing(kernel, differs);
  const Question question(differing, points);
  std::string why;
  kernel.walk([&](mlir::Operation* op) {
    if (is_loop(op) && has_products(op))
      why = question.why(op);
    return why.empty() ? mlir::WalkResult::advance() : mlir::WalkResult::interrupt();
  });
  return why;
}

} // namespace kolam::transform::kernels
