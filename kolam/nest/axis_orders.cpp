// States the problem, has it solved, and turns the ops.
#include "kolam/nest/axis_orders.h"

#include "kolam/analysis/cost.h"
#include "kolam/analysis/views.h"
#include "kolam/ir/reduction.h"
#include "kolam/ir/signature_parts.h"
#include "kolam/nest/fusion.h"

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

/// The last dim that has more than one element: which lies in vectors.
int inner_dim(const Shape& shape, const AxisOrder& order) {
  for (int dim : llvm::reverse(order))
    if (shape[dim] != Extent(1))
      return dim;
  return -1;
}

/// With one dim behind the others.
AxisOrder order_ending_in(int dim, int64_t rank) {
  AxisOrder order;
  for (int other = 0; other < rank; ++other)
    if (other != dim)
      order.push_back(other);
  order.push_back(dim);
  return order;
}

std::string text_of(const AxisOrder& order) {
  std::string text;
  for (int dim : order)
    text += (text.empty() ? "" : ", ") + std::to_string(dim);
  return text;
}

class AxisOrders {
public:
  /// `may_turn`: whether anything asks for another order.
  AxisOrders(mlir::Block& block, const Machine& machine, bool may_turn, bool explains)
      : block_(block), machine_(machine), may_turn_(may_turn), explains_(explains) {}

  std::optional<ChosenOrders> choose() {
    find_orders();
    const bool has_choice =
        may_turn_ && llvm::any_of(nodes_, [](const Node& node) { return node.orders.size() > 1; });
    if (!has_choice && !explains_)
      return std::nullopt;
    for (Node& node : nodes_) {
      node.looked_at = node.orders.size();
      if (explains_)
        add_other_orders(node);
      for (const AxisOrder& order : node.orders)
        node.values.push_back(*orders_of(node.op, order));
    }
    state_problem();
    std::vector<int> labels(nodes_.size(), 0);
    if (has_choice)
      labels = least_labels();
    std::optional<ChosenOrders> chosen;
    if (explains_)
      chosen =
          ChosenOrders{{}, problem_, labels, total_of(labels), llvm::DenseMap<Operation*, int>()};
    if (llvm::any_of(labels, [](int label) { return label > 0; }))
      turn(labels);
    if (chosen)
      note_ops(*chosen);
    for (Operation* op : llvm::reverse(gone_))
      op->erase();
    return chosen;
  }

private:
  struct Node {
    Operation* op;
    Shape space;
    std::vector<AxisOrder> orders; ///< row-major first
    size_t looked_at = 0;          ///< those behind are there to explain the choice
    int pin = -1;                  ///< the dim of a pin that binds
    std::vector<OpOrders> values;  ///< by label, once all are known
  };

  /// The least total of what is looked at; as it is where that gains less than a nest costs.
  std::vector<int> least_labels() const {
    analysis::PairwiseProblem looked_at = problem_;
    for (auto [node, costs] : llvm::zip(nodes_, looked_at.nodes))
      std::fill(costs.begin() + static_cast<int64_t>(node.looked_at), costs.end(), kForbidden);
    analysis::PairwiseSolution solution = analysis::solve(looked_at);
    std::vector<int> as_it_is(nodes_.size(), 0);
    const int64_t before = total_of(as_it_is);
    bool is_worth_it = solution.is_possible &&
                       (before >= kForbidden ||
                        static_cast<double>(before - solution.total) >= machine_.prices.nest);
    return is_worth_it ? solution.labels : as_it_is;
  }

