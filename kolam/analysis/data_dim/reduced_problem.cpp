// Removes labels and nodes of pairwise problems.
#include "kolam/analysis/data_dim/reduced_problem.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace kolam::analysis {
namespace {

int64_t add(int64_t a, int64_t b) { return std::min(a + b, kForbidden); }

} // namespace

ReducedProblem::ReducedProblem(const PairwiseProblem& problem)
    : has_times_(!problem.times.empty()) {
  for (const std::vector<int64_t>& costs : problem.nodes) {
    Node node{costs, std::vector<int>(costs.size()), {}};
    node.time = has_times_ ? problem.times[nodes_.size()] : 0;
    std::iota(node.labels.begin(), node.labels.end(), 0);
    nodes_.push_back(std::move(node));
  }
  is_queued_.assign(nodes_.size(), false);
  needs_partners_.assign(nodes_.size(), false);
  for (const PairwiseProblem::Edge& edge : problem.edges)
    add_edge(edge.first, edge.second, edge.costs);
  for (size_t node = 0; node < nodes_.size(); ++node)
    touch(static_cast<int>(node), Change::labels);
}

void ReducedProblem::touch(int node, Change change) {
  if (change == Change::labels)
    needs_partners_[node] = true;
  if (is_queued_[node] || !nodes_[node].is_alive)
    return;
  is_queued_[node] = true;
  queue_.push_back(node);
}

std::vector<int> ReducedProblem::live_edges(int node) const {
  std::vector<int> live;
  for (int edge : nodes_[node].edges)
    if (edges_[edge].is_alive)
      live.push_back(edge);
  return live;
}

std::vector<std::vector<int>> ReducedProblem::components() const {
  std::vector<std::vector<int>> parts;
  std::vector<bool> is_known(nodes_.size(), false);
  for (int first : alive()) {
    if (is_known[first])
      continue;
    std::vector<int> part{first};
    is_known[first] = true;
    for (size_t at = 0; at < part.size(); ++at)
      for (int number : live_edges(part[at]))
        if (const int other = neighbour(edges_[number], part[at]); !is_known[other]) {
          is_known[other] = true;
          part.push_back(other);
        }
    std::ranges::sort(part);
    parts.push_back(std::move(part));
  }
  return parts;
}

PairwiseProblem ReducedProblem::part(const std::vector<int>& nodes,
                                     const std::vector<int>& places) const {
  PairwiseProblem result;
  std::map<int, int> place;
  for (int node : nodes) {
    place[node] = static_cast<int>(result.nodes.size());
    result.nodes.push_back(nodes_[node].costs);
    if (has_times_)
      result.times.push_back(nodes_[node].time);
  }
  for (int node : nodes)
    for (int number : live_edges(node)) {
      const Edge& edge = edges_[number];
      const int other = neighbour(edge, node);
      if (!place.contains(other)) {
        for (int label = 0; label < nodes_[node].size(); ++label) {
          int64_t& own = result.nodes[place[node]][label];
          own = add(own, cost(edge, node, label, places[other]));
        }
      } else if (edge.first == node)
        result.edges.push_back({place[node], place[other], edge.costs});
    }
  return result;
}

std::vector<int> ReducedProblem::alive() const {
  std::vector<int> numbers;
  for (size_t node = 0; node < nodes_.size(); ++node)
    if (nodes_[node].is_alive)
      numbers.push_back(static_cast<int>(node));
  return numbers;
}

void ReducedProblem::add_edge(int first, int second, std::vector<int64_t> costs) {
  if (first == second) { // both ends agree
    Node& node = nodes_[first];
    for (size_t label = 0; label < node.labels.size(); ++label)
      node.costs[label] = add(node.costs[label], costs[label * (node.labels.size() + 1)]);
    return;
  }
  const Change change =
      std::ranges::count_if(costs, [](int64_t cost) { return cost >= kForbidden; }) > 0
          ? Change::labels
          : Change::edges;
  touch(first, change);
  touch(second, change);
  int fewer = nodes_[first].edges.size() < nodes_[second].edges.size() ? first : second;
  std::erase_if(nodes_[fewer].edges, [&](int edge) { return !edges_[edge].is_alive; });
  for (int number : nodes_[fewer].edges) {
    Edge& edge = edges_[number];
    if (neighbour(edge, fewer) != (fewer == first ? second : first))
      continue;
    const size_t rows = nodes_[first].labels.size(), columns = nodes_[second].labels.size();
    for (size_t row = 0; row < rows; ++row)
      for (size_t column = 0; column < columns; ++column) {
        int64_t& cost = edge.first == first ? edge.costs[row * columns + column]
                                            : edge.costs[column * rows + row];
        cost = add(cost, costs[row * columns + column]);
      }
    return;
  }
  nodes_[first].edges.push_back(static_cast<int>(edges_.size()));
  nodes_[second].edges.push_back(static_cast<int>(edges_.size()));
  edges_.push_back({first, second, std::move(costs)});
}

