// Windows over lists by parts: at once and traced on both backends, against values by hand.
#include "test/frontend/fractal/lists.h"

namespace kolam::fractal::test {
namespace {

using namespace detail;

const std::vector<int64_t> kNone = {};

List seven() { return list_of({0, 1, 2, 3, 4, 5, 6}); }

TEST(ListWindows, SlideCountsWindowsByTheFormula) {
  List thirteen = list_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  SlideOptions options{.stride = 3, .dilation = 2, .padding = 2, .value = {-1}};
  expect(
      thirteen, [&](const Parts& xs) { return slide(xs, 3, options); },
      list_of(Nested{{-1, 0, 2}, {1, 3, 5}, {4, 6, 8}, {7, 9, 11}, {10, 12, -1}}));
  expect(
      seven(), [](const Parts& xs) { return slide(xs, 2, {.stride = 3}); },
      list_of(Nested{{0, 1}, {3, 4}}));
  expect(
      list_of({5}), [](const Parts& xs) { return slide(xs, 3, {.padding = 1}); },
      list_of(Nested{{0, 5, 0}}));
  expect(
      list_of(kNone), [](const Parts& xs) { return slide(xs, 3, {.padding = 2}); },
      list_of(Nested{{0, 0, 0}, {0, 0, 0}}));
}

TEST(ListWindows, PaddingMayDifferBeforeAndBehind) {
  expect(
      list_of({1, 2}), [](const Parts& xs) { return slide(xs, 3, {.padding = {2, 0}}); },
      list_of(Nested{{0, 0, 1}, {0, 1, 2}}));
  expect(
      list_of({1, 2}), [](const Parts& xs) { return slide(xs, 2, {.padding = {0, 1}}); },
      list_of(Nested{{1, 2}, {2, 0}}));
}

TEST(ListWindows, ShortListsHaveNoWindows) {
  for (SlideOptions options :
       {SlideOptions{}, SlideOptions{.stride = 5}, SlideOptions{.dilation = 3, .padding = 2}})
    expect(
        list_of(kNone), [&](const Parts& xs) { return slide(xs, 3, options); }, list_of(Nested{}));
  expect(list_of({5}), [](const Parts& xs) { return slide(xs, 3); }, list_of(Nested{}));
}

TEST(ListWindows, ShiftedSlideIsCircular) {
  expect(
      list_of({0, 1, 2, 3}), [](const Parts& xs) { return shifted_slide(xs, 3); },
      list_of(Nested{{3, 0, 1}, {0, 1, 2}, {1, 2, 3}, {2, 3, 0}}));
  expect(
      list_of({0, 1, 2}), [](const Parts& xs) { return shifted_slide(xs, 3, 4); },
      list_of(Nested{{2, 0, 1}, {0, 1, 2}, {1, 2, 0}}));
  expect(list_of(kNone), [](const Parts& xs) { return shifted_slide(xs, 3); }, list_of(Nested{}));
}

TEST(ListWindows, WindowsAtAPlace) {
  expect(seven(), [](const Parts& xs) { return window(0, xs, 3, 2, {9}); }, list_of({9, 0, 2}));
  expect(seven(), [](const Parts& xs) { return window(6, xs, 5); }, list_of({4, 5, 6, 0, 0}));
  expect(seven(), [](const Parts& xs) { return shifted_window(0, xs, 3); }, list_of({6, 0, 1}));
  expect(seven(), [](const Parts& xs) { return shifted_window(6, xs, 3); }, list_of({5, 6, 0}));
  expect(seven(), [](const Parts& xs) { return shifted_window(-16, xs, 3); }, list_of({4, 5, 6}));
}

} // namespace
} // namespace kolam::fractal::test
