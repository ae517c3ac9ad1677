// Host arrays: making, viewing, copying, comparing, and the errors of each.
#include "kolam/runtime/array.h"

#include "expect_error.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace kolam::runtime {
namespace {

using Shape = std::vector<int64_t>;

/// The text of an error without the line, which is one of this file.
std::string words_of(const Error& error) {
  const std::string text = error.what();
  const size_t end = text.find("\n");
  EXPECT_NE(text.find("array_test.cpp:", end), std::string::npos) << text;
  return text.substr(0, end);
}

TEST(Array, EmptyHandleIsFalse) {
  Array array;
  EXPECT_FALSE(array);
  Array full = Array::of<float>({1});
  const Array moved = std::move(full);
  EXPECT_TRUE(moved);
  EXPECT_FALSE(full); // NOLINT(bugprone-use-after-move): what is tested
  EXPECT_EQ(error_of([&] { full.values<float>(); }).slug(), "empty-tensor");
}

TEST(Array, OfValues) {
  const Array array = Array::of<int32_t>({1, 2, 3, 4, 5, 6}, {2, 3});
  EXPECT_EQ(array.dtype(), DType::i32);
  EXPECT_EQ(array.shape(), (Shape{2, 3}));
  EXPECT_EQ(array.size(), 6);
  EXPECT_EQ(array.byte_count(), 24);
  EXPECT_EQ(array.values<int32_t>()[5], 6);
  EXPECT_EQ(Array::of(std::vector<bool>{true, false}).values<bool>()[0], true);
  EXPECT_EQ(Array::of<float>({}, {0, 5}).size(), 0);
}

TEST(Array, OfWrongNumberOfValues) {
  const Error error = error_of([] { Array::of<float>({1, 2}, {3}); });
  EXPECT_STREQ(words_of(error).c_str(),
               "Array: [shape-mismatch] expected 3 values for shape [3], but got 2");
}

TEST(Array, ScalarHasRankZero) {
  const Array array = Array::scalar(2.5);
  EXPECT_EQ(array.rank(), 0);
  EXPECT_EQ(array.size(), 1);
  EXPECT_EQ(array.item<double>(), 2.5);
}

TEST(Array, WrongDtypeAndItem) {
  EXPECT_STREQ(words_of(error_of([] { Array::scalar(1).values<float>(); })).c_str(),
               "values: [dtype-mismatch] expected an array of dtype float32, but got int32");
  EXPECT_STREQ(words_of(error_of([] { Array::zeros(DType::f32, {0, 2}).item<float>(); })).c_str(),
               "item: [item-size] expected an array of one element, but got shape [0, 2]");
}

TEST(Array, IsAlignedAndZeroed) {
  for (int64_t size : {0, 1, 17, 1 << 20, 5 << 20}) {
    const Array array = Array::zeros(DType::u8, {size});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(array.data()) % kBufferAlignment, 0u);
    for (uint8_t value : array.values<uint8_t>())
      ASSERT_EQ(value, 0);
  }
}

TEST(Array, RefusesNegativeExtents) {
  EXPECT_STREQ(words_of(error_of([] { Array::zeros(DType::f32, {2, -1}); })).c_str(),
               "Array: [extent-negative] expected extents >= 0, but got shape [2, -1]");
}

TEST(Array, RefusesOverflow) {
  const int64_t huge = int64_t{1} << 62;
  for (const Shape& shape : {Shape{huge, huge}, Shape{huge}, Shape{huge, 0, huge},
                             Shape{std::numeric_limits<int64_t>::max()}}) {
    const Error error = error_of([&] { Array::uninitialized(DType::f32, shape); });
    EXPECT_EQ(error.slug(), "extent-overflow");
    EXPECT_NE(error.message().find(shape_text(shape)), std::string::npos);
  }
}