void ReducedProblem::keep_labels(int node, const std::vector<bool>& keep) {
  Node& own = nodes_[node];
  const size_t before = own.labels.size();
  for (int number : live_edges(node)) {
    Edge& edge = edges_[number];
    const size_t others = nodes_[neighbour(edge, node)].labels.size();
    std::vector<int64_t> left;
    for (size_t at = 0; at < edge.costs.size(); ++at)
      if (keep[edge.first == node ? at / others : at % before])
        left.push_back(edge.costs[at]);
    edge.costs = std::move(left);
    touch(neighbour(edge, node), Change::labels);
  }
  size_t next = 0;
  for (size_t label = 0; label < before; ++label)
    if (keep[label]) {
      own.labels[next] = own.labels[label];
      own.costs[next++] = own.costs[label];
    }
  own.labels.resize(next);
  own.costs.resize(next);
  touch(node, Change::edges); // those of its labels that are left have the partners that they had
}

bool ReducedProblem::prune(int node) {
  Node& own = nodes_[node];
  std::vector<bool> keep(own.labels.size());
  for (size_t label = 0; label < own.labels.size(); ++label)
    keep[label] = own.costs[label] < kForbidden;
  for (int number : live_edges(node)) {
    const Edge& edge = edges_[number];
    const int others = nodes_[neighbour(edge, node)].size();
    for (int label = 0; label < own.size(); ++label) {
      bool has_partner = false;
      for (int other = 0; other < others && keep[label] && !has_partner; ++other)
        has_partner = cost(edge, node, label, other) < kForbidden;
      keep[label] = keep[label] && has_partner;
    }
  }
  if (std::ranges::none_of(keep, [](bool kept) { return kept; }))
    return false;
  if (std::ranges::any_of(keep, [](bool kept) { return !kept; }))
    keep_labels(node, keep);
  return true;
}

void ReducedProblem::remove(int node) {
  for (int number : live_edges(node)) {
    touch(neighbour(edges_[number], node), Change::edges);
    edges_[number].is_alive = false;
    edges_[number].costs = {};
  }
  nodes_[node].is_alive = false;
}

std::vector<int> ReducedProblem::decided_by(int node, const Edge& edge) const {
  std::vector<int> own;
  for (int other = 0; other < nodes_[neighbour(edge, node)].size(); ++other) {
    int found = -1;
    for (int label = 0; label < nodes_[node].size(); ++label) {
      if (cost(edge, node, label, other) >= kForbidden)
        continue;
      if (found >= 0)
        return {};
      found = label;
    }
    if (found < 0)
      return {};
    own.push_back(found);
  }
  return own;
}

/// A node that one of its neighbours decides goes, and its edges become the neighbour's.
bool ReducedProblem::merge(int node) {
  std::vector<int> live = live_edges(node);
  constexpr size_t kMostNeighbours = 32; // bound: of others it is not asked who decides them
  if (live.size() > kMostNeighbours)
    return false;
  for (int number : live) {
    const int into = neighbour(edges_[number], node);
    std::vector<int> own = decided_by(node, edges_[number]);
    if (own.empty() || (nodes_[into].size() > nodes_[node].size() && live.size() > 3))
      continue;
    Node& target = nodes_[into];
    Gone gone{node, {into}, {target.labels}, {}};
    for (int label = 0; label < target.size(); ++label) {
      target.costs[label] = add(add(target.costs[label], nodes_[node].costs[own[label]]),
                                cost(edges_[number], node, own[label], label));
      gone.best.push_back(static_cast<Label>(nodes_[node].labels[own[label]]));
    }
    gone_.push_back(std::move(gone));
    edges_[number].is_alive = false;
    for (int other : live) {
      if (other == number)
        continue;
      const int far = neighbour(edges_[other], node);
      std::vector<int64_t> costs;
      for (int label = 0; label < target.size(); ++label)
        for (int far_label = 0; far_label < nodes_[far].size(); ++far_label)
          costs.push_back(cost(edges_[other], node, own[label], far_label));
      edges_[other].is_alive = false;
      edges_[other].costs = {};
      add_edge(into, far, std::move(costs));
    }
    edges_[number].costs = {};
    nodes_[node].is_alive = false;
    target.time = std::min(target.time, nodes_[node].time);
    touch(into, Change::labels);
    return true;
  }
  return false;
}

