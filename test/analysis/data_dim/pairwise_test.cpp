// The least total of random problems beside that of all choices.
#include "kolam/analysis/data_dim/pairwise.h"

#include <gtest/gtest.h>

#include <random>

namespace kolam::analysis {
namespace {

int64_t total_of(const PairwiseProblem& problem, const std::vector<int>& labels) {
  int64_t total = 0;
  for (size_t node = 0; node < labels.size(); ++node)
    total += problem.nodes[node][static_cast<size_t>(labels[node])];
  for (const PairwiseProblem::Edge& edge : problem.edges)
    total = std::min(
        total +
            edge.costs[static_cast<size_t>(labels[edge.first]) * problem.nodes[edge.second].size() +
                       static_cast<size_t>(labels[edge.second])],
        kForbidden);
  return std::min(total, kForbidden);
}

int64_t least_of_all(const PairwiseProblem& problem) {
  std::vector<int> labels(problem.nodes.size(), 0);
  int64_t least = kForbidden;
  while (true) {
    least = std::min(least, total_of(problem, labels));
    size_t node = 0;
    while (node < labels.size() && ++labels[node] == static_cast<int>(problem.nodes[node].size()))
      labels[node++] = 0;
    if (node == labels.size())
      return least;
  }
}

class RandomProblem {
public:
  explicit RandomProblem(unsigned seed) : random_(seed) {}

  PairwiseProblem make(int nodes, int edges, int labels) {
    PairwiseProblem problem;
    const int forbidden = pick(4);
    for (int node = 0; node < nodes; ++node) {
      std::vector<int64_t> costs(static_cast<size_t>(1 + pick(labels)));
      for (int64_t& cost : costs)
        cost = pick(8) == 0 ? 0 : pick(20);
      if (pick(10) == 0)
        costs[0] = kForbidden;
      problem.nodes.push_back(std::move(costs));
    }
    for (int edge = 0; edge < edges && nodes > 1; ++edge) {
      int first = pick(nodes), second = pick(nodes);
      if (first == second)
        continue;
      std::vector<int64_t> costs(problem.nodes[first].size() * problem.nodes[second].size());
      for (int64_t& cost : costs)
        cost = pick(4) < forbidden ? kForbidden : pick(15);
      problem.edges.push_back({first, second, std::move(costs)});
    }
    return problem;
  }

  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }

private:
  std::mt19937 random_;
};

/// Small tables leave the work to sweeps and search.
void expect_least(unsigned seed, const SolveLimits& limits) {
  RandomProblem random(seed);
  const int nodes = 1 + random.pick(8);
  PairwiseProblem problem = random.make(nodes, random.pick(2 * nodes + 1), 4);
  const int64_t least = least_of_all(problem);
  PairwiseSolution found = solve(problem, limits);
  ASSERT_TRUE(found.is_exact) << "seed " << seed;
  ASSERT_EQ(found.is_possible, least < kForbidden) << "seed " << seed;
  if (!found.is_possible)
    return;
  ASSERT_EQ(found.total, least) << "seed " << seed;
  ASSERT_EQ(found.bound, least) << "seed " << seed;
  ASSERT_EQ(total_of(problem, found.labels), least) << "seed " << seed;
}

TEST(Pairwise, LeastOfRandomProblems) {
  for (unsigned seed = 0; seed < 3000; ++seed)
    expect_least(seed, {});
}

TEST(Pairwise, SweepsAndSearchFindIt) {
  for (unsigned seed = 0; seed < 3000; ++seed)
    expect_least(seed, {.table = 2});
}

/// Nodes in a row, each beside three of the last nine, numbered as they come or not.
TEST(Pairwise, TimesAreASecondOrder) {
  RandomProblem random(5);
  PairwiseProblem problem;
  for (int node = 0; node < 120; ++node)
    problem.nodes.push_back({random.pick(20), random.pick(20), random.pick(20)});
  std::vector<int> places(problem.nodes.size());
  for (size_t node = 0; node < places.size(); ++node)
    places[node] = static_cast<int>((node * 37) % places.size());
  for (int at = 0; at < 120; ++at)
    for (int back : {1, 5, 9})
      if (at >= back) {
        const int first = places[at - back], second = places[at];
        std::vector<int64_t> costs(problem.nodes[first].size() * problem.nodes[second].size());
        for (int64_t& cost : costs)
          cost = random.pick(9);
        problem.edges.push_back({first, second, std::move(costs)});
      }
  PairwiseSolution without = solve(problem);
  problem.times.resize(places.size());
  for (int at = 0; at < 120; ++at)
    problem.times[places[at]] = at;
  PairwiseSolution with = solve(problem, {.branches = 0});
  ASSERT_TRUE(with.is_possible && with.is_exact && without.is_exact);
  EXPECT_EQ(with.total, without.total);
  EXPECT_EQ(total_of(problem, with.labels), with.total);
}

TEST(Pairwise, BoundsHoldBeyondTheLimits) {
  int inexact = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    RandomProblem random(seed);
    PairwiseProblem problem = random.make(9, 20, 3);
    const int64_t least = least_of_all(problem);
    PairwiseSolution found = solve(problem, {.sweeps = 1, .table = 2, .branches = 1});
    inexact += found.is_exact ? 0 : 1;
    ASSERT_LE(found.bound, least) << "seed " << seed;
    if (found.is_possible) {
      ASSERT_EQ(total_of(problem, found.labels), found.total) << "seed " << seed;
      ASSERT_GE(found.total, least) << "seed " << seed;
    }
  }
  EXPECT_GT(inexact, 0);
}

TEST(Pairwise, SameChoiceAtEachCall) {
  PairwiseProblem problem = RandomProblem(3).make(60, 150, 4);
  for (std::vector<int64_t>& costs : problem.nodes)
    costs.assign(costs.size(), 1);
  for (PairwiseProblem::Edge& edge : problem.edges)
    edge.costs.assign(edge.costs.size(), 0);
  EXPECT_EQ(solve(problem).labels, solve(problem).labels);
  EXPECT_EQ(solve(problem).total, 60);
}

TEST(Pairwise, NothingIsPossible) {
  PairwiseSolution found = solve({{{0, 0}, {0, 0}, {0, 0}},
                                  {{0, 1, {kForbidden, 0, 0, kForbidden}},
                                   {1, 2, {kForbidden, 0, 0, kForbidden}},
                                   {0, 2, {kForbidden, 0, 0, kForbidden}}}});
  EXPECT_FALSE(found.is_possible);
  EXPECT_TRUE(found.is_exact);
  EXPECT_TRUE(solve({}).is_possible);
}

} // namespace
} // namespace kolam::analysis
