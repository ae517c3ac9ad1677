// Contraction orders: known cheapest ones, and exhaustive search over random problems.
#include "kolam/language/einsum_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

namespace kolam::language {
namespace {

using Path = std::vector<std::pair<int, int>>;

/// Contracts two operands of the list; what it costs is added to `cost`.
std::vector<std::set<int>> step(std::vector<std::set<int>> list, std::pair<int, int> pair,
                                const EinsumProblem& problem, double& cost) {
  std::set<int> all = list[pair.first], needed(problem.result.begin(), problem.result.end()), kept;
  all.insert(list[pair.second].begin(), list[pair.second].end());
  list.erase(list.begin() + std::max(pair.first, pair.second));
  list.erase(list.begin() + std::min(pair.first, pair.second));
  for (const auto& other : list)
    needed.insert(other.begin(), other.end());
  double points = 1;
  for (int label : all) {
    points *= problem.extents[label];
    if (needed.contains(label))
      kept.insert(label);
  }
  cost += points;
  list.push_back(kept);
  return list;
}

std::vector<std::set<int>> start(const EinsumProblem& problem) {
  std::vector<std::set<int>> list;
  for (const auto& labels : problem.operands)
    list.emplace_back(labels.begin(), labels.end());
  return list;
}

double cost_of(const EinsumProblem& problem, const Path& path) {
  auto list = start(problem);
  double cost = 0;
  for (auto pair : path)
    list = step(list, pair, problem, cost);
  EXPECT_EQ(list.size(), 1u);
  return cost;
}

double least_cost(const EinsumProblem& problem, const std::vector<std::set<int>>& list) {
  if (list.size() == 1)
    return 0;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < static_cast<int>(list.size()); ++i)
    for (int j = i + 1; j < static_cast<int>(list.size()); ++j) {
      double cost = 0;
      auto next = step(list, {i, j}, problem, cost);
      least = std::min(least, cost + least_cost(problem, next));
    }
  return least;
}

EinsumProblem random_problem(int operands, std::mt19937& random) {
  EinsumProblem problem;
  for (int label = 0; label < 6; ++label)
    problem.extents.push_back(static_cast<double>(1 + random() % 9));
  for (int i = 0; i < operands; ++i) {
    std::vector<int> labels;
    for (int label = 0; label < 6; ++label)
      if (random() % 2)
        labels.push_back(label);
    problem.operands.push_back(labels);
  }
  for (int label : problem.operands[0])
    if (random() % 3 == 0)
      problem.result.push_back(label);
  return problem;
}

TEST(EinsumPath, TakesTheCheapEndOfAChainFirst) {
  // (1 x 1000) (1000 x 1000) (1000 x 1000): from the left a row at a time.
  EinsumProblem chain{{{0, 1}, {1, 2}, {2, 3}}, {0, 3}, {1, 1000, 1000, 1000}};
  EXPECT_EQ(choose_einsum_path(chain), (Path{{0, 1}, {1, 0}}));
}

TEST(EinsumPath, OfOneOrNoOperandIsEmpty) {
  EXPECT_TRUE(choose_einsum_path({{{0, 1}}, {0}, {2, 3}}).empty());
  EXPECT_TRUE(choose_einsum_path({}).empty());
}

TEST(EinsumPath, IsTheCheapestOfAll) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 300; ++trial) {
    EinsumProblem problem = random_problem(2 + static_cast<int>(random() % 4), random);
    EXPECT_DOUBLE_EQ(cost_of(problem, choose_einsum_path(problem)),
                     least_cost(problem, start(problem)))
        << "trial " << trial;
  }
}

TEST(EinsumPath, OfManyOperandsIsComplete) {
  std::mt19937 random(8);
  EinsumProblem problem = random_problem(40, random);
  EXPECT_GT(cost_of(problem, choose_einsum_path(problem)), 0);
}

} // namespace
} // namespace kolam::language
