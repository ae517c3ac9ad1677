// Pins in programs from C++: what they say, what runs, what is refused.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using layout::Inferred;
using layout::pin;

Array counted(std::vector<int64_t> shape) {
  Array array = Array::uninitialized(DType::f32, std::move(shape));
  float next = 0;
  for (float& value : array.mutable_values<float>())
    value = next++;
  return array;
}

std::string slug_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.slug();
  }
  return "none";
}

TEST(Pin, GivesDAndNames) {
  auto f = jit([](Tensor x) { return tanh(pin(exp(x), "batch! feature")); });
  Inferred inferred = layout::infer(f, {}, counted({2, 3}));
  EXPECT_EQ(inferred.outputs[0], 0);
  EXPECT_EQ(inferred.ops.back().text, "tanh [batch! feature] -> [batch! feature]");
  EXPECT_NE(inferred.to_string().find("argument 0 [batch! feature]"), std::string::npos);
}

TEST(Pin, NamesGoThroughReshapes) {
  auto f = jit([](Tensor x) { return reshape(pin(x, "heads dim!"), {6}); });
  EXPECT_EQ(layout::infer(f, {}, counted({2, 3})).ops.back().text,
            "reshape [heads dim!] -> [(heads*dim)!]");
}

TEST(Pin, RunsAsItsOperand) {
  auto f = [](Tensor x) { return pin(x, 0) + pin(x, "a b!"); };
  Array x = counted({2, 3});
  for (Backend backend : {Backend::cpu, Backend::interpret, Backend::schedule})
    EXPECT_EQ(jit(f, {.backend = backend})(x).array().values<float>()[5], 10);
  EXPECT_EQ(pin(x, "rows _!").array().data(), x.data());
  auto rows = vmap([](Tensor row) { return pin(row, "time!") * 2; });
  EXPECT_EQ(rows(Tensor(x)).array().values<float>()[5], 10);
}

TEST(Pin, IsAMemberOfCores) {
  auto f = jit([](Tensor x) { return reshape(pin(x, "a b! c"), {2, 12}); });
  try {
    layout::infer(f, {}, counted({2, 3, 4}));
    FAIL() << "expected an error";
  } catch (const layout::DataDimensionError& error) {
    ASSERT_EQ(error.core().size(), 2u);
    EXPECT_EQ(error.core()[0].kind, "pin");
    EXPECT_EQ(error.core()[0].text, "pin [a b! c] as given");
    EXPECT_NE(error.message().find("names: a 2, b 3, c 4"), std::string::npos);
  }
}

TEST(Pin, RefusesWhatCannotBe) {
  Array x = counted({2, 3});
  for (const char* words : {"a b", "a! b!", "a! a", "a b c!", "a 4!", "a (b*c)!", "! b"}) {
    EXPECT_EQ(slug_of([&] { pin(x, words); }), "layout-pin") << words;
    EXPECT_EQ(slug_of([&] { jit([&](Tensor y) { return pin(y, words); }).lower(x); }), "layout-pin")
        << words;
  }
  EXPECT_EQ(slug_of([&] { pin(x, 2); }), "layout-pin");
  EXPECT_EQ(slug_of([&] { pin(1.0, 0); }), "layout-pin");
  auto twice = jit([](Tensor y) { return pin(pin(y, "a b!") + 1, "a c!"); });
  EXPECT_EQ(slug_of([&] { layout::infer(twice, {}, x); }), "layout-names");
  EXPECT_EQ(slug_of([&] {
              layout::infer(jit([](Tensor y) { return pin(y, 0); }), {.constants = {"0"}}, x);
            }),
            "layout-pin");
}

} // namespace
} // namespace kolam
