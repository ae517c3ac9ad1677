// associative_scan against its definition: chunks of 4096, left to right, and carries left to
// right.
#include "kolam/kolam.h"

#include "test/frontend/array/both_backends.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using runtime::same_bits;
using test::error_of;
using test::run_both;
using Tensors = std::vector<Tensor>;

/// A combination that tells groupings apart: associative only up to rounding.
float combine(float a, float b) { return a * 0.75f + b; }

struct Case {
  std::vector<float> x;
  std::vector<char> starts; // empty: one segment
  bool reverse = false;
  std::optional<float> identity;
};

/// out[i] by the definition in DESIGN section 5, on the elements in scan order.
std::vector<float> by_definition(const Case& c) {
  size_t n = c.x.size();
  std::vector<float> outs(n);
  float prefix = 0, carry = 0, previous = c.identity.value_or(0);
  bool restarted = false;
  for (size_t count = 0; count < n; ++count) {
    size_t i = c.reverse ? n - 1 - count : count;
    bool restarts = !c.starts.empty() && (c.reverse ? count > 0 && c.starts[i + 1] : c.starts[i]);
    bool at_chunk = count % 4096 == 0;
    restarted = restarts || (!at_chunk && restarted);
    prefix = restarts || at_chunk ? c.x[i] : combine(prefix, c.x[i]);
    float out = count < 4096 || restarted ? prefix : combine(carry, prefix);
    if (count % 4096 == 4095)
      carry = out;
    outs[i] = !c.identity ? out : restarts ? *c.identity : previous;
    previous = out;
  }
  return outs;
}

void expect_definition(const Case& c) {
  std::vector<Array> arrays = {Array::of(c.x)};
  if (!c.starts.empty()) {
    Array flags = Array::uninitialized(DType::boolean, {static_cast<int64_t>(c.starts.size())});
    std::copy(c.starts.begin(), c.starts.end(), flags.mutable_values<bool>().begin());
    arrays.push_back(flags);
  }
  auto function = [&](Tensors in) {
    AssociativeScanOptions options{.reverse = c.reverse};
    if (c.identity)
      options.identity = {Array::scalar(*c.identity)};
    if (in.size() > 1)
      options.segments = in[1];
    return Tensors{
        associative_scan([](Tensor a, Tensor b) { return a * 0.75 + b; }, in[0], options)};
  };
  EXPECT_TRUE(same_bits(run_both(arrays, function)[0], Array::of(by_definition(c))));
}

std::vector<float> ramp(int64_t n) {
  std::vector<float> x;
  for (int64_t i = 0; i < n; ++i)
    x.push_back(0.1f * static_cast<float>(i % 17) - 0.7f);
  return x;
}

std::vector<char> starts_at(int64_t n, std::vector<int64_t> places) {
  std::vector<char> starts(static_cast<size_t>(n));
  for (int64_t place : places)
    starts[static_cast<size_t>(place)] = 1;
  return starts;
}

TEST(AssociativeScan, FollowsItsOrder) {
  for (int64_t n : {0, 1, 5, 4096, 4097, 9000})
    expect_definition({.x = ramp(n), .starts = {}, .identity = {}});
}

TEST(AssociativeScan, RunsInReverse) {
  for (int64_t n : {1, 6, 4100})
    expect_definition({.x = ramp(n), .starts = {}, .reverse = true, .identity = {}});
}

TEST(AssociativeScan, LeavesOutTheElementWhenExclusive) {
  for (bool reverse : {false, true})
    for (int64_t n : {1, 6, 4100})
      expect_definition({.x = ramp(n), .starts = {}, .reverse = reverse, .identity = -2.0f});
}

TEST(AssociativeScan, RestartsAtSegments) {
  for (bool reverse : {false, true})
    for (std::optional<float> identity : {std::optional<float>(), std::optional<float>(5.0f)}) {
      expect_definition({ramp(7), starts_at(7, {0, 2, 3}), reverse, identity});
      expect_definition({ramp(9000), starts_at(9000, {100, 4095, 4096, 5000}), reverse, identity});
    }
}

TEST(AssociativeScan, ScansTuplesAlongAnyAxis) {
  // Composing affine maps (a, b): x -> a x + b.
  Array a = Array::of<int32_t>({1, 2, 3, 4, 5, 6}, {2, 3});
  using Map = std::pair<Tensor, Tensor>;
  auto results = run_both({a}, [](Tensors in) {
    auto [slope, offset] = associative_scan(
        [](Map f, Map g) { return Map{g.first * f.first, g.first * f.second + g.second}; },
        Map{in[0], in[0]}, {.axis = -1});
    return Tensors{slope, offset};
  });
  EXPECT_TRUE(same_bits(results[0], Array::of<int32_t>({1, 2, 6, 4, 20, 120}, {2, 3})));
  EXPECT_TRUE(same_bits(results[1], Array::of<int32_t>({1, 4, 15, 4, 25, 156}, {2, 3})));
}

TEST(AssociativeScan, TakesSymbolicExtents) {
  Program program =
      trace(std::vector<TensorSpec>{{DType::f32, {Extent::symbol("n")}}}, [](Tensors in) {
        return Tensors{associative_scan([](Tensor a, Tensor b) { return a * 0.75 + b; }, in[0])};
      });
  for (int64_t n : {0, 1, 4095, 4100, 8193}) {
    Case c{.x = ramp(n), .starts = {}, .identity = {}};
    EXPECT_TRUE(
        same_bits(program.run(std::vector{Array::of(c.x)})[0], Array::of(by_definition(c))));
  }
}

TEST(AssociativeScan, RefusesOtherResults) {
  Error error = error_of([] {
    associative_scan([](Tensor a, Tensor b) { return sum(a + b); },
                     Array::of<float>({1, 2}, {1, 2}));
  });
  EXPECT_EQ(error.slug(), "carry-mismatch");
  EXPECT_EQ(error.message(), "result 0 of f: expected float32[2], but got float32[]");
  EXPECT_EQ(std::string(error.what()).find("associative_scan: "), 0);
  EXPECT_NE(error.where().file.find("associative_scan_test.cpp"), std::string::npos);
}

} // namespace
} // namespace kolam
