// into: results in memory of the caller's, dense, strided and shared with arguments, on both
// backends.
#include "test/frontend/array/both_backends.h"
#include "test/runtime/random_lists.h"

#include <algorithm>
#include <random>

namespace kolam {
namespace {

using runtime::same_bits;
using test::error_of;
using Floats = std::vector<float>;

Floats counted(size_t size) {
  Floats values(size);
  for (size_t i = 0; i < size; ++i)
    values[i] = static_cast<float>(i + 1);
  return values;
}

class Into : public testing::TestWithParam<Backend> {
protected:
  template <class F> auto made(F f, JitOptions options = {}) {
    options.backend = GetParam();
    return jit(f, options);
  }
  auto affine() {
    return made([](Tensor x, Tensor w) { return x * w + 1; });
  }
};

TEST_P(Into, WritesASpanRowMajor) {
  auto f = affine();
  const Floats x = counted(6);
  Floats y(6);
  f.into(std::span(y), View(x.data(), {2, 3}), 2.0f);
  EXPECT_EQ(y, (Floats{3, 5, 7, 9, 11, 13}));
  float fixed[6];
  f.into(fixed, View(x.data(), {2, 3}), 2.0f);
  EXPECT_EQ(fixed[5], 13);
}

TEST_P(Into, WritesColumnsAndBackwards) {
  auto f = affine();
  const Floats x = counted(6);
  Floats y(6);
  f.into(View(y.data(), {2, 3}, {1, 2}), View(x.data(), {2, 3}), 2.0f);
  EXPECT_EQ(y, (Floats{3, 9, 5, 11, 7, 13}));
  f.into(View(y.data() + 5, {6}, {-1}), x, 2.0f);
  EXPECT_EQ(y, (Floats{13, 11, 9, 7, 5, 3}));
}

TEST_P(Into, LeavesTheGapsAlone) {
  auto f = affine();
  Floats y(8, -1);
  f.into(View(y.data() + 1, {3}, {2}), Floats{1, 2, 3}, 10.0f);
  EXPECT_EQ(y, (Floats{-1, 11, -1, 21, -1, 31, -1, -1}));
}

TEST_P(Into, ReadsStridedMemory) {
  auto f = affine();
  const Floats x = counted(6);
  Floats y(6);
  f.into(y, View(x.data(), {3, 2}, {1, 3}), 1.0f); // transposed
  EXPECT_EQ(y, (Floats{2, 5, 3, 6, 4, 7}));
  f.into(View(y.data(), {3, 2}), View(x.data() + 5, {3, 2}, {-2, -1}), 1.0f);
  EXPECT_EQ(y, (Floats{7, 6, 5, 4, 3, 2}));
  f.into(View(y.data(), {3, 2}), View(x.data(), {3, 2}, {0, 0}), 1.0f); // one element
  EXPECT_EQ(y, Floats(6, 2));
}

TEST_P(Into, WritesAVariable) {
  float total = 0;
  made([](Tensor x) { return sum(x); }).into(total, Floats{1, 2, 3});
  EXPECT_EQ(total, 6);
}

struct Both {
  Floats doubled;
  float total = 0;
};
auto fields(Both& x) { return std::tie(x.doubled, x.total); }

TEST_P(Into, WritesSeveralResults) {
  auto f = made([](Tensor x) { return std::pair(x * 2, sum(x)); });
  Floats doubled(3);
  float total = 0;
  f.into(std::tie(doubled, total), Floats{1, 2, 3});
  EXPECT_EQ(doubled, (Floats{2, 4, 6}));
  EXPECT_EQ(total, 6);
  Both both{Floats(3)};
  f.into(both, Floats{1, 2, 4});
  EXPECT_EQ(both.total, 7);
  auto g = made([](Tensor x) { return std::vector<Tensor>{x + 1, x - 1}; });
  Floats columns(6);
  std::vector<View<float>> outs{View(columns.data(), {3}, {2}), View(columns.data() + 1, {3}, {2})};
  g.into(outs, Floats{1, 2, 3});
  EXPECT_EQ(columns, (Floats{2, 0, 3, 1, 4, 2}));
}

TEST_P(Into, ReadsArgumentsBeforeItWritesOverThem) {
  auto turned = made([](Tensor x) { return x + flip(x); });
  Floats x = counted(100);
  Floats expected(100, 101);
  turned.into(x, x);
  EXPECT_EQ(x, expected);
  x = counted(100);
  auto sums = made([](Tensor a) { return cumulative_sum(a); });
  sums.into(std::span(x).subspan(1, 99), std::span(x).subspan(0, 99));
  for (size_t i = 1; i < 100; ++i)
    ASSERT_EQ(x[i], static_cast<float>(i * (i + 1) / 2));
  EXPECT_EQ(x[0], 1);
}

TEST_P(Into, WritesAnArrayThatNobodyShares) {
  auto f = affine();
  Array y = Array::zeros(DType::f32, {3});
  const void* memory = y.data();
  f.into(y, Floats{1, 2, 3}, 2.0f);
  EXPECT_EQ(y.data(), memory);
  EXPECT_EQ(y.values<float>()[2], 7);
  f.into(y, y, 2.0f);
  EXPECT_EQ(y.values<float>()[2], 15);
  const Array kept = y;
  EXPECT_EQ(error_of([&] { f.into(y, kept, 2.0f); }).slug(), "shared-output");
  EXPECT_EQ(kept.values<float>()[2], 15);
  Array none;
  EXPECT_EQ(error_of([&] { f.into(none, kept, 2.0f); }).slug(), "empty-tensor");
}

TEST_P(Into, KeepsOfEveryDtype) {
  bool flags[3];
  made([](Tensor x) { return x > 1; }).into(flags, Floats{1, 2, 3});
  EXPECT_TRUE(!flags[0] && flags[1] && flags[2]);
  std::vector<int64_t> wide(2);
  made([](Tensor x) { return x * 3; }).into(wide, std::vector<int64_t>{1, int64_t{1} << 40});
  EXPECT_EQ(wide[1], int64_t{3} << 40);
  const bool given[] = {true, false};
  made([](Tensor x) { return logical_not(x); }).into(std::span(flags, 2), given);
  EXPECT_TRUE(!flags[0] && flags[1]);
}

TEST_P(Into, TakesEmptyMemory) {
  Floats none;
  affine().into(none, std::span<const float>(), 1.0f);
  float total = 5;
  made([](Tensor x) { return sum(x); }).into(total, none);
  EXPECT_EQ(total, 0);
}

TEST_P(Into, ServesDynamicDims) {
  auto f = made([](Tensor x) { return concat({x, x}, 0); }, {.dynamic = {{0, {0}}}});
  for (size_t n : {1u, 4u}) {
    Floats y(2 * n);
    f.into(y, counted(n));
    EXPECT_EQ(y[2 * n - 1], static_cast<float>(n));
    Floats short_of_one(2 * n - 1, -1);
    Error error = error_of([&] { f.into(short_of_one, counted(n)); });
    EXPECT_EQ(error.slug(), "shape-mismatch");
    EXPECT_EQ(short_of_one, Floats(2 * n - 1, -1)) << "nothing is written";
    EXPECT_EQ(
        error_of([&] { f.into(View(y.data(), {2, static_cast<int64_t>(n)}), counted(n)); }).slug(),
        "shape-mismatch");
  }
}

TEST_P(Into, RefusesMemoryThatDoesNotFit) {
  auto f = affine();
  const Floats x = counted(6);
  const View<const float> given(x.data(), {2, 3});
  Floats y(6);
  std::vector<double> wide(6);
  auto slug = [](const std::function<void()>& call) { return error_of(call).slug(); };
  EXPECT_EQ(slug([&] { f.into(wide, given, 1.0f); }), "dtype-mismatch");
  EXPECT_EQ(slug([&] { f.into(std::span(y).first(5), given, 1.0f); }), "shape-mismatch");
  EXPECT_EQ(slug([&] { f.into(View(y.data(), {3, 2}), given, 1.0f); }), "shape-mismatch");
  EXPECT_EQ(slug([&] { f.into(View(y.data(), {6}), given, 1.0f); }), "shape-mismatch");
  EXPECT_EQ(slug([&] { f.into(y[0], given, 1.0f); }), "shape-mismatch");
  EXPECT_EQ(slug([&] { f.into(View(y.data(), {2, 3}, {0, 1}), given, 1.0f); }),
            "overlapping-outputs");
  EXPECT_EQ(slug([&] { f.into(std::tie(y, y), given, 1.0f); }), "output-count");
  auto two = made([](Tensor a) { return std::pair(a, a + 1); });
  EXPECT_EQ(slug([&] { two.into(std::tie(y, y), x); }), "overlapping-outputs");
  EXPECT_EQ(y, Floats(6, 0)) << "nothing is written";
}

TEST_P(Into, IsNoPartOfATrace) {
  auto f = affine();
  Floats y(2);
  auto outer = made([&](Tensor x) {
    f.into(y, x, 2.0f);
    return x;
  });
  EXPECT_EQ(error_of([&] { outer(Floats{1, 2}); }).slug(), "traced-value");
  auto at_once = made([&](Tensor x) {
    f.into(y, Floats{1, 2}, 2.0f);
    return x;
  });
  at_once(1.0f);
  EXPECT_EQ(y, (Floats{3, 5}));
}

TEST_P(Into, KeepsNoHoldOfMemory) {
  auto identity = made([](Tensor x) { return x; });
  Floats x{1, 2}, y(2);
  Array result = identity(x);
  identity.into(y, x);
  x = {7, 7};
  EXPECT_EQ(result.values<float>()[0], 1);
  EXPECT_EQ(y[0], 1);
  auto inner = made([](Tensor a, Tensor b) { return a * b; });
  auto outer = made([&](Tensor b) {
    Floats local{2, 3};
    return inner(local, b);
  });
  EXPECT_EQ(Array(outer(Floats{1, 1})).values<float>()[1], 3);
}

/// A layout of `shape` somewhere in memory: dims in a random order, with gaps, some backwards.
View<float> draw_layout(const std::vector<int64_t>& shape, Floats& memory,
                        std::mt19937_64& random) {
  std::vector<size_t> order(shape.size());
  for (size_t k = 0; k < order.size(); ++k)
    order[k] = k;
  std::shuffle(order.begin(), order.end(), random);
  std::vector<int64_t> strides(shape.size());
  int64_t step = 1 + static_cast<int64_t>(random() % 2), start = 0;
  for (size_t k : order) {
    strides[k] = random() % 3 == 0 ? -step : step;
    if (strides[k] < 0)
      start += (shape[k] - 1) * step;
    step *= shape[k] + static_cast<int64_t>(random() % 2);
  }
  memory.assign(static_cast<size_t>(start + step + 1), -1);
  return View<float>(memory.data() + start, shape, strides);
}

TEST_P(Into, AgreesWithCallsOnRandomLayouts) {
  const uint64_t seed = runtime::choose_seed();
  SCOPED_TRACE("KOLAM_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto f =
      made([](Tensor x, Tensor y) { return std::tuple(x - 2 * y, permute_dims(x, {2, 0, 1})); });
  for (int round = 0; round < 10; ++round) {
    std::vector<int64_t> shape;
    for (int k = 0; k < 3; ++k)
      shape.push_back(1 + static_cast<int64_t>(random() % 4));
    Floats x_memory, y_memory, a_memory, b_memory;
    View<float> x = draw_layout(shape, x_memory, random), y = draw_layout(shape, y_memory, random);
    for (size_t i = 0; i < x_memory.size(); ++i)
      x_memory[i] = static_cast<float>(i);
    for (size_t i = 0; i < y_memory.size(); ++i)
      y_memory[i] = static_cast<float>(i * i);
    View<float> a = draw_layout(shape, a_memory, random);
    View<float> b = draw_layout({shape[2], shape[0], shape[1]}, b_memory, random);
    const size_t unwritten = static_cast<size_t>(std::ranges::count(a_memory, -1.0f)) -
                             static_cast<size_t>(Tensor(a).array().size());
    auto [first, second] = f(Tensor(x), Tensor(y));
    f.into(std::tuple(a, b), x, y);
    EXPECT_TRUE(same_bits(Tensor(a).array(), first.array()));
    EXPECT_TRUE(same_bits(Tensor(b).array(), second.array()));
    EXPECT_GE(static_cast<size_t>(std::ranges::count(a_memory, -1.0f)), unwritten);
  }
}

INSTANTIATE_TEST_SUITE_P(Backends, Into, testing::Values(Backend::cpu, Backend::interpret));

} // namespace
} // namespace kolam
