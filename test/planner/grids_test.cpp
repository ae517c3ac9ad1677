// Ways to cut stages.
#include "kolam/driver/parse.h"
#include "kolam/planner/grids.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kolam::planner {
namespace {

using space::Box;

class GridsOfAProduct : public testing::Test {
protected:
  void SetUp() override {
    program = driver::parse(R"(
func.func @main(%x: tensor<8x4096xf32>, %y: tensor<4096x6xf32>) -> tensor<8x6xf32> {
  %z = kolam.contract "mk,kn->mn" %x, %y <"chain<512>"> : (tensor<8x4096xf32>, tensor<4096x6xf32>) -> tensor<8x6xf32>
  return %z : tensor<8x6xf32>
})",
                            "test")
                  .program;
    stages = stages_of(program.main(), usual_stored(program.main(), parts), parts);
    ASSERT_EQ(stages.size(), 1U);
  }

  std::vector<std::vector<int64_t>> counts(int64_t workers, Allow allow) {
    std::vector<std::vector<int64_t>> all;
    for (const Grid& grid : grids_of(stages[0], parts.cut_dims(stages[0].root), workers, 1, allow))
      if (!grid.is_swapped && !grid.counts.empty())
        all.push_back(grid.counts);
    return all;
  }

  driver::Module program;
  transform::Cuts parts;
  std::vector<Stage> stages;
};

TEST_F(GridsOfAProduct, SumsAreCutAtRunsOfChunks) {
  EXPECT_EQ(stages[0].summed_dim, 2);
  EXPECT_EQ(stages[0].chunk_points, 512);
  const Box whole({0, 0, 0}, {8, 6, 4096});
  const std::vector<Box> runs = exact_runs(stages[0], whole, 3);
  ASSERT_EQ(runs.size(), 2U); // 8 chunks: 2 runs of 4, as 3 runs are no subtrees
  EXPECT_EQ(runs[0], Box({0, 0, 0}, {8, 6, 2048}));
  EXPECT_EQ(exact_runs(stages[0], whole, 8).size(), 8U);
}

TEST_F(GridsOfAProduct, FactorsOfTheWorkers) {
  const auto exact = counts(3, Allow::exact), any = counts(3, Allow::reassociate);
  EXPECT_TRUE(std::ranges::count(exact, std::vector<int64_t>{3, 1, 1}));
  EXPECT_TRUE(std::ranges::count(exact, std::vector<int64_t>{1, 3, 1}));
  EXPECT_FALSE(std::ranges::count(exact, std::vector<int64_t>{1, 1, 3}));
  EXPECT_TRUE(std::ranges::count(any, std::vector<int64_t>{1, 1, 3}));
  EXPECT_TRUE(std::ranges::count(exact, std::vector<int64_t>{1, 1, 1}));
}

TEST_F(GridsOfAProduct, StripsServeAnyNumberOfWorkers) {
  const StageCut cut = cut_by(stages[0], {.counts = {}, .dims = {0, 1}, .workers = 5}, parts);
  ASSERT_EQ(cut.pieces.size(), 5U);
  int64_t most = 0;
  for (const Placed& placed : cut.pieces)
    most = std::max(most, space::size(placed.index) / 4096);
  EXPECT_LE(most, 12); // 48 elements by 5 workers
}

} // namespace
} // namespace kolam::planner
