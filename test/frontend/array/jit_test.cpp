// jit: when it traces again, dynamic dims, donation, checks, cancellation.
#include "kolam/kolam.h"

#include "test/frontend/array/both_backends.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using runtime::same_bits;
using test::error_of;

Array ones(std::vector<int64_t> shape) {
  Array array = Array::uninitialized(DType::f32, std::move(shape));
  std::fill_n(array.mutable_values<float>().begin(), array.size(), 1.0f);
  return array;
}

TEST(Jit, TracesOncePerDtypesShapesAndStatics) {
  int traces = 0;
  auto scaled = jit([&](Tensor x, int factor) {
    ++traces;
    return x * factor;
  });
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(Array(scaled(ones({3}), 2)).values<float>()[2], 2);
    scaled(ones({4}), 2);
    scaled(ones({3}), 5);
    scaled(Array::of<int32_t>({1, 2, 3}), 2);
  }
  EXPECT_EQ(traces, 4);
}

TEST(Jit, ServesAllSizesOfDynamicDims) {
  int traces = 0;
  auto doubled = jit(
      [&](std::pair<Tensor, Tensor> in) {
        ++traces;
        return in.first + in.second;
      },
      {.dynamic = {{0, {0}}, {1, {-2}}}});
  for (int64_t n : {0, 1, 5}) {
    Array sum = doubled(std::pair<Tensor, Tensor>{ones({n, 2}), ones({n, 2})});
    EXPECT_EQ(sum.shape(), (std::vector<int64_t>{n, 2}));
  }
  EXPECT_EQ(traces, 1);
  EXPECT_EQ(
      doubled.lower(std::pair<Tensor, Tensor>{ones({3, 2}), ones({3, 2})}).parameters()[1].shape[0],
      Extent::symbol("d1_0"));
  Error error = error_of([&] { doubled(std::pair<Tensor, Tensor>{ones({3, 2}), ones({4, 2})}); });
  EXPECT_EQ(error.slug(), "shape-mismatch");
}

TEST(Jit, RefusesOptionsForWhatIsNotThere) {
  auto identity = [](Tensor x) { return x + 0; };
  EXPECT_EQ(error_of([&] { jit(identity, {.dynamic = {{1, {0}}}})(ones({3})); }).message(),
            "option 'dynamic': expected the number of one of 1 tensors, but got 1");
  EXPECT_EQ(error_of([&] { jit(identity, {.dynamic = {{0, {1}}}})(ones({3})); }).message(),
            "option 'dynamic': expected a dim of tensor 0 of rank 1, but got 1");
  EXPECT_EQ(error_of([&] { jit(identity, {.donate = {4}})(ones({3})); }).message(),
            "option 'donate': expected the number of one of 1 arguments, but got 4");
}

TEST(Jit, UsesUpDonatedArguments) {
  bool is_released = false;
  static float memory[4] = {1, 2, 3, 4};
  Tensor given = Array::adopt(DType::f32, {4}, memory, [&] { is_released = true; });
  Tensor kept = ones({4});
  auto sum = jit([](Tensor x, Tensor y) { return x + y; }, {.donate = {0}});
  EXPECT_EQ(Array(sum(given, kept)).values<float>()[3], 5);
  EXPECT_TRUE(given.is_empty());
  EXPECT_TRUE(is_released);
  EXPECT_FALSE(kept.is_empty());
  EXPECT_EQ(error_of([&] { sum(given, kept); }).slug(), "empty-tensor");
}

/// Whether the result of `f` lies where its donated argument of [4, 4] lay.
bool takes_over(Tensor (*f)(Tensor)) {
  Tensor x = Array::of(std::vector<float>(16, 2.0f), {4, 4});
  const void* memory = x.array().data();
  Tensor expected = f(x);
  Tensor result = jit(f, {.donate = {0}})(x);
  EXPECT_TRUE(x.is_empty());
  EXPECT_TRUE(same_bits(result.array(), expected.array()));
  return result.array().data() == memory;
}

TEST(Jit, ResultsTakeOverDonatedMemory) {
  EXPECT_TRUE(takes_over([](Tensor x) { return exp(x) + x * 2; })) << "element by element";
  EXPECT_TRUE(takes_over([](Tensor x) { return sort(x) + 1; })) << "read before";
  EXPECT_FALSE(takes_over([](Tensor x) { return x + flip(x); })) << "other elements are read later";
  EXPECT_FALSE(takes_over([](Tensor x) {
    return astype(permute_dims(astype(x, DType::i32), {1, 0}), DType::f32);
  })) << "a producer is read at other elements";
  EXPECT_FALSE(takes_over([](Tensor x) { return matmul(x, x); }));
  EXPECT_FALSE(takes_over([](Tensor x) { return astype(x, DType::i32); }));
}

Tensor add_rows(Tensor x) {
  Tensor places = Array::of<int32_t>({2, 0, 2}, {3, 1});
  return scatter(x, ones({3, 1, 4}), places, {0}, "kAdd");
}

TEST(Jit, ChangesDonatedMemoryInPlace) {
  EXPECT_TRUE(takes_over(add_rows));
  EXPECT_TRUE(takes_over([](Tensor x) { return add_rows(add_rows(x)); })) << "a chain";
  EXPECT_TRUE(takes_over([](Tensor x) {
    return dynamic_update_slice(x, ones({1, 4}), {Tensor(Array::of<int32_t>({2}, {})), 0});
  }));
  EXPECT_TRUE(takes_over([](Tensor x) {
    return fori_loop(0, 3, [](Tensor, Tensor s) { return add_rows(s); }, x);
  })) << "the state of a loop";
  EXPECT_FALSE(takes_over([](Tensor x) { return add_rows(x) - flip(x); })) << "needed later";
}

TEST(Jit, LeavesDonatedMemoryThatOthersHold) {
  Tensor x = ones({4}), y = x;
  Tensor result = jit([](Tensor a) { return a + 1; }, {.donate = {0}})(x);
  EXPECT_TRUE(x.is_empty());
  EXPECT_EQ(y.array().values<float>()[0], 1);
  EXPECT_NE(result.array().data(), y.array().data());
}

TEST(Jit, ChecksOnRequest) {
  auto root = jit([](Tensor x) { return sqrt(x); }, {.checks = {.nan = true}});
  EXPECT_EQ(error_of([&] { root(Array::of<float>({-1})); }).slug(), "nan-created");
}

TEST(Jit, StaysALoopInsideAnotherJit) {
  auto inner =
      jit([](Tensor x) { return fori_loop(0, 3, [](Tensor, Tensor s) { return s * 2; }, x); });
  auto outer = jit([&](Tensor x) { return inner(x) + 1; });
  EXPECT_EQ(Array(outer(ones({2}))).values<float>()[1], 9);
}

TEST(Cancel, StopsRunsUntilCleared) {
  auto endless = [](Tensor x) {
    return while_loop([](Tensor s) { return greater_equal(s, 0); }, [](Tensor s) { return s * 1; },
                      x);
  };
  for (Backend backend : {Backend::cpu, Backend::interpret}) {
    auto jitted = jit(endless, {.backend = backend});
    request_cancel();
    EXPECT_EQ(error_of([&] { jitted(Array::scalar(1)); }).slug(), "cancelled");
    clear_cancel();
    EXPECT_EQ(Array(jitted(Array::scalar(-1))).item<int32_t>(), -1);
  }
}

static_assert(!std::is_constructible_v<bool, Tensor>, "a tensor has no truth value");

} // namespace
} // namespace kolam
