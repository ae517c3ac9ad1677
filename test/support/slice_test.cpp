// Slices against CPython's own rule: every small bound and step, with number and symbolic extents.
#include "kolam/support/slice.h"

#include "kolam/support/error.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

/// CPython's PySlice_AdjustIndices, then the places one by one.
std::vector<int64_t> python_places(std::optional<int64_t> start, std::optional<int64_t> stop,
                                   int64_t step, int64_t extent) {
  auto adjust = [&](std::optional<int64_t> bound, int64_t otherwise) {
    if (!bound)
      return otherwise;
    int64_t place = *bound;
    if (place < 0) {
      place += extent;
      return place >= 0 ? place : step < 0 ? -1 : 0;
    }
    return place < extent ? place : step < 0 ? extent - 1 : extent;
  };
  int64_t place = adjust(start, step < 0 ? extent - 1 : 0);
  int64_t end = adjust(stop, step < 0 ? -1 : extent);
  std::vector<int64_t> places;
  for (; step < 0 ? place > end : place < end; place += step)
    places.push_back(place);
  return places;
}

std::vector<int64_t> places_of(const SliceBox& box, int64_t extent) {
  std::map<std::string, int64_t> sizes{{"n", extent}};
  std::vector<int64_t> places;
  for (int64_t i = 0; i < box.size.evaluate(sizes); ++i) {
    int64_t place = box.start.evaluate(sizes) + i * box.step;
    places.push_back(box.reversed ? extent - 1 - place : place);
  }
  return places;
}

std::vector<std::optional<int64_t>> bounds() {
  std::vector<std::optional<int64_t>> result{std::nullopt};
  for (int64_t bound = -6; bound <= 6; ++bound)
    result.push_back(bound);
  return result;
}

TEST(Slice, TakesThePlacesThatPythonTakes) {
  for (int64_t extent = 0; extent <= 5; ++extent)
    for (auto start : bounds())
      for (auto stop : bounds())
        for (int64_t step : {-3, -2, -1, 1, 2, 3}) {
          Slice slice;
          if (start)
            slice.start = *start;
          if (stop)
            slice.stop = *stop;
          slice.step = step;
          auto expected = python_places(start, stop, step, extent);
          EXPECT_EQ(places_of(resolve_slice(slice, extent), extent), expected);
          EXPECT_EQ(places_of(resolve_slice(slice, Extent::symbol("n")), extent), expected);
        }
}

TEST(Slice, TheWholeDimHasItsOwnExtent) {
  Extent n = Extent::symbol("n");
  for (int64_t step : {1, -1}) {
    SliceBox box = resolve_slice({{}, {}, step}, n);
    EXPECT_EQ(box.start, Extent(0));
    EXPECT_EQ(box.size, n);
    EXPECT_EQ(box.reversed, step < 0);
  }
}

TEST(Slice, RefusesStepZero) {
  try {
    resolve_slice({{}, {}, 0}, 4);
    FAIL() << "expected an Error";
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "bad-step");
  }
}

} // namespace
} // namespace kolam
