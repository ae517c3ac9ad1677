// What C++ is told of programs: arguments by path, and measured steps.
#include "kolam/kolam.h"

#include "test/frontend/array/both_backends.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using test::error_of;

struct Layer {
  Tensor w, b;
};
auto fields(Layer& layer) { return std::tie(layer.w, layer.b); }

Array ones(std::vector<int64_t> shape) {
  Array array = Array::uninitialized(DType::f32, std::move(shape));
  std::fill_n(array.mutable_values<float>().begin(), array.size(), 1.0f);
  return array;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Explain, NamesPartsOfArguments) {
  auto sum = jit([](Tensor x, std::map<std::string, Tensor> params, std::vector<Layer> layers,
                    int factor) { return x * factor + params.at("w") + layers[1].b; });
  Layer layer{ones({3}), ones({3})};
  std::string text = sum.explain(ones({3}), std::map<std::string, Tensor>{{"w", ones({3})}},
                                 std::vector<Layer>{layer, layer}, 2);
  EXPECT_TRUE(has(text, "argument 0\n")) << text;
  EXPECT_TRUE(has(text, "argument 1[\"w\"]\n")) << text;
  EXPECT_TRUE(has(text, "argument 2[0][0]\n")) << text;
  EXPECT_TRUE(has(text, "argument 2[1][1]\n")) << text;
}

TEST(Explain, LeavesPlainArgumentsTheirNumbers) {
  auto sum = jit([](Tensor x, Tensor y) { return x + y; });
  EXPECT_FALSE(has(sum.lower(ones({3}), ones({3})).as_text(), "kolam.name"));
}

TEST(Explain, MeasuresSteps) {
  auto both = jit([](Tensor x) { return std::pair<Tensor, Tensor>{exp(x), sum(x)}; });
  Array x = ones({100, 50});
  std::string plain = both.explain(x), text = both.explain_measured(x);
  EXPECT_FALSE(has(plain, "measured on"));
  EXPECT_TRUE(text.starts_with(plain.substr(0, plain.find("compiled before"))));
  EXPECT_TRUE(has(text, "measured on ")) << text;
  EXPECT_TRUE(has(text, "nest0 = ")) << text;
  EXPECT_TRUE(has(text, "explain_test.cpp:")) << text;
  EXPECT_TRUE(has(text, "  in all\n")) << text;
  EXPECT_TRUE(has(both.lower(x).explain_measured({x}), "measured on "));
}

TEST(Explain, RefusesToMeasureWhatIsInterpreted) {
  auto f = jit([](Tensor x) { return x + 1; }, {.backend = Backend::interpret});
  EXPECT_EQ(error_of([&] { f.explain_measured(ones({3})); }).message(),
            "explain_measured: expected a function for the backend 'cpu', but got one that is "
            "interpreted");
}

TEST(Explain, RefusesOtherArguments) {
  auto f = jit([](Tensor x) { return x + 1; });
  Error error = error_of([&] { f.lower(ones({3})).explain_measured({ones({4})}); });
  EXPECT_EQ(error.slug(), "argument-mismatch");
}

} // namespace
} // namespace kolam
