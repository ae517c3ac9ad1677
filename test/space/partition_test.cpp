// Partitions and shards: S1, S2, S4, S5 and V5 of the reference.
#include "kolam/space/partition.h"

#include <gtest/gtest.h>

#include "kolam/space/projection_forms.h"
#include "kolam/space/region.h"
#include "test/space/random_space.h"

namespace kolam::space {
namespace {

Box box(std::string_view text) { return *parse_box(text); }

/// z[i, n] = sum of x[i, m] y[m, n], the reduction inside a point; x starts at `origin`.
Signature matmul(int64_t rows, int64_t inner, int64_t columns, Shape origin) {
  Projection x = translate(axial(2, {0, kWhole}, {rows, inner}), origin);
  return {"matmul",
          {map_dim("i", rows), map_dim("n", columns)},
          {{"x", Role::in, {rows, inner}, x, {}, false, origin},
           {"y", Role::in, {inner, columns}, axial(2, {kWhole, 1}, {inner, columns})},
           {"z", Role::out, {rows, columns}, identity(2)}}};
}

TEST(Partition, S1MatmulThenRowSum) {
  Signature product = matmul(3, 4, 5, {-10, 4});
  EXPECT_EQ(to_string(validate_total_outputs(product)), "");
  std::vector<Shard> shards = make_shards(product, split_by_size(index_box(product), 1, 2));
  ASSERT_EQ(shards.size(), 3u);
  for (const Shard& shard : shards)
    EXPECT_EQ(shard.regions[0], box("[-10:-7, 4:8]"));
  EXPECT_EQ(shards[2].regions[1], box("[0:4, 4:5]"));
  EXPECT_EQ(region(product.operands[2].projection, index_box(product)), box("[0:3, 0:5]"));

  Signature sum{
      "sum",
      {map_dim("i", 3)},
      {{"z", Role::in, {3, 5}, axial(1, {0, kWhole}, {3, 5})}, {"s", Role::out, {3}, identity(1)}}};
  std::vector<Shard> parts = make_shards(sum, split_by_size(box("[0:3]"), 0, 2));
  EXPECT_EQ(parts[0].regions, (std::vector<Box>{box("[0:2, 0:5]"), box("[0:2]")}));
  EXPECT_EQ(parts[1].regions, (std::vector<Box>{box("[2:3, 0:5]"), box("[2:3]")}));
}

TEST(Partition, S2FourApplications) {
  Signature product = matmul(10, 5, 12, {-10, 0});
  std::vector<Shard> shards = make_shards(product, split_grid(index_box(product), {2, 2}));
  ASSERT_EQ(shards.size(), 4u);
  EXPECT_EQ(shards[0].index, box("[0:5, 0:6]"));
  EXPECT_EQ(shards[0].regions[0], box("[-10:-5, 0:5]"));
  EXPECT_EQ(shards[0].regions[1], box("[0:5, 0:6]"));
  EXPECT_EQ(shards[1].regions[1], box("[0:5, 6:12]"));
  EXPECT_EQ(shards[2].regions[0], box("[-5:0, 0:5]"));
  EXPECT_EQ(shards[3].regions[0], box("[-5:0, 0:5]"));
  EXPECT_EQ(shards[3].regions[1], box("[0:5, 6:12]"));
}

TEST(Partition, S4LinearInSections) {
  Signature linear{"linear",
                   {map_dim("i", 20), map_dim("j", 30), map_dim("n", 32)},
                   {{"x", Role::in, {20, 30, 128}, axial(3, {0, 1, kWhole}, {20, 30, 128})},
                    {"w", Role::in, {128, 32}, axial(3, {kWhole, 2}, {128, 32})},
                    {"b", Role::in, {32}, axial(3, {2}, {32})},
                    {"y", Role::out, {20, 30, 32}, identity(3)}}};
  std::vector<Shard> shards = make_shards(linear, split_grid(index_box(linear), {1, 2, 2}));
  ASSERT_EQ(shards.size(), 4u);
  EXPECT_EQ(shards[3].index, box("[0:20, 15:30, 16:32]"));
  EXPECT_EQ(shards[3].regions[0], box("[0:20, 15:30, 0:128]"));
  EXPECT_EQ(shards[3].regions[1], box("[0:128, 16:32]"));
  EXPECT_EQ(shards[3].regions[2], box("[16:32]"));
}

TEST(Partition, S5BalancedSections) {
  EXPECT_EQ(split_grid(box("[0:10]"), {4}).size(), 4u);
  EXPECT_EQ(split_grid(box("[0:5]"), {4})[0], box("[0:2]"));
  EXPECT_EQ(split_grid(Box(), {}), std::vector<Box>{Box()});
}

TEST(Partition, V5OverlapAndGapOfEqualVolume) {
  std::vector<Issue> issues =
      validate_partition(box("[0:4]"), {box("[0:2]"), box("[0:1]"), box("[3:4]")});
  ASSERT_EQ(issues.size(), 1u);
  EXPECT_EQ(issues[0].subject, "piece 1");
  EXPECT_EQ(issues[0].message, "expected disjoint pieces, but [0:2] and [0:1] overlap");
}

TEST(Partition, ReportsEveryBreak) {
  std::vector<Issue> issues =
      validate_partition(box("[0:4]"), {box("[0:3]"), box("[2:5]"), box("[0:1, 0:1]")});
  EXPECT_EQ(to_string(issues),
            "piece 1: [space-partition] expected a piece of [0:4], but got [2:5]\n"
            "piece 2: [space-rank] expected rank 1, but got 2\n"
            "piece 1: [space-partition] expected disjoint pieces, but [0:3] and [2:5] overlap\n"
            "the pieces: [space-partition] expected 4 elements in all, but got 6");
}

TEST(Partition, EmptyPiecesAndRankZero) {
  EXPECT_TRUE(validate_partition(box("[0:4]"), {box("[9:9]"), box("[0:4]")}).empty());
  EXPECT_TRUE(validate_partition(box("[2:2]"), {}).empty());
  EXPECT_TRUE(validate_partition(Box(), {Box()}).empty());
  EXPECT_FALSE(validate_partition(Box(), {Box(), Box()}).empty());
  EXPECT_FALSE(validate_partition(Box(), {}).empty());
}

TEST(Partition, ReducedDimsStayWholeUnlessAskedFor) {
  Signature total{"sum",
                  {reduce_dim("m", 8, {"sum", {DType::f32}})},
                  {{"x", Role::in, {8}, identity(1)}, {"s", Role::out, {}, fixed(1, {}, {})}}};
  EXPECT_EQ(to_string(validate_total_outputs(total)), "");
  std::vector<Box> halves = split_evenly(box("[0:8]"), 0, 2);
  EXPECT_EQ(slug_of([&] { make_shards(total, halves); }), "space-partition");
  EXPECT_EQ(make_shards(total, halves, PartialReductions::allowed)[1].regions[0], box("[4:8]"));
  EXPECT_EQ(slug_of([&] { make_shards(total, {halves[0]}); }), "space-partition");
}

/// Whether each element of `whole` is in exactly one piece and no piece leaves it.
bool is_partition_by_cells(const Box& whole, const std::vector<Box>& pieces) {
  std::map<Point, int> count;
  for (const Box& piece : pieces)
    for_each_point(piece, [&](const Point& cell) { ++count[cell]; });
  bool valid = static_cast<int64_t>(count.size()) == size(whole);
  for (const auto& [cell, pieces_here] : count)
    valid &= pieces_here == 1 && contains(whole, cell);
  return valid;
}

TEST(PartitionProperty, AgreesWithCells) {
  int valid = 0;
  for (uint32_t seed = 0; seed < 6000; ++seed) {
    std::mt19937 random(seed);
    Box whole = random_box(random, 2);
    std::vector<Box> pieces =
        split_grid(whole, {random_between(random, 1, 3), random_between(random, 1, 3)});
    if (random() % 2) { // spoil it: move a piece, or put a random one in its place
      Box& piece = pieces[random() % pieces.size()];
      piece = random() % 2 ? translate(piece, {0, random_between(random, -1, 1)})
                           : random_box(random, 2);
    }
    bool expected = is_partition_by_cells(whole, pieces);
    ASSERT_EQ(validate_partition(whole, pieces).empty(), expected) << "seed " << seed;
    valid += expected;
  }
  EXPECT_GT(valid, 2000);
}

TEST(PartitionProperty, ShardsOfAnInjectiveOutputPartitionIt) {
  for (uint32_t seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    Point tile{random_between(random, 1, 3), random_between(random, 1, 3)};
    Projection tiles =
        projection(affine_map(2, {{0, tile[0]}, {tile[1], 0}}, {5, -2}), {tile[0], tile[1]});
    Box index = random_box(random, 2, 1);
    std::vector<Box> outputs;
    for (const Box& piece : split_grid(index, {2, 3}))
      outputs.push_back(region(tiles, piece));
    ASSERT_TRUE(validate_partition(region(tiles, index), outputs).empty()) << "seed " << seed;
  }
}

} // namespace
} // namespace kolam::space
