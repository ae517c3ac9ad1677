// Where regions land: P6 of the reference, and all policies against single coordinates.
#include "kolam/space/landed.h"

#include <gtest/gtest.h>

#include "test/space/random_space.h"

namespace kolam::space {
namespace {

using Kind = Policy::Kind;

Box box(std::string_view text) { return *parse_box(text); }

TEST(Landed, ByPolicy) {
  const Box tensor = box("[0:4]");
  EXPECT_EQ(landed(Policy::pad(int64_t{0}), box("[-1:2]"), tensor), box("[0:2]"));
  EXPECT_EQ(landed({Kind::clamp}, box("[-3:-1]"), tensor), box("[0:1]"));
  EXPECT_EQ(landed({Kind::wrap}, box("[-1:2]"), tensor), box("[0:4]"));
  EXPECT_EQ(landed({Kind::wrap}, box("[-3:-1]"), tensor), box("[1:3]"));
  EXPECT_EQ(landed({Kind::reflect}, box("[-2:1]"), tensor), box("[0:3]"));
  EXPECT_EQ(landed({Kind::negative}, box("[-1:2]"), tensor), box("[0:4]"));
  EXPECT_EQ(landed(Policy::pad(int64_t{0}), box("[-3:-1]"), tensor), box("[0:0]"));
}

TEST(Landed, FarAway) {
  const Box far = Box({INT64_MIN + 8}, {0});
  EXPECT_EQ(landed({Kind::wrap}, far, box("[0:4]")), box("[0:4]"));
  EXPECT_EQ(landed({Kind::reflect}, far, box("[0:4]")), box("[0:4]"));
  EXPECT_EQ(landed({Kind::negative}, far, box("[0:4]")), box("[0:4]"));
  EXPECT_EQ(slug_of([] { landed({}, box("[0:1]"), box("[0:1, 0:1]")); }), "space-rank");
}

/// The smallest range around all elements that coordinates of `region` land on.
Box landed_one_by_one(const Policy& policy, const Box& region, const Box& tensor) {
  int64_t least = INT64_MAX, greatest = INT64_MIN;
  for (int64_t i = region.start()[0]; i < region.end()[0]; ++i) {
    Landing landing = land(policy, i - tensor.start()[0], tensor.extent(0));
    if (landing.kind != Landing::Kind::cell)
      continue;
    least = std::min(least, landing.index);
    greatest = std::max(greatest, landing.index);
  }
  if (least > greatest)
    return Box({0}, {0});
  return {{tensor.start()[0] + least}, {tensor.start()[0] + greatest + 1}};
}

TEST(LandedProperty, AgreesWithSingleCoordinates) {
  for (int kind = 0; kind <= static_cast<int>(Kind::drop); ++kind)
    for (int64_t extent = 0; extent < 5; ++extent)
      for (int64_t first = -14; first < 14; ++first)
        for (int64_t length = 0; length < 12; ++length) {
          const Policy policy{static_cast<Kind>(kind)};
          const Box region({first}, {first + length}), tensor({2}, {2 + extent});
          ASSERT_EQ(landed(policy, region, tensor), landed_one_by_one(policy, region, tensor))
              << to_string(policy) << " " << to_string(region) << " of " << to_string(tensor);
        }
}

} // namespace
} // namespace kolam::space