/// A node with at most two neighbours goes into its costs or their edge.
bool ReducedProblem::eliminate_small(int node, const SolveLimits& limits) {
  const Node& own = nodes_[node];
  std::vector<int> live = live_edges(node);
  if (live.size() > 2)
    return false;
  Gone gone{node, {}, {}, {}};
  for (int number : live) {
    gone.scope.push_back(neighbour(edges_[number], node));
    gone.scope_labels.push_back(nodes_[gone.scope.back()].labels);
  }
  const int rows = live.empty() ? 1 : nodes_[gone.scope[0]].size();
  const int columns = live.size() < 2 ? 1 : nodes_[gone.scope[1]].size();
  // A cube of the usual size of a table; larger ones wait for smaller domains.
  if (live.size() == 2 && static_cast<size_t>(rows) * columns * own.size() > limits.small_table)
    return false;
  std::vector<int64_t> least;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < columns; ++column) {
      int best = 0;
      int64_t lowest = 2 * kForbidden;
      for (int label = 0; label < own.size(); ++label) {
        int64_t sum = own.costs[label];
        if (!live.empty())
          sum = add(sum, cost(edges_[live[0]], node, label, row));
        if (live.size() == 2)
          sum = add(sum, cost(edges_[live[1]], node, label, column));
        if (sum < lowest) {
          lowest = sum;
          best = label;
        }
      }
      least.push_back(lowest);
      gone.best.push_back(static_cast<Label>(own.labels[best]));
    }
  remove(node);
  if (live.empty())
    constant_ = add(constant_, least[0]);
  else if (live.size() == 1)
    for (int row = 0; row < rows; ++row) {
      nodes_[gone.scope[0]].costs[row] = add(nodes_[gone.scope[0]].costs[row], least[row]);
      if (least[row] >= kForbidden)
        touch(gone.scope[0], Change::labels);
    }
  else
    add_edge(gone.scope[0], gone.scope[1], std::move(least));
  gone_.push_back(std::move(gone));
  return true;
}

bool ReducedProblem::reduce(const SolveLimits& limits) {
  // First what has no partner, everywhere: tables get smaller before they are joined.
  for (size_t pass = 0; pass < 2; ++pass) {
    for (size_t at = 0; at < queue_.size(); ++at) {
      const int node = queue_[at];
      is_queued_[node] = false;
      if (!nodes_[node].is_alive)
        continue;
      if (needs_partners_[node]) {
        needs_partners_[node] = false;
        if (!prune(node))
          return false;
        if (is_queued_[node])
          continue; // it lost labels and comes again
      }
      std::erase_if(nodes_[node].edges, [&](int edge) { return !edges_[edge].is_alive; });
      if (pass == 1 && !merge(node))
        eliminate_small(node, limits);
    }
    queue_.clear();
    if (pass == 0)
      for (int node : alive())
        touch(node, Change::edges);
  }
  return constant_ < kForbidden;
}

/// The nodes in an order in which all can go, by their times, or by the sizes of the tables alone:
/// that with the smallest table first. Empty where a table, or all together, would be too large.
ReducedProblem::Order ReducedProblem::elimination_order(const SolveLimits& limits,
                                                        First first) const {
  std::vector<std::set<int>> neighbours(nodes_.size());
  std::set<std::pair<double, int>> waiting;
  std::vector<double> sizes(nodes_.size(), 0);
  auto table_of = [&](int node) {
    double table = static_cast<double>(nodes_[node].labels.size());
    for (int other : neighbours[node])
      table *= static_cast<double>(nodes_[other].labels.size());
    return table;
  };
  auto key = [&](int node) {
    return std::pair(first == First::earliest ? nodes_[node].time : sizes[node], node);
  };
  auto put = [&](int node) {
    sizes[node] = table_of(node);
    waiting.insert(key(node));
  };
  for (int node : alive()) {
    for (int edge : live_edges(node))
      neighbours[node].insert(neighbour(edges_[edge], node));
    put(node);
  }
  Order order;
  while (!waiting.empty()) {
    const int node = waiting.begin()->second;
    const double table = sizes[node];
    waiting.erase(waiting.begin());
    order.nodes.push_back(node);
    order.entries += table;
    if (table > static_cast<double>(limits.table) ||
        order.entries > static_cast<double>(limits.tables))
      return {};
    for (int other : neighbours[node]) {
      waiting.erase(key(other));
      neighbours[other].erase(node);
      for (int third : neighbours[node])
        if (third != other)
          neighbours[other].insert(third);
    }
    for (int other : neighbours[node])
      put(other);
  }
  return order;
}

