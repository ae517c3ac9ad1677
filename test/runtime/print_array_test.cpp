// How arrays print; the expectations are what NumPy 2.4 prints.
#include "kolam/runtime/array.h"

#include <cmath>
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

TEST(PrintArray, AlignsFloats) {
  EXPECT_EQ(Array::of<float>({1, 2.5f, 3.25f}).to_string(), "[1.   2.5  3.25]");
  EXPECT_EQ(Array::of<double>({1. / 3, 2. / 3, 100}).to_string(),
            "[  0.33333333   0.66666667 100.        ]");
  EXPECT_EQ(Array::of<float>({0.1f, -0.0f, NAN, INFINITY}).to_string(), "[ 0.1 -0.   nan  inf]");
}

TEST(PrintArray, UsesExponentsForWideRanges) {
  EXPECT_EQ(Array::of<double>({1e10, 1e-10, 1.25}).to_string(), "[1.00e+10 1.00e-10 1.25e+00]");
  EXPECT_EQ(Array::of<double>({0.00012345678999, 0.5}).to_string(),
            "[1.2345679e-04 5.0000000e-01]");
}

TEST(PrintArray, NarrowFloatsUseTheirOwnShortestDigits) {
  EXPECT_EQ(Array::of<Float16>({{0x2e66}, {0x3c00}}).to_string(), "[0.1 1. ]");
  EXPECT_EQ(Array::of<BFloat16>({{0x3dcd}, {0xbf80}}).to_string(), "[ 0.1 -1. ]");
}

TEST(PrintArray, PrintsScalars) {
  EXPECT_EQ(Array::scalar(1.5f).to_string(), "1.5");
  EXPECT_EQ(Array::scalar(3.0).to_string(), "3.0");
  EXPECT_EQ(Array::scalar(1e-7).to_string(), "1e-07");
  EXPECT_EQ(Array::scalar(-0.0).to_string(), "-0.0");
  EXPECT_EQ(Array::scalar(7).to_string(), "7");
  EXPECT_EQ(Array::scalar(true).to_string(), "True");
  EXPECT_EQ(Array::scalar(std::nan("")).to_string(), "nan");
}

TEST(PrintArray, NestsBrackets) {
  EXPECT_EQ(counting({2, 2, 2}).to_string(), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
  EXPECT_EQ(Array::of<bool>({true, false}).to_string(), "[ True False]");
  EXPECT_EQ(Array::zeros(DType::f32, {2, 0}).to_string(), "[]");
  EXPECT_EQ(Array().to_string(), "<empty handle>");
}

TEST(PrintArray, SummarisesLargeArrays) {
  EXPECT_EQ(counting({2000}).to_string(), "[   0    1    2 ... 1997 1998 1999]");
  EXPECT_EQ(counting({100, 100}).to_string(), "[[   0    1    2 ...   97   98   99]\n"
                                              " [ 100  101  102 ...  197  198  199]\n"
                                              " [ 200  201  202 ...  297  298  299]\n"
                                              " ...\n"
                                              " [9700 9701 9702 ... 9797 9798 9799]\n"
                                              " [9800 9801 9802 ... 9897 9898 9899]\n"
                                              " [9900 9901 9902 ... 9997 9998 9999]]");
}

TEST(PrintArray, WrapsLines) {
  EXPECT_EQ(counting({30}).to_string(),
            "[ 0  1  2  3  4  5  6  7  8  9 10 11 12 13 14 15 16 17 18 19 20 21 22 23\n"
            " 24 25 26 27 28 29]");
}

} // namespace
} // namespace kolam::runtime