  /// Every dim of what a node computes may be the last: orders that nothing leads to.
  static void add_other_orders(Node& node) {
    const auto rank = static_cast<int64_t>(node.space.size());
    for (int dim = 0; dim < rank; ++dim) {
      AxisOrder order = order_ending_in(dim, rank);
      bool is_known = llvm::any_of(node.orders, [&](const AxisOrder& known) {
        return inner_dim(node.space, known) == inner_dim(node.space, order);
      });
      if (!is_known && orders_of(node.op, order))
        node.orders.push_back(order);
    }
  }

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
        nodes_.push_back({&op, *space, {}, 0, -1, {}});
        if (auto pin = llvm::dyn_cast<ir::PinOp>(op))
          if (const auto dim = static_cast<int>(pin.getDim()); (*space)[dim] != Extent(1))
            nodes_.back().pin = dim;
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
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const auto rank = static_cast<int64_t>(nodes_[i].space.size());
      add(nodes_[i].op, row_major_order(rank));
      if (nodes_[i].pin >= 0)
        add(nodes_[i].op, order_ending_in(nodes_[i].pin, rank));
    }
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
        price += elements * (by_lanes ? machine_.prices.lanes_in_memory
                                      : price_of_sum_along(node, order, reduction));
    } else if (auto cumulative = llvm::dyn_cast<ir::CumulativeOp>(node.op)) {
      if (static_cast<int>(cumulative.getDim()) == inner_dim(node.space, order))
        price += elements * machine_.prices.turned; // by squares
    }
    return price;
  }

  /// An element of a sum by chunks along the lanes. One dim goes by squares, in a nest of its own,
  /// behind which what was summed is read again.
  double price_of_sum_along(const Node& node, const AxisOrder& order,
                            const ir::Reduction& reduction) {
    AxisOrder kept;
    for (int dim : order)
      if (!llvm::is_contained(reduction.dims, dim))
        kept.push_back(dim);
    const bool by_squares =
        reduction.dims.size() == 1 && inner_extent(node.space, kept) >= machine_.lanes();
    return by_squares ? machine_.prices.turned +
                            analysis::price_of_memory(node.op->getOperand(0), machine_) / 2
                      : machine_.prices.one_by_one;
  }

  /// Whether a value costs next to nothing in whatever order it is wanted.
  static bool is_free(Value value) {
    return llvm::isa_and_present<ir::ConstantOp, ir::IotaOp>(value.getDefiningOp());
  }

  /// An element of a row that stays one among others: each is a place of its own, and a line.
  double price_of_row(Value value, const AxisOrder& order) {
    const double elements = inner_extent(ir::shape_of(value), order);
    const double unread =
        static_cast<double>(machine_.caches.line) - elements * byte_width(ir::dtype_of(value));
    if (unread <= 0)
      return 1;
    const double row = machine_.prices.spread_load +
                       unread * analysis::price_of_byte(analysis::bytes_of(value), machine_);
    return std::max(1.0, row / elements);
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
    double price = elements * (is_in_place  ? price_of_row(value, from)
                               : by_squares ? machine_.prices.turned
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
      for (auto [label, order] : llvm::enumerate(node.orders)) {
        bool is_pinned_else = node.pin >= 0 && inner_dim(node.space, order) != node.pin;
        costs.push_back(is_pinned_else ? kForbidden // equal ones stay
                                       : whole(price_of(node, order)) + (label > 0 ? 1 : 0));
      }
    }
    for (auto [number, node] : llvm::enumerate(nodes_)) {
      for (unsigned operand = 0; operand < node.op->getNumOperands(); ++operand)
        if (!llvm::is_contained(node.op->getOperands().take_front(operand),
                                node.op->getOperand(operand)))
          add_operand(static_cast<int>(number), operand);
      for (Value result : node.op->getResults())
        if (llvm::any_of(result.getUsers(),
                         [&](Operation* user) { return !numbers_.contains(user); }))
          for (auto [label, values] : llvm::enumerate(node.values))
            add_cost(
                problem_.nodes[number][label],
                price_of_turning(result, values.results, row_major_order(ir::rank_of(result))));
    }
  }

  static void add_cost(int64_t& cost, double price) {
    cost = std::min(kForbidden, cost + whole(price));
  }

  void add_operand(int reader, unsigned operand) {
    const Node& node = nodes_[reader];
    Value value = node.op->getOperand(operand);
    const Node* producer = node_of(value);
    std::vector<double> costs;
    const size_t given = producer ? producer->orders.size() : 1;
    const AxisOrder as_it_is = row_major_order(ir::rank_of(value));
    for (size_t own = 0; own < given; ++own)
      for (const OpOrders& wanted : node.values)
        costs.push_back(price_of_turning(value, producer ? producer->values[own].results : as_it_is,
                                         wanted.operands[operand]));
    if (!producer) {
      for (auto [label, cost] : llvm::enumerate(costs))
        add_cost(problem_.nodes[reader][label], cost);
      return;
    }
    auto& edge = problem_.edges.emplace_back();
    edge.first = numbers_.lookup(producer->op);
    edge.second = reader;
    for (double cost : costs)
      edge.costs.push_back(whole(cost));
  }

  int64_t total_of(const std::vector<int>& labels) const {
    int64_t total = 0;
    for (auto [costs, label] : llvm::zip(problem_.nodes, labels))
      total = std::min(kForbidden, total + costs[label]);
    for (const analysis::PairwiseProblem::Edge& edge : problem_.edges)
      total = std::min(kForbidden,
                       total + edge.costs[labels[edge.first] * problem_.nodes[edge.second].size() +
                                          labels[edge.second]]);
    return total;
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
  }

  /// Which choice each op is now, for those who ask; pins stand for what they show.
  void note_ops(ChosenOrders& chosen) const {
    for (auto [number, node] : llvm::enumerate(nodes_)) {
      ChosenOrders::Node& noted = chosen.nodes.emplace_back();
      noted.shape = ir::shape_of(node.op->getResult(0));
      noted.looked_at = node.looked_at;
      noted.pin = node.pin;
      for (const OpOrders& values : node.values)
        noted.results.push_back(values.results);
      for (Value result : node.op->getResults()) {
        auto turned = turned_.find(result);
        Value now = turned == turned_.end() ? result : turned->second.front().second;
        if (auto pin = now.getDefiningOp<ir::PinOp>())
          now = pin.getOperand();
        if (Operation* op = now.getDefiningOp(); op && node.pin >= 0)
          chosen.numbers[op] = static_cast<int>(number);
        else if (op && !llvm::isa<ir::TransposeOp>(node.op))
          chosen.numbers.try_emplace(op, static_cast<int>(number));
      }
    }
  }

  mlir::Block& block_;
  analysis::Signatures signatures_; ///< ops that are turned make place for others
  const Machine& machine_;
  const bool may_turn_, explains_;
  std::vector<Node> nodes_;
  llvm::DenseMap<Operation*, int> numbers_;
  analysis::PairwiseProblem problem_;
  /// By value of the program as it was: its orders, the one it is computed in first.
  llvm::DenseMap<Value, std::vector<std::pair<AxisOrder, Value>>> turned_;
  std::vector<Operation*> gone_;
};

