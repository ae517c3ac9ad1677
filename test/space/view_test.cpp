// Views: T4 and P7 of the reference, closure under slicing, random views.
#include "kolam/space/view.h"

#include <gtest/gtest.h>

#include "test/space/random_space.h"

namespace kolam::space {
namespace {

using Signal = std::vector<int64_t>;

/// The elements of a view of a 1-D tensor.
Signal read(const Signal& tensor, const View& view) {
  Signal result;
  for_each_point(Box::of_shape(shape(view)), [&](const Point& point) {
    result.push_back(tensor[image(to_map(view), point)[0]]);
  });
  return result;
}

TEST(View, T4ReverseSqueezeBroadcast) {
  Signal tensor{8, 9, 10, 11};
  View reversed = reverse(view_of({4}), 0);
  EXPECT_EQ(reversed, (View{{3}, {{0, -1, 4}}}));
  EXPECT_EQ(read(tensor, reversed), (Signal{11, 10, 9, 8}));
  EXPECT_EQ(squeeze(insert_axis(reversed, 0), 0), reversed);
  EXPECT_EQ(shape(insert_axis(reversed, 1)), (Point{4, 1}));
  View rows = broadcast_to(view_of({1, 3}), {2, 3});
  EXPECT_EQ(image(to_map(rows), {0, 2}), image(to_map(rows), {1, 2}));
  EXPECT_EQ(slug_of([] { squeeze(view_of({4}), 0); }), "space-squeeze");
  EXPECT_EQ(slug_of([] { broadcast_to(view_of({2, 3}), {4, 3}); }), "space-broadcast");
}

TEST(View, SlicesAreClosed) {
  Signal tensor{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  View odd = slice(view_of({10}), 0, 1, 2, 5);
  EXPECT_EQ(read(tensor, slice(odd, 0, 4, -2, 3)), (Signal{9, 5, 1}));
  EXPECT_EQ(read(tensor, slice(odd, 0, 2, 0, 3)), (Signal{5, 5, 5}));
  EXPECT_EQ(shape(select(odd, 0, 3)), Point{});
  EXPECT_EQ(slug_of([&] { slice(odd, 0, 4, 1, 2); }), "space-out-of-bounds");
  EXPECT_EQ(slug_of([&] { select(odd, 0, -1); }), "space-out-of-bounds");
}

TEST(View, SliceCounts) {
  EXPECT_EQ(slice_count(0, 10, 3), 4);
  EXPECT_EQ(slice_count(9, -1, -2), 5);
  EXPECT_EQ(slice_count(5, 5, 1), 0);
  EXPECT_EQ(slice_count(5, 2, 1), 0);
  EXPECT_EQ(slug_of([] { slice_count(0, 1, 0); }), "space-step");
}

/// y[i] = sum of x[i + t] f[t].
Signal convolve(const Signal& x, const Signal& f, size_t stride = 1, size_t dilation = 1) {
  Signal y;
  for (size_t i = 0; i + (f.size() - 1) * dilation < x.size(); i += stride) {
    y.push_back(0);
    for (size_t t = 0; t < f.size(); ++t)
      y.back() += x[i + t * dilation] * f[t];
  }
  return y;
}

Signal phase_of(const Signal& x, int64_t distance, int64_t remainder) {
  ViewDim dim = phase(static_cast<int64_t>(x.size()), distance, remainder);
  return read(x,
              slice(view_of({static_cast<int64_t>(x.size())}), 0, remainder, dim.step, dim.count));
}

TEST(View, P7DilationByPhases) {
  Signal x{3, 1, 4, 1, 5, 9, 2, 6, 5, 3}, f{2, 7, 1}, interleaved(6);
  for (int64_t r = 0; r < 2; ++r) {
    EXPECT_EQ(phase_of(x, 2, r).size(), 5u);
    Signal part = convolve(phase_of(x, 2, r), f);
    EXPECT_EQ(part.size(), 3u);
    for (size_t i = 0; i < part.size(); ++i)
      interleaved[2 * i + r] = part[i];
  }
  EXPECT_EQ(interleaved, convolve(x, f, 1, 2));
}

TEST(View, P7StrideByPhases) {
  Signal x{3, 1, 4, 1, 5, 9, 2, 6, 5, 3}, f{2, 7, 1};
  Signal direct = convolve(x, f, 2), sum(4, 0);
  ASSERT_EQ(direct.size(), 4u);
  for (int64_t r = 0; r < 2; ++r) {
    EXPECT_EQ(phase_of(f, 2, r).size(), r == 0 ? 2u : 1u);
    Signal part = convolve(phase_of(x, 2, r), phase_of(f, 2, r));
    for (size_t i = 0; i < sum.size(); ++i)
      sum[i] += part[i];
  }
  EXPECT_EQ(sum, direct);
}

View random_step(std::mt19937& random, const View& view) {
  int rank = static_cast<int>(view.dims.size());
  int dim = rank ? static_cast<int>(random() % rank) : 0;
  int64_t extent = rank ? view.dims[dim].count : 0;
  switch (random() % 6) {
  case 0:
    return insert_axis(view, dim, random_between(random, 1, 3));
  case 1:
    return extent ? reverse(view, dim) : view;
  case 2:
    return extent > 1 ? select(view, dim, random_between(random, 0, extent - 1)) : view;
  case 3:
    return extent ? slice(view, dim, extent - 1, -2, (extent + 1) / 2) : view;
  case 4: {
    std::vector<int> order(rank);
    for (int d = 0; d < rank; ++d)
      order[d] = (d + 1) % rank;
    return permute(view, order);
  }
  default:
    return extent ? slice(view, dim, extent / 2, 1, extent - extent / 2) : view;
  }
}

TEST(ViewProperty, ComposeIsMapComposition) {
  for (uint32_t seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    View inner = view_of({5, 4, 3});
    for (int i = 0; i < 4; ++i)
      inner = random_step(random, inner);
    View outer = view_of(shape(inner));
    for (int i = 0; i < 4; ++i)
      outer = random_step(random, outer);
    AffineMap map = to_map(compose(outer, inner));
    ASSERT_EQ(map, compose(to_map(inner), to_map(outer))) << "seed " << seed;
    Box base = Box::of_shape({5, 4, 3});
    for_each_point(Box::of_shape(shape(outer)), [&](const Point& point) {
      ASSERT_TRUE(contains(base, image(map, point))) << "seed " << seed;
    });
  }
}

} // namespace
} // namespace kolam::space
