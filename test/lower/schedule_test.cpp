// The schedules that lowering can follow, as text and by nest.
#include "kolam/lower/schedule.h"

#include "kolam/driver/compile.h"
#include "kolam/driver/parse.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace kolam::lower {
namespace {

const Machine kWide{.has_fma = true, .vector_bytes = 64},
    kNarrow{.has_fma = true, .vector_bytes = 32};

std::vector<Schedule> schedules(const std::string& type, const std::string& op,
                                const Machine& machine) {
  std::string text = "func.func @main(%x: " + type + ", %y: " + type + ") -> " + type +
                     " {\n  %r = " + op + " : (" + type + ", " + type + ") -> " + type +
                     "\n  return %r : " + type + "\n}\n";
  driver::Module program = driver::parse(text, "text.mlir").program;
  nest::NestList nests = nest::form_nests(program.main());
  EXPECT_EQ(nests.nests.size(), 1u);
  return schedules_for(nests.nests[0], machine);
}

std::vector<Schedule> of_product(const std::string& type, const Machine& machine) {
  return schedules(type, "kolam.contract \"ij,jk->ik\" %x, %y <\"chain<8192>\">", machine);
}

TEST(Schedule, IsReadFromItsText) {
  EXPECT_EQ(to_string(Schedule{8, 3}), "rows 8 vectors 3");
  EXPECT_EQ(parse_schedule("rows 8 vectors 3"), (Schedule{8, 3}));
  for (const char* text :
       {"", "rows 8", "rows 8 vectors", "rows 8 vectors 3 ", "rows 8 vectors 3x"})
    EXPECT_EQ(parse_schedule(text), std::nullopt) << text;
}

TEST(Schedule, StartsWithTheRules) {
  for (const Machine& machine : {kWide, kNarrow})
    EXPECT_EQ(of_product("tensor<512x512xf32>", machine)[0], Schedule());
}

TEST(Schedule, TilesFitRegistersAndUnits) {
  for (const Machine& machine : {kWide, kNarrow}) {
    std::vector<Schedule> all = of_product("tensor<1024x1024xf32>", machine);
    int lanes = machine.vector_bytes / 4, registers = machine.vector_bytes == 64 ? 32 : 16;
    EXPECT_GT(all.size(), 5u);
    for (size_t i = 1; i < all.size(); ++i) {
      EXPECT_LE(all[i].rows * all[i].vectors + all[i].vectors + 1, registers);
      EXPECT_EQ(96 % all[i].rows, 0);
      EXPECT_EQ(96 % (all[i].vectors * lanes), 0);
      EXPECT_EQ(std::ranges::count(all, all[i]), 1);
    }
  }
}

TEST(Schedule, FewRowsGiveTheirOwnHeights) {
  std::vector<Schedule> all = of_product("tensor<5x5xf32>", kWide);
  EXPECT_TRUE(std::ranges::count(all, Schedule{5, 1}));
  EXPECT_TRUE(std::ranges::all_of(all, [](const Schedule& s) { return s.rows <= 5; }));
}

TEST(Schedule, MapsChooseVectorsOnly) {
  std::vector<Schedule> all =
      schedules("tensor<64x64xf32>", "kolam.elementwise \"add\" %x, %y", kWide);
  EXPECT_GT(all.size(), 1u);
  EXPECT_TRUE(std::ranges::all_of(all, [](const Schedule& s) { return s.rows == 0; }));
}

} // namespace
} // namespace kolam::lower