/// Whether something computed with a value's elements, or on the way to others, reads them in
/// another order than that in which they lie.
bool is_read_turned(Value value) {
  constexpr size_t kMostOps = 64; // bound
  llvm::SetVector<Value> reached;
  reached.insert(value);
  for (size_t next = 0; next < reached.size() && next < kMostOps; ++next)
    for (Operation* user : reached[next].getUsers()) {
      if (auto transpose = llvm::dyn_cast<ir::TransposeOp>(user)) {
        const Shape shape = ir::shape_of(transpose.getOperand());
        const AxisOrder order(transpose.getPermutation().begin(), transpose.getPermutation().end());
        if (inner_dim(shape, order) != inner_dim(shape, row_major_order(ir::rank_of(value))))
          return true;
      }
      if (llvm::isa<ir::ElementwiseOp, ir::CastOp>(user) &&
          ir::rank_of(user->getResult(0)) == ir::rank_of(value))
        reached.insert(user->getResult(0));
    }
  return false;
}

/// Pins have been bound: they are what they show, which is stored where others read it turned.
void take_pins(mlir::Block& block) {
  for (Operation& op : llvm::make_early_inc_range(block))
    if (auto pin = llvm::dyn_cast<ir::PinOp>(op)) {
      Value shown = pin.getOperand();
      if (shown.getDefiningOp() && is_read_turned(pin.getResult())) {
        mlir::OpBuilder b(pin);
        shown = ir::MaterializeOp::create(b, pin.getLoc(), shown.getType(), shown);
      }
      pin.getResult().replaceAllUsesWith(shown);
      pin.erase();
    }
}

