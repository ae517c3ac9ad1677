// Passes messages between the nodes of a pairwise problem.
#include "kolam/analysis/data_dim/sweeps.h"

#include <algorithm>

namespace kolam::analysis {

Sweeps::Sweeps(const ReducedProblem& problem)
    : problem_(problem), order_(problem.alive()), links_(problem.nodes().size()),
      to_first_(problem.edges().size()), to_second_(problem.edges().size()),
      reduced_(problem.nodes().size()), choice_(problem.nodes().size(), 0) {
  for (int node : order_)
    for (int number : problem.live_edges(node)) {
      const ReducedProblem::Edge& edge = problem.edges()[number];
      work_ += 2 * edge.costs.size();
      links_[node].push_back({number, problem.neighbour(edge, node)});
      (edge.first == node ? to_first_ : to_second_)[number].assign(
          problem.nodes()[node].labels.size(), 0);
    }
}

/// Without limit where forbidden: every label that is left has a partner, so least costs are
/// finite.
int64_t Sweeps::cost(int edge, int node, int own, int other) const {
  int64_t cost = problem_.cost(problem_.edges()[edge], node, own, other);
  return cost >= kForbidden ? kForbidden : cost * kParts;
}

std::vector<int64_t> Sweeps::potential(int node) const {
  std::vector<int64_t> sums;
  for (int64_t cost : problem_.nodes()[node].costs)
    sums.push_back(cost * kParts);
  for (const Link& link : links_[node]) {
    const bool is_first = problem_.edges()[link.edge].first == node;
    const std::vector<int64_t>& message = (is_first ? to_first_ : to_second_)[link.edge];
    for (size_t label = 0; label < sums.size(); ++label)
      sums[label] += message[label];
  }
  return sums;
}

/// The label that costs least beside the choices of the nodes before, and what those behind ask.
void Sweeps::choose(int node, bool forwards) {
  int64_t lowest = INT64_MAX;
  const ReducedProblem::Node& own = problem_.nodes()[node];
  for (int label = 0; label < own.size(); ++label) {
    int64_t sum = own.costs[label] * kParts;
    for (const Link& link : links_[node]) {
      const bool is_first = problem_.edges()[link.edge].first == node;
      if (forwards ? link.other < node : link.other > node)
        sum += cost(link.edge, node, label, choice_[link.other]);
      else
        sum += (is_first ? to_first_ : to_second_)[link.edge][label];
      sum = std::min(sum, 2 * kForbidden);
    }
    if (sum < lowest) {
      lowest = sum;
      choice_[node] = label;
    }
  }
}

void Sweeps::keep_choice() {
  int64_t total = problem_.constant();
  for (int node : order_) {
    total += problem_.nodes()[node].costs[choice_[node]];
    for (const Link& link : links_[node])
      if (link.other > node)
        total = std::min(total + problem_.cost(problem_.edges()[link.edge], node, choice_[node],
                                               choice_[link.other]),
                         kForbidden);
  }
  if (total < best_total_) {
    best_total_ = total;
    best_ = choice_;
  }
}

void Sweeps::pass(bool forwards) {
  std::vector<int> order = order_;
  if (!forwards)
    std::ranges::reverse(order);
  int64_t bound = problem_.constant() * kParts;
  for (int node : order) {
    choose(node, forwards);
    const size_t labels = problem_.nodes()[node].labels.size();
    std::vector<int64_t> rest = potential(node);
    auto is_ahead = [&](const Link& link) { return (link.other > node) == forwards; };
    const int64_t ahead = std::ranges::count_if(links_[node], is_ahead);
    const int64_t parts = std::max(ahead, static_cast<int64_t>(links_[node].size()) - ahead);
    std::vector<int64_t> share(labels, 0), reduced(labels, 0);
    if (ahead > 0)
      for (size_t label = 0; label < labels; ++label) {
        share[label] = rest[label] / parts;
        rest[label] -= share[label] * ahead;
      }
    int64_t least = *std::ranges::min_element(rest);
    bound += least;
    for (size_t label = 0; label < labels; ++label)
      reduced[label] = rest[label] - least;
    for (const Link& link : links_[node]) {
      if (!is_ahead(link))
        continue;
      const bool is_first = problem_.edges()[link.edge].first == node;
      const std::vector<int64_t>& back = (is_first ? to_first_ : to_second_)[link.edge];
      std::vector<int64_t>& message = (is_first ? to_second_ : to_first_)[link.edge];
      const int others = problem_.nodes()[link.other].size();
      for (int other = 0; other < others; ++other) {
        int64_t lowest = INT64_MAX;
        for (size_t label = 0; label < labels; ++label)
          lowest = std::min(lowest, share[label] - back[label] +
                                        cost(link.edge, node, static_cast<int>(label), other));
        message[other] = lowest;
      }
      const int64_t step = *std::ranges::min_element(message);
      bound += step;
      for (int64_t& part : message)
        part -= step;
      for (size_t label = 0; label < labels; ++label) {
        int64_t lowest = INT64_MAX;
        for (int other = 0; other < others; ++other)
          lowest = std::min(lowest,
                            cost(link.edge, node, static_cast<int>(label), other) - message[other]);
        reduced[label] += share[label] - back[label] + lowest - step;
      }
    }
    reduced_[node] = std::move(reduced);
  }
  bound_ = std::max(bound_, bound);
  last_bound_ = bound;
  keep_choice();
}

void Sweeps::sweep() {
  pass(true);
  pass(false);
}

int64_t Sweeps::bound() const { return (bound_ + kParts - 1) / kParts; }

std::vector<bool> Sweeps::may_be_better(int node, int64_t total) const {
  std::vector<bool> keep;
  for (int64_t cost : reduced_[node])
    keep.push_back(last_bound_ + cost <= (total - 1) * kParts);
  return keep;
}

std::vector<int> Sweeps::by_reduced_cost(int node) const {
  std::vector<int> labels(reduced_[node].size());
  for (size_t label = 0; label < labels.size(); ++label)
    labels[label] = static_cast<int>(label);
  std::ranges::sort(labels, [&](int a, int b) {
    return std::pair(reduced_[node][a], a) < std::pair(reduced_[node][b], b);
  });
  return labels;
}

} // namespace kolam::analysis
