// Arguments and results that have derivatives: trees that do not fit, and the lines and paths that
// errors name.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

namespace kolam {
namespace {

using Tensors = std::vector<Tensor>;

Tensor x() { return Array::of<float>(std::vector<float>{1, 2}, {2}); }
Tensor wide() { return Array::of<float>(std::vector<float>{1, 2, 3}, {3}); }
Tensor integers() { return Array::of<int32_t>(std::vector<int32_t>{1, 0}, {2}); }

struct Params {
  std::map<std::string, Tensor> layers;
  Tensor places;
};
auto fields(Params& p) { return std::tie(p.layers, p.places); }

Tensor total(Tensors parts) {
  Tensor sum = parts[0];
  for (size_t part = 1; part < parts.size(); ++part)
    sum = add(sum, parts[part]);
  return sum;
}
Tensor product(Params p, Tensor x) { return multiply(take(p.layers.at("w"), p.places, 0), x); }
Params params() { return {{{"w", x()}, {"b", x()}}, integers()}; }

/// That `call`, which says its line, throws with the slug and words.
void expect_at(const std::string& slug, const std::string& words,
               const std::function<void(int& line)>& call) {
  int line = 0;
  try {
    call(line);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), slug) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
    EXPECT_NE(error.where().file.find("float_leaves_test"), std::string::npos) << error.what();
    EXPECT_EQ(error.where().line, line) << error.what();
  }
}

TEST(FloatLeaves, TreesOfOtherLengths) {
  const Tensors two{x(), x()}, three{x(), x(), x()};
  for (const auto& [primals, tangents] : {std::pair(two, three), std::pair(three, two)}) {
    const std::string words = "tangents[0][2]: expected " + std::to_string(primals.size()) +
                              " tensors at the places of what tangents belong to, but got " +
                              std::to_string(tangents.size());
    expect_at("tangent-mismatch", words, [&](int& line) {
      line = __LINE__ + 1;
      jvp(total, std::tuple(primals), std::tuple(tangents));
    });
    auto [value, push] = linearize(total, primals);
    expect_at("tangent-mismatch", words, [&](int& line) {
      line = __LINE__ + 1;
      push(tangents);
    });
  }
  auto same = [](Tensors parts) { return parts; };
  auto [value, pullback] = vjp(same, two);
  expect_at("tangent-mismatch", "cotangent[2]: expected 2 tensors", [&](int& line) {
    line = __LINE__ + 1;
    pullback(three);
  });
  expect_at("tangent-mismatch", "cotangent[2]: expected 2 tensors", [&](int& line) {
    line = __LINE__ + 1;
    linear_transpose(same, two)(three);
  });
}

TEST(FloatLeaves, PathsOfLeaves) {
  Params wrong = params(), other = params();
  wrong.places = Tensor();
  wrong.layers["w"] = wide();
  const char* words = "tangents[0][0][\"w\"]: expected float32[2], but got float32[3]";
  expect_at("tangent-mismatch", words, [&](int& line) {
    line = __LINE__ + 1;
    jvp(product, std::tuple(params(), x()), std::tuple(wrong, x()));
  });
  other.layers = {{"w", x()}, {"c", x()}};
  other.places = Tensor();
  expect_at("tangent-mismatch", "tangents[0][0][\"b\"]", [&](int& line) {
    line = __LINE__ + 1;
    jvp(product, std::tuple(params(), x()), std::tuple(other, x()));
  });
  auto [value, pullback] = vjp(product, params(), x());
  expect_at("tangent-mismatch", "cotangent: expected float32[2], but got float32[3]",
            [&](int& line) {
              line = __LINE__ + 1;
              pullback(wide());
            });
}

TEST(FloatLeaves, IntegersHaveEmptyHandles) {
  const char* words =
      "tangents[0][1]: expected an empty handle, as int32[2] has no derivative, but got int32[2]";
  expect_at("tangent-mismatch", words, [&](int& line) {
    line = __LINE__ + 1;
    jvp(product, std::tuple(params(), x()), std::tuple(params(), x()));
  });
  Params tangent = params();
  tangent.places = Tensor();
  tangent.layers["b"] = Tensor(); // zero
  auto [value, found] = jvp(product, std::tuple(params(), x()), std::tuple(tangent, Tensor()));
  EXPECT_EQ(found.array().values<float>()[0], 2 * 1); // w[1] x[0]
  auto [again, push] = linearize(product, params(), x());
  EXPECT_TRUE(runtime::same_bits(push(tangent, Tensor()).array(), found.array()));
}

TEST(FloatLeaves, NothingToDifferentiate) {
  auto same = [](Tensor x) { return x; };
  auto places = [](Tensor x) { return argmax(x); };
  const char* argument = "expected floats among the arguments, but got int32[2]";
  const char* result = "result: expected floats, but got int32[]";
  expect_at("not-differentiable", argument, [&](int& line) {
    line = __LINE__ + 1;
    vjp(same, integers());
  });
  expect_at("not-differentiable", argument, [&](int& line) {
    line = __LINE__ + 1;
    linearize(same, integers());
  });
  expect_at("not-differentiable", argument, [&](int& line) {
    line = __LINE__ + 1;
    jvp(same, std::tuple(integers()), std::tuple(Tensor()));
  });
  expect_at("not-differentiable", "argument 0: expected floats, but got int32[2]", [&](int& line) {
    line = __LINE__ + 1;
    grad(same)(integers());
  });
  expect_at("not-differentiable", "argument 1: expected floats, but got int32[2]", [&](int& line) {
    line = __LINE__ + 1;
    jacrev<1>([](Tensor a, Tensor) { return a; })(x(), integers());
  });
  expect_at("not-differentiable", "arguments 0, 1: expected floats, but got int32[2], int32[2]",
            [&](int& line) {
              line = __LINE__ + 1;
              grad<0, 1>([](Tensor a, Tensor) { return sum(a); })(integers(), integers());
            });
  expect_at("not-differentiable", result, [&](int& line) {
    line = __LINE__ + 1;
    vjp(places, x());
  });
  expect_at("not-differentiable", result, [&](int& line) {
    line = __LINE__ + 1;
    linearize(places, x());
  });
  expect_at("not-differentiable", result, [&](int& line) {
    line = __LINE__ + 1;
    jvp(places, std::tuple(x()), std::tuple(x()));
  });
  expect_at("not-scalar", "got float32[2]", [&](int& line) {
    line = __LINE__ + 1;
    grad(same)(x());
  });
  expect_at("memory-limit", "parsec", [&](int& line) {
    line = __LINE__ + 1;
    grad(same, {.memory_limit = "1 parsec"});
  });
}

} // namespace
} // namespace kolam
