// The words of refusals of nested lists.
#include "kolam/runtime/list.h"

#include "kolam/support/error.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace kolam::runtime {
namespace {

/// `call` throws an Error of `kind` with exactly these words.
void expect_error(const std::function<void()>& call, ErrorKind kind, const std::string& words) {
  try {
    call();
    FAIL() << "expected an Error: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_EQ(error.what(), words);
  }
}

void expect_bad_offsets(const std::vector<Array>& offsets, const std::string& words) {
  const Array leaves = Array::zeros(DType::f32, {5, 2});
  expect_error([&] { List::from_offsets(leaves, offsets); }, ErrorKind::value,
               "[list-offsets] offsets of level " + words);
}

TEST(ListErrors, OffsetsOutOfRange) {
  const Array outer = Array::of<int64_t>({0, 3});
  expect_bad_offsets({Array::of<int64_t>({-1, 3})},
                     "1: expected at least 0 at place 0, but got -1");
  expect_bad_offsets({outer, Array::of<int64_t>({0, 3, 2, 5})},
                     "2: expected at least 3, the offset before, at place 2, but got 2");
  expect_bad_offsets({outer, Array::of<int64_t>({0, 3, 6, 7})},
                     "2: expected at most 5, the number of leaves, at place 2, but got 6");
  expect_bad_offsets(
      {outer, Array::of<int32_t>({0, 3})},
      "1: expected at most 1, the number of lists of level 2, at place 1, but got 3");
  const int64_t most = std::numeric_limits<int64_t>::max();
  expect_bad_offsets({Array::of<int64_t>({0, most})},
                     "1: expected at most 5, the number of leaves, at place 1, but got " +
                         std::to_string(most));
  const int64_t least = std::numeric_limits<int64_t>::min();
  expect_bad_offsets({Array::of<int64_t>({0, most, least})},
                     "1: expected at least " + std::to_string(most) +
                         ", the offset before, at place 2, but got " + std::to_string(least));
}

TEST(ListErrors, OffsetsOfAnotherForm) {
  expect_bad_offsets({Array::of<float>({0, 3})},
                     "1: expected int64 or int32 of rank 1, but got float32[2]");
  expect_bad_offsets({Array::of<uint64_t>({0, 3})},
                     "1: expected int64 or int32 of rank 1, but got uint64[2]");
  expect_bad_offsets({Array::zeros(DType::i64, {2, 2})},
                     "1: expected int64 or int32 of rank 1, but got int64[2, 2]");
  expect_bad_offsets({Array::of<int64_t>({0}), Array::of<int64_t>(std::vector<int64_t>())},
                     "2: expected at least one entry, but got none");
}

TEST(ListErrors, LeavesWithoutAnExtent) {
  expect_error([] { List::from_offsets(Array::scalar(1.f), {}); }, ErrorKind::value,
               "[list-offsets] expected leaves of rank at least 1, [n, leaf...], but got a rank-0 "
               "float32");
}

TEST(ListErrors, ListTypeOfElements) {
  const Array leaves[] = {Array::zeros(DType::f32, {2}), Array::zeros(DType::f32, {2}),
                          Array::zeros(DType::f32, {2, 1})};
  expect_error([&] { List::from_leaves(leaves); }, ErrorKind::type,
               "[list-type] xs[2]: expected float32[2], as xs[0] is, but got float32[2, 1]");
  const List lists[] = {List::empty({1, DType::f32, {2}}), List::empty({2, DType::i8, {}})};
  const std::string words = "[list-type] xs[1]: expected list<float32[2]>, as xs[0] is, "
                            "but got list<list<int8[]>>";
  expect_error([&] { List::from_lists(lists); }, ErrorKind::type, words);
  expect_error([&] { List::join(lists); }, ErrorKind::type, words);
  expect_error(
      [] { List::from_lists({}); }, ErrorKind::value,
      "[list-type] expected at least one element, whose type the list takes, but got none");
}

TEST(ListErrors, ListIndex) {
  const List list = List::from_offsets(Array::zeros(DType::f32, {2}), {});
  const std::string words = "[list-index] expected a place in a list of length 2, but got ";
  expect_error([&] { list.leaf(2); }, ErrorKind::index, words + "2");
  expect_error([&] { list.leaf(-1); }, ErrorKind::index, words + "-1");
  expect_error([&] { list.take(std::vector<int64_t>{0, 5}); }, ErrorKind::index, words + "5");
  expect_error([&] { list.slice(1, 3); }, ErrorKind::index,
               "[list-index] expected a range within a list of length 2, but got 1 to 3");
}

TEST(ListErrors, ListDepth) {
  const List shallow = List::empty({1, DType::f32, {2}});
  const std::string words = "[list-depth] expected a list of depth at least 2, but got "
                            "list<float32[2]>, whose elements are leaves";
  expect_error([&] { shallow.sublist(0); }, ErrorKind::value, words);
  expect_error([&] { shallow.flattened(); }, ErrorKind::value, words);
  const List deep[] = {List::empty({kDeepestList, DType::f32, {}})};
  expect_error([&] { deep[0].sublist(0).leaf(0); }, ErrorKind::index,
               "[list-index] expected a place in a list of length 0, but got 0");
  expect_error([&] { List::empty({2, DType::f32, {}}).leaf(0); }, ErrorKind::value,
               "[list-depth] expected a list of depth 1, but got list<list<float32[]>>, whose "
               "elements are lists");
  expect_error([&] { List::from_lists(deep); }, ErrorKind::value,
               "[list-depth] expected a depth from 1 to 64, but got 65");
  expect_error([] { List::empty({0, DType::f32, {}}); }, ErrorKind::value,
               "[list-depth] expected a depth from 1 to 64, but got 0");
  const std::vector<Array> many(20000, Array::of<int64_t>({0, 1}));
  expect_error([&] { List::from_offsets(Array::zeros(DType::f32, {1}), many); }, ErrorKind::value,
               "[list-depth] expected a depth from 1 to 64, but got 20001");
}

} // namespace
} // namespace kolam::runtime
