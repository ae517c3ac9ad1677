// Selectors: concat, interleave, repeat and pad.
#include "kolam/space/selector.h"

#include <gtest/gtest.h>

#include "kolam/space/region.h"
#include "test/space/random_space.h"

namespace kolam::space {
namespace {

TEST(Selector, T4Concat) {
  std::vector<Box> by_row, by_column;
  for (const Projection& piece : concat_projections({{2, 2}, {2, 2}}, 0))
    by_row.push_back(region(piece, Box::of_shape({2, 2})));
  for (const Projection& piece : concat_projections({{2, 2}, {2, 2}}, 1))
    by_column.push_back(region(piece, Box::of_shape({2, 2})));
  EXPECT_EQ(by_row, (std::vector<Box>{Box({0, 0}, {2, 2}), Box({2, 0}, {4, 2})}));
  EXPECT_EQ(by_column, (std::vector<Box>{Box({0, 0}, {2, 2}), Box({0, 2}, {2, 4})}));
}

TEST(Selector, ConcatOfSymbolicExtents) {
  Extent n = Extent::symbol("n"), m = Extent::symbol("m");
  std::vector<Projection> pieces = concat_projections({{n}, {m}, {2}}, 0);
  EXPECT_EQ(to_string(pieces[2]), "[1 | m + n | 1]");
  EXPECT_EQ(slug_of([&] { concat_projections({{n, 2}, {m, 3}}, 0); }), "space-concat");
  EXPECT_EQ(slug_of([&] { concat_projections({{n}}, 1); }), "space-rank");
}

TEST(Selector, ConcatLookup) {
  EXPECT_EQ(concat_source({3, 0, 2}, 2), (Source{0, 2}));
  EXPECT_EQ(concat_source({3, 0, 2}, 3), (Source{2, 0}));
  EXPECT_EQ(slug_of([] { concat_source({3, 0, 2}, 5); }), "space-out-of-bounds");
  EXPECT_EQ(slug_of([] { concat_source({3}, -1); }), "space-out-of-bounds");
}

TEST(Selector, InterleaveRepeatPad) {
  for (int64_t i = 0; i < 20; ++i) {
    Source source = interleave_source(3, i);
    EXPECT_EQ(image(interleave_map(3), {i}), (Point{source.piece, source.index}));
    EXPECT_EQ(source.index * 3 + source.piece, i);
    EXPECT_EQ(image(repeat_map(4), {i}), Point{i % 4});
  }
  EXPECT_EQ(pad_source(Policy::pad(int64_t{0}), 2, 3, 1).kind, Landing::Kind::padded);
  EXPECT_EQ(pad_source({Policy::Kind::reflect}, 2, 3, 0), (Landing{Landing::Kind::cell, 2}));
  EXPECT_EQ(pad_source(Policy::pad(int64_t{0}), 2, 3, 4), (Landing{Landing::Kind::cell, 2}));
  EXPECT_EQ(slug_of([] { repeat_map(0); }), "space-step");
}

} // namespace
} // namespace kolam::space
