// relu(x @ w + b) through every stage: the text of each, how it is fused, and its value on both
// backends.
#include "test/frontend/array/both_backends.h"
#include "test/frontend/array/random_array.h"

#include <cmath>

namespace kolam {
namespace {

std::vector<Tensor> layer(std::vector<Tensor> t) { return {relu(matmul(t[0], t[1]) + t[2])}; }

const std::vector<TensorSpec> kStatic{
    {DType::f32, {8, 12}}, {DType::f32, {12, 16}}, {DType::f32, {16}}};

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

Array expected_layer(const Array& x, const Array& w, const Array& b) {
  int64_t m = x.shape()[0], k = x.shape()[1], n = w.shape()[1];
  Array result = Array::uninitialized(DType::f32, {m, n});
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (int64_t l = 0; l < k; ++l)
        sum = std::fma(x.values<float>()[i * k + l], w.values<float>()[l * n + j], sum);
      result.mutable_values<float>()[i * n + j] = std::fmax(sum + b.values<float>()[j], 0.0f);
    }
  return result;
}

TEST(Layer, IsOneContractionAndElementwiseOps) {
  std::string text = trace(kStatic, layer).as_text("program");
  EXPECT_EQ(count(text, "kolam.contract \"mk,kn->mn\""), 1u) << text;
  EXPECT_NE(text.find("chain<512>"), std::string::npos) << text;
  EXPECT_EQ(count(text, "kolam.elementwise \"add\""), 1u) << text;
  EXPECT_EQ(count(text, "kolam.elementwise \"maximum\""), 1u) << text;
}

TEST(Layer, IsOneNestWithoutIntermediateMemory) {
  std::string text = trace(kStatic, layer).as_text("nests");
  EXPECT_EQ(count(text, ", in tiles"), 1u) << text;
  EXPECT_EQ(count(text, " over ["), 1u) << text;
  EXPECT_NE(text.find("arena: 0 bytes"), std::string::npos) << text;
  EXPECT_NE(text.find(" = maximum("), std::string::npos) << text;
  EXPECT_NE(text.find("contract"), std::string::npos) << text;
}

TEST(Layer, HasATextAtEveryStage) {
  Program program = trace(kStatic, layer);
  for (const char* stage :
       {"program", "tensors", "rewritten", "nests", "lowered", "llvm", "assembly"})
    EXPECT_FALSE(program.as_text(stage).empty()) << stage;
  EXPECT_NE(program.as_text("lowered").find("func.func"), std::string::npos);
  EXPECT_NE(program.as_text("llvm").find("llvm.fma"), std::string::npos);
}

TEST(Layer, PrintsAndParsesBack) {
  std::string text = trace(kStatic, layer).as_text();
  EXPECT_EQ(parse_program(text, "layer.mlir").as_text(), text);
}

TEST(Layer, ComputesTheSameBitsWithNumbersAndSymbols) {
  std::mt19937 random(1);
  auto symbol = [](const char* name) { return Extent::symbol(name); };
  std::vector<TensorSpec> symbolic{{DType::f32, {symbol("m"), symbol("k")}},
                                   {DType::f32, {symbol("k"), symbol("n")}},
                                   {DType::f32, {symbol("n")}}};
  for (auto [m, k, n] : {std::tuple(8, 12, 16), {1, 1, 1}, {3, 100, 40}, {0, 4, 5}, {4, 0, 5}}) {
    std::vector<Array> arrays{test::random_floats<float>({m, k}, random),
                              test::random_floats<float>({k, n}, random),
                              test::random_floats<float>({n}, random)};
    Array expected = expected_layer(arrays[0], arrays[1], arrays[2]);
    EXPECT_TRUE(same_bits(test::run_both(symbolic, arrays, layer)[0], expected));
    if (n >= 16) // fewer columns, known as such, add up in lanes
      EXPECT_TRUE(same_bits(test::run_both(arrays, layer)[0], expected));
  }
}

TEST(Layer, RunsAsAJittedFunction) {
  auto jitted = jit([](Tensor x, Tensor w, Tensor b) { return relu(matmul(x, w) + b); });
  Tensor y = jitted(Array::of<float>({1, 2}, {1, 2}), Array::of<float>({1, -1, 1, -1}, {2, 2}),
                    Array::of<float>({0.5f, 0.5f}));
  EXPECT_TRUE(same_bits(y.array(), Array::of<float>({3.5f, 0.0f}, {1, 2})));
}

} // namespace
} // namespace kolam
