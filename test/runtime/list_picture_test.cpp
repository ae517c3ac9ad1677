// Pictures of how lists lie in memory.
#include "kolam/runtime/list_picture.h"

#include <gtest/gtest.h>

namespace kolam::runtime {
namespace {

List depth_three() {
  return List::from_offsets(Array::zeros(DType::f32, {6, 2}),
                            {Array::of<int64_t>({0, 2, 2, 3}), Array::of<int64_t>({0, 3, 5, 6})});
}

TEST(ListPicture, ShowsTheTreeOverTheBuffer) {
  EXPECT_EQ(picture(depth_three()), R"(list<list<list<float32[2]>>>
offsets of level 1: 0 2 2 3
offsets of level 2: 0 3 5 6
[0]
  [0] leaves 0 to 2
  [1] leaves 3 to 4
[1] empty
[2]
  [0] leaf 5
buffer: 6 of float32[2], 8 bytes each
)");
}

TEST(ListPicture, AListOfLeavesIsItsBuffer) {
  EXPECT_EQ(picture(List::from_offsets(Array::zeros(DType::i32, {3}), {})),
            "list<int32[]>\nbuffer: 3 of int32[], 4 bytes each\n");
  EXPECT_EQ(picture(List()), "<empty handle>\n");
}

TEST(ListPicture, OfLongListsTheBeginnings) {
  std::vector<int64_t> offsets;
  for (int64_t i = 0; i <= 100; ++i)
    offsets.push_back(i);
  List list = List::from_offsets(Array::zeros(DType::i32, {100}), {Array::of(offsets)});
  std::string text = picture(list);
  EXPECT_NE(text.find("offsets of level 1: 0 1 2 3 4 5 6 7 ... 93 more\n"), std::string::npos);
  EXPECT_NE(text.find("[7] leaf 7\n... 92 more\nbuffer: 100 of"), std::string::npos) << text;
  EXPECT_NE(as_dot(list).find("<l7> 7|... 92 more"), std::string::npos) << as_dot(list);
}

TEST(ListPicture, DrawsNodesAndCells) {
  EXPECT_EQ(
      as_dot(List::from_offsets(Array::zeros(DType::i32, {2}), {Array::of<int64_t>({0, 2, 2})})),
      R"(digraph list {
  node [shape=box];
  n0 [label="2"];
  n1 [label="2"];
  n2 [label="0"];
  buffer [shape=record, label="<l0> 0|<l1> 1"];
  n0 -> n1 [label="0"];
  n1 -> buffer:l0;
  n1 -> buffer:l1;
  n0 -> n2 [label="1"];
}
)");
}

} // namespace
} // namespace kolam::runtime
