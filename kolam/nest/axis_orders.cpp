// States the problem, has it solved, and turns the ops.
#include "kolam/nest/axis_orders.h"

#include "kolam/analysis/block_graph.h"
#include "kolam/analysis/cost.h"
#include "kolam/analysis/data_dim/pairwise.h"
#include "kolam/analysis/views.h"
#include "kolam/ir/location.h"
#include "kolam/ir/reduction.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/ir/turned_ops.h"
#include "kolam/nest/fusion.h"
#include "kolam/support/short_location.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

namespace kolam::nest {
namespace {

using analysis::kForbidden;
using ir::AxisOrder, ir::OpOrders;
using ir::lie_alike, ir::orders_of, ir::places_of, ir::row_major_order, ir::spaces_giving,
    ir::spaces_taking, ir::turned_op, ir::turned_shape, ir::turned_space;
using mlir::Operation;
using mlir::Value;

/// Bound: orders that are looked at for an op.
constexpr size_t kMostOrders = 4;
/// Assumed: operations for an element that is turned in squares.
constexpr double kTurned = 4;
/// Assumed: operations for an element of a sum by lanes whose lanes lie in memory, and of one whose
/// elements wait for one another, one by one.
constexpr double kLanesInMemory = 3, kOneByOne = 2 * kUsualLanes;

class AxisOrders {
public:
  AxisOrders(mlir::Block& block, const Machine& machine) : block_(block), machine_(machine) {}

  std::vector<std::string> choose() {
    find_orders();
    if (llvm::all_of(nodes_, [](const Node& node) { return node.orders.size() < 2; }))
      return {};
    state_problem();
    analysis::PairwiseSolution solution = analysis::solve(problem_);
    if (!solution.is_possible ||
        static_cast<double>(as_it_is() - solution.total) < machine_.prices.nest)
      return {};
    std::vector<std::string> found = explain(solution);
    turn(solution.labels);
    return found;
  }

private:
  struct Node {
    Operation* op;
    Shape space;
    std::vector<AxisOrder> orders; ///< row-major first
  };

  const Node* node_of(Value value) const {
    auto found = numbers_.find(value.getDefiningOp());
    return found == numbers_.end() ? nullptr : &nodes_[found->second];
  }

  /// Orders that the ones known so far lead to, at the op or at its neighbours.
  void find_orders() {
    std::vector<std::pair<int, AxisOrder>> open;
    for (Operation& op : block_.without_terminator())
      if (std::optional<Shape> space = turned_space(&op)) {
        numbers_[&op] = static_cast<int>(nodes_.size());
        nodes_.push_back({&op, *space, {}});
      }
    auto add = [&](Operation* op, const AxisOrder& order) {
      auto number = numbers_.find(op);
      if (number == numbers_.end())
        return;
      Node& node = nodes_[number->second];
      bool is_known = llvm::any_of(
          node.orders, [&](const AxisOrder& known) { return lie_alike(node.space, known, order); });
      if (is_known || node.orders.size() == kMostOrders || !orders_of(op, order))
        return;
      node.orders.push_back(order);
      open.emplace_back(number->second, order);
    };
    for (size_t i = 0; i < nodes_.size(); ++i)
      add(nodes_[i].op, row_major_order(static_cast<int64_t>(nodes_[i].space.size())));
    for (size_t next = 0; next < open.size(); ++next) {
      auto [number, order] = open[next];
      Operation* op = nodes_[number].op;
      const OpOrders own = *orders_of(op, order);
      for (mlir::OpOperand& use : op->getOpOperands()) // as what is not turned lies
        if (!node_of(use.get()))
          for (const AxisOrder& space :
               spaces_taking(op, use.getOperandNumber(), row_major_order(ir::rank_of(use.get()))))
            add(op, space);
      for (auto [operand, wanted] : llvm::zip(op->getOperands(), own.operands))
        if (node_of(operand))
          for (const AxisOrder& space : spaces_giving(operand.getDefiningOp(), wanted))
            add(operand.getDefiningOp(), space);
      for (Value result : op->getResults())
        for (mlir::OpOperand& use : result.getUses())
          if (numbers_.contains(use.getOwner()))
            for (const AxisOrder& space :
                 spaces_taking(use.getOwner(), use.getOperandNumber(), own.results))
              add(use.getOwner(), space);
    }
  }

  /// Elements that lie in vectors: of the last dim that has more than one.
  static double inner_extent(const Shape& shape, const AxisOrder& order) {
    const int dim = inner_dim(shape, order);
    return dim < 0 ? 1 : ir::rough_count({shape[dim]});
  }
  static int inner_dim(const Shape& shape, const AxisOrder& order) {
    for (int dim : llvm::reverse(order))
      if (shape[dim] != Extent(1))
        return dim;
    return -1;
  }

