// What masks of attention hide: arrays, windows, segments and functions, alike and bit for bit.
#include "test/frontend/array/attention_cases.h"

#include <cmath>

namespace kolam {
namespace {

using test::attend, test::random_rows, test::run_both, test::truth, test::with;

TEST(AttentionMask, WindowsCountBothWays) {
  std::mt19937 random(8);
  Array q = random_rows({60, 4}, random), k = random_rows({200, 4}, random),
        v = random_rows({200, 3}, random);
  struct Case {
    AttentionWindow window;
    bool causal;
    std::function<bool(int64_t, int64_t)> sees;
  };
  std::vector<Case> cases{
      {{2, 3}, false, [](int64_t i, int64_t j) { return i - 2 <= j && j <= i + 3; }},
      {{2, 3}, true, [](int64_t i, int64_t j) { return i - 2 <= j && j <= i; }},
      {{{}, 100}, false, [](int64_t i, int64_t j) { return j <= i + 100; }},
      {{0, {}}, false, [](int64_t i, int64_t j) { return i <= j; }},
      {{INT64_MAX, INT64_MAX}, false, [](int64_t, int64_t) { return true; }},
  };
  for (const Case& one : cases) {
    Array mask = truth(60, 200, one.sees);
    Array expected = run_both({q, k, v, mask}, attend())[0];
    AttentionOptions options{.causal = one.causal, .window = one.window};
    EXPECT_TRUE(same_bits(run_both({q, k, v}, with(options))[0], expected));
  }
}

TEST(AttentionMask, FunctionsSegmentsAndArraysHideAlike) {
  std::mt19937 random(9);
  Array q = random_rows({2, 3, 50, 4}, random), k = random_rows({2, 3, 290, 4}, random),
        v = random_rows({2, 3, 290, 5}, random);
  Array q_ids = Array::uninitialized(DType::i32, {2, 50}),
        k_ids = Array::uninitialized(DType::i16, {2, 290}),
        mask = Array::uninitialized(DType::boolean, {2, 1, 50, 290});
  for (int64_t b = 0; b < 2; ++b) {
    for (int64_t i = 0; i < 50; ++i)
      q_ids.mutable_values<int32_t>()[b * 50 + i] = static_cast<int32_t>(i / (20 + b));
    for (int64_t j = 0; j < 290; ++j)
      k_ids.mutable_values<int16_t>()[b * 290 + j] = static_cast<int16_t>(j / 140);
    for (int64_t i = 0; i < 50; ++i)
      for (int64_t j = 0; j < 290; ++j)
        mask.mutable_values<bool>()[(b * 50 + i) * 290 + j] = i / (20 + b) == j / 140;
  }
  Array by_array = run_both({q, k, v, mask}, attend())[0];
  auto by_segments = [](std::vector<Tensor> t) {
    AttentionOptions options{.segment_ids = AttentionSegments{t[3], t[4]}};
    return std::vector<Tensor>{attention(t[0], t[1], t[2], options)};
  };
  EXPECT_TRUE(same_bits(run_both({q, k, v, q_ids, k_ids}, by_segments)[0], by_array));
  auto by_function = [](std::vector<Tensor> t) {
    AttentionOptions options;
    options.mask_function = [](Tensor batch, Tensor, Tensor query, Tensor key) {
      return equal(floor_divide(query, batch + 20), floor_divide(key, 140));
    };
    return std::vector<Tensor>{attention(t[0], t[1], t[2], options)};
  };
  EXPECT_TRUE(same_bits(run_both({q, k, v}, by_function)[0], by_array));
  auto by_capture = [](std::vector<Tensor> t) {
    AttentionOptions options;
    Tensor ids = reshape(t[3], {100});
    options.mask_function = [&](Tensor batch, Tensor, Tensor query, Tensor key) {
      return equal(take(ids, batch * 50 + query, 0), floor_divide(key, 140));
    };
    return std::vector<Tensor>{attention(t[0], t[1], t[2], options)};
  };
  EXPECT_TRUE(same_bits(run_both({q, k, v, q_ids}, by_capture)[0], by_array));
}

TEST(AttentionMask, WhatIsHiddenMayBeAnything) {
  std::mt19937 random(10);
  Array q = random_rows({40, 4}, random), k = random_rows({260, 4}, random),
        v = random_rows({260, 3}, random), kept = Array::uninitialized(DType::boolean, {260}),
        added = Array::zeros(DType::f32, {260});
  for (int64_t j = 0; j < 260; ++j) {
    kept.mutable_values<bool>()[j] = j % 3 != 0;
    if (j % 3 == 0)
      added.mutable_values<float>()[j] = -INFINITY;
  }
  Array clean = run_both({q, k, v, kept}, attend())[0];
  for (int64_t j = 0; j < 260; j += 3) {
    k.mutable_values<float>()[j * 4] = j % 2 ? NAN : INFINITY;
    v.mutable_values<float>()[j * 3] = j % 2 ? -INFINITY : NAN;
  }
  EXPECT_TRUE(same_bits(run_both({q, k, v, kept}, attend())[0], clean));
  EXPECT_TRUE(same_bits(run_both({q, k, v, added}, attend())[0], clean));
  Array nothing = Array::zeros(DType::boolean, {260});
  EXPECT_TRUE(
      same_bits(run_both({q, k, v, nothing}, attend())[0], Array::zeros(DType::f32, {40, 3})));
}

TEST(AttentionMask, NamesWhatMasksCannotBe) {
  auto words = [](AttentionOptions options, std::vector<int64_t> k = {2, 3, 5, 4}) {
    Error error = test::error_of([&] {
      attention(Array::zeros(DType::f32, {2, 6, 3, 4}), Array::zeros(DType::f32, k),
                Array::zeros(DType::f32, k), options);
    });
    return "[" + error.slug() + "] " + error.message();
  };
  EXPECT_EQ(words({}, {2, 4, 5, 4}),
            "[shape-mismatch] argument 'k': expected a number of heads (dim -3) that divides the 6 "
            "of q, but got float32[2, 4, 5, 4]");
  EXPECT_EQ(words({.mask = Array::zeros(DType::i32, {3, 5})}),
            "[dtype-mismatch] argument 'mask': expected booleans or floats, but got int32[3, 5]");
  EXPECT_EQ(
      words({.mask = Array::zeros(DType::boolean, {3, 4})}),
      "[shape-mismatch] argument 'mask', bool[1, 1, 3, 4], which repeats to [2, 6, 3, 5], dim "
      "3: expected equal extents, but got 5 and 4");
  EXPECT_EQ(
      words({.mask = Array::zeros(DType::boolean, {1, 1, 1, 3, 5})}),
      "[rank-mismatch] argument 'mask': expected rank 4 or less, but got bool[1, 1, 1, 3, 5]");
  EXPECT_EQ(words({.window = AttentionWindow{-1, 2}}),
            "[bad-window] argument 'window': expected numbers of keys >= 0, but got -1");
  Array ids = Array::zeros(DType::i32, {2, 3});
  EXPECT_EQ(words({.segment_ids = AttentionSegments{ids, ids}}),
            "[shape-mismatch] argument 'segment_ids', int32[2, 1, 3], which repeats to [2, 6, 5], "
            "dim 2: expected equal extents, but got 5 and 3");
  Array floats = Array::zeros(DType::f32, {2, 3}), flat = Array::zeros(DType::i32, {2, 6, 3});
  EXPECT_EQ(words({.segment_ids = AttentionSegments{floats, floats}}),
            "[dtype-mismatch] argument 'segment_ids': expected integers, but got float32[2, 3]");
  EXPECT_EQ(words({.segment_ids = AttentionSegments{flat, flat}}),
            "[rank-mismatch] argument 'segment_ids': expected rank from 1 to 2, without a dim of "
            "heads, but got int32[2, 6, 3]");
  AttentionOptions number;
  number.mask_function = [](Tensor, Tensor, Tensor query, Tensor) { return query; };
  EXPECT_EQ(words(number),
            "[dtype-mismatch] argument 'mask': expected a function that gives a boolean, but got "
            "int32[]");
  AttentionOptions vector;
  vector.mask_function = [](Tensor, Tensor, Tensor query, Tensor) { return query < arange(3); };
  EXPECT_EQ(words(vector),
            "[pattern-body] expected scalars in the body, but 'iota' gives int32[3]");
}

} // namespace
} // namespace kolam