void choose(mlir::Block& block, const Machine& machine, bool explains,
            std::vector<ChosenOrders>& all) {
  for (Operation& op : block)
    if (forms_step(&op))
      for (mlir::Region& region : op.getRegions())
        for (mlir::Block& inner : region)
          choose(inner, machine, explains, all);
  bool has_orders =
      llvm::any_of(block, [](Operation& op) { return llvm::isa<ir::TransposeOp, ir::PinOp>(op); });
  if (explains || has_orders)
    if (std::optional<ChosenOrders> chosen =
            AxisOrders(block, machine, has_orders, explains).choose())
      all.push_back(std::move(*chosen));
}

} // namespace

std::vector<ChosenOrders> choose_axis_orders(mlir::Block& block, const Machine& machine,
                                             bool explains) {
  std::vector<ChosenOrders> all;
  choose(block, machine, explains, all);
  take_pins(block);
  block.getParentOp()->walk([](mlir::Block* inner) { take_pins(*inner); });
  return all;
}

/// What else would have cost beside what was chosen.
static std::string text_beside(const ChosenOrders& chosen, int number) {
  const ChosenOrders::Node& node = chosen.nodes[number];
  const auto difference = [&](analysis::PairwiseProblem others) -> std::optional<int64_t> {
    analysis::PairwiseSolution found = analysis::solve(others);
    return found.is_possible && found.total < kForbidden ? std::optional(found.total - chosen.total)
                                                         : std::nullopt;
  };
  auto operations = [](int64_t count) {
    return std::to_string(std::abs(count)) + " operations " + (count < 0 ? "less" : "more");
  };
  analysis::PairwiseProblem others = chosen.problem;
  if (node.pin >= 0) {
    for (int64_t& cost : others.nodes[number])
      cost = cost == kForbidden ? 0 : cost;
    std::optional<int64_t> without = difference(others);
    return "as it is pinned" +
           (without ? "; without the pin the program costs " + operations(*without) : "");
  }
  const int label = chosen.labels[number];
  others.nodes[number][label] = kForbidden;
  std::string text = label > 0            ? "dims stand as " + text_of(node.results[label]) + ";"
                     : node.looked_at > 1 ? "the cheapest of those that transposes lead to;"
                                          : "no transpose leads to another;";
  std::optional<int64_t> next = difference(others);
  return text + (next ? " the next best order costs " + operations(*next) : " there is no other");
}

std::string why_ordered(mlir::Value stored, const std::vector<ChosenOrders>& chosen,
                        const Machine& machine) {
  auto text = [](int dim, const std::string& why) {
    return "D is dim " + std::to_string(std::max(dim, 0)) + ", " + why;
  };
  Operation* op = stored.getDefiningOp();
  if (auto kept = llvm::dyn_cast<ir::MaterializeOp>(op); kept && kept.getOperand().getDefiningOp())
    op = kept.getOperand().getDefiningOp();
  for (const ChosenOrders& of_block : chosen)
    if (auto found = of_block.numbers.find(op); found != of_block.numbers.end()) {
      const ChosenOrders::Node& node = of_block.nodes[found->second];
      const AxisOrder& order = node.results[of_block.labels[found->second]];
      if (static_cast<int64_t>(order.size()) == ir::rank_of(stored) && order.size() > 1)
        return text(inner_dim(node.shape, order), text_beside(of_block, found->second));
    }
  const Shape shape = ir::shape_of(stored);
  if (shape.size() < 2)
    return text(0, "its only one");
  const double turning =
      ir::rough_count(shape) * (machine.prices.turned + analysis::price_of_memory(stored, machine));
  return text(inner_dim(shape, row_major_order(ir::rank_of(stored))),
              "as its op computes it; to turn it costs " +
                  std::to_string(static_cast<int64_t>(turning)) + " operations more");
}

} // namespace kolam::nest
