// Reductions over the instances of a vmap, by its name.
#include "kolam/kolam.h"

#include "test/error/expect_words.h"
#include "test/frontend/array/both_backends.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using test::expect_words;
using test::run_both;
using Tensors = std::vector<Tensor>;

const VmapOptions kNamed = {.axis_name = "i"};

TEST(Collectives, HaveTheBitsOfReductions) {
  Array xs = Array::of<float>({0.1F, 0.2F, 0.7F, -1.5F}, {4});
  auto f = vmap(
      [](Tensor x) {
        return std::tuple(psum(x, "i"), pmean(x, "i"), pmin(x, "i"), pmax(x, "i"), axis_index("i"));
      },
      {.out_axes = {std::nullopt, std::nullopt, std::nullopt, std::nullopt, 0}, .axis_name = "i"});
  auto results = run_both({xs}, [&](Tensors x) {
    auto [total, mean, least, most, index] = f(x[0]);
    return Tensors{total, sum(x[0]), mean, least, most, index};
  });
  EXPECT_TRUE(runtime::same_bits(results[0], results[1]));
  EXPECT_FLOAT_EQ(results[2].values<float>()[0], -0.125F);
  EXPECT_EQ(results[3].values<float>()[0], -1.5F);
  EXPECT_EQ(results[4].values<float>()[0], 0.7F);
  EXPECT_EQ(results[5].values<int32_t>()[3], 3);
}

TEST(Collectives, OverSeveralNames) {
  auto inner = vmap([](Tensor x) { return psum(x, {"i", "j"}) + x * axis_size({"i", "j"}); },
                    {.axis_name = "j"});
  Array x = vmap(inner, kNamed)(Tensor(Array::of<float>({1, 2, 3, 4, 5, 6}, {2, 3}))).array();
  EXPECT_EQ(x.values<float>()[5], 21 + 6 * 6);
}

TEST(Collectives, AreTheirOwnTransposes) {
  auto g = vmap(grad([](Tensor x) { return psum(x * x, "i"); }), kNamed);
  EXPECT_EQ(g(Tensor(Array::of<float>({1, 3}, {2}))).array().values<float>()[1], 12);
}

TEST(Collectives, NameWhatIsNotBound) {
  Tensor x = Array::of<float>({1, 2}, {2});
  expect_words([&] { vmap([](Tensor x) { return psum(x, "k"); }, kNamed)(x); }, ErrorKind::value,
               "psum: [unbound-axis] expected the name of a vmap around, but got 'k'; those around "
               "bind 'i'");
  expect_words([&] { (void)axis_index("i"); }, ErrorKind::value,
               "axis_index: [unbound-axis] expected the name of a vmap around, but got 'i'");
}

} // namespace
} // namespace kolam
