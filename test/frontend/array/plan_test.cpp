// Plans from C++: found, checked, saved, simulated, run.
#include "kolam/kolam.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

namespace kolam {
namespace {

Array random_array(std::vector<int64_t> shape, uint32_t seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  Array array = Array::uninitialized(DType::f32, std::move(shape));
  for (float& value : array.mutable_values<float>())
    value = normal(generator);
  return array;
}

const Array kX = random_array({24, 2048}, 1), kW = random_array({2048, 10}, 2);

auto layer() {
  return jit([](Tensor x, Tensor w) { return relu(matmul(x, w)); });
}

std::string slug_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.slug();
  }
  return "";
}

TEST(Plan, RunsWithTheBitsOfTheProgram) {
  for (int64_t workers : {1, 2, 3, 4}) {
    const Plan found = plan(layer(), {.workers = workers, .steps = 2}, kX, kW);
    EXPECT_TRUE(found.check().empty());
    EXPECT_TRUE(found.check(layer().lower(kX, kW)).empty());
    const std::vector<Array> results = found.run({kX, kW});
    EXPECT_TRUE(runtime::same_bits(results[0], layer()(kX, kW).array()));
  }
}

TEST(Plan, DocumentsAndFiles) {
  const std::filesystem::path folder = testing::TempDir();
  const std::string document = folder / "plan.json", x = folder / "plan_x.npy",
                    y = folder / "plan_y.npy";
  const Plan found = plan(layer(), {.workers = 2, .steps = 0}, kX, kW);
  found.save(document);
  const Plan again = Plan::load(document);
  EXPECT_EQ(again.as_json(), found.as_json());
  save(x, kX);
  const std::vector<Array> results = again.run({PlanInput::file(x), kW}, {.out = {{0, y}}});
  EXPECT_FALSE(results[0]);
  EXPECT_TRUE(runtime::same_bits(load(y), layer()(kX, kW).array()));
  EXPECT_EQ(again.parameters().size(), 2U);
  EXPECT_EQ(again.results()[0].shape, (Shape{24, 10}));
}

TEST(Plan, SimulatedOnThisMachine) {
  const Plan found = plan(layer(), {.workers = 4, .steps = 0}, kX, kW);
  const plans::Simulated simulated = found.simulate(local_machine(4));
  EXPECT_GT(simulated.time, 0);
  EXPECT_EQ(simulated.bytes_in.size(), 4U);
  EXPECT_NE(found.explain().find("cost: "), std::string::npos);
  EXPECT_NE(found.to_string().find("workers"), std::string::npos);
}

TEST(Plan, Errors) {
  EXPECT_EQ(slug_of([] { plan(layer(), {.workers = 0}, kX, kW); }), "plan-option");
  EXPECT_EQ(slug_of([] { plan(layer(), {.objective = "speed"}, kX, kW); }), "plan-option");
  EXPECT_EQ(slug_of([] { plan(layer(), {.memory_per_worker = 9, .steps = 0}, kX, kW); }),
            "plan-limit");
  EXPECT_EQ(slug_of([] { plan(layer(), {.steps = 0}, kX, kW).run({kX}); }), "argument-mismatch");
  EXPECT_EQ(slug_of([] { Plan::from_json("[]"); }), "bad-plan");
  EXPECT_EQ(slug_of([] { Plan::load("is_not_there.json"); }), "io-read");
}

} // namespace
} // namespace kolam
