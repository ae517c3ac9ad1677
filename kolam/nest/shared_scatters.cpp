// Finds scatters with the same indices, of which none needs another.
#include "kolam/nest/shared_scatters.h"

#include "kolam/ir/ops.h"
#include "kolam/nest/changes.h"
#include "kolam/nest/scattered_elements.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include <list>

namespace kolam::nest {
namespace {

/// Size of code: destinations of one scatter.
constexpr size_t kMostDestinations = 8;
/// Bound: scatters whose ops lie further apart are not looked at together.
constexpr int kMostBetween = 256;

using Scatters = llvm::SmallVector<ir::ScatterOp>;
using Ops = llvm::SmallVector<mlir::Operation*>;

/// Whether updates of both go to the same places of arrays of one shape.
bool places_alike(ir::ScatterOp x, ir::ScatterOp y) {
  return x.getIndices() == y.getIndices() && x.getDims() == y.getDims() &&
         x.getBatchedDims() == y.getBatchedDims() && x.getMode() == y.getMode() &&
         x.getUniqueIndices() == y.getUniqueIndices() &&
         ir::shape_of(x.getUpdates()[0]) == ir::shape_of(y.getUpdates()[0]) &&
         ir::shape_of(x.getResult(0)) == ir::shape_of(y.getResult(0));
}

/// What stands between the scatters and needs one of them, so that it moves behind; nullopt where a
/// scatter needs another, or something may not move.
std::optional<Ops> reading_between(const Scatters& scatters) {
  Ops behind;
  llvm::DenseSet<mlir::Value> results;
  int between = 0;
  for (mlir::Operation* op = scatters.front();; op = op->getNextNode()) {
    if (++between > kMostBetween)
      return std::nullopt;
    const bool needs =
        op->walk([&](mlir::Operation* inner) {
            return llvm::any_of(inner->getOperands(),
                                [&](mlir::Value operand) { return results.contains(operand); })
                       ? mlir::WalkResult::interrupt()
                       : mlir::WalkResult::advance();
          }).wasInterrupted();
    const bool is_shared =
        llvm::any_of(scatters, [&](ir::ScatterOp scatter) { return scatter == op; });
    if (needs && (is_shared || ir::facts_of(op).effect != ir::Effect::none))
      return std::nullopt;
    if (needs)
      behind.push_back(op);
    if (needs || is_shared)
      results.insert(op->result_begin(), op->result_end());
    if (op == scatters.back())
      return behind;
  }
}

/// The next states of a scatter's elements, as ops.
mlir::ValueRange combined(mlir::OpBuilder& b, ir::ScatterOp op, mlir::ValueRange state,
                          mlir::ValueRange update, mlir::ValueRange captures,
                          llvm::SmallVector<mlir::Value>& next) {
  const llvm::StringRef combiner = op.getCombiner();
  const size_t first = next.size();
  if (combiner == "user") {
    mlir::Block& body = op.getCombine().front();
    mlir::IRMapping values;
    llvm::SmallVector<mlir::Value> arguments(state);
    llvm::append_range(arguments, update);
    llvm::append_range(arguments, captures);
    values.map(body.getArguments(), arguments);
    for (mlir::Operation& inner : body.without_terminator())
      b.clone(inner, values);
    for (mlir::Value yielded : body.getTerminator()->getOperands())
      next.push_back(values.lookup(yielded));
    return mlir::ValueRange(next).drop_front(first);
  }
  auto element = [&](mlir::Type type, llvm::StringRef fn, mlir::ValueRange operands) {
    return ir::ElementwiseOp::create(b, op.getLoc(), type, b.getStringAttr(fn), operands)
        .getResult();
  };
  for (auto [old, value] : llvm::zip(state, update)) {
    const mlir::Type type = old.getType();
    if (combiner == "kUpdate") {
      next.push_back(value);
    } else if (combiner == "kAdd" || combiner == "kMul") {
      next.push_back(element(type, combiner == "kAdd" ? "add" : "multiply", {old, value}));
    } else {
      mlir::Value is_taken = element(ir::tensor_type(b.getContext(), DType::boolean, {}),
                                     combiner == "kMin" ? "less" : "greater", {value, old});
      next.push_back(element(type, "where", {is_taken, value, old}));
    }
  }
  return mlir::ValueRange(next).drop_front(first);
}

/// The states of all scatters, one combiner after the other.
void write_combiner(ir::ScatterOp shared, const Scatters& scatters) {
  mlir::OpBuilder b(shared.getContext());
  mlir::Block* block = b.createBlock(&shared.getCombine());
  auto add = [&](mlir::ValueRange values, bool are_scalars) {
    for (mlir::Value value : values)
      block->addArgument(are_scalars ? ir::tensor_type(b.getContext(), ir::dtype_of(value), {})
                                     : value.getType(),
                         shared.getLoc());
  };
  add(shared.getDestinations(), true);
  add(shared.getUpdates(), true);
  add(shared.getCaptures(), false);
  mlir::ValueRange arguments(block->getArguments());
  const size_t count = shared.getNumResults();
  size_t at = 0, captured = 2 * count;
  llvm::SmallVector<mlir::Value> next;
  for (ir::ScatterOp scatter : scatters) {
    const size_t own = scatter.getNumResults(), captures = scatter.getCaptures().size();
    combined(b, scatter, arguments.slice(at, own), arguments.slice(count + at, own),
             arguments.slice(captured, captures), next);
    at += own;
    captured += captures;
  }
  ir::YieldOp::create(b, shared.getLoc(), next);
}

/// One scatter where the last one stands.
void join(const Scatters& scatters, const Ops& behind, Replaced& replaced) {
  llvm::SmallVector<mlir::Value> destinations, updates, captures;
  for (ir::ScatterOp scatter : scatters) {
    llvm::append_range(destinations, scatter.getDestinations());
    llvm::append_range(updates, scatter.getUpdates());
    llvm::append_range(captures, scatter.getCaptures());
  }
  ir::ScatterOp first = scatters.front(), last = scatters.back();
  const llvm::StringRef combiner = first.getCombiner();
  const bool is_one = combiner != "user" && llvm::all_of(scatters, [&](ir::ScatterOp scatter) {
                        return scatter.getCombiner() == combiner;
                      });
  mlir::OpBuilder b(last);
  auto shared = ir::ScatterOp::create(
      b, last.getLoc(), mlir::ValueRange(destinations).getTypes(), destinations, updates,
      last.getIndices(), captures, last.getDimsAttr(), last.getBatchedDimsAttr(),
      b.getStringAttr(is_one ? combiner : "user"), last.getUniqueIndicesAttr(), last.getModeAttr());
  if (!is_one)
    write_combiner(shared, scatters);
  mlir::Operation* at = shared;
  for (mlir::Operation* op : behind) {
    op->moveAfter(at);
    at = op;
  }
  auto result = shared->result_begin();
  for (ir::ScatterOp scatter : scatters) {
    for (mlir::Value old : scatter.getResults()) {
      old.replaceAllUsesWith(*result);
      replaced.push_back({old, *result++});
    }
    scatter.erase();
  }
}

} // namespace

Replaced share_scatters(mlir::Block& block) {
  std::list<Scatters> groups;
  for (auto scatter : block.getOps<ir::ScatterOp>()) {
    if (!places_by_vectors(scatter))
      continue;
    auto takes = [&](Scatters& group) {
      size_t destinations = scatter.getNumResults();
      for (ir::ScatterOp other : group)
        destinations += other.getNumResults();
      if (destinations > kMostDestinations || !places_alike(group.front(), scatter))
        return false;
      Scatters both = group;
      both.push_back(scatter);
      return reading_between(both).has_value();
    };
    auto group = llvm::find_if(groups, takes);
    if (group == groups.end())
      groups.push_back({scatter});
    else
      group->push_back(scatter);
  }
  Replaced replaced;
  for (const Scatters& group : groups)
    if (group.size() > 1)
      if (std::optional<Ops> behind = reading_between(group)) // ops have moved since
        join(group, *behind, replaced);
  return replaced;
}

} // namespace kolam::nest
