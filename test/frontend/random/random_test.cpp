// Random numbers: known answers of the generators, laws, errors, and what slices cost.
#include "../array/both_backends.h"

#include <cmath>

namespace kolam::test {
namespace {

using runtime::same_bits;

Tensor key_of(uint32_t high, uint32_t low) { return Array::of<uint32_t>({high, low}); }

Array drawn(const Array& key, const std::function<Tensor(Tensor)>& draw) {
  return run_both({key}, [&](std::vector<Tensor> t) { return std::vector<Tensor>{draw(t[0])}; })[0];
}

double mean(const Array& array) {
  double sum = 0;
  for (float x : array.values<float>())
    sum += x;
  return sum / static_cast<double>(array.size());
}

// The first block of curand_init(seed = 0), which is Random123's known answer for zeros.
TEST(Random, PhiloxKnownAnswers) {
  Array words =
      drawn(key_of(0, 0), [](Tensor key) { return random::bits(key, {6}, 32, Generator::philox); });
  EXPECT_EQ(words.values<uint32_t>()[0], 0x6627e8d5u);
  EXPECT_EQ(words.values<uint32_t>()[1], 0xe169c58du);
  EXPECT_EQ(words.values<uint32_t>()[2], 0xbc57ac4cu);
  EXPECT_EQ(words.values<uint32_t>()[3], 0x9b00dbd8u);
}

TEST(Random, PhiloxWidthsDrawFromTheSameWords) {
  auto bits = [](int64_t count, int64_t width) {
    return drawn(random::key(7),
                 [=](Tensor key) { return random::bits(key, {count}, width, Generator::philox); });
  };
  Array wide = bits(9, 64), words = bits(18, 32), bytes = bits(18, 8), halves = bits(18, 16);
  for (int i = 0; i < 18; ++i) {
    uint32_t word = words.values<uint32_t>()[i];
    EXPECT_EQ(bytes.values<uint8_t>()[i], static_cast<uint8_t>(word));
    EXPECT_EQ(halves.values<uint16_t>()[i], static_cast<uint16_t>(word));
    uint64_t pair = wide.values<uint64_t>()[i / 2];
    EXPECT_EQ(word, static_cast<uint32_t>(i % 2 == 0 ? pair >> 32 : pair));
  }
}

TEST(Random, ThreefryKnownAnswers) {
  // split(key, 1)[0] is the block of counter 0.
  Array zeros = drawn(key_of(0, 0), [](Tensor key) { return random::split(key, 1); });
  EXPECT_TRUE(same_bits(zeros, Array::of<uint32_t>({0x6b200159, 0x99ba4efe}, {1, 2})));
}

TEST(Random, ShapesDoNotChangeTheStream) {
  Array key = random::key(3).array();
  Array flat = drawn(key, [](Tensor key) { return random::uniform(key, {24}); });
  Array cube = drawn(key, [](Tensor key) { return random::uniform(key, {2, 3, 4}); });
  EXPECT_TRUE(same_bits(flat, cube.reshaped({24})));
}

TEST(Random, SymbolicShapes) {
  Extent n = Extent::symbol("n");
  for (int64_t size : {0, 1, 5, 33}) {
    Array x = Array::zeros(DType::f32, {size});
    Array key = random::key(11).array();
    auto draw = [&](const Shape& shape) {
      return [=](std::vector<Tensor> t) {
        return std::vector<Tensor>{random::uniform(t[0], shape), random::normal(t[0], shape),
                                   random::randint(t[0], shape, 0, 9),
                                   random::dropout(t[0], t[1], 0.5), random::split(t[0], shape[0])};
      };
    };
    std::vector<Array> dynamic =
        run_both({{DType::u32, {2}}, {DType::f32, {n}}}, {key, x}, draw({n, 3}));
    EXPECT_EQ(dynamic.size(), 5u);
    EXPECT_TRUE(same_bits(dynamic[0], random::uniform(key, {size, 3}).array()));
    EXPECT_TRUE(same_bits(dynamic[2], random::randint(key, {size, 3}, 0, 9).array()));
  }
}

TEST(Random, CapturedKeyWithSymbolicShape) {
  Array key = random::key(5).array();
  Extent n = Extent::symbol("n");
  Array result =
      run_both({{DType::f32, {n}}}, {Array::zeros(DType::f32, {4})}, [&](std::vector<Tensor> t) {
        return std::vector<Tensor>{random::uniform(key, t[0].shape())};
      })[0];
  EXPECT_TRUE(same_bits(result, random::uniform(key, {4}).array()));
}

TEST(Random, MomentsOfUniformAndNormal) {
  // Deterministic: the tolerances are five standard errors of 20000 numbers.
  Array uniform = random::uniform(random::key(1), {20000}).array();
  EXPECT_NEAR(mean(uniform), 0.5, 5 * 0.2887 / std::sqrt(20000.0));
  Array normal = random::normal(random::key(1), {20000}).array();
  EXPECT_NEAR(mean(normal), 0, 5 / std::sqrt(20000.0));
}

TEST(Random, DropoutScalesOrZeroes) {
  Array x = Array::of<float>({1, 2, 3, 4, 5, 6, 7, 8});
  Array key = random::key(2).array();
  Array kept = random::bernoulli(key, 0.75, {8}).array();
  Array result = drawn(key, [&](Tensor key) { return random::dropout(key, x, 0.25); });
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(result.values<float>()[i],
              kept.values<bool>()[i] ? x.values<float>()[i] / 0.75f : 0.0f);
  EXPECT_TRUE(same_bits(random::dropout(key, x, 1).array(), Array::zeros(DType::f32, {8})));
  EXPECT_TRUE(same_bits(random::dropout(key, x, 0).array(), x));
}

TEST(Random, KeysWithLeadingDims) {
  // One stream for each key, as the op with a batch of keys defines it.
  Program program = parse_program(R"(func.func @main(%keys: tensor<3x2xui32>) -> tensor<3x4xui32> {
  %bits = kolam.random_bits "threefry" %keys : tensor<3x2xui32> -> tensor<3x4xui32>
  return %bits : tensor<3x4xui32>
})",
                                  "keys.mlir");
  Array keys = random::split(random::key(1), 3).array();
  Array all = program.run(std::vector<Array>{keys}, Backend::interpret)[0];
  EXPECT_TRUE(same_bits(all, program.run(std::vector<Array>{keys}, Backend::cpu)[0]));
  for (int64_t k = 0; k < 3; ++k)
    EXPECT_TRUE(same_bits(all.slice_outer(k), random::bits(keys.slice_outer(k), {4}).array()));
}

TEST(Random, SlicesComputeOnlyTheirCells) {
  // Elements read at most once are computed where they are used: the 2^40 numbers lie nowhere.
  constexpr int64_t kLarge = int64_t{1} << 40;
  Array key = random::key(9).array();
  auto ends = [&](std::vector<Tensor> t) {
    Tensor numbers = random::uniform(t[0], {kLarge});
    return std::vector<Tensor>{index(numbers, {Slice{0, 3}}), index(numbers, {Slice{-2, {}}})};
  };
  Program program = trace(static_specs({key}), ends);
  EXPECT_EQ(program.as_text("nests").find(std::to_string(kLarge)), std::string::npos)
      << program.as_text("nests");
  std::vector<Array> results = program.run(std::vector<Array>{key});
  EXPECT_TRUE(same_bits(results[0], random::uniform(key, {3}).array()));
  EXPECT_EQ(results[1].size(), 2);
}

} // namespace
} // namespace kolam::test
