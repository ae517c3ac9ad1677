// Boxes of `.npy` files.
#include "kolam/runtime/npy_boxes.h"

#include "kolam/runtime/npy.h"
#include "kolam/support/error.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace kolam::runtime {
namespace {

std::string temporary(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / name).string();
}

Array counted(std::vector<int64_t> shape) {
  Array array = Array::uninitialized(DType::i32, std::move(shape));
  int32_t next = 0;
  for (int32_t& element : array.mutable_values<int32_t>())
    element = next++;
  return array;
}

TEST(NpyBoxes, ReadsWhatSlicingGives) {
  const std::string path = temporary("boxes.npy");
  save(path, counted({3, 4, 5}));
  const NpyReader reader(path);
  EXPECT_EQ(reader.shape(), (std::vector<int64_t>{3, 4, 5}));
  const Array box = reader.read({1, 1, 2}, {2, 2, 3});
  EXPECT_TRUE(same_bits(
      box, Array::of<int32_t>({27, 28, 29, 32, 33, 34, 47, 48, 49, 52, 53, 54}, {2, 2, 3})));
  EXPECT_TRUE(same_bits(reader.read({0, 0, 0}, {3, 4, 5}), counted({3, 4, 5})));
  EXPECT_EQ(reader.read({1, 1, 1}, {1, 0, 2}).size(), 0);
}

TEST(NpyBoxes, ReadsColumnsFirstAndTheOtherByteOrder) {
  const std::string path = temporary("fortran.npy");
  std::string header = "\x93NUMPY";
  header += std::string("\x01\x00", 2);
  std::string dict = "{'descr': '>i4', 'fortran_order': True, 'shape': (2, 3), }";
  dict.append(117 - dict.size(), ' ');
  dict += '\n';
  header += std::string("\x76\x00", 2) + dict;
  std::ofstream out(path, std::ios::binary);
  out << header;
  for (char element : {0, 3, 1, 4, 2, 5}) // columns of [[0, 1, 2], [3, 4, 5]]
    out << std::string(3, '\0') << element;
  out.close();
  const NpyReader reader(path);
  EXPECT_TRUE(same_bits(reader.read({0, 1}, {2, 2}), Array::of<int32_t>({1, 2, 4, 5}, {2, 2})));
}

TEST(NpyBoxes, AWrittenFileAppearsWhenItIsWhole) {
  const std::string path = temporary("written.npy");
  std::filesystem::remove(path);
  {
    NpyWriter writer(path, DType::i32, {2, 3});
    writer.write({0, 2}, Array::of<int32_t>({2, 5}, {2, 1}));
    EXPECT_FALSE(std::filesystem::exists(path));
    writer.write({0, 0}, Array::of<int32_t>({0, 1, 3, 4}, {2, 2}));
    writer.commit();
  }
  EXPECT_TRUE(same_bits(load(path), counted({2, 3})));
}

TEST(NpyBoxes, RefusesWhatIsNoFile) {
  EXPECT_THROW(NpyReader(temporary("is_not_there.npy")), Error);
  EXPECT_THROW(NpyWriter("/is_not_there/y.npy", DType::f32, {2}), Error);
  EXPECT_THROW(NpyWriter(temporary("large.npy"), DType::f32, {int64_t{1} << 50}), Error);
}

} // namespace
} // namespace kolam::runtime
