// The words of refusals of the functions that make values: creation, conversion, random numbers.
#include "test/error/expect_words.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace kolam {
namespace {

using test::expect_words;

const Tensor kVector = Array::of<float>({1});

TEST(ValueErrors, ExtentNegative) {
  expect_words([] { zeros({2, -1}); }, ErrorKind::value,
               "zeros: [extent-negative] argument 'shape': expected extents >= 0, but got [2, -1]");
  expect_words([] { random::uniform(random::key(0), {-1}); }, ErrorKind::value,
               "uniform: [extent-negative] argument 'shape': expected extents >= 0, but got [-1]");
}

TEST(ValueErrors, ExtentUnbound) {
  const Extent n = Extent::symbol("n");
  const std::string words = "[extent-unbound] argument 'shape': expected symbols that are extents "
                            "of the program's arguments, but got 'n'";
  expect_words([&] { ones({n}); }, ErrorKind::value, "ones: " + words);
  expect_words([&] { eye(n); }, ErrorKind::value, "eye: " + words);
  expect_words([&] { random::bits(random::key(0), {n}); }, ErrorKind::value, "bits: " + words);
}

TEST(ValueErrors, TooManyParts) {
  const std::string hint = " (index those that are needed, as x[i], or go over them in scan or "
                           "fori_loop), but got ";
  expect_words([] { unstack(zeros({3'000'000})); }, ErrorKind::value,
               "unstack: [too-many-parts] argument 'axis': expected at most 10000 parts" + hint +
                   "3000000");
  expect_words([] { split(zeros({20'000}), 20'000); }, ErrorKind::value,
               "split: [too-many-parts] argument 'sections': expected at most 10000 parts" + hint +
                   "20000");
  EXPECT_EQ(unstack(zeros({1000})).size(), 1000u);
}

TEST(ValueErrors, ExtentOverflow) {
  expect_words([] { arange(0, 1e300, 1e-300); }, ErrorKind::value,
               "arange: [extent-overflow] expected a range of less than 2^62 numbers, but got step "
               "1e-300");
  expect_words([] { arange(0, 1, 1e-300); }, ErrorKind::value,
               "arange: [extent-overflow] expected a range of less than 2^62 numbers, but got step "
               "1e-300");
}

TEST(ValueErrors, ExtentOverflowOfAShape) {
  const int64_t huge = int64_t{1} << 40, far = int64_t{1} << 62;
  auto words = [](const std::string& function, const std::string& got) {
    return function +
           ": [extent-overflow] expected a tensor whose bytes can be counted in 63 bits, "
           "but got " +
           got;
  };
  expect_words([&] { zeros({huge, huge}); }, ErrorKind::value,
               words("zeros", "float32[1099511627776, 1099511627776]"));
  expect_words([&] { arange(far); }, ErrorKind::value, words("arange", "int"));
  expect_words([] { eye(int64_t{1} << 33); }, ErrorKind::value, words("eye", ""));
  expect_words([&] { one_hot(Array::of<int32_t>({1}), far); }, ErrorKind::value,
               words("one_hot", ""));
  expect_words([&] { random::bits(random::key(0), {huge, 1 << 30}); }, ErrorKind::value,
               words("bits", "uint32[1099511627776, 1073741824]"));
  Tensor row = zeros({100000});
  expect_words([&] { einsum("a,b,c,d->abcd", {row, row, row, row}); }, ErrorKind::value,
               words("einsum", ""));
}

TEST(ValueErrors, BadStep) {
  expect_words([] { arange(0, 5, 0); }, ErrorKind::value,
               "arange: [bad-step] argument 'step': expected a number other than 0, but got 0");
}

TEST(ValueErrors, NotFinite) {
  expect_words([] { arange(0, INFINITY, 1.0); }, ErrorKind::value,
               "arange: [not-finite] argument 'stop': expected a finite number, but got inf");
}

TEST(ValueErrors, SymbolicExtent) {
  expect_words([] { arange(0.5, Extent::symbol("n")); }, ErrorKind::value,
               "arange: [symbolic-extent] argument 'stop': expected a number beside floats, as a "
               "symbol's range has no exact count, but got n");
}

TEST(ValueErrors, ScalarDoesNotFit) {
  expect_words([] { arange(0, 300, 1, DType::u8); }, ErrorKind::value,
               "arange: [scalar-does-not-fit] argument 'dtype': expected a dtype that holds 299, "
               "but got uint8");
  expect_words([] { full({2}, 300, DType::u8); }, ErrorKind::value,
               "full: [scalar-does-not-fit] expected a scalar in the range of uint8, but got 300");
}

TEST(ValueErrors, RankMismatch) {
  expect_words([] { tril(kVector); }, ErrorKind::value,
               "tril: [rank-mismatch] argument 'x': expected at least 2 dims, but got float32[1]");
  expect_words([] { meshgrid({Array::zeros(DType::f32, {2, 2})}); }, ErrorKind::value,
               "meshgrid: [rank-mismatch] argument 'arrays[0]': expected at most 1 dim, but got "
               "float32[2, 2]");
  expect_words([] { linspace(kVector, 2.0, 3); }, ErrorKind::value,
               "linspace: [rank-mismatch] argument 'start': expected a scalar, but got float32[1]");
}

TEST(ValueErrors, DtypeMismatch) {
  expect_words([] { arange(3, DType::boolean); }, ErrorKind::type,
               "arange: [dtype-mismatch] argument 'dtype': expected integers or floats, but got "
               "bool");
  expect_words(
      [] { linspace(0, 1, 3, true, DType::i32); }, ErrorKind::type,
      "linspace: [dtype-mismatch] argument 'dtype': expected a float dtype, but got int32");
  expect_words([] { one_hot(kVector, 3); }, ErrorKind::type,
               "one_hot: [dtype-mismatch] argument 'x': expected integers, but got float32[1]");
  expect_words([] { bitcast(kVector, DType::f64); }, ErrorKind::type,
               "bitcast: [dtype-mismatch] argument 'dtype': expected a dtype of 32 bits, none of "
               "the two bool, but got float32 to float64");
  expect_words([] { bitcast(Array::of<bool>({true}), DType::u8); }, ErrorKind::type,
               "bitcast: [dtype-mismatch] argument 'dtype': expected a dtype of 8 bits, none of "
               "the two bool, but got bool to uint8");
  expect_words([] { relu(true); }, ErrorKind::type,
               "relu: [dtype-mismatch] expected integers or floats, but got bool");
}

TEST(RandomErrors, BadKey) {
  expect_words([] { random::bits(Array::of<uint32_t>({1, 2, 3})); }, ErrorKind::type,
               "bits: [bad-key] argument 'key': expected a key, uint32[2], but got uint32[3]");
}

TEST(RandomErrors, BadWidth) {
  expect_words([] { random::bits(random::key(0), {3}, 24); }, ErrorKind::value,
               "bits: [bad-width] argument 'width': expected 8, 16, 32 or 64, but got 24");
}

TEST(RandomErrors, BadProbability) {
  expect_words([] { random::dropout(random::key(0), kVector, 1.5); }, ErrorKind::value,
               "dropout: [bad-probability] argument 'p': expected a number from 0 to 1, but got "
               "1.5");
}

TEST(RandomErrors, DtypeMismatch) {
  const Tensor key = random::key(0);
  expect_words([&] { random::uniform(key, {3}, DType::i32); }, ErrorKind::type,
               "uniform: [dtype-mismatch] argument 'dtype': expected a float dtype, but got int32");
  expect_words([&] { random::randint(key, {3}, 0, 9, DType::f32); }, ErrorKind::type,
               "randint: [dtype-mismatch] argument 'dtype': expected an integer dtype, but got "
               "float32");
  expect_words([&] { random::randint(key, {3}, 0.5, 9); }, ErrorKind::type,
               "randint: [dtype-mismatch] argument 'minval': expected integers, but got float32[]");
  expect_words([] { random::key(1.5); }, ErrorKind::type,
               "key: [dtype-mismatch] argument 'seed': expected an integer, but got float32[]");
}

} // namespace
} // namespace kolam