TEST(Array, RefusesMoreThanTheMachineHas) {
  const Error error = error_of([] { Array::zeros(DType::f64, {int64_t{1} << 50}); });
  EXPECT_EQ(error.slug(), "out-of-memory");
  EXPECT_EQ(error.kind(), ErrorKind::memory);
  EXPECT_NE(error.message().find("an array of shape [1125899906842624] and dtype float64 needs "
                                 "8.0 PiB, but "),
            std::string::npos);
}

TEST(Array, CopiesStrides) {
  const int16_t data[] = {0, 1, 2, 3, 4, 5};
  const Array transposed = Array::copy_strided(DType::i16, {3, 2}, data, {2, 6});
  EXPECT_TRUE(same_bits(transposed, Array::of<int16_t>({0, 3, 1, 4, 2, 5}, {3, 2})));
  const Array reversed = Array::copy_strided(DType::i16, {6}, data + 5, {-2});
  EXPECT_TRUE(same_bits(reversed, Array::of<int16_t>({5, 4, 3, 2, 1, 0})));
  const Array repeated = Array::copy_strided(DType::i16, {2, 2}, data + 1, {0, 2});
  EXPECT_TRUE(same_bits(repeated, Array::of<int16_t>({1, 2, 1, 2}, {2, 2})));
}

TEST(Array, CopiesMisalignedStrides) {
  unsigned char data[32] = {};
  const double values[] = {1.5, -2.5};
  std::memcpy(data + 1, values, sizeof values);
  EXPECT_TRUE(same_bits(Array::copy_strided(DType::f64, {2}, data + 9, {-8}),
                        Array::of<double>({-2.5, 1.5})));
}

TEST(Array, CopiesStridesOfEveryRankAndWidth) {
  for (DType dtype : kDTypes) {
    const int width = byte_width(dtype);
    std::vector<unsigned char> data(static_cast<size_t>(2 * 3 * 4 * width));
    for (size_t i = 0; i < data.size(); ++i)
      data[i] = static_cast<unsigned char>(dtype == DType::boolean ? i % 2 : i % 100);
    // Dims in the order (1, 2, 0) and back again is the identity.
    const Array rotated =
        Array::copy_strided(dtype, {3, 4, 2}, data.data(), {4 * width, width, 12 * width});
    const Array back =
        Array::copy_strided(dtype, {2, 3, 4}, rotated.data(), {width, 8 * width, 2 * width});
    EXPECT_TRUE(same_bits(back, Array::copy_of(dtype, {2, 3, 4}, data.data()))) << name(dtype);
  }
  const Array empty = Array::copy_strided(DType::f32, {2, 0}, nullptr, {0, 0});
  EXPECT_EQ(empty.shape(), (Shape{2, 0}));
}

TEST(Array, AdoptsForeignMemoryWithoutACopy) {
  int deleted = 0;
  float data[] = {1, 2, 3, 4};
  {
    Array row;
    {
      const Array array = Array::adopt(DType::f32, {2, 2}, data, [&] { ++deleted; });
      EXPECT_EQ(array.data(), data);
      EXPECT_TRUE(array.buffer()->is_foreign());
      EXPECT_EQ(array.buffer()->bytes(), 16);
      row = array.slice_outer(1);
    }
    EXPECT_EQ(deleted, 0);
    EXPECT_EQ(row.values<float>()[0], 3);
  }
  EXPECT_EQ(deleted, 1);
}

TEST(Array, AdoptRunsTheDeleterWhereItThrows) {
  int deleted = 0;
  error_of([&] { Array::adopt(DType::f32, {-1}, nullptr, [&] { ++deleted; }); });
  EXPECT_EQ(deleted, 1);
}

TEST(Array, CleansForeignBooleans) {
  uint8_t data[] = {0, 1, 2, 255};
  const Array array = Array::adopt(DType::boolean, {4}, data, [] {});
  EXPECT_TRUE(same_bits(array, Array::of<bool>({false, true, true, true})));
  EXPECT_EQ(data[2], 2);
  EXPECT_TRUE(same_bits(array, Array::copy_of(DType::boolean, {4}, data)));
}