  /// What an op costs in an order beyond what it costs in every one.
  double price_of(const Node& node, const AxisOrder& order) {
    const double elements = ir::rough_count(node.space);
    double price = 0;
    if (analysis::flops_per_cell(node.op, signatures_) > 0) {
      double inner = std::min<double>(inner_extent(node.space, order), machine_.lanes());
      price += elements * (machine_.lanes() / inner - 1);
    }
    if (auto reduce = llvm::dyn_cast<ir::ReduceOp>(node.op)) {
      ir::Reduction reduction = ir::reduction_of(reduce);
      bool is_along = llvm::is_contained(reduction.dims, inner_dim(node.space, order));
      bool by_lanes = reduction.accumulate.order == Order::lanes;
      if (is_along != by_lanes)
        price += elements * (by_lanes ? kLanesInMemory : kOneByOne);
    } else if (auto cumulative = llvm::dyn_cast<ir::CumulativeOp>(node.op)) {
      if (static_cast<int>(cumulative.getDim()) == inner_dim(node.space, order))
        price += elements * kTurned; // by squares
    }
    return price;
  }

  /// Whether a value costs next to nothing in whatever order it is wanted.
  static bool is_free(Value value) {
    return llvm::isa_and_present<ir::ConstantOp, ir::IotaOp>(value.getDefiningOp());
  }

  /// What moving a value from one order to another takes.
  double price_of_turning(Value value, const AxisOrder& from, const AxisOrder& to) {
    Shape shape = ir::shape_of(value);
    if (lie_alike(shape, from, to))
      return 0;
    if (is_free(value))
      return 2; // more than its own order costs
    const double elements = ir::rough_count(shape), lanes = machine_.lanes();
    bool by_squares = inner_extent(shape, from) >= lanes && inner_extent(shape, to) >= lanes;
    bool is_in_place = inner_dim(shape, from) == inner_dim(shape, to);
    double price = elements * (is_in_place  ? 1
                               : by_squares ? kTurned
                                            : machine_.prices.spread_load);
    // What is computed on the way is kept in memory, so that it is not computed out of order.
    Operation* op = value.getDefiningOp();
    while (op && (analysis::view_of_operand(op) || keeps_order(op)))
      op = op->getOperand(0).getDefiningOp();
    bool is_computed = op && analysis::computes_cells(op, signatures_);
    return price + (is_computed ? elements * analysis::price_of_memory(value, machine_) : 0);
  }

  static int64_t whole(double price) {
    constexpr double kMost = 1e15; // bound: sums of costs stay below the largest number
    return static_cast<int64_t>(std::min(std::ceil(price), kMost));
  }

  /// Labels are orders; all that is not turned has its dims as they are.
  void state_problem() {
    for (const Node& node : nodes_) {
      std::vector<int64_t>& costs = problem_.nodes.emplace_back();
      for (auto [label, order] : llvm::enumerate(node.orders))
        costs.push_back(whole(price_of(node, order)) + (label > 0 ? 1 : 0)); // equal ones stay
    }
    for (auto [number, node] : llvm::enumerate(nodes_)) {
      for (unsigned operand = 0; operand < node.op->getNumOperands(); ++operand)
        if (!llvm::is_contained(node.op->getOperands().take_front(operand),
                                node.op->getOperand(operand)))
          add_operand(static_cast<int>(number), operand);
      for (Value result : node.op->getResults())
        if (llvm::any_of(result.getUsers(),
                         [&](Operation* user) { return !numbers_.contains(user); }))
          for (auto [label, order] : llvm::enumerate(node.orders))
            problem_.nodes[number][label] += whole(price_of_turning(
                result, orders_of(node.op, order)->results, row_major_order(ir::rank_of(result))));
    }
  }

  void add_operand(int reader, unsigned operand) {
    const Node& node = nodes_[reader];
    Value value = node.op->getOperand(operand);
    const Node* producer = node_of(value);
    std::vector<int64_t> costs;
    const size_t given = producer ? producer->orders.size() : 1;
    for (size_t own = 0; own < given; ++own)
      for (const AxisOrder& order : node.orders) {
        AxisOrder from = producer ? orders_of(producer->op, producer->orders[own])->results
                                  : row_major_order(ir::rank_of(value));
        costs.push_back(
            whole(price_of_turning(value, from, orders_of(node.op, order)->operands[operand])));
      }
    if (!producer) {
      for (auto [label, cost] : llvm::enumerate(costs))
        problem_.nodes[reader][label] += cost;
      return;
    }
    problem_.edges.push_back({numbers_.lookup(producer->op), reader, std::move(costs)});
  }

  /// What the program costs with all dims in the order in which it says them.
  int64_t as_it_is() const {
    int64_t total = 0;
    for (const std::vector<int64_t>& costs : problem_.nodes)
      total += costs[0];
    for (const analysis::PairwiseProblem::Edge& edge : problem_.edges)
      total += edge.costs[0];
    return total;
  }

