// Finds cheap contraction orders, exactly for few operands, greedily for many.
#include "kolam/language/einsum_path.h"

#include <bit>
#include <bitset>
#include <cstdint>
#include <limits>

namespace kolam::language {
namespace {

using Path = std::vector<std::pair<int, int>>;
using LabelSet = std::bitset<kMaxEinsumLabels>;
constexpr size_t kExactOperands = 10;

LabelSet to_set(const std::vector<int>& labels) {
  LabelSet set;
  for (int label : labels)
    set.set(label);
  return set;
}

class Costs {
public:
  explicit Costs(const std::vector<double>& extents) : extents_(extents) {}
  double of(const LabelSet& labels) const {
    double product = 1;
    for (size_t label = 0; label < extents_.size(); ++label)
      if (labels[label])
        product *= extents_[label];
    return product;
  }

private:
  const std::vector<double>& extents_;
};

/// Splits of the set of all operands into two, the best for each subset.
class ExactSearch {
public:
  explicit ExactSearch(const EinsumProblem& problem) : costs_(problem.extents) {
    count_ = problem.operands.size();
    for (const auto& labels : problem.operands)
      operands_.push_back(to_set(labels));
    best_.resize(size_t{1} << count_);
    for (uint32_t subset = 1; subset < best_.size(); ++subset)
      solve(subset, to_set(problem.result));
  }

  Path path() {
    std::vector<uint32_t> list;
    for (size_t i = 0; i < count_; ++i)
      list.push_back(1u << i);
    Path path;
    emit(static_cast<uint32_t>(best_.size() - 1), list, path);
    return path;
  }

private:
  struct Best {
    double cost = 0;
    uint32_t left = 0; ///< one side of the split; the other is the rest
    LabelSet labels;   ///< those that the product of the subset still has
  };

  void solve(uint32_t subset, LabelSet needed) {
    LabelSet own;
    for (size_t i = 0; i < count_; ++i)
      (subset >> i & 1 ? own : needed) |= operands_[i];
    Best& best = best_[subset];
    best.labels = own & needed;
    if (std::has_single_bit(subset)) {
      best.labels = own;
      return;
    }
    best.cost = std::numeric_limits<double>::infinity();
    // The left side holds the subset's first operand, so that each split is seen once.
    uint32_t first = subset & -subset;
    for (uint32_t left = subset; left != 0; left = (left - 1) & subset) {
      if (left == subset || !(left & first))
        continue;
      const Best& x = best_[left];
      const Best& y = best_[subset ^ left];
      double cost = x.cost + y.cost + costs_.of(x.labels | y.labels);
      if (cost < best.cost || best.left == 0) {
        best.cost = cost;
        best.left = left;
      }
    }
  }

  void emit(uint32_t subset, std::vector<uint32_t>& list, Path& path) {
    if (std::has_single_bit(subset))
      return;
    uint32_t sides[] = {best_[subset].left, subset ^ best_[subset].left};
    for (uint32_t side : sides)
      emit(side, list, path);
    int places[2];
    for (int s = 0; s < 2; ++s)
      for (size_t i = 0; i < list.size(); ++i)
        if (list[i] == sides[s])
          places[s] = static_cast<int>(i);
    path.emplace_back(places[0], places[1]);
    std::erase_if(list, [&](uint32_t entry) { return entry == sides[0] || entry == sides[1]; });
    list.push_back(subset);
  }

  Costs costs_;
  size_t count_;
  std::vector<LabelSet> operands_;
  std::vector<Best> best_;
};

Path greedy_path(const EinsumProblem& problem) {
  Costs costs(problem.extents);
  std::vector<LabelSet> list;
  for (const auto& labels : problem.operands)
    list.push_back(to_set(labels));
  Path path;
  while (list.size() > 1) {
    double least = std::numeric_limits<double>::infinity();
    std::pair<int, int> chosen{0, 1};
    for (size_t i = 0; i < list.size(); ++i)
      for (size_t j = i + 1; j < list.size(); ++j)
        if (double cost = costs.of(list[i] | list[j]); cost < least) {
          least = cost;
          chosen = {static_cast<int>(i), static_cast<int>(j)};
        }
    auto [i, j] = chosen;
    LabelSet needed = to_set(problem.result);
    for (size_t other = 0; other < list.size(); ++other)
      if (static_cast<int>(other) != i && static_cast<int>(other) != j)
        needed |= list[other];
    LabelSet product = (list[i] | list[j]) & needed;
    list.erase(list.begin() + j);
    list.erase(list.begin() + i);
    list.push_back(product);
    path.push_back(chosen);
  }
  return path;
}

} // namespace

std::vector<std::pair<int, int>> choose_einsum_path(const EinsumProblem& problem) {
  if (problem.operands.size() < 2)
    return {};
  return problem.operands.size() <= kExactOperands ? ExactSearch(problem).path()
                                                   : greedy_path(problem);
}

} // namespace kolam::language
