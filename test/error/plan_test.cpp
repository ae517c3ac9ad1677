// The words of plans that are no plans, and of those that are too large.
#include "kolam/plan/expand.h"
#include "kolam/plan/json.h"
#include "test/runtime/expect_error.h"

#include <gtest/gtest.h>

namespace kolam::plans {
namespace {

std::string words(const std::function<void()>& call) { return error_of(call).what(); }

TEST(PlanErrors, BadPlan) {
  EXPECT_EQ(words([] { plan_from_json(R"({"format": 2})"); }),
            "[bad-plan] format: expected format 1 of plans, but got 2");
}

TEST(PlanErrors, TooLarge) {
  Plan plan;
  plan.tasks.resize(1);
  plan.tasks[0].counts = {INT64_MAX};
  EXPECT_EQ(words([&] { expand(plan); }),
            "[plan-too-large] expected at most 16777216 tasks and transfers, but got more");
}

TEST(PlanErrors, Overflow) {
  EXPECT_EQ(words([] { block_bytes({}, Box({0, 0}, {INT64_MAX, 1})); }),
            "[plan-overflow] expected a number of 64 bits, but got 4 * 9223372036854775807");
}

} // namespace
} // namespace kolam::plans
