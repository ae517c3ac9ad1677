// Derivatives in C++ through loops, branches, lists and kernels; with symbolic extents and donated
// arguments. Beside finite differences (check_grads), and natively as the interpreter gives them.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace kolam {
namespace {

using runtime::same_bits;
using Doubles = std::vector<double>;

Tensor numbers(Doubles values, std::vector<int64_t> shape) {
  return Array::of<double>(values, std::move(shape));
}
Tensor drawn(std::vector<int64_t> shape, int64_t seed) {
  Doubles values;
  for (const Extent& extent : Shape(shape.begin(), shape.end()))
    values.resize(std::max<size_t>(values.size(), 1) * static_cast<size_t>(*extent.constant()));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<double>((static_cast<int64_t>(i) * 37 + seed * 11) % 19) / 8 - 1.1;
  return numbers(values, std::move(shape));
}
Tensor zeros64(const Shape& shape) { return zeros(shape, DType::f64); }

/// Both of the gradient's orders beside differences, and the gradient's bits on both backends.
template <class F> void expect_right(F f, Tensor x, Tensor w) {
  check_grads(f, std::tuple(x, w), {.order = 2});
  auto [gx, gw] = jit(grad<0, 1>(f))(x, w);
  auto [ox, ow] = jit(grad<0, 1>(f), {.backend = Backend::interpret})(x, w);
  EXPECT_TRUE(same_bits(gx.array(), ox.array()) && same_bits(gw.array(), ow.array()));
}

TEST(DerivePrograms, OfAScan) {
  auto f = [](Tensor x, Tensor w) {
    auto step = [&](Tensor h, Tensor row) {
      Tensor next = tanh(add(matmul(h, w), row));
      return std::pair(next, multiply(next, row));
    };
    auto [last, ys] = scan(step, zeros64({3}), x);
    return add(sum(multiply(last, last)), sum(ys));
  };
  expect_right(f, drawn({5, 3}, 1), drawn({3, 3}, 2));
}

TEST(DerivePrograms, OfLoopsThatCountAndThatAsk) {
  auto f = [](Tensor x, Tensor w) {
    Tensor turned =
        fori_loop(0, 3, [&](Tensor, Tensor s) { return sin(add(multiply(s, w), x)); }, x);
    auto large = [](Tensor s) { return greater(sum(multiply(s, s)), 0.25); };
    return sum(
        multiply(while_loop(
                     large, [&](Tensor s) { return multiply(s, multiply(cos(w), 0.5)); }, turned),
                 x));
  };
  expect_right(f, drawn({4}, 1), drawn({4}, 3));
}

/// sin, in loops of `count` steps in one another.
std::function<Tensor(Tensor, Tensor)> nested(int depth) {
  std::function<Tensor(Tensor, Tensor)> f = [](Tensor x, Tensor) { return sin(x); };
  for (int level = 0; level < depth; ++level)
    f = [inner = f](Tensor x, Tensor count) {
      return fori_loop(0, count, [&](Tensor, Tensor s) { return inner(s, count); }, x);
    };
  return f;
}

TEST(DerivePrograms, OfDeepNestsOfUnknownLengths) {
  const Tensor x(0.5F), one(int32_t{1});
  for (int depth : {4, 24})
    EXPECT_NEAR(grad([&](Tensor x, Tensor count) { return nested(depth)(x, count); })(x, one)
                    .array()
                    .item<float>(),
                std::cos(0.5F), 1e-6)
        << depth;
  try {
    grad([](Tensor x, Tensor count) { return nested(60)(x, count); })(x, one);
    FAIL() << "expected an error";
  } catch (const Error& error) {
    EXPECT_EQ(error.slug(), "too-deep");
  }
}

TEST(DerivePrograms, OfBranches) {
  auto f = [](Tensor x, Tensor w) {
    Tensor one = cond(
        greater(sum(x), 0.0), [&](Tensor x) { return multiply(x, w); },
        [&](Tensor x) { return sin(x); }, x);
    std::vector<std::function<Tensor(Tensor)>> branches{
        [&](Tensor x) { return multiply(multiply(x, x), w); }, [](Tensor x) { return exp(x); }};
    return sum(multiply(one, switch_(Array::scalar(int32_t{0}), branches, x)));
  };
  expect_right(f, drawn({4}, 1), drawn({4}, 3));
  expect_right(f, drawn({4}, 5), drawn({4}, 3));
}

TEST(DerivePrograms, OfKernels) {
  namespace pl = pallas;
  auto f = [](Tensor x, Tensor w) {
    auto rows = [](const std::vector<Tensor>& at, const std::vector<pl::Ref>&) {
      return std::vector<Tensor>{at[0], Tensor(Array::scalar(int32_t{0}))};
    };
    auto whole = [](const std::vector<Tensor>&, const std::vector<pl::Ref>&) {
      Tensor zero = Array::scalar(int32_t{0});
      return std::vector<Tensor>{zero, zero};
    };
    pl::Call call{.out_shape = {{DType::f64, {5, 3}}},
                  .grid = {3},
                  .in_specs = {{{{2, 3}}, rows}, {{{3, 3}}, whole}},
                  .out_specs = {{{{2, 3}}, rows}}};
    auto kernel = [](const std::vector<pl::Ref>& refs) {
      refs[2].set(tanh(matmul(refs[0].get(), refs[1].get())));
    };
    return add(sum(pl::pallas_call(kernel, call, {x, w})[0]), sum(kernels::softmax(matmul(x, w))));
  };
  expect_right(f, drawn({5, 3}, 1), drawn({3, 3}, 2));
}

TEST(DerivePrograms, OfLists) {
  namespace ops = fractal;
  using Row = ops::FractalTensor<Tensor>;
  using Rows = ops::FractalTensor<Row>;
  auto f = [](Rows xs, Tensor w) {
    auto of_row = [&](Row row) {
      auto step = [&](Tensor h, Tensor x) { return tanh(add(multiply(h, w), x)); };
      return ops::fold(step, row, zeros64({}));
    };
    auto add_square = [](Tensor total, Tensor x) { return add(total, multiply(x, x)); };
    return ops::fold(add_square, ops::map(of_row, xs), zeros64({}));
  };
  const Array offsets = Array::of<int64_t>({0, 3, 3, 4});
  auto list = [&](const Doubles& leaves) {
    return Rows::from_offsets(Array::of<double>(leaves), {offsets});
  };
  const Doubles at{0.5, -1, 2, 0.25};
  auto [gradient, of_weight] = grad<0, 1>(f)(list(at), numbers({0.75}, {}));
  EXPECT_EQ(length(gradient).array().item<int64_t>(), 3);
  const Array flat = ops::flatten(gradient).array();
  constexpr double kStep = 1e-6; // of central differences
  for (size_t i = 0; i < at.size(); ++i) {
    auto value = [&](double by) {
      Doubles moved = at;
      moved[i] += by;
      return f(list(moved), numbers({0.75}, {})).array().item<double>();
    };
    EXPECT_NEAR(flat.values<double>()[i], (value(kStep) - value(-kStep)) / (2 * kStep), 1e-8) << i;
  }
  auto of_w = [&](double by) {
    return f(list(at), numbers({0.75 + by}, {})).array().item<double>();
  };
  EXPECT_NEAR(of_weight.array().item<double>(), (of_w(kStep) - of_w(-kStep)) / (2 * kStep), 1e-8);
  auto natively = jit(grad<1>(f))(list(at), numbers({0.75}, {}));
  EXPECT_TRUE(same_bits(natively.array(), of_weight.array()));
}

TEST(DerivePrograms, WithSymbolicExtents) {
  auto loss = [](Tensor x, Tensor w) { return sum(tanh(matmul(x, w))); };
  auto g = jit(grad<0, 1>(loss), {.dynamic = {{0, {0}}}});
  for (int64_t rows : {5, 1, 0, 9}) {
    Tensor x = drawn({std::max<int64_t>(rows, 1), 3}, 1), w = drawn({3, 2}, 2);
    if (rows == 0)
      x = numbers({}, {0, 3});
    auto [gx, gw] = g(x, w);
    auto [ox, ow] = jit(grad<0, 1>(loss), {.backend = Backend::interpret})(x, w);
    EXPECT_EQ(gx.array().shape(), x.array().shape());
    for (size_t i = 0; i < 6; ++i)
      EXPECT_NEAR(gw.array().values<double>()[i], ow.array().values<double>()[i], 1e-14);
  }
}

TEST(DerivePrograms, OfDonatedArguments) {
  auto step = [](Tensor w, Tensor x) {
    auto loss = [](Tensor w, Tensor x) { return sum(tanh(multiply(w, x))); };
    return subtract(w, multiply(grad(loss)(w, x), 0.5));
  };
  Tensor w = drawn({64}, 1), x = drawn({64}, 2);
  const Array kept = step(w, x).array();
  Tensor given =
      numbers(Doubles(w.array().values<double>().begin(), w.array().values<double>().end()), {64});
  Tensor next = jit(step, {.donate = {0}})(given, x);
  EXPECT_TRUE(given.is_empty());
  EXPECT_TRUE(same_bits(next.array(), kept));
}

} // namespace
} // namespace kolam
