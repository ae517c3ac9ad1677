// Nested ragged lists against trees of plain vectors; the words of refusals are in test/error/.
#include "kolam/runtime/list.h"

#include "expect_error.h"
#include "random_lists.h"

#include <cmath>

namespace kolam::runtime {
namespace {

TEST(List, HoldsWhatItWasMadeOf) {
  on_random_lists([](const Tree& tree, const List& list, RandomLists&) {
    EXPECT_EQ(list.size(), std::ssize(tree.elements));
    EXPECT_EQ(text(list), text(tree, list.depth(), list.leaf_shape()));
  });
}

TEST(List, OffsetsMakeTheListAgain) {
  on_random_lists([](const Tree&, const List& list, RandomLists&) {
    std::vector<Array> offsets;
    for (int64_t level = 0; level < list.depth(); ++level) {
      const Array starts = list.offsets(level);
      const Array lengths = list.lengths(level);
      ASSERT_EQ(starts.size(), lengths.size() + 1);
      EXPECT_EQ(starts.values<int64_t>()[0], 0);
      for (int64_t j = 0; j < lengths.size(); ++j)
        EXPECT_EQ(starts.values<int64_t>()[j + 1] - starts.values<int64_t>()[j],
                  lengths.values<int64_t>()[j]);
      if (level > 0)
        offsets.push_back(starts);
    }
    const List again = List::from_offsets(list.leaves(), offsets);
    EXPECT_EQ(again.leaves().data(), list.leaves().data());
    EXPECT_EQ(text(again), text(list));
    EXPECT_TRUE(again == list);
    EXPECT_TRUE(same_bits(again, list));
  });
}

TEST(List, SlicesAndTakes) {
  on_random_lists([](const Tree& tree, const List& list, RandomLists& random) {
    const int64_t begin = random.below(list.size() + 1);
    const int64_t end = begin + random.below(list.size() - begin + 1);
    const Tree range = {0, {tree.elements.begin() + begin, tree.elements.begin() + end}};
    EXPECT_EQ(text(list.slice(begin, end)), text(range, list.depth(), list.leaf_shape()));

    Tree taken;
    std::vector<int64_t> places;
    for (int64_t i = list.size() > 0 ? random.below(6) : 0; i > 0; --i) {
      places.push_back(random.below(list.size()));
      taken.elements.push_back(tree.elements[places.back()]);
    }
    EXPECT_EQ(text(list.take(places)), text(taken, list.depth(), list.leaf_shape()));
    EXPECT_TRUE(list.take(places).is_same_type(list));
  });
}

TEST(List, JoinsAndFlattens) {
  on_random_lists([](const Tree& tree, const List& list, RandomLists& random) {
    const Tree other = random.tree(list.depth());
    Tree both = tree;
    both.elements.insert(both.elements.end(), other.elements.begin(), other.elements.end());
    const List lists[] = {list, random.within(other, list.depth(), list.leaf_shape())};
    const std::string expected = text(both, list.depth(), list.leaf_shape());
    EXPECT_EQ(text(List::join(lists)), expected);
    EXPECT_EQ(text(List::from_lists(lists).flattened()), expected);
  });
}

TEST(List, EqualityIsThatOfTheTrees) {
  on_random_lists([](const Tree& tree, const List& list, RandomLists& random) {
    const Tree other = random.tree(list.depth());
    const bool is_equal = text(tree, list.depth(), {}) == text(other, list.depth(), {});
    const bool has_elements = checked_size(DType::i32, list.leaf_shape()) > 0;
    if (has_elements)
      EXPECT_EQ(list == list_of(other, list.depth(), list.leaf_shape()), is_equal);
  });
}

TEST(List, SublistsAreViews) {
  const Array leaves = Array::of<float>({1, 2, 3, 4, 5, 6}, {3, 2});
  const List list = List::from_offsets(leaves, {Array::of<int64_t>({0, 1, 1, 3})});
  EXPECT_EQ(list.sublist(2).leaves().data(), leaves.values<float>().data() + 2);
  EXPECT_EQ(list.sublist(2).leaf(1).data(), leaves.values<float>().data() + 4);
  EXPECT_EQ(list.sublist(1).size(), 0);
  EXPECT_EQ(list.slice(1, 3).flattened().leaves().data(), leaves.values<float>().data() + 2);
}

TEST(List, KeepsItsLeavesAlive) {
  List element;
  {
    const Array leaves = Array::of<int32_t>({1, 2, 3});
    element = List::from_offsets(leaves, {Array::of<int64_t>({0, 1, 3})}).sublist(1);
  }
  EXPECT_EQ(text(element), "[(2,[])(3,[])]");
}

TEST(List, ForeignLeavesAreViewedAndReleased) {
  int32_t memory[] = {1, 2, 3};
  bool is_released = false;
  {
    const Array leaves = Array::adopt(DType::i32, {3}, memory, [&] { is_released = true; });
    const List list = List::from_offsets(leaves, {});
    EXPECT_EQ(list.leaves().data(), memory);
  }
  EXPECT_TRUE(is_released);
}

TEST(List, OwnOffsetsAreShared) {
  const Array offsets = Array::of<int64_t>({0, 1, 3});
  const List list = List::from_offsets(Array::of<int32_t>({1, 2, 3}), {offsets});
  EXPECT_EQ(list.offsets(1).data(), offsets.data());
  EXPECT_EQ(list.slice(1, 2).offsets(1).values<int64_t>()[1], 2);
}

// Whoever owns the memory may write it later: what was checked must stay.
TEST(List, ForeignOffsetsAreCopied) {
  int64_t memory[] = {0, 1, 3};
  const Array offsets = Array::adopt(DType::i64, {3}, memory, [] {});
  const List list = List::from_offsets(Array::of<int32_t>({1, 2, 3}), {offsets});
  memory[1] = int64_t{1} << 40;
  EXPECT_EQ(text(list), "[[(1,[])][(2,[])(3,[])]]");
}

TEST(List, OffsetsAsArrowWritesThem) {
  // Narrow, from above 0, ending below the end.
  const Array leaves = Array::of<int32_t>({0, 1, 2, 3, 4, 5, 6});
  const List list =
      List::from_offsets(leaves, {Array::of<int32_t>({1, 3}), Array::of<int32_t>({0, 1, 2, 2, 5})});
  EXPECT_EQ(list.depth(), 3);
  EXPECT_EQ(text(list), "[[[(1,[])][]]]");
  EXPECT_EQ(list.leaf_count(), 1);
  EXPECT_EQ(list.offsets(2).to_string(), "[0 1 1]");
}

TEST(List, LevelsOfADeepTree) {
  // Level by level as offsets; 50 leaves.
  const std::vector<int64_t> inner = {0, 1, 5, 14, 19, 23, 30, 33, 43, 50};
  const List list = List::from_offsets(Array::zeros(DType::f32, {50, 64, 64}),
                                       {Array::of<int64_t>({0, 4, 7, 9}), Array::of(inner)});
  EXPECT_EQ(list.leaf_count(), 50);
  EXPECT_EQ(list.offsets(0).to_string(), "[0 3]");
  EXPECT_EQ(list.lengths(1).to_string(), "[4 3 2]");
  EXPECT_EQ(list.lengths(2).to_string(), "[ 1  4  9  5  4  7  3 10  7]");
  EXPECT_EQ(list.type().to_string(), "list<list<list<float32[64, 64]>>>");
}

TEST(List, LengthIsNoPartOfTheType) {
  const List one = List::from_offsets(Array::zeros(DType::f32, {1, 2}), {});
  EXPECT_TRUE(one.is_same_type(List::empty({1, DType::f32, {2}})));
  EXPECT_FALSE(one.is_same_type(List::empty({1, DType::f64, {2}})));
  EXPECT_FALSE(one.is_same_type(List::empty({1, DType::f32, {2, 1}})));
  EXPECT_FALSE(one.is_same_type(List::empty({2, DType::f32, {2}})));
  EXPECT_FALSE(one == List::empty({1, DType::f32, {2}}));
}

template <class T> void expect_equality(T zero, T negative_zero, T one, T nan) {
  const auto list = [](T value) {
    const Array leaves[] = {Array::scalar(value)};
    return List::from_leaves(leaves);
  };
  EXPECT_TRUE(list(zero) == list(negative_zero));
  EXPECT_FALSE(same_bits(list(zero), list(negative_zero)));
  EXPECT_TRUE(list(one) == list(one));
  EXPECT_FALSE(list(one) == list(zero));
  EXPECT_FALSE(list(nan) == list(nan));
  EXPECT_TRUE(same_bits(list(nan), list(nan)));
}

TEST(List, EqualityOfFloats) {
  expect_equality(0.f, -0.f, 1.f, NAN);
  expect_equality(0., -0., 1., std::nan(""));
  expect_equality(Float16{0}, Float16{0x8000}, Float16{0x3c00}, Float16{0x7e00});
  expect_equality(BFloat16{0}, BFloat16{0x8000}, BFloat16{0x3f80}, BFloat16{0x7fc0});
}

TEST(List, EmptyHandle) {
  const List list;
  EXPECT_FALSE(list);
  EXPECT_TRUE(list == List());
  EXPECT_FALSE(list == List::empty({1, DType::f32, {}}));
  EXPECT_EQ(list.to_string(), "<empty handle>");
  EXPECT_EQ(error_of([&] { list.leaves(); }).slug(), "internal");
}

// A leaf of no bytes costs no memory, so counts can come close to 2^63.
TEST(List, CountsThatOverflowAreRefused) {
  const int64_t huge = (int64_t{1} << 62) + 1;
  const List list = List::from_offsets(Array::zeros(DType::u8, {huge, 0}), {});
  EXPECT_EQ(list.take(std::vector<int64_t>{huge - 1}).size(), 1);
  const List twice[] = {list, list};
  EXPECT_EQ(error_of([&] { List::join(twice); }).slug(), "extent-overflow");
  EXPECT_EQ(error_of([&] { List::from_lists(twice); }).slug(), "extent-overflow");
}

TEST(List, MoreLeavesThanMemoryAreRefused) {
  std::vector<int64_t> places(int64_t{1} << 20);
  const List list = List::from_offsets(Array::zeros(DType::f64, {1, 1 << 20}), {});
  EXPECT_EQ(error_of([&] { list.take(places); }).slug(), "out-of-memory");
}

} // namespace
} // namespace kolam::runtime