ReducedProblem::Factor ReducedProblem::joined(int node, const std::vector<Factor>& factors,
                                              const std::set<int>& own) {
  std::set<int> scope;
  for (int factor : own)
    scope.insert(factors[factor].scope.begin(), factors[factor].scope.end());
  scope.erase(node);
  Gone gone{node, {scope.begin(), scope.end()}, {}, {}};
  size_t count = 1;
  for (int other : gone.scope) {
    gone.scope_labels.push_back(nodes_[other].labels);
    count *= nodes_[other].labels.size();
  }
  // A table that is added up: where it is, and how far a step of a dim of the scope, or of the
  // node, leads.
  struct Term {
    const int64_t* costs;
    std::vector<size_t> steps;
    size_t own;
  };
  std::vector<Term> terms;
  for (int number : own) {
    const Factor& factor = factors[number];
    Term term{factor.costs.data(), std::vector<size_t>(gone.scope.size(), 0), 0};
    size_t step = 1;
    for (size_t dim = factor.scope.size(); dim-- > 0;) {
      const int other = factor.scope[dim];
      if (other == node)
        term.own = step;
      else
        term.steps[static_cast<size_t>(std::ranges::lower_bound(gone.scope, other) -
                                       gone.scope.begin())] = step;
      step *= nodes_[other].labels.size();
    }
    terms.push_back(std::move(term));
  }
  Factor result{gone.scope, {}};
  result.costs.reserve(count);
  gone.best.reserve(count);
  std::vector<size_t> place(gone.scope.size(), 0);
  const size_t labels = nodes_[node].labels.size();
  for (size_t at = 0; at < count; ++at) {
    size_t best = 0;
    int64_t lowest = 2 * kForbidden;
    for (size_t label = 0; label < labels; ++label) {
      int64_t sum = 0;
      for (const Term& term : terms)
        sum = add(sum, term.costs[label * term.own]);
      if (sum < lowest) {
        lowest = sum;
        best = label;
      }
    }
    result.costs.push_back(lowest);
    gone.best.push_back(static_cast<Label>(nodes_[node].labels[best]));
    for (size_t dim = place.size(); dim-- > 0;) {
      const size_t extent = gone.scope_labels[dim].size();
      const bool wraps = ++place[dim] == extent;
      for (Term& term : terms)
        term.costs += wraps ? -static_cast<std::ptrdiff_t>((extent - 1) * term.steps[dim])
                            : static_cast<std::ptrdiff_t>(term.steps[dim]);
      if (!wraps)
        break;
      place[dim] = 0;
    }
  }
  gone_.push_back(std::move(gone));
  return result;
}

bool ReducedProblem::eliminate(const SolveLimits& limits) {
  Order smallest = elimination_order(limits, First::smallest),
        earliest = has_times_ ? elimination_order(limits, First::earliest) : Order();
  const bool by_time =
      smallest.nodes.empty() || (!earliest.nodes.empty() && earliest.entries < smallest.entries);
  const std::vector<int> order = by_time ? earliest.nodes : smallest.nodes;
  if (order.empty())
    return false;
  std::vector<Factor> factors;
  std::vector<std::set<int>> own(nodes_.size()); // factors by node
  auto add_factor = [&](Factor factor) {
    for (int node : factor.scope)
      own[node].insert(static_cast<int>(factors.size()));
    factors.push_back(std::move(factor));
  };
  for (int node : order) {
    add_factor({{node}, nodes_[node].costs});
    for (int edge : live_edges(node))
      if (edges_[edge].first == node)
        add_factor({{node, edges_[edge].second}, edges_[edge].costs});
  }
  for (int node : order) {
    Factor rest = joined(node, factors, own[node]);
    for (int number : std::set<int>(own[node])) {
      for (int other : factors[number].scope)
        own[other].erase(number);
      factors[number].costs = {};
    }
    if (rest.scope.empty())
      constant_ = add(constant_, rest.costs[0]);
    else
      add_factor(std::move(rest));
    nodes_[node].is_alive = false;
  }
  for (Edge& edge : edges_)
    edge.is_alive = false;
  return true;
}

std::vector<int> ReducedProblem::complete(std::vector<int> labels) const {
  for (size_t at = gone_.size(); at-- > 0;) {
    const Gone& gone = gone_[at];
    size_t index = 0;
    for (size_t dim = 0; dim < gone.scope.size(); ++dim) {
      const std::vector<int>& known = gone.scope_labels[dim];
      auto found = std::ranges::find(known, labels[gone.scope[dim]]);
      index = index * known.size() + static_cast<size_t>(found - known.begin());
    }
    labels[gone.node] = gone.best[index];
  }
  return labels;
}

} // namespace kolam::analysis
