// Schedules as text, and back.
#include "kolam/nest/schedule.h"

#include "kolam/support/error.h"

#include <gtest/gtest.h>

namespace kolam::nest {
namespace {

const std::string kText = R"(ops y exp1 reduce2
dims i n, jk 8*m
ahead 1 rows 2
for i0 in i parallel
  for i1 in i0
    store exp1 1024 in row
    reduce2 with exp1 by reduction
    for jk0 in jk by 64 rest peeled
      for jk1 in jk0 by 16 unrolled
        y with all by elements lanes 16 past caches
)";

TEST(Schedule, IsReadFromItsText) {
  Schedule schedule = parse_schedule(kText);
  EXPECT_EQ(to_string(schedule), kText);
  EXPECT_EQ(schedule.dims[1].extent, Extent(8) * Extent::symbol("m"));
  const ScheduleStage* root = root_stage(schedule);
  ASSERT_TRUE(root);
  EXPECT_EQ(root->lanes, 16);
  EXPECT_TRUE(root->past_caches);
}

TEST(Schedule, ChoosesByASizeAndGoesOnWithWhatALoopLeaves) {
  const std::string text = R"(ops y contract1
dims i n, j 100, k 1100
when i up to 96
  for j0 in j by 96 parallel rest mask
    store contract1 9216 in tile
    for k0 in k by 512 rest peeled
      for j1 in j0 by 64 rest next
        contract1 by products lanes 16
      for j2 in j0 by 48 rest mask
        contract1 by products lanes 16
    y by elements lanes 16
when i over 96
  for i0 in i runs
    for i1 in i0 by 8 rest fewer
      y with contract1 by products lanes 16
)";
  Schedule schedule = parse_schedule(text);
  EXPECT_EQ(to_string(schedule), text);
  int loops = 0;
  for_each_node(schedule.nodes, [&](const ScheduleNode& node, const auto& around) {
    if (auto* stage = std::get_if<ScheduleStage>(&node.what); stage && stage->op == 1)
      EXPECT_EQ(around.size(), 3u);
    loops += std::holds_alternative<ScheduleLoop>(node.what);
  });
  EXPECT_EQ(loops, 6);
}

TEST(Schedule, HasExtentsOfAnyForm) {
  const char* text =
      "ops y\ndims i ceildiv(n, 3), j max(2, min(m, n))\nfor i0 in i by ceildiv(n, 4) + 1 "
      "parallel rest mask\n  y by elements\n";
  EXPECT_EQ(to_string(parse_schedule(to_string(parse_schedule(text)))),
            to_string(parse_schedule(text)));
  EXPECT_EQ(parse_schedule(text).dims.size(), 2u);
}

TEST(Schedule, MayStandFurtherIn) {
  EXPECT_EQ(parse_schedule("  ops y\n  dims i 8\n  for i0 in i parallel\n    y by elements\n"),
            parse_schedule("ops y\ndims i 8\nfor i0 in i parallel\n  y by elements\n"));
}

TEST(Schedule, PassesOverCommentsAndEmptyLines) {
  EXPECT_EQ(
      parse_schedule("# a map\nops y\n\ndims i 8 # few\nfor i0 in i parallel\n  y by elements"),
      parse_schedule("ops y\ndims i 8\nfor i0 in i parallel\n  y by elements\n"));
}

TEST(Schedule, RefusesOtherTextWithItsLine) {
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& wrong : std::initializer_list<Case>{
           {"", "expected 'ops', but got the end of the text"},
           {"dims i 8", "expected 'ops', but got 'dims i 8' in line 1"},
           {"ops", "expected a name, but got 'ops' in line 1"},
           {"ops y\ndims i", "expected a name and an extent for each dim"},
           {"ops y\ndims i 8, i 9", "expected each dim once"},
           {"ops y\ndims i 8+", "expected an extent"},
           {"ops y\ndims i 8\nfor j0 in j", "expected a dim, or the innermost loop over it"},
           {"ops y\ndims i 8\nfor i0 in i by", "expected an extent"},
           {"ops y\ndims i 8\nfor i in i", "expected a name of its own for the loop"},
           {"ops y\ndims i 8\nfor i0 in i sideways", "expected the end of the line"},
           {"ops y\ndims i 8\n   y by elements", "expected a line indented by 0 spaces"},
           {"ops y\nx by elements", "expected an op of the first line"},
           {"ops y\ny by magic", "expected one of elements, reduction"},
           {"ops y\ny by elements lanes many", "expected a number of lanes"},
           {"ops y\ny by elements past", "expected 'past caches'"},
           {"ops y\ny elements", "expected 'by' and how the stage is computed"},
           {"ops y\nstore y -1 in row", "expected a number of elements"},
           {"ops y\nstore y 1 in heaven", "expected one of registers, row"},
           {"ops y\nahead 1 rows", "expected a dim"}})
    try {
      parse_schedule(wrong.text);
      ADD_FAILURE() << wrong.text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("[bad-schedule]"), std::string::npos);
      EXPECT_NE(std::string(error.what()).find(wrong.message), std::string::npos)
          << wrong.text << ": " << error.what();
    }
}

} // namespace
} // namespace kolam::nest
