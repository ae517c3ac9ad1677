// How nested lists print: as arrays do, row by row.
#include "kolam/runtime/list.h"

#include <gtest/gtest.h>

namespace kolam::runtime {
namespace {

Array counting(std::vector<int64_t> shape) {
  Array array = Array::uninitialized(DType::i32, std::move(shape));
  int32_t next = 0;
  for (int32_t& value : array.mutable_values<int32_t>())
    value = next++;
  return array;
}

TEST(PrintList, RaggedRows) {
  const List list = List::from_offsets(counting({9}), {Array::of<int64_t>({0, 3, 3, 5, 9})});
  EXPECT_EQ(list.to_string(), "[[0 1 2]\n"
                              " []\n"
                              " [3 4]\n"
                              " [5 6 7 8]]");
  EXPECT_EQ(list.sublist(2).to_string(), "[3 4]");
  EXPECT_EQ(List::empty({3, DType::f32, {2}}).to_string(), "[]");
}

TEST(PrintList, LeavesWithDims) {
  const List list = List::from_offsets(counting({3, 2, 2}), {Array::of<int64_t>({0, 1, 3})});
  EXPECT_EQ(list.to_string(), "[[[[0 1]\n" // each row aligned for itself
                              "   [2 3]]]\n"
                              "\n"
                              "\n"
                              " [[[ 4  5]\n"
                              "   [ 6  7]]\n"
                              "\n"
                              "  [[ 8  9]\n"
                              "   [10 11]]]]");
}

TEST(PrintList, DeeperLists) {
  const List list = List::from_offsets(
      counting({4}), {Array::of<int64_t>({0, 2, 3}), Array::of<int64_t>({0, 2, 3, 4})});
  EXPECT_EQ(list.to_string(), "[[[0 1]\n"
                              "  [2]]\n"
                              "\n"
                              " [[3]]]");
}

TEST(PrintList, LongListsAreCutToTheirEdges) {
  std::vector<int64_t> offsets = {0};
  for (int64_t i = 0; i < 100; ++i)
    offsets.push_back(offsets.back() + i % 20);
  const List list = List::from_offsets(counting({offsets.back()}), {Array::of(offsets)});
  EXPECT_EQ(list.to_string(), "[[]\n"
                              " [0]\n"
                              " [1 2]\n"
                              " ...\n"
                              " [896 897 898 ... 910 911 912]\n"
                              " [913 914 915 ... 928 929 930]\n"
                              " [931 932 933 ... 947 948 949]]");
}

TEST(PrintList, ManyEmptyListsAreCut) {
  const List list =
      List::from_offsets(counting({0}), {Array::zeros(DType::i64, {int64_t{1} << 20})});
  EXPECT_EQ(list.to_string(), "[[]\n []\n []\n ...\n []\n []\n []]");
}

} // namespace
} // namespace kolam::runtime
