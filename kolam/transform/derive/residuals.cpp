// A least cut between what a body computes and what its derivative reads.
#include "kolam/transform/derive/residuals.h"

#include "kolam/analysis/cost.h"
#include "kolam/ir/facts.h"
#include "kolam/support/min_cut.h"
#include "kolam/transform/derive/copies.h"
#include "kolam/transform/derive/notes.h"

#include "mlir/IR/IRMapping.h"

#include <functional>

namespace kolam::transform::derive {

bool is_cheap_again(mlir::Operation* op, double most_flops) {
  if (!op || op->getNumResults() != 1 || op->getNumRegions() > 0 ||
      !llvm::isa<mlir::RankedTensorType>(op->getResult(0).getType()))
    return false;
  if (llvm::isa<ir::RandomBitsOp, ir::RandomBlockOp>(op))
    return true;
  const ir::Facts facts = ir::facts_of(op);
  return facts.effect == ir::Effect::none && facts.runs == ir::Runs::elements &&
         (facts.again == ir::Again::free || facts.again == ir::Again::cheap) &&
         analysis::flops_per_cell(op) <= most_flops;
}

namespace {

constexpr double kFewFlopsBeyond = 32; // assumed: of an element that is fetched from memory
constexpr double kCache = 4 << 20;     // assumed: bytes that a cache near the core holds

/// The values that residuals may be computed from, as a network: what flows through a value passes
/// from one node of it to another, at the price of its bytes.
class Flow {
public:
  explicit Flow(const Steps& steps) : steps_(steps) {}

  void need(Value value) { network_.add_edge(add(value).out, Network::kSink, Network::kNever); }
  void cut() { side_ = network_.sink_side(); }
  bool is_kept(Value value) const {
    const Nodes nodes = nodes_.lookup(value);
    return !side_[nodes.in] && side_[nodes.out];
  }

private:
  struct Nodes {
    int in = Network::kSource, out = Network::kSource;
  };

  Nodes add(Value value) {
    if (auto found = nodes_.find(value); found != nodes_.end())
      return found->second;
    const Nodes nodes{network_.add_node(), network_.add_node()};
    nodes_[value] = nodes;
    network_.add_edge(nodes.in, nodes.out, price(value));
    mlir::Operation* op = value.getDefiningOp();
    if (!is_again(value))
      network_.add_edge(Network::kSource, nodes.in, Network::kNever);
    else
      for (Value operand : op->getOperands())
        network_.add_edge(add(operand).out, nodes.in, Network::kNever);
    return nodes;
  }

  bool is_again(Value value) const {
    mlir::Operation* op = value.getDefiningOp();
    if (llvm::isa_and_present<ir::DynamicSliceOp>(op)) // read where it lies
      return true;
    return op && llvm::isa<mlir::RankedTensorType>(value.getType()) &&
           is_cheap_again(op, static_cast<double>(steps_.count) * analysis::bytes_of(value) > kCache
                                  ? kFewFlopsBeyond
                                  : kFewFlops);
  }

  int64_t price(Value value) const {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
    if (argument && argument.getArgNumber() >= steps_.states)
      return 0;
    if (!llvm::isa<mlir::RankedTensorType>(value.getType()))
      return 1; // a list: as it comes
    return static_cast<int64_t>(std::max(1.0, analysis::bytes_of(value)));
  }

  const Steps& steps_;
  Network network_;
  llvm::DenseMap<Value, Nodes> nodes_;
  std::vector<bool> side_;
};

} // namespace

void cut_residuals(Apart& apart, const Steps& steps) {
  mlir::Block &primal = apart.primal->front(), &linear = apart.linear.region->front();
  mlir::Operation* yield = primal.getTerminator();
  const size_t results = yield->getNumOperands() - apart.residuals.size();
  Values needed;
  Flow flow(steps);
  for (size_t next = 0; int64_t argument : apart.arguments) {
    needed.push_back(argument < 0 ? apart.residuals[next++]
                                  : Value(primal.getArgument(static_cast<unsigned>(argument))));
    flow.need(needed.back());
  }
  flow.cut();

  // The linear block's arguments in front: what is kept. Ops in front of its own: what is not.
  mlir::IRMapping map;
  Values kept;
  mlir::OpBuilder b(yield->getContext());
  b.setInsertionPointToStart(&linear);
  std::function<Value(Value)> again = [&](Value value) -> Value {
    if (Value known = map.lookupOrNull(value))
      return known;
    if (flow.is_kept(value)) {
      const auto place = static_cast<unsigned>(kept.size());
      kept.push_back(value);
      map.map(value, linear.insertArgument(place, value.getType(), value.getLoc()));
    } else {
      mlir::Operation* op = value.getDefiningOp();
      for (Value operand : op->getOperands())
        again(operand);
      DerivativeNotes::add_again(value);
      make_copies(b.clone(*op, map));
    }
    return map.lookup(value);
  };
  for (Value value : needed)
    again(value);
  for (auto [number, value] : llvm::enumerate(needed))
    linear.getArgument(static_cast<unsigned>(kept.size() + number))
        .replaceAllUsesWith(map.lookup(value));
  linear.eraseArguments(static_cast<unsigned>(kept.size()), static_cast<unsigned>(needed.size()));

  apart.linear.residuals = kept.size();
  apart.arguments.clear();
  apart.residuals.clear();
  for (Value value : kept) {
    auto argument = llvm::dyn_cast<mlir::BlockArgument>(value);
    apart.arguments.push_back(argument ? static_cast<int64_t>(argument.getArgNumber()) : -1);
    if (!argument) {
      DerivativeNotes::add_kept(value, steps.count);
      apart.residuals.push_back(value);
    }
  }
  Values yielded(yield->operand_begin(), yield->operand_begin() + static_cast<int64_t>(results));
  llvm::append_range(yielded, apart.residuals);
  yield->setOperands(yielded);
  drop_unused(primal);
}

} // namespace kolam::transform::derive
