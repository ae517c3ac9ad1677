// Figures of signatures.
#include "kolam/plan/figure.h"

#include "kolam/space/projection_forms.h"
#include "kolam/support/error.h"

#include <gtest/gtest.h>

#include "test/plan/count.h"
#include "test/plan/random_plan.h"

namespace kolam::plans {
namespace {

/// y[i] from x[i - 1 : i + 2].
space::Signature window_of_three() {
  space::Signature signature{.op = "window", .dims = {space::map_dim("i", 6)}, .operands = {}};
  signature.operands = {
      {.name = "x",
       .role = space::Role::in,
       .shape = {6},
       .projection = space::window({{.kernel = 3, .centre = 1}})},
      {.name = "y", .role = space::Role::out, .shape = {6}, .projection = space::identity(1)}};
  return signature;
}

TEST(Figure, BoxesAndWhatTheyOwn) {
  const std::string svg = figure(window_of_three(), {Box({0}, {3}), Box({3}, {6})});
  EXPECT_EQ(count(svg, "class=\"region\""), 6U);
  EXPECT_EQ(count(svg, "class=\"space\""), 3U);
  EXPECT_NE(svg.find("[1 | -1 | 3]"), std::string::npos);
  EXPECT_NE(svg.find("relative start (-1)"), std::string::npos);
  EXPECT_EQ(svg.find("adjustment"), std::string::npos);
  EXPECT_EQ(count(svg, "<g "), count(svg, "</g>"));
}

TEST(Figure, AnOffsetOfTwoParts) {
  space::Signature signature = window_of_three();
  signature.operands[0].projection = space::reverse_index(signature.operands[0].projection, 0, 6);
  const std::string svg = figure(signature, {Box({0}, {2})});
  EXPECT_NE(svg.find("[-1 | 4 | 3]"), std::string::npos);
  EXPECT_NE(svg.find("adjustment (5), as it counts backwards"), std::string::npos);
  EXPECT_NE(svg.find("relative start (-1)"), std::string::npos);
  EXPECT_EQ(count(svg, "marker-end"), 2U);
}

TEST(Figure, EveryRank) {
  for (int rank : {0, 1, 2, 3, 4}) {
    space::Signature signature{.op = "copy", .dims = {}, .operands = {}};
    Point end;
    for (int dim = 0; dim < rank; ++dim) {
      signature.dims.push_back(space::map_dim("i" + std::to_string(dim), 3));
      end.push_back(3);
    }
    signature.operands = {{.name = "x",
                           .role = space::Role::in,
                           .shape = Shape(static_cast<size_t>(rank), 3),
                           .projection = space::identity(rank)}};
    const std::string svg = figure(signature, {Box::of_shape(end)});
    const size_t panels = rank < 3 ? 1 : rank == 3 ? 3 : 4;
    EXPECT_EQ(count(svg, "class=\"space\""), 2 * panels) << rank;
    EXPECT_EQ(count(svg, "and 5 more of these"), rank == 4 ? 2U : 0U);
  }
}

TEST(Figure, OfStages) {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    const Plan plan = random_plan(random);
    for (size_t stage = 0; stage < plan.stages.size(); ++stage)
      if (plan.stages[stage].work == Work::compute)
        EXPECT_GE(count(figure(plan, static_cast<int64_t>(stage)), "class=\"space\""), 2U);
    EXPECT_THROW(figure(plan, -1), Error);
    EXPECT_THROW(figure(plan, 1000), Error);
  }
}

TEST(Figure, OfSymbols) {
  space::Signature signature = window_of_three();
  signature.operands[0].shape = {Extent::symbol("n")};
  EXPECT_THROW(figure(signature, {}), Error);
}

} // namespace
} // namespace kolam::plans
