// Sorting against a comparison sort by the rule's own words.
#include "kolam/runtime/sort.h"

#include "kolam/runtime/array.h"
#include "kolam/runtime/vector_sort.h"
#include "kolam/support/error.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>

namespace kolam::runtime {
namespace {

double number(Float16 value) {
  const int exponent = value.bits >> 10 & 31;
  const int mantissa = value.bits & 1023;
  const double size = exponent == 31 ? (mantissa ? NAN : INFINITY)
                      : exponent     ? std::ldexp(1024 + mantissa, exponent - 25)
                                     : std::ldexp(mantissa, -24);
  return value.bits & 0x8000 ? -size : size;
}
float number(BFloat16 value) {
  const uint32_t bits = uint32_t{value.bits} << 16;
  float result = 0;
  std::memcpy(&result, &bits, sizeof result);
  return result;
}
template <class T> T number(T value) { return value; }

template <class T> bool is_nan(T value) {
  if constexpr (std::is_integral_v<T>)
    return false;
  else
    return std::isnan(number(value));
}

template <class T> bool is_less(T a, T b) {
  if (is_nan(a) || is_nan(b))
    return !is_nan(a) && is_nan(b);
  return number(a) < number(b);
}

template <class T>
std::vector<int64_t> expected_places(const T* row, int64_t length, SortOrder order) {
  std::vector<int64_t> places(static_cast<size_t>(length));
  std::iota(places.begin(), places.end(), 0);
  std::ranges::sort(places, [&](int64_t a, int64_t b) {
    const T& first = row[order == SortOrder::ascending ? a : b];
    const T& second = row[order == SortOrder::ascending ? b : a];
    if (is_less(first, second) || is_less(second, first))
      return is_less(first, second);
    return a < b;
  });
  return places;
}

/// Random bits (NaNs, infinities, subnormals), many ties and the edge values, or few numbers side
/// by side.
template <class T> Array random_rows(int64_t rows, int64_t length, std::mt19937_64& random) {
  std::vector<unsigned char> bytes(static_cast<size_t>(rows * length) * sizeof(T));
  const uint64_t kind = random() % 3;
  for (size_t i = 0; i < bytes.size(); ++i) {
    const uint64_t byte = kind == 0   ? random()
                          : kind == 1 ? random() % 2 * 0x80
                                      : (i % sizeof(T) == 0 ? random() : 0);
    bytes[i] = static_cast<unsigned char>(byte);
  }
  return Array::copy_of(dtype_of<T>(), {rows, length}, bytes.data());
}

template <class T>
void check_against_reference(int64_t rows, int64_t length, int64_t k, SortOrder order,
                             int vector_bytes, std::mt19937_64& random) {
  const Array in = random_rows<T>(rows, length, random);
  Array values = Array::uninitialized(in.dtype(), {rows, k});
  Array places32 = Array::uninitialized(DType::i32, {rows, k});
  Array places64 = Array::uninitialized(DType::i64, {rows, k});
  SortRows job = {
      in.dtype(), in.data(), values.mutable_data(), places32.mutable_data(), IndexWidth::i32, rows,
      length,     order};
  job.vector_bytes = vector_bytes;
  top_k_rows(job, k);
  job.values = nullptr;
  job.indices = places64.mutable_data();
  job.index_width = IndexWidth::i64;
  top_k_rows(job, k);
  Array alone = Array::uninitialized(in.dtype(), {rows, k});
  job.values = alone.mutable_data();
  job.indices = nullptr;
  top_k_rows(job, k);
  for (int64_t row = 0; row < rows; ++row) {
    const T* elements = in.values<T>().data() + row * length;
    const std::vector<int64_t> expected = expected_places(elements, length, order);
    for (int64_t i = 0; i < k; ++i) {
      const int64_t place = expected[static_cast<size_t>(i)];
      const auto at = static_cast<size_t>(row * k + i);
      ASSERT_EQ(places64.values<int64_t>()[at], place);
      ASSERT_EQ(places32.values<int32_t>()[at], place);
      ASSERT_EQ(std::memcmp(&values.values<T>()[at], elements + place, sizeof(T)), 0);
      ASSERT_EQ(std::memcmp(&alone.values<T>()[at], elements + place, sizeof(T)), 0);
    }
  }
}

/// By registers of so many bytes at most: 16 have no sorts by vectors, 32 are those of AVX2.
class SortBy : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(, SortBy, testing::Values(16, 32, 64));

TEST_P(SortBy, AgreesWithTheRule) {
  const uint64_t seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (DType dtype : kDTypes)
    for (int64_t length : {0, 1, 2, 7, 33, 63, 100, 255, 256, 1000, 5000, 20000})
      for (SortOrder order : {SortOrder::ascending, SortOrder::descending})
        visit_dtype(dtype, [&](auto tag) {
          using T = typename decltype(tag)::type;
          check_against_reference<T>(3, length, length, order, GetParam(), random);
          for (int64_t k : {int64_t{1}, int64_t{5}, length / 9, length / 2})
            check_against_reference<T>(3, length, std::min(length, k), order, GetParam(), random);
        });
}

TEST(VectorSort, IsNoWiderThanAsked) {
  EXPECT_EQ(vector_sort(16), nullptr);
  if (!vector_sort(64) || !__builtin_cpu_supports("avx512vl"))
    GTEST_SKIP() << "needs AVX-512 and Highway";
  ASSERT_NE(vector_sort(32), nullptr);
  EXPECT_NE(vector_sort(32), vector_sort(64));
}

TEST(Sort, ZerosAreEqualAndNanIsLargest) {
  const float nan = NAN;
  const Array in = Array::of<float>({nan, 0.0f, -0.0f, INFINITY, -1, -nan, 0.0f});
  for (auto [order, expected] :
       {std::pair{SortOrder::ascending, std::vector<int32_t>{4, 1, 2, 6, 3, 0, 5}},
        std::pair{SortOrder::descending, std::vector<int32_t>{0, 5, 3, 1, 2, 6, 4}}}) {
    Array places = Array::uninitialized(DType::i32, {7});
    sort_rows(
        {DType::f32, in.data(), nullptr, places.mutable_data(), IndexWidth::i32, 1, 7, order});
    EXPECT_TRUE(same_bits(places, Array::of(expected))) << places.to_string();
  }
}

TEST(Sort, WorksInPlace) {
  for (int64_t length : {5, 1000}) {
    Array array = Array::uninitialized(DType::i64, {4, length});
    int64_t next = array.size();
    for (int64_t& value : array.mutable_values<int64_t>())
      value = next--;
    sort_rows({DType::i64, array.data(), array.mutable_data(), nullptr, IndexWidth::i32, 4, length,
               SortOrder::ascending});
    for (int64_t row = 0; row < 4; ++row)
      EXPECT_TRUE(std::ranges::is_sorted(array.slice_outer(row).values<int64_t>()));
  }
}

TEST(Sort, NoRows) {
  sort_rows({DType::f32, nullptr, nullptr, nullptr, IndexWidth::i32, 0, 5, SortOrder::ascending});
  sort_rows({DType::f32, nullptr, nullptr, nullptr, IndexWidth::i32, 5, 0, SortOrder::ascending});
}

TEST(TopK, TiesGoToTheLowerIndex) {
  const Array in = Array::of<int8_t>({3, 7, 7, 1, 7});
  Array places = Array::uninitialized(DType::i32, {2});
  top_k_rows({DType::i8, in.data(), nullptr, places.mutable_data(), IndexWidth::i32, 1, 5,
              SortOrder::descending},
             2);
  EXPECT_TRUE(same_bits(places, Array::of<int32_t>({1, 2})));
  top_k_rows({DType::i8, in.data(), nullptr, places.mutable_data(), IndexWidth::i32, 1, 5,
              SortOrder::ascending},
             2);
  EXPECT_TRUE(same_bits(places, Array::of<int32_t>({3, 0})));
}

TEST(Sort, StopsOnRequest) {
  const volatile int32_t cancel = 1;
  std::vector<int32_t> in(1000, 3), out(1000);
  SortRows rows{DType::i32, in.data(), out.data(),           nullptr, IndexWidth::i32,
                1,          1000,      SortOrder::ascending, &cancel};
  for (int64_t k : {1000, 10}) {
    try {
      top_k_rows(rows, k);
      ADD_FAILURE() << "goes on";
    } catch (const Error& error) {
      EXPECT_EQ(error.slug(), "cancelled");
    }
  }
}

} // namespace
} // namespace kolam::runtime
