// Marks what derivatives are to compute again.
#include "kolam/transform/recompute.h"

#include "kolam/analysis/cost.h"
#include "kolam/analysis/data_dim/turns.h"
#include "kolam/ir/facts.h"
#include "kolam/language/lists.h"
#include "kolam/language/region.h"
#include "kolam/transform/array_scans.h"
#include "kolam/transform/derive/residuals.h"
#include "kolam/transform/derive/segments.h"

#include "mlir/IR/IRMapping.h"

#include <cmath>

namespace kolam::transform {
namespace {

using language::Values;
using mlir::Value;

using Sizes = std::map<std::string, int64_t>;

constexpr double kUnknown = 1000; // assumed: as for symbols

bool is_array_scan_over_lists(mlir::Operation* op) {
  auto scan = llvm::dyn_cast<ir::ListScanOp>(op);
  return scan && is_array_scan(scan);
}

/// What a body is called with, and the sizes of symbols then.
struct Call {
  mlir::ValueRange given;
  const Sizes& sizes;
};

/// How many elements a list has that a body reads which is known where it is given one
/// that is packed of leaves.
double elements_of(Value list, mlir::Region& body, const Call& call) {
  list = language::counted(list);
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(list);
  if (argument && argument.getOwner() == &body.front() &&
      argument.getArgNumber() < call.given.size())
    list = call.given[argument.getArgNumber()];
  auto pack = list.getDefiningOp<ir::PackOp>();
  if (!pack)
    return kUnknown;
  const mlir::ValueRange offsets = pack.getOffsets();
  return offsets.empty() ? analysis::rough_value(ir::shape_of(pack.getLeaves())[0], call.sizes)
                         : analysis::rough_value(ir::shape_of(offsets[0])[0], call.sizes) - 1;
}

/// How many steps a loop of the body has.
double steps_of(mlir::Operation* op, mlir::Region& body, const Call& call) {
  if (auto scan = llvm::dyn_cast<ir::ScanOp>(op))
    return analysis::rough_value(scan.getLength().shape()[0], call.sizes);
  if (auto loop = llvm::dyn_cast<ir::ForOp>(op)) {
    const auto from = analysis::number_of(loop.getLower()),
               to = analysis::number_of(loop.getUpper());
    return from && to ? static_cast<double>(*to - *from) : kUnknown;
  }
  if (auto over_lists = llvm::dyn_cast<ir::ListScanOp>(op))
    return elements_of(over_lists.getLists()[0], body, call);
  return kUnknown;
}

/// The loops that are in no other one.
std::vector<mlir::Operation*> outer_loops(mlir::Region& body) {
  std::vector<mlir::Operation*> loops;
  body.walk<mlir::WalkOrder::PreOrder>([&](mlir::Operation* op) {
    const ir::Facts facts = ir::facts_of(op);
    if (facts.bodies != ir::Bodies::in_turn && !is_array_scan_over_lists(op))
      return mlir::WalkResult::advance();
    if (facts.runs != ir::Runs::kernels)
      loops.push_back(op);
    return mlir::WalkResult::skip();
  });
  return loops;
}

/// Whether an op may move into a checkpoint: what it binds or checks is seen outside.
bool may_move(mlir::Operation* op) {
  const ir::Effect effect = ir::facts_of(op).effect;
  return (effect == ir::Effect::none || effect == ir::Effect::memory) &&
         !llvm::isa<ir::UnpackOp>(op);
}

double bytes_of(mlir::ValueRange values) {
  double bytes = 0;
  for (Value value : values)
    if (llvm::isa<mlir::RankedTensorType>(value.getType()))
      bytes += analysis::bytes_of(value);
  return bytes;
}

void make_group(language::Builder& b, llvm::ArrayRef<mlir::Operation*> ops,
                const std::string& policy) {
  llvm::DenseSet<mlir::Operation*> inside(ops.begin(), ops.end());
  llvm::SetVector<Value> read;
  Values results;
  for (mlir::Operation* op : ops) {
    op->walk([&](mlir::Operation* any) {
      for (Value operand : any->getOperands())
        if (mlir::Operation* from = operand.getDefiningOp();
            operand.getParentBlock() == op->getBlock() && !(from && inside.contains(from)))
          read.insert(operand);
    });
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](mlir::Operation* user) {
            return !inside.contains(op->getBlock()->findAncestorOpInBlock(*user));
          }))
        results.push_back(result);
  }
  if (results.empty())
    return;
  mlir::OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfter(ops.back());
  auto group = ir::CompositeOp::create(b, mlir::ValueRange(results).getTypes(), "checkpoint",
                                       read.getArrayRef(), 0U);
  group->setAttr("policy", b.getStringAttr(policy));
  group.getBody().takeBody(*language::make_region(
      b, mlir::ValueRange(read.getArrayRef()).getTypes(), [&](const Values& arguments) {
        mlir::IRMapping map;
        map.map(mlir::ValueRange(read.getArrayRef()), mlir::ValueRange(arguments));
        for (mlir::Operation* op : ops)
          b.clone(*op, map);
        Values yielded;
        for (Value result : results)
          yielded.push_back(map.lookup(result));
        return yielded;
      }));
  for (auto [result, made] : llvm::zip(results, group.getResults()))
    result.replaceAllUsesExcept(made, group);
  for (mlir::Operation* op : llvm::reverse(ops))
    op->erase();
}

