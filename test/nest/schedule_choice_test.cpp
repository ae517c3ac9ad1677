// The schedules that the rules choose and those that tuning may try, by nest.
#include "kolam/nest/schedule_choice.h"

#include "kolam/driver/compile.h"
#include "kolam/driver/parse.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kolam::nest {
namespace {

const Machine kWide{.has_fma = true, .vector_bytes = 64},
    kNarrow{.has_fma = true, .vector_bytes = 32};

std::vector<Schedule> schedules(const std::string& type, const std::string& op,
                                const Machine& machine) {
  std::string text = "func.func @main(%x: " + type + ", %y: " + type + ") -> " + type +
                     " {\n  %r = " + op + " : (" + type + ", " + type + ") -> " + type +
                     "\n  return %r : " + type + "\n}\n";
  driver::Module program = driver::parse(text, "text.mlir").program;
  NestList nests = form_nests(program.main());
  EXPECT_EQ(nests.nests.size(), 1u);
  std::vector<Schedule> all = schedules_for(nests.nests[0], machine);
  EXPECT_EQ(all[0], choose_schedule(nests.nests[0], machine)) << "the rules' own comes first";
  for (const Schedule& schedule : all) {
    EXPECT_EQ(std::ranges::count(all, schedule), 1);
    EXPECT_EQ(parse_schedule(to_string(schedule)), schedule) << to_string(schedule);
  }
  return all;
}

std::vector<Schedule> of_product(const std::string& type, const Machine& machine) {
  return schedules(type, "kolam.contract \"ij,jk->ik\" %x, %y <\"chain<8192>\">", machine);
}

struct Tile {
  int64_t rows = 1, columns = 1;
};

/// The loops that are innermost around a product over i and j: the largest tile.
Tile tile_of(const Schedule& schedule) {
  Tile largest;
  for_each_node(schedule.nodes, [&](const ScheduleNode& node, const auto& around) {
    if (!std::holds_alternative<ScheduleStage>(node.what))
      return;
    Tile tile;
    for (const ScheduleLoop* loop : around)
      if (loop->kind == LoopKind::serial && loop->dim < 2)
        (loop->dim == 0 ? tile.rows : tile.columns) = *loop->step.constant();
    if (tile.columns > largest.columns)
      largest = tile;
  });
  return largest;
}

TEST(ScheduleChoice, TilesFitRegistersAndUnits) {
  for (const Machine& machine : {kWide, kNarrow}) {
    std::vector<Schedule> all = of_product("tensor<1024x1024xf32>", machine);
    int lanes = machine.vector_bytes / 4, registers = machine.vector_bytes == 64 ? 32 : 16;
    EXPECT_GT(all.size(), 5u);
    for (const Schedule& schedule : all) {
      Tile tile = tile_of(schedule);
      EXPECT_LE((tile.rows + 1) * tile.columns / lanes + 1, registers);
      EXPECT_EQ(96 % tile.rows, 0);
      EXPECT_EQ(96 % tile.columns, 0);
    }
  }
}

TEST(ScheduleChoice, FewRowsGiveTheirOwnHeights) {
  std::vector<Schedule> all = of_product("tensor<5x5xf32>", kWide);
  auto rows = [](const Schedule& schedule) { return tile_of(schedule).rows; };
  EXPECT_EQ(rows(all[0]), 5);
  EXPECT_TRUE(std::ranges::all_of(all, [&](const Schedule& s) { return rows(s) <= 5; }));
}

TEST(ScheduleChoice, MapsChooseVectorsSideBySide) {
  std::vector<Schedule> all =
      schedules("tensor<64x64xf32>", "kolam.elementwise \"add\" %x, %y", kWide);
  EXPECT_EQ(to_string(all[0]), "ops y\n"
                               "dims ij 4096\n"
                               "for ij0 in ij by 64 parallel\n"
                               "  y by elements lanes 16\n");
  ASSERT_GT(all.size(), 2u);
  EXPECT_EQ(to_string(all[1]), "ops y\n"
                               "dims ij 4096\n"
                               "for ij0 in ij by 64 parallel\n"
                               "  for ij1 in ij0 by 32 rest peeled\n"
                               "    for ij2 in ij1 by 16 unrolled\n"
                               "      y by elements lanes 16\n");
}

} // namespace
} // namespace kolam::nest
