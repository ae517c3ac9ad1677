// Plans in Graphviz's language.
#include "kolam/plan/picture.h"

#include <gtest/gtest.h>

#include "test/plan/random_plan.h"

namespace kolam::plans {
namespace {

/// z = relu(x) of 4 elements on 2 workers.
Plan relu_plan() {
  PlanBuilder builder(2);
  const int64_t x = builder.add_argument("x", {4}), z = builder.add_tensor("z<1>", {4});
  builder.plan.tensors[static_cast<size_t>(z)].results = {0};
  const int64_t relu = builder.add_stage({"relu", Work::compute, pointwise({4}, false), {x, z}});
  for (int64_t i = 0; i < 2; ++i)
    builder.run(relu, Box({2 * i}, {2 * i + 2}), i);
  return std::move(builder.plan);
}

TEST(PlanPicture, AllOfIt) {
  const std::string dot = as_dot(relu_plan());
  for (const char* part :
       {"digraph plan {", "  t0 [label=<<table", "x: float32[4]", "z&lt;1&gt;: float32[4]",
        "title=\"worker 1: [2:4]\"", "  s1 [shape=box", "relu<br/>d0 &lt; 4<br/>2 tasks",
        "  t0 -> s1 [label=\"[1 | 0 | 1]\\l\"];", "  s1 -> t1 [label=\"[1 | 0 | 1]\\l\"];"})
    EXPECT_NE(dot.find(part), std::string::npos) << part << "\n" << dot;
  EXPECT_EQ(dot.find("  s0 "), std::string::npos) << "loads are not drawn";
}

TEST(PlanPicture, OfABrokenPlan) {
  Plan plan = relu_plan();
  plan.tasks[0].piece = 99;
  EXPECT_ANY_THROW(as_dot(plan));
}

} // namespace
} // namespace kolam::plans
