// The text of a program, parsed and printed again, is the same text; and what it runs is as checked
// as before.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using Tensors = std::vector<Tensor>;

struct Traced {
  const char* name;
  std::vector<TensorSpec> parameters;
  Tensors (*function)(Tensors);
};

const Extent n = Extent::symbol("n"), m = Extent::symbol("m");

const Traced kTraced[] = {
    {"scan",
     {{DType::f32, {n, m}}, {DType::f32, {m}}},
     [](Tensors x) {
       auto [state, ys] =
           scan([](Tensor s, Tensor row) { return std::pair<Tensor, Tensor>{s + row, s * row}; },
                x[1], x[0]);
       return Tensors{state, ys};
     }},
    {"scatter",
     {{DType::f32, {n}}, {DType::f32, {m, 3}}, {DType::i32, {m, 1}}},
     [](Tensors x) { return Tensors{scatter(x[0], x[1], x[2], {0}, "kAdd")}; }},
    {"cond",
     {{DType::boolean, {}}, {DType::f32, {n}}},
     [](Tensors x) {
       return Tensors{
           cond(x[0], [](Tensor v) { return v + 1; }, [](Tensor v) { return v * v; }, x[1])};
     }},
    {"conv",
     {{DType::f32, {2, 3, n}}, {DType::f32, {4, 3, 2}}},
     [](Tensors x) { return Tensors{conv(x[0], x[1])}; }},
    {"pad",
     {{DType::f32, {n}}, {DType::f32, {m}}},
     [](Tensors x) { return Tensors{pad(x[0], {{1, 2}}, "edge"), pad(x[1], {{1, 2}})}; }},
    {"gather",
     {{DType::f32, {n}}, {DType::i32, {m, 1}}},
     [](Tensors x) { return Tensors{gather(x[0], x[1], {0}, {3})}; }},
    {"broadcasts",
     {{DType::f32, {n}}, {DType::f32, {m}}},
     [](Tensors x) { return Tensors{x[0] + x[1]}; }},
};

class RoundTrip : public testing::TestWithParam<Traced> {};

TEST_P(RoundTrip, PrintsWhatItRead) {
  Program program = trace(GetParam().parameters, GetParam().function);
  std::string text = program.as_text();
  Program again = parse_program(text, "again.mlir");
  EXPECT_EQ(again.as_text(), text);
}

/// What tracing checks is not checked again.
TEST_P(RoundTrip, AddsNoChecks) {
  Program program = trace(GetParam().parameters, GetParam().function);
  auto count = [](const std::string& text) {
    int checks = 0;
    for (size_t at = 0; (at = text.find("kolam.check", at)) != std::string::npos; ++at)
      ++checks;
    return checks;
  };
  EXPECT_EQ(count(program.as_text("rewritten")), count(program.as_text()))
      << program.as_text("rewritten");
}

INSTANTIATE_TEST_SUITE_P(Driver, RoundTrip, testing::ValuesIn(kTraced),
                         [](const auto& info) { return info.param.name; });

TEST(RoundTripOfText, PrintsNoGuards) {
  Program program = parse_program(
      R"(func.func @main(%x: tensor<?xf32, #kolam.extents<["n"]>>) -> tensor<4xf32> {
  %0 = kolam.reshape %x : tensor<?xf32, #kolam.extents<["n"]>> -> tensor<4xf32>
  return %0 : tensor<4xf32>
})",
      "written.mlir");
  std::string text = program.as_text();
  EXPECT_EQ(text.find("kolam.check"), std::string::npos) << text;
  EXPECT_EQ(parse_program(text, "again.mlir").as_text(), text);
  EXPECT_THROW(program.run({Array::zeros(DType::f32, {3})}), Error);
  EXPECT_THROW(program.run({Array::zeros(DType::f32, {3})}, Backend::interpret), Error);
}

} // namespace
} // namespace kolam
