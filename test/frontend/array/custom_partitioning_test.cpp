// Functions that plans cut as their users say.
#include "kolam/kolam.h"
#include "kolam/space/signature_text.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

/// Rows of `x` backwards, by a function of the host.
std::vector<Tensor> turned(std::vector<Tensor> given) {
  static const HostFunction turn([](std::span<const Array> inputs) {
    Array turned = Array::uninitialized(DType::f32, inputs[0].shape());
    const int64_t rows = inputs[0].shape()[0], columns = inputs[0].shape()[1];
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        turned.mutable_values<float>()[row * columns + column] =
            inputs[0].values<float>()[(row + 1) * columns - 1 - column];
    return std::vector<Array>{turned};
  });
  return opaque_call(turn, {given[0]}, {{DType::f32, given[0].shape()}});
}

const char* const kRows = R"(
  dim i: map n
  in x [n, m]: [1 | 0 | 1; 0 | 0 | m]
  out y [n, m]: [1 | 0 | 1; 0 | 0 | m])";

Array numbers() {
  std::vector<float> values(40);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i % 11);
  return Array::of(values, {8, 5});
}

void expect_plans(const CustomPartitioning& part) {
  const Array x = numbers();
  auto f = jit([&](Tensor x) { return part({x * 2.0F})[0] + 1.0F; });
  const Array expected = f(x);
  const Plan found = plan(f, {.workers = 4, .steps = 0}, x);
  EXPECT_TRUE(found.check().empty());
  EXPECT_EQ(found.cost().at("workers"), 4);
  EXPECT_TRUE(runtime::same_bits(found.run({x})[0], expected));
}

TEST(CustomPartitioning, BySignature) {
  expect_plans(CustomPartitioning("turned", turned, space::parse_signature("turned", kRows)));
}

TEST(CustomPartitioning, ByBoxes) {
  auto neighbours = [](std::vector<Tensor> given) {
    const int64_t rows = *given[0].shape()[0].constant();
    return std::vector<Tensor>{index(given[0], {Slice{0, rows, 2}}) +
                               index(given[0], {Slice{1, rows, 2}})};
  };
  expect_plans(CustomPartitioning("pairs", neighbours, [](const space::Box& result) {
    return std::vector<space::Box>{
        space::with_range(result, 0, 2 * result.start()[0], 2 * result.end()[0])};
  }));
}

TEST(CustomPartitioning, WhatIsWrongNamesOperandAndBox) {
  const CustomPartitioning wrong(
      "turned", turned, [](const space::Box& result) { return std::vector<space::Box>{result}; });
  auto f = jit([&](Tensor x) { return wrong({x})[0]; });
  try {
    plan(f, {.workers = 2, .steps = 0}, numbers());
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "bad-partitioning");
    EXPECT_NE(std::string(error.what()).find("of operand 0 ('operand0'), but it changes"),
              std::string::npos)
        << error.what();
  }
}

TEST(CustomPartitioning, SignaturesAreReadAsTheyPrint) {
  const space::Signature signature = space::parse_signature("turned", kRows);
  EXPECT_EQ(space::to_string(signature), "turned\n"
                                         "  dim i: map n\n"
                                         "  in x [n, m]: [1 | 0 | 1; 0 | 0 | m]\n"
                                         "  out y [n, m]: [1 | 0 | 1; 0 | 0 | m]\n");
}

} // namespace
} // namespace kolam
