// The data dimension from C++: the vectors of the rules, what is found and what is refused.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using layout::InferOptions;
using layout::Inferred;
using layout::Pin;

constexpr int64_t kA = 4, kB = 8, kC = 5, kN = 3;

Array ones_of(std::vector<int64_t> shape) {
  Array array = Array::uninitialized(DType::f32, std::move(shape));
  for (float& value : array.mutable_values<float>())
    value = 1;
  return array;
}

/// D of the result, and the cost of the op before it.
struct Found {
  std::optional<int64_t> dim;
  std::string cost;
  friend bool operator==(const Found&, const Found&) = default;
};
void PrintTo(const Found& found, std::ostream* stream) {
  *stream << (found.dim ? std::to_string(*found.dim) : "none") << " " << found.cost;
}

template <class F, class... Shapes>
Found found(F f, const InferOptions& options, const Shapes&... shapes) {
  Inferred inferred = layout::infer(jit(f), options, ones_of(shapes)...);
  EXPECT_TRUE(inferred.exact);
  return {inferred.outputs.at(0), inferred.ops.empty() ? "" : inferred.ops.back().cost};
}

template <class F, class... Shapes>
std::string refusal(F f, const InferOptions& options, const Shapes&... shapes) {
  try {
    layout::infer(jit(f), options, ones_of(shapes)...);
  } catch (const Error& error) {
    return error.slug();
  }
  return "none";
}

using Dims = std::vector<int64_t>;
constexpr const char* kAll[] = {"seed", "vollo27", "relaxed"};

TEST(Layout, PointwiseSlicesAndNewAxes) {
  for (const char* profile : kAll) {
    auto given = [&](int64_t dim) {
      return InferOptions{.profile = profile, .inputs = {{"0", Pin(dim)}}};
    };
    Dims shape{kA, kB, kC};
    EXPECT_EQ(found([](Tensor x) { return x * x; }, given(1), shape), (Found{1, "compute"}));
    auto cut = [](Tensor x) { return index(x, {Ellipsis{}, Slice{0, kN}}); };
    EXPECT_EQ(found(cut, given(2), shape), (Found{2, "compute"}));
    EXPECT_EQ(found(cut, given(1), shape), (Found{1, "free"}));
    auto expand = [](Tensor x) { return expand_dims(x, {0}); };
    EXPECT_EQ(found(expand, given(0), Dims{kA, kB}), (Found{1, "free"}));
    auto rows = [](Tensor x) { return broadcast_to(x, {kN, kB}); };
    EXPECT_EQ(found(rows, given(1), Dims{1, kB}), (Found{1, "free"}));
    auto columns = [](Tensor x) { return broadcast_to(x, {kA, kN}); };
    EXPECT_EQ(found(columns, given(1), Dims{kA, 1}), (Found{1, "close to free"}));
  }
}

TEST(Layout, ConcatsAndReductions) {
  for (const char* profile : kAll) {
    InferOptions given{.profile = profile, .inputs = {{"0", Pin(int64_t{0})}}};
    Dims shape{kA, kB, kC}, matrix{kA, kB};
    auto along = [](Tensor x) { return concat({x, x, x}, 0); };
    auto across = [](Tensor x) { return concat({x, x, x}, 1); };
    EXPECT_EQ(found(along, given, shape), (Found{0, "compute"}));
    EXPECT_EQ(found(across, given, shape), (Found{0, "free"}));
    auto kept = [](Tensor x) { return sum(x, 0, {.keepdims = true}); };
    auto lost = [](Tensor x) { return sum(x, 0); };
    auto other = [](Tensor x) { return sum(x, 1); };
    EXPECT_EQ(found(kept, given, matrix).dim, 0);
    EXPECT_EQ(refusal(lost, given, matrix), "data-dimension");
    EXPECT_EQ(found(other, given, matrix), (Found{0, "slower"}));
  }
}

TEST(Layout, Products) {
  auto product = [](Tensor x, Tensor y) { return matmul(x, y); };
  auto pinned = [](const char* profile, bool dynamic, int64_t left, int64_t right) {
    return InferOptions{.profile = profile,
                        .allow_dynamic_weights = dynamic,
                        .inputs = {{"0", Pin(left)}, {"1", Pin(right)}}};
  };
  Dims left{kA, kB}, right{kB, kC}, left_batch{2, kA, kB}, right_batch{2, kB, kC};
  InferOptions constant{.constants = {"0"}, .inputs = {{"1", Pin("b j! k")}}};
  EXPECT_EQ(found(product, constant, left_batch, right_batch), (Found{1, "compute"}));
  constant = {.constants = {"1"}, .inputs = {{"0", Pin("b i j!")}}};
  EXPECT_EQ(found(product, constant, left_batch, right_batch), (Found{2, "compute"}));
  constant = {.constants = {"0"}, .inputs = {{"1", Pin("b j k!")}}};
  EXPECT_EQ(refusal(product, constant, left_batch, right_batch), "data-dimension");
  constant.allow_dynamic_weights = true;
  EXPECT_EQ(found(product, constant, left_batch, right_batch), (Found{2, "slower"}));
  EXPECT_EQ(refusal(product, pinned("seed", false, 0, 0), left, right), "data-dimension");
  EXPECT_EQ(found(product, pinned("seed", true, 0, 0), left, right), (Found{0, "slower"}));
  EXPECT_EQ(found(product, pinned("seed", true, 0, 1), left_batch, right_batch),
            (Found{0, "slower"}));
  EXPECT_EQ(refusal(product, pinned("vollo27", true, 0, 1), left_batch, right_batch),
            "data-dimension");
  EXPECT_EQ(found(product, pinned("vollo27", true, 2, 2), left_batch, right_batch),
            (Found{2, "slower"}));
  for (const char* profile : kAll)
    EXPECT_EQ(refusal(product, pinned(profile, true, 0, 1), left, right), "data-dimension");
  EXPECT_EQ(refusal(product, pinned("seed", true, 1, 0), left, right), "data-dimension");
  EXPECT_EQ(found(product, pinned("relaxed", true, 1, 0), left, right).cost, "slower");
}

