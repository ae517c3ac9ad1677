// Pages about plans.
#include "kolam/plan/page.h"

#include <gtest/gtest.h>

#include "test/plan/count.h"
#include "test/plan/random_plan.h"

namespace kolam::plans {
namespace {

TEST(PlanPage, HoldsEveryTensorStageAndEvent) {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    const Plan plan = random_plan(random);
    Machine machine{.workers = plan.workers,
                    .flops = 1e9,
                    .memory_bandwidth = 1e9,
                    .memory = 0,
                    .levels = {{plan.workers, 1e9, 1e-6}},
                    .task_overhead = 1e-6};
    const Simulated simulated = simulate(plan, machine, Timeline::kept);
    const std::string page = as_html(plan, simulated, "<explained> & more");
    EXPECT_EQ(count(page, "class=\"tensor\""), plan.tensors.size());
    size_t stages = 0;
    for (const Stage& stage : plan.stages)
      stages += stage.work != Work::load;
    EXPECT_EQ(count(page, "class=\"stage\""), stages);
    EXPECT_EQ(count(page, "class=\"event\""), simulated.timeline.size());
    EXPECT_EQ(count(page, "class=\"memory\""), static_cast<size_t>(plan.workers));
    EXPECT_EQ(count(page, "&lt;explained&gt; &amp; more"), 1U);
    EXPECT_EQ(count(page, "<script"), 0U);
    EXPECT_EQ(count(page, "<svg"), count(page, "</svg>"));
    EXPECT_EQ(count(page, "<g "), count(page, "</g>"));
  }
}

} // namespace
} // namespace kolam::plans
