// User monoids: tuple and struct states, several results, wrap_all, orders, laws.
#include "test/frontend/array/accumulation_order.h"
#include "test/frontend/array/one_tensor.h"

namespace kolam {

struct Moments {
  Tensor count, mean, squares;
};
inline auto fields(Moments& m) { return std::tie(m.count, m.mean, m.squares); }

namespace {

using test::error_of;
using test::run_both;

Tensor f32(float value) { return Array::scalar(value); }

/// Mean and variance in one pass; merges as Chan, Golub, LeVeque 1979.
Monoid moments(bool by_chunks) {
  Monoid monoid = make_monoid(
      MonoidParts{.name = "moments",
                  .zero = Moments{f32(0), f32(0), f32(0)},
                  .merge =
                      [](Moments a, Moments b) {
                        Tensor count = a.count + b.count, shift = b.mean - a.mean;
                        Tensor part = select(count > 0, b.count / count, 0);
                        return Moments{count, a.mean + shift * part,
                                       a.squares + b.squares + shift * shift * a.count * part};
                      },
                  .wrap = [](Tensor x) { return Moments{f32(1), x, f32(0)}; },
                  .unwrap = [](Moments m) { return std::tuple(m.mean, m.squares / m.count); },
                  .wrap_all =
                      [](Tensor x) {
                        Tensor centre = mean(x);
                        return Moments{sum(x * 0 + 1), centre, sum((x - centre) * (x - centre))};
                      },
                  .commutative = true});
  if (!by_chunks)
    monoid.wrap_all = nullptr;
  return monoid;
}

TEST(Monoid, MeanAndVarianceInOnePass) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(3, 2);
  std::vector<float> values(2 * 9001);
  for (float& value : values)
    value = normal(random);
  Array x = Array::of(values, {2, 9001});
  for (bool by_chunks : {false, true}) {
    std::vector<Array> results = run_both({x}, [&](std::vector<Tensor> t) {
      std::vector<Tensor> both = reduce({t[0]}, moments(by_chunks), 1);
      both.push_back(mean(t[0], 1));
      both.push_back(var(t[0], 1));
      return both;
    });
    for (int64_t row = 0; row < 2; ++row)
      for (int part = 0; part < 2; ++part) // f32 sums of 9001 elements differ in the last digits
        EXPECT_NEAR(results[part].values<float>()[row], results[part + 2].values<float>()[row],
                    2e-5);
  }
}

TEST(Monoid, WrapAllTakesSymbolicExtents) {
  std::vector<TensorSpec> specs{{DType::f32, {Extent::symbol("chunk"), Extent::symbol("n")}}};
  Array x = test::random_array<float>({3, 5000}, 2);
  auto statistics = [](std::vector<Tensor> t) { return reduce({t[0]}, moments(true), -1); };
  std::vector<Array> dynamic = run_both(specs, {x}, statistics), fixed = run_both({x}, statistics);
  EXPECT_TRUE(runtime::same_bits(dynamic[0], fixed[0]));
  EXPECT_TRUE(runtime::same_bits(dynamic[1], fixed[1]));
}

TEST(Monoid, TupleStateFindsTheLeast) {
  Monoid least =
      make_monoid(MonoidParts{.name = "least",
                              .zero = std::tuple(f32(std::numeric_limits<float>::infinity()),
                                                 Tensor(Array::scalar(int32_t{INT32_MAX}))),
                              .merge =
                                  [](std::tuple<Tensor, Tensor> a, std::tuple<Tensor, Tensor> b) {
                                    auto [x, i] = a;
                                    auto [y, j] = b;
                                    Tensor wins = (y < x) | ((y == x) & (j < i));
                                    return std::tuple(select(wins, y, x), select(wins, j, i));
                                  },
                              .commutative = true,
                              .exact = true});
  check_monoid_laws(least);
  Array x = Array::of<float>({3, 1, 2, 1}, {2, 2});
  std::vector<Array> results = run_both({x}, [&](std::vector<Tensor> t) {
    return zip_map_reduce(
        [](Tensor cell) { return std::tuple(cell, iter_idx(0) * 2 + iter_idx(1)); }, {t[0]}, least);
  });
  EXPECT_EQ(results[0].item<float>(), 1);
  EXPECT_EQ(results[1].item<int32_t>(), 1);
}

/// Keeps the later of two: associative, not commutative.
Monoid last() {
  using Pair = std::tuple<Tensor, Tensor>;
  return make_monoid(MonoidParts{.name = "last",
                                 .zero = Pair(Array::scalar(false), Array::scalar(0.0f)),
                                 .merge =
                                     [](Pair a, Pair b) {
                                       return Pair(
                                           std::get<0>(a) | std::get<0>(b),
                                           select(std::get<0>(b), std::get<1>(b), std::get<1>(a)));
                                     },
                                 .wrap = [](Tensor x) { return Pair(Array::scalar(true), x); },
                                 .unwrap = [](Pair state) { return std::get<1>(state); },
                                 .exact = true});
}

TEST(Monoid, KeepsTheOrderOfOnesThatDoNotCommute) {
  check_monoid_laws(last(), {.elements = {DType::f32}});
  Array x = test::random_array<float>({3, 5, 300}, 3);
  std::vector<Array> results = run_both({x}, [](std::vector<Tensor> t) {
    return std::vector{reduce({t[0]}, last())[0], reduce({t[0]}, last(), {0, 2})[0],
                       reduce({t[0]}, last(), 1, true)[0]};
  });
  auto values = x.values<float>();
  EXPECT_EQ(results[0].item<float>(), values[values.size() - 1]);
  for (int64_t j = 0; j < 5; ++j)
    EXPECT_EQ(results[1].values<float>()[j], values[(2 * 5 + j) * 300 + 299]);
  EXPECT_EQ(results[2].shape(), (std::vector<int64_t>{3, 1, 300}));
}

TEST(Monoid, GoesInChunksWhereItDoesNotCommute) {
  // Addition that claims no commutativity: left to right in chunks of 64.
  Monoid plus = make_monoid(MonoidParts{
      .name = "plus", .zero = f32(0), .merge = [](Tensor a, Tensor b) { return a + b; }});
  Array x = test::random_array<float>({1000}, 4);
  std::vector<float> values(x.values<float>().begin(), x.values<float>().end());
  Array result = run_both({x}, [&](std::vector<Tensor> t) { return reduce({t[0]}, plus); })[0];
  EXPECT_EQ(result.item<float>(), in_chunks<float>(values, [](float a, float b) { return a + b; }));
}

TEST(Monoid, OfNothingUnwrapsZero) {
  std::vector<Array> results =
      run_both({Array::zeros(DType::f32, {2, 0})},
               [](std::vector<Tensor> t) { return reduce({t[0]}, last(), 1); });
  EXPECT_TRUE(runtime::same_bits(results[0], Array::of<float>({0, 0})));
}

TEST(MonoidLaws, HoldForChunksToo) { check_monoid_laws(moments(true), {.elements = {DType::f32}}); }

TEST(MonoidLaws, ShowACounterexample) {
  Monoid minus = make_monoid(MonoidParts{.name = "minus",
                                         .zero = Tensor(Array::scalar(int32_t{0})),
                                         .merge = [](Tensor a, Tensor b) { return a - b; }});
  Error error = error_of([&] { check_monoid_laws(minus); });
  EXPECT_EQ(error.slug(), "monoid-law");
  EXPECT_TRUE(error.message().starts_with(
      "monoid 'minus' is not associative: expected merge(merge(a, b), c) and merge(a, merge(b, c)) "
      "to be equal, but got "))
      << error.message();
  EXPECT_NE(error.message().find(" for a = "), std::string::npos) << error.message();
}

TEST(MonoidLaws, TryEdges) {
  auto greatest = [](float zero) {
    return make_monoid(MonoidParts{.name = "greatest",
                                   .zero = f32(zero),
                                   .merge = [](Tensor a, Tensor b) { return maximum(a, b); },
                                   .commutative = true});
  };
  EXPECT_TRUE(error_of([&] { check_monoid_laws(greatest(-1e3f)); })
                  .message()
                  .starts_with("monoid 'greatest' has no identity zero"));
  EXPECT_EQ(error_of([&] { check_monoid_laws(greatest(-3e38f)); }).slug(), "monoid-law");
  check_monoid_laws(greatest(-std::numeric_limits<float>::infinity()));
  Monoid least =
      make_monoid(MonoidParts{.zero = Tensor(Array::scalar(int8_t{100})),
                              .merge = [](Tensor a, Tensor b) { return minimum(a, b); }});
  EXPECT_EQ(error_of([&] { check_monoid_laws(least); }).slug(), "monoid-law");
  for (DType dtype : {DType::f16, DType::bf16, DType::f32, DType::f64, DType::u8})
    check_monoid_laws(make_monoid(MonoidParts{.zero = Tensor(Array::zeros(dtype, {})),
                                              .merge = [](Tensor a, Tensor b) { return a + b; },
                                              .commutative = true}),
                      {.tolerance = 0.1}); // bf16 has 8 bits
}

TEST(MonoidLaws, NameTheLawThatFails) {
  auto law_of = [](Monoid monoid) {
    return error_of([&] { check_monoid_laws(monoid, {.elements = {DType::f32}}); }).message();
  };
  Monoid shifted =
      make_monoid(MonoidParts{.zero = f32(1), .merge = [](Tensor a, Tensor b) { return a + b; }});
  EXPECT_TRUE(law_of(shifted).starts_with("monoid 'monoid' has no identity zero"));
  Monoid claims = last();
  claims.commutative = true;
  EXPECT_TRUE(law_of(claims).starts_with("monoid 'last' is not commutative"));
  Monoid wrong = moments(true);
  wrong.wrap_all = [](const std::vector<Tensor>& x) {
    return std::vector{sum(x[0] * 0 + 1), sum(x[0]), f32(0)};
  };
  EXPECT_TRUE(law_of(wrong).starts_with("monoid 'moments' disagrees with its wrap_all"));
}

} // namespace
} // namespace kolam