TEST(Layout, Reshapes) {
  auto to = [](std::vector<int64_t> shape, int64_t dim, auto f) {
    return found(f, {.inputs = {{"0", Pin(dim)}}}, shape);
  };
  EXPECT_EQ(to({kA, kB * kC}, 0, [](Tensor x) { return reshape(x, {kA, kB, kC}); }),
            (Found{0, "free"}));
  EXPECT_EQ(to({kA, kB, kC}, 2, [](Tensor x) { return reshape(x, {kB, kA, kC}); }),
            (Found{2, "free"}));
  EXPECT_EQ(to({kA, kB, kC}, 1, [](Tensor x) { return reshape(x, {kA * kB, kC}); }),
            (Found{0, "compute"}));
  EXPECT_EQ(to({kA, kN * kB, kC}, 1, [](Tensor x) { return reshape(x, {kA, kN, kB, kC}); }),
            (Found{2, "compute"}));
  EXPECT_EQ(to({kA, 1}, 1, [](Tensor x) { return squeeze(x, {1}); }), (Found{0, "compute"}));
  auto flat = [](Tensor x) { return reshape(x, {kA, kB * kC}); };
  EXPECT_EQ(refusal(flat, {.inputs = {{"0", Pin(int64_t{1})}}}, Dims{kA, kB, kC}),
            "data-dimension");
}

TEST(Layout, ShowsWhatItFound) {
  auto f = jit([](Tensor x) { return tanh(x) + permute_dims(x, {1, 0}); });
  Inferred inferred = layout::infer(f, {.mode = "repair"}, ones_of({kB, kB}));
  ASSERT_EQ(inferred.relayouts.size(), 1u);
  EXPECT_NE(inferred.to_string().find("total " + std::to_string(inferred.total)),
            std::string::npos);
  EXPECT_NE(inferred.as_dot().find("digraph"), std::string::npos);
  EXPECT_NE(inferred.as_json().find("\"total\": " + std::to_string(inferred.total)),
            std::string::npos);
  EXPECT_EQ(inferred.ops.front().where.file, __FILE__);
}

TEST(Layout, ConflictsHaveACore) {
  auto f = jit([](Tensor x) { return reshape(x, {kA, kB * kC}); });
  try {
    layout::infer(f, {.inputs = {{"0", Pin("a b! c")}}}, ones_of({kA, kB, kC}));
    FAIL() << "expected an error";
  } catch (const layout::DataDimensionError& error) {
    ASSERT_EQ(error.core().size(), 2u);
    EXPECT_EQ(error.core()[0].kind, "input");
    EXPECT_EQ(error.core()[1].kind, "op");
    EXPECT_NE(error.message().find("needs a dim of stride 5"), std::string::npos);
  }
}

TEST(Layout, RefusesWrongPinsAndOptions) {
  auto f = [](Tensor x) { return tanh(x); };
  Dims shape{kA, kB};
  EXPECT_EQ(refusal(f, {.profile = "vollo"}, shape), "layout-option");
  EXPECT_EQ(refusal(f, {.mode = "soft"}, shape), "layout-option");
  EXPECT_EQ(refusal(f, {.costs = "gpu"}, shape), "layout-option");
  EXPECT_EQ(refusal(f, {.inputs = {{"0", Pin(int64_t{2})}}}, shape), "layout-pin");
  EXPECT_EQ(refusal(f, {.inputs = {{"3", Pin(int64_t{0})}}}, shape), "layout-pin");
  EXPECT_EQ(refusal(f, {.outputs = {{1, Pin(int64_t{0})}}}, shape), "layout-pin");
  EXPECT_EQ(refusal(f, {.inputs = {{"0", Pin(int64_t{0})}}}, Dims{}), "layout-pin");
  InferOptions constant{.constants = {"0"}, .outputs = {{0, Pin(int64_t{0})}}};
  EXPECT_EQ(refusal(f, constant, shape), "layout-pin");
  for (const char* words : {"", "a b", "a! b!", "a! a", "a b c!", "!"})
    EXPECT_EQ(refusal(f, {.inputs = {{"0", Pin(words)}}}, shape), "layout-pin") << words;
}

TEST(Layout, StatesWhoseDTurnsContradict) {
  auto turn = [](Tensor x) {
    return fori_loop(0, 5, [](Tensor, Tensor s) { return permute_dims(s, {1, 0}); }, x);
  };
  EXPECT_EQ(refusal(turn, {}, Dims{kB, kB}), "data-dimension");
  EXPECT_EQ(layout::infer(jit(turn), {.mode = "repair"}, ones_of({kB, kB})).relayouts.size(), 1u);
}

TEST(Layout, OffersSlicesThatAreStacked) {
  auto f = jit([](Tensor x, Tensor y) { return y * expand_dims(x, {1}); });
  try {
    layout::infer(f, {.inputs = {{"1", Pin(int64_t{1})}}}, ones_of({kA}), ones_of({kA, kB}));
    FAIL() << "expected an error";
  } catch (const layout::DataDimensionError& error) {
    EXPECT_NE(error.message().find("slices of [4!] stacked along a dim of their own"),
              std::string::npos);
  }
}

} // namespace
} // namespace kolam