/// Runs of ops that give about the same number of bytes each; the last runs again at once: it is
/// left as it is where there are others.
void group(language::Builder& b, mlir::Block& block, const Recomputation& how) {
  double all = 0;
  for (mlir::Operation& op : block.without_terminator())
    all += bytes_of(op.getResults());
  std::vector<std::vector<mlir::Operation*>> groups(1);
  double sum = 0;
  for (mlir::Operation& op : block.without_terminator()) {
    const double share = all / static_cast<double>(how.groups);
    if (!may_move(&op) || sum >= share * static_cast<double>(groups.size())) {
      groups.emplace_back();
      if (!may_move(&op))
        continue;
    }
    sum += bytes_of(op.getResults());
    groups.back().push_back(&op);
  }
  if (how.groups > 1)
    groups.pop_back();
  for (const std::vector<mlir::Operation*>& ops : groups)
    if (!ops.empty())
      make_group(b, ops, how.policy);
}

/// The power of two that is nearest.
int64_t power_near(double count) {
  return int64_t{1} << std::max(0L, std::lround(std::log2(std::max(1.0, count))));
}

/// What is kept between steps, and what a loop's steps add to.
double bytes_between(mlir::Operation* loop) {
  auto of = [](auto op) { return bytes_of(op.getInits()) + bytes_of(op.getCaptures()); };
  if (auto scan = llvm::dyn_cast<ir::ScanOp>(loop))
    return of(scan);
  if (auto loop_while = llvm::dyn_cast<ir::WhileOp>(loop))
    return of(loop_while);
  if (auto over_lists = llvm::dyn_cast<ir::ListScanOp>(loop))
    return of(over_lists);
  return of(llvm::cast<ir::ForOp>(loop));
}

/// Of the loop whose steps keep most: how many there are, and what is kept between segments beside
/// what a step keeps.
struct LargestLoop {
  double steps = 0, ratio = 1;
};

LargestLoop largest_loop(mlir::Region& body, const Call& call) {
  LargestLoop found;
  double most = 0;
  for (mlir::Operation* op : outer_loops(body)) {
    double kept = 1;
    for (mlir::Operation& inner : op->getRegions().back().front().without_terminator())
      if (!derive::is_cheap_again(&inner))
        kept += bytes_of(inner.getResults());
    const double steps = steps_of(op, body, call);
    if (steps * kept > most) {
      most = steps * kept;
      found = {steps, bytes_between(op) / kept};
    }
  }
  return found;
}

/// The lengths of segments, and of segments in them, that keep least if all weigh alike, times
/// `factor`.
std::vector<int64_t> segments(const LargestLoop& loop, int levels, double factor) {
  std::vector<int64_t> lengths;
  const double each = std::pow(loop.steps * loop.ratio * factor, 1.0 / (levels + 1));
  double below = loop.steps;
  for (int level = levels; level > 0; --level) {
    const int64_t length = power_near(std::pow(each, level));
    if (length < 2 || static_cast<double>(length) > below / 2)
      return {};
    lengths.push_back(length);
    below = static_cast<double>(length);
  }
  return lengths;
}

} // namespace

void recompute(language::Builder& b, mlir::Region& body, const Recomputation& how,
               const NewSymbol& new_symbol) {
  if (!how.segments.empty())
    for (mlir::Operation* loop : outer_loops(body)) {
      if (auto over_lists = llvm::dyn_cast<ir::ListScanOp>(loop))
        loop = as_array_scan(b, over_lists, new_symbol);
      loop->setAttr(derive::kSegments, b.getDenseI64ArrayAttr(how.segments));
    }
  if (how.groups > 0)
    group(b, body.front(), how);
}

std::vector<Recomputation> recomputations(mlir::Region& body, mlir::ValueRange given,
                                          const Sizes& sizes, int levels) {
  std::vector<Recomputation> ways{{1, "dear_saveable"}};
  const LargestLoop loop = largest_loop(body, {given, sizes});
  if (loop.steps > 1)
    for (int level = 1; level <= levels; ++level)
      for (double factor :
           {1.0, 4.0, 0.25, 16.0, 64.0, 0.0625}) // assumed: how far the guess is off
        if (std::vector<int64_t> lengths = segments(loop, level, factor); !lengths.empty())
          if (Recomputation way{0, "nothing_saveable", lengths}; !llvm::is_contained(ways, way))
            ways.push_back(way);
  return ways;
}

std::vector<Recomputation> groups_beside(mlir::Region& body, const std::vector<int64_t>& segments) {
  const auto ops = static_cast<size_t>(
      llvm::count_if(body.front().without_terminator(),
                     [](mlir::Operation& op) { return !derive::is_cheap_again(&op); }));
  std::vector<Recomputation> ways;
  if (ops < 2)
    return ways;
  const auto some = static_cast<size_t>(std::ceil(std::sqrt(static_cast<double>(ops))));
  for (size_t groups : {some, 2 * some, ops})
    for (const std::vector<int64_t>& lengths : {std::vector<int64_t>(), segments})
      if (Recomputation way{groups, "nothing_saveable", lengths}; !llvm::is_contained(ways, way))
        ways.push_back(way);
  return ways;
}

} // namespace kolam::transform
