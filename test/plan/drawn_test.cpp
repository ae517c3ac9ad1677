// What pictures of plans show.
#include "kolam/plan/drawn.h"

#include <gtest/gtest.h>

#include <set>

#include "kolam/space/projection_forms.h"
#include "test/plan/random_plan.h"

namespace kolam::plans {
namespace {

TEST(Drawn, ShardsPartitionWhatIsComputed) {
  std::mt19937 random(5);
  for (int round = 0; round < 50; ++round) {
    const Plan plan = random_plan(random);
    const Drawn drawn(plan);
    for (size_t tensor = 0; tensor < plan.tensors.size(); ++tensor) {
      if (plan.tensors[tensor].partial_of >= 0 || plan.tensors[tensor].argument >= 0)
        continue;
      int64_t elements = 0;
      for (const Shard& shard : drawn.shards[tensor]) {
        elements += space::size(shard.box);
        EXPECT_LT(shard.worker, plan.workers);
      }
      EXPECT_EQ(elements, space::size(Box::of_shape(plan.tensors[tensor].shape)));
    }
  }
}

TEST(Drawn, RowsOfProjections) {
  EXPECT_EQ(projection_rows(space::identity(2)),
            (std::vector<std::string>{"1 0 | 0 | 1", "0 1 | 0 | 1"}));
  space::Projection projection = space::identity(1);
  projection.map.rows[0].divisor = 3;
  projection.map.rows[0].modulus = 4;
  EXPECT_EQ(projection_rows(projection), (std::vector<std::string>{"1 // 3 % 4 | 0 | 1"}));
  EXPECT_EQ(projection_rows(space::identity(0)), (std::vector<std::string>{" | | "}));
}

TEST(Drawn, ColoursOfNeighboursDiffer) {
  std::set<std::string> colours;
  for (int64_t worker = 0; worker < 12; ++worker)
    colours.insert(colour_of(worker));
  EXPECT_EQ(colours.size(), 12U);
  EXPECT_EQ(colour_of(0), "#eba2a2");
}

TEST(Drawn, Texts) {
  EXPECT_EQ(escaped("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(123), "123");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-1234), "-1,234");
}

} // namespace
} // namespace kolam::plans