  /// Of each op that is turned its order, and by how much the next best one is dearer.
  std::vector<std::string> explain(const analysis::PairwiseSolution& solution) {
    constexpr size_t kMostExplained = 16; // bound: each is a problem
    std::vector<std::string> found;
    for (auto [number, node] : llvm::enumerate(nodes_)) {
      const int label = solution.labels[number];
      if (node.orders.size() < 2 || label == 0 || found.size() == kMostExplained ||
          analysis::view_of_operand(node.op) || is_free(node.op->getResult(0)))
        continue;
      analysis::PairwiseProblem others = problem_;
      others.nodes[number][label] = kForbidden;
      analysis::PairwiseSolution next = analysis::solve(others);
      const AxisOrder results = orders_of(node.op, node.orders[label])->results;
      std::string order;
      for (int dim : results)
        order += (order.empty() ? "" : ", ") + std::to_string(dim);
      std::string line = short_location(ir::to_source_location(node.op->getLoc()));
      if (results.size() > 1 && next.is_possible)
        found.push_back(analysis::label_of(node.op) + (line.empty() ? "" : " (" + line + ")") +
                        ": dims stand as " + order + "; the next best order costs " +
                        std::to_string(next.total - solution.total) + " operations more");
    }
    return found;
  }

  /// A value in an order; what turns it stands in front of who asks first.
  Value in_order(Value value, const AxisOrder& order, mlir::OpBuilder& b, mlir::Location loc) {
    auto& known = turned_[value];
    if (known.empty())
      known.emplace_back(row_major_order(ir::rank_of(value)), value);
    for (const auto& [own, version] : known)
      if (own == order)
        return version;
    auto [base, version] = known.front();
    AxisOrder at = places_of(base);
    llvm::SmallVector<int64_t> permutation;
    for (int dim : order)
      permutation.push_back(at[dim]);
    Value turned =
        ir::TransposeOp::create(b, loc,
                                ir::tensor_type(b.getContext(), ir::dtype_of(value),
                                                turned_shape(ir::shape_of(value), order)),
                                version, permutation);
    known.emplace_back(order, turned);
    return turned;
  }

  /// Dims of one element stand in front, so that they are not those that lie in vectors, but of
  /// what others read as it is.
  AxisOrder order_of(const Node& node, int label) const {
    AxisOrder order, others;
    for (int dim : node.orders[label])
      (node.space[dim] == Extent(1) ? order : others).push_back(dim);
    llvm::append_range(order, others);
    bool is_read_as_it_is = llvm::any_of(node.op->getUsers(),
                                         [&](Operation* user) { return !numbers_.contains(user); });
    return !is_read_as_it_is && orders_of(node.op, order) ? order : node.orders[label];
  }

  void turn(const std::vector<int>& labels) {
    for (Operation& op : llvm::make_early_inc_range(block_)) {
      mlir::OpBuilder b(&op);
      auto number = numbers_.find(&op);
      if (number == numbers_.end()) {
        for (mlir::OpOperand& operand : op.getOpOperands())
          if (turned_.contains(operand.get()))
            operand.set(in_order(operand.get(), row_major_order(ir::rank_of(operand.get())), b,
                                 op.getLoc()));
        continue;
      }
      const AxisOrder space = order_of(nodes_[number->second], labels[number->second]);
      const OpOrders orders = *orders_of(&op, space);
      llvm::SmallVector<Value> operands;
      for (auto [operand, order] : llvm::zip(op.getOperands(), orders.operands))
        operands.push_back(in_order(operand, order, b, op.getLoc()));
      for (auto [result, value] : llvm::zip(op.getResults(), turned_op(&op, space, operands, b)))
        turned_[result] = {{orders.results, value}};
      gone_.push_back(&op);
    }
    for (Operation* op : llvm::reverse(gone_))
      op->erase();
  }

  mlir::Block& block_;
  analysis::Signatures signatures_; ///< ops that are turned make place for others
  const Machine& machine_;
  std::vector<Node> nodes_;
  llvm::DenseMap<Operation*, int> numbers_;
  analysis::PairwiseProblem problem_;
  /// By value of the program as it was: its orders, the one it is computed in first.
  llvm::DenseMap<Value, std::vector<std::pair<AxisOrder, Value>>> turned_;
  std::vector<Operation*> gone_;
};

} // namespace

std::vector<std::string> choose_axis_orders(mlir::Block& block, const Machine& machine) {
  std::vector<std::string> found;
  for (Operation& op : block)
    if (forms_step(&op))
      for (mlir::Region& region : op.getRegions())
        for (mlir::Block& inner : region)
          llvm::append_range(found, choose_axis_orders(inner, machine));
  if (llvm::any_of(block, [](Operation& op) { return llvm::isa<ir::TransposeOp>(op); }))
    llvm::append_range(found, AxisOrders(block, machine).choose());
  return found;
}

} // namespace kolam::nest
