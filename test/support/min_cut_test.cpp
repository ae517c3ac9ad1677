// Least cuts against all cuts of small random networks.
#include "kolam/support/min_cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace kolam {
namespace {

struct Edge {
  int from, to;
  int64_t capacity;
};

int64_t weight(const std::vector<Edge>& edges, const std::vector<bool>& sink_side) {
  int64_t sum = 0;
  for (const Edge& edge : edges)
    if (!sink_side[edge.from] && sink_side[edge.to])
      sum += edge.capacity;
  return sum;
}

TEST(MinCut, WeighsNoMoreThanAnyOther) {
  std::mt19937 random(1);
  for (int run = 0; run < 300; ++run) {
    const int nodes = 2 + static_cast<int>(random() % 7);
    Network network;
    for (int node = 2; node < nodes; ++node)
      EXPECT_EQ(network.add_node(), node);
    std::vector<Edge> edges;
    for (int count = static_cast<int>(random() % 20); count > 0; --count) {
      const Edge edge{static_cast<int>(random() % nodes), static_cast<int>(random() % nodes),
                      static_cast<int64_t>(random() % 10)};
      edges.push_back(edge);
      network.add_edge(edge.from, edge.to, edge.capacity);
    }
    const std::vector<bool> found = network.sink_side();
    ASSERT_FALSE(found[Network::kSource]);
    ASSERT_TRUE(found[Network::kSink]);
    int64_t least = INT64_MAX, smallest = 0;
    for (unsigned sides = 0; sides < 1U << nodes; ++sides) {
      std::vector<bool> cut;
      for (int node = 0; node < nodes; ++node)
        cut.push_back(sides >> node & 1);
      if (cut[Network::kSource] || !cut[Network::kSink])
        continue;
      const int64_t own = weight(edges, cut);
      const int64_t size = std::count(cut.begin(), cut.end(), true);
      if (own < least || (own == least && size < smallest)) {
        least = own;
        smallest = size;
      }
    }
    EXPECT_EQ(weight(edges, found), least);
    // The one nearest to the sink.
    EXPECT_EQ(std::count(found.begin(), found.end(), true), smallest);
  }
}

TEST(MinCut, KeepsEdgesThatNoCutHas) {
  Network network;
  const int kept = network.add_node(), made = network.add_node();
  network.add_edge(Network::kSource, kept, Network::kNever);
  network.add_edge(kept, made, 5);
  network.add_edge(made, Network::kSink, Network::kNever);
  const std::vector<bool> side = network.sink_side();
  EXPECT_FALSE(side[kept]);
  EXPECT_TRUE(side[made]);
}

} // namespace
} // namespace kolam
