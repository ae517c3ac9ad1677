// Views of memory: reading, writing, and which memories meet, beside loops written out.
#include "kolam/runtime/view.h"

#include "kolam/support/error.h"
#include "test/runtime/random_lists.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace kolam::runtime {
namespace {

std::string slug_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_NE(error.where().file.find("view_test.cpp"), std::string::npos) << error.what();
    return error.slug();
  }
  return "none";
}

/// All indices of a shape, row-major.
std::vector<std::vector<int64_t>> indices_of(const std::vector<int64_t>& shape) {
  std::vector<std::vector<int64_t>> all{{}};
  for (int64_t extent : shape) {
    std::vector<std::vector<int64_t>> longer;
    for (const auto& index : all)
      for (int64_t i = 0; i < extent; ++i) {
        longer.push_back(index);
        longer.back().push_back(i);
      }
    all = longer;
  }
  return all;
}

int64_t offset_of(const std::vector<int64_t>& index, const std::vector<int64_t>& strides) {
  int64_t offset = 0;
  for (size_t k = 0; k < index.size(); ++k)
    offset += index[k] * strides[k];
  return offset;
}

constexpr int64_t kMiddle = 500, kWhole = 1000;

struct Drawn {
  std::vector<int64_t> shape, strides;
  int64_t start = kMiddle;

  std::multiset<int64_t> places() const {
    std::multiset<int64_t> all;
    for (const auto& index : indices_of(shape))
      all.insert(start + offset_of(index, strides));
    return all;
  }
  bool meets_itself() const {
    const auto all = places();
    return std::set<int64_t>(all.begin(), all.end()).size() != all.size();
  }
};

Drawn draw(std::mt19937& random) {
  auto from = [&](int low, int high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  Drawn drawn;
  for (int64_t rank = from(0, 3); rank > 0; --rank) {
    drawn.shape.push_back(from(0, 9) == 0 ? 0 : from(1, 4));
    drawn.strides.push_back(from(-24, 24));
  }
  drawn.start += from(-12, 12);
  return drawn;
}

class Views : public testing::TestWithParam<int> {
protected:
  std::mt19937 random{static_cast<uint32_t>(GetParam())};
};

TEST_P(Views, ReadAndWriteTheirElementsOnly) {
  std::vector<int16_t> memory(kWhole);
  for (int64_t i = 0; i < kWhole; ++i)
    memory[static_cast<size_t>(i)] = static_cast<int16_t>(i);
  for (int round = 0; round < 20; ++round) {
    const Drawn drawn = draw(random);
    View<int16_t> view(memory.data() + drawn.start, drawn.shape, drawn.strides);
    const Array read = copy_in(view.memory());
    ASSERT_EQ(read.shape(), drawn.shape);
    size_t next = 0;
    for (const auto& index : indices_of(drawn.shape))
      ASSERT_EQ(read.values<int16_t>()[next++], drawn.start + offset_of(index, drawn.strides));
    EXPECT_TRUE(same_bits(read, borrow(view.memory())));

    if (drawn.meets_itself())
      continue;
    std::vector<int16_t> written(kWhole, -1);
    copy_out(read,
             View<int16_t>(written.data() + drawn.start, drawn.shape, drawn.strides).memory());
    const auto places = drawn.places();
    for (int64_t i = 0; i < kWhole; ++i)
      ASSERT_EQ(written[static_cast<size_t>(i)], places.contains(i) ? i : -1) << i;
  }
}

TEST_P(Views, KnowWhatTheyMeet) {
  std::vector<int16_t> memory(kWhole);
  for (int round = 0; round < 50; ++round) {
    const Drawn a = draw(random), b = draw(random);
    const View<int16_t> x(memory.data() + a.start, a.shape, a.strides);
    const View<int16_t> y(memory.data() + b.start, b.shape, b.strides);
    EXPECT_EQ(overlaps_itself(x.memory()), a.meets_itself())
        << shape_text(a.shape) << shape_text(a.strides);
    const auto places = a.places();
    bool meet = false;
    for (int64_t place : b.places())
      meet |= places.contains(place);
    EXPECT_EQ(overlap(x.memory(), y.memory()), meet)
        << a.start << shape_text(a.shape) << shape_text(a.strides) << b.start << shape_text(b.shape)
        << shape_text(b.strides);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Views, testing::Range(1, 21));

TEST(View, OfSpansAndVectors) {
  std::vector<double> values{1, 2, 3};
  Memory memory = memory_of(values);
  EXPECT_TRUE(memory.has_any_shape && is_dense(memory));
  EXPECT_EQ(copy_in(memory).values<double>()[2], 3);
  std::span<const double> tail(values.data() + 1, 2);
  EXPECT_EQ(copy_in(memory_of(tail)).values<double>()[0], 2);
  EXPECT_EQ(borrow(memory).data(), values.data());
  EXPECT_EQ(copy_in(memory_of(std::vector<double>())).size(), 0);
}

TEST(View, DenseWhereStridesDoNotMatter) {
  float element = 1;
  EXPECT_TRUE(is_dense(View(&element, {1, 1}, {7, -3}).memory()));
  EXPECT_TRUE(is_dense(View(static_cast<float*>(nullptr), {2, 0}, {9, 9}).memory()));
  std::vector<float> values(8);
  EXPECT_FALSE(is_dense(View(values.data(), {2, 2}, {1, 2}).memory()));
  auto* odd = reinterpret_cast<float*>(reinterpret_cast<std::byte*>(values.data()) + 1);
  EXPECT_FALSE(is_dense(View(odd, {2}).memory()));
}

TEST(View, ColumnsSideBySideAreApart) {
  std::vector<float> rows(12);
  View<float> first(rows.data(), {4}, {3}), second(rows.data() + 1, {4}, {3});
  EXPECT_FALSE(overlap(first.memory(), second.memory()));
  EXPECT_TRUE(overlap(first.memory(), View(rows.data() + 3, {2}, {3}).memory()));
}

TEST(View, RefusesWhatIsNoMemory) {
  std::vector<float> values(4);
  float* null = nullptr;
  EXPECT_EQ(slug_of([&] { View(null, {2}); }), "null-data");
  EXPECT_EQ(slug_of([&] { View(values.data(), {2, 2}, std::vector<int64_t>{1}); }),
            "rank-mismatch");
  EXPECT_EQ(slug_of([&] { View(values.data(), {-1}); }), "extent-negative");
  const int64_t far = int64_t{1} << 60;
  EXPECT_EQ(slug_of([&] { View(values.data(), {2, 2}, {far, far}); }), "extent-overflow");
  EXPECT_EQ(slug_of([&] { View(values.data(), {3}, {-far}); }), "extent-overflow");
}

} // namespace
} // namespace kolam::runtime