TEST(Array, CopiesMisalignedForeignMemory) {
  alignas(8) unsigned char data[12] = {};
  const Array array = Array::adopt(DType::i64, {1}, data + 1, [] {});
  EXPECT_FALSE(array.buffer()->is_foreign());
}

TEST(Array, ReshapesSharingMemory) {
  const Array array = Array::of<float>({1, 2, 3, 4, 5, 6}, {2, 3});
  const Array reshaped = array.reshaped({3, 1, 2});
  EXPECT_EQ(reshaped.data(), array.data());
  EXPECT_EQ(reshaped.shape(), (Shape{3, 1, 2}));
  EXPECT_STREQ(
      words_of(error_of([&] { array.reshaped({4}); })).c_str(),
      "reshaped: [shape-mismatch] expected a shape of 6 elements, as [2, 3] has, but got [4]");
}

TEST(Array, SlicesTheOuterDim) {
  const Array array = Array::of<int64_t>({0, 1, 2, 3, 4, 5}, {3, 2});
  const Array row = array.slice_outer(2);
  EXPECT_EQ(row.shape(), (Shape{2}));
  EXPECT_EQ(row.values<int64_t>()[1], 5);
  EXPECT_EQ(row.slice_outer(0).item<int64_t>(), 4);
  EXPECT_EQ(Array::zeros(DType::f32, {3, 0}).slice_outer(2).size(), 0);
  EXPECT_STREQ(
      words_of(error_of([&] { array.slice_outer(3); })).c_str(),
      "slice_outer: [index-out-of-range] expected an index into dim 0 of shape [3, 2], but got 3");
  EXPECT_EQ(error_of([&] { array.slice_outer(-1); }).kind(), ErrorKind::index);
  EXPECT_EQ(error_of([] { Array::scalar(1).slice_outer(0); }).kind(), ErrorKind::index);
}

TEST(Array, ViewsChecked) {
  const Array array = Array::of<float>({1, 2, 3, 4});
  const Array view = Array::view(array.buffer(), 4, DType::f32, {3});
  EXPECT_EQ(view.values<float>()[0], 2);
  EXPECT_EQ(error_of([&] { Array::view(array.buffer(), 4, DType::f32, {4}); }).slug(),
            "buffer-mismatch");
  EXPECT_EQ(error_of([&] { Array::view(array.buffer(), 2, DType::f32, {1}); }).slug(),
            "buffer-mismatch");
}

TEST(SameBits, NanEqualsNanButZerosDiffer) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(same_bits(Array::of<float>({nan, 1}), Array::of<float>({-nan, 1})));
  EXPECT_FALSE(same_bits(Array::of<float>({0.0f}), Array::of<float>({-0.0f})));
  EXPECT_TRUE(same_bits(Array::of<Float16>({{0x7e00}}), Array::of<Float16>({{0xfc01}})));
  EXPECT_FALSE(same_bits(Array::of<Float16>({{0x7c00}}), Array::of<Float16>({{0x7e00}})));
  EXPECT_TRUE(same_bits(Array::of<BFloat16>({{0x7fc0}}), Array::of<BFloat16>({{0xff81}})));
  EXPECT_FALSE(same_bits(Array::of<int32_t>({1}), Array::of<int32_t>({2})));
  EXPECT_FALSE(same_bits(Array::of<int32_t>({1}), Array::of<uint32_t>({1})));
  EXPECT_FALSE(same_bits(Array::of<int32_t>({1}), Array::of<int32_t>({1}, {1, 1})));
  EXPECT_TRUE(same_bits(Array(), Array()));
  EXPECT_FALSE(same_bits(Array(), Array::scalar(1)));
}

} // namespace
} // namespace kolam::runtime
