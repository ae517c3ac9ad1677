// Tuning measures every schedule once, goes on where it stopped, and changes no bit.
#include "kolam/driver/tune.h"
#include "kolam/nest/schedule_choice.h"

#include "kolam/backend/cpu/backend.h"
#include "kolam/driver/explain.h"
#include "kolam/driver/parse.h"
#include "kolam/driver/schedules.h"
#include "kolam/driver/spine.h"
#include "temporary_cache.h"

#include <gtest/gtest.h>

#include <random>

namespace kolam::driver {
namespace {

/// relu(x y) of sizes that leave edges behind all tiles, then exp by columns, summed.
Module product_and_sum() {
  return parse(R"(func.func @main(%x: tensor<100x37xf32>, %y: tensor<37x75xf32>) -> tensor<75xf32> {
  %p = kolam.contract "ij,jk->ik" %x, %y <"chain<8192>"> : (tensor<100x37xf32>, tensor<37x75xf32>) -> tensor<100x75xf32>
  %s = kolam.reduce "add" %p dims [0] commutative true <"chunk<64>"> : (tensor<100x75xf32>) -> tensor<75xf32>
  return %s : tensor<75xf32>
}
)",
               "text.mlir")
      .program;
}

Array random_array(std::vector<int64_t> shape, int seed) {
  Array array = Array::uninitialized(DType::f32, std::move(shape));
  std::mt19937 generator(seed);
  for (float& value : array.mutable_values<float>())
    value = std::uniform_real_distribution<float>(-1, 1)(generator);
  return array;
}

std::vector<Array> arguments() { return {random_array({100, 37}, 1), random_array({37, 75}, 2)}; }

constexpr double kLong = 1e6, kNone = 1e-9;

size_t count_left(const std::vector<TunedNest>& nests) {
  size_t left = 0;
  for (const TunedNest& nest : nests)
    left += nest.possible > 1 ? nest.possible - nest.measured : 0;
  return left;
}

TEST(Tune, EverySchedulesResultsAreTheSameBits) {
  Module program = product_and_sum();
  Array meant = compile(program.clone(), {.is_interpreted = true})->run(arguments(), nullptr)[0];
  Road road = travel(program.clone(), {}, kNests);
  int compared = 0;
  for (const char* cpu : {"", "haswell", "x86-64"}) {
    Options options;
    if (*cpu)
      options.backend =
          std::make_shared<backend::cpu::CpuBackend>(backend::cpu::Target::named(cpu));
    const Machine& machine = options.backend->machine();
    const Machine& host = backend::default_backend()->machine();
    if (machine.vector_bytes > host.vector_bytes || machine.has_fma != host.has_fma)
      continue; // other bits, or code that cannot run
    for (const nest::Nest& nest : road.nests.nests) {
      nest::IsolatedNest isolated = nest::isolate(nest);
      for (const nest::Schedule& schedule : nest::schedules_for(isolated.nest, machine)) {
        options.schedules = {{measurements_key(isolated, *options.backend), schedule}};
        Array result = compile(program.clone(), options)->run(arguments(), nullptr)[0];
        EXPECT_TRUE(same_bits(result, meant)) << cpu << " " << nest::to_string(schedule);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 10);
}

/// x y, whose rows are a symbol where `rows` is "n".
Module product(const std::string& rows, int64_t k, int64_t columns) {
  auto type = [](const std::string& first, int64_t second) {
    std::string text = std::to_string(second);
    if (first != "n")
      return "tensor<" + first + "x" + text + "xf32>";
    return "tensor<?x" + text + "xf32, #kolam.extents<[\"n\", \"" + text + "\"]>>";
  };
  std::string x = type(rows, k), y = type(std::to_string(k), columns), z = type(rows, columns);
  return parse("func.func @main(%x: " + x + ", %y: " + y + ") -> " + z +
                   " {\n  %p = kolam.contract \"ij,jk->ik\" %x, %y <\"chain<8192>\"> : (" + x +
                   ", " + y + ") -> " + z + "\n  return %p : " + z + "\n}\n",
               "text.mlir")
      .program;
}

TEST(Tune, EdgesOfAllTilesAreTheSameBits) {
  struct Sizes {
    const char* rows; // as the program knows them
    int64_t m, k, n;
  };
  for (auto [rows, m, k, n] : {Sizes{"1", 1, 9, 33},
                               {"7", 7, 300, 100},
                               {"95", 95, 5, 97},
                               {"193", 193, 17, 40},
                               {"n", 101, 11, 99},
                               {"n", 3, 40, 200}}) {
    Module program = product(rows, k, n);
    std::vector<Array> given = {random_array({m, k}, 3), random_array({k, n}, 4)};
    Array meant = compile(program.clone(), {.is_interpreted = true})->run(given, nullptr)[0];
    Road road = travel(program.clone(), {}, kNests);
    nest::IsolatedNest isolated = nest::isolate(road.nests.nests[0]);
    Options options;
    for (const auto& schedule : nest::schedules_for(isolated.nest, options.backend->machine())) {
      options.schedules = {{measurements_key(isolated, *options.backend), schedule}};
      Array result = compile(program.clone(), options)->run(given, nullptr)[0];
      EXPECT_TRUE(same_bits(result, meant)) << rows << " " << m << " " << nest::to_string(schedule);
    }
  }
}

TEST(Tune, MeasuresAllAndKeepsTheFastest) {
  TemporaryCache cache;
  Module program = product_and_sum();
  Array before = compile(program.clone(), {})->run(arguments(), nullptr)[0];
  std::vector<TunedNest> nests = tune(program, {}, arguments(), kLong, nullptr);
  EXPECT_EQ(count_left(nests), 0u);
  for (const TunedNest& nest : nests) {
    EXPECT_GT(nest.by_rule, 0);
    EXPECT_LE(nest.best, nest.by_rule);
  }
  EXPECT_TRUE(same_bits(compile(program.clone(), {})->run(arguments(), nullptr)[0], before));
}

TEST(Tune, GoesOnWhereItStopped) {
  TemporaryCache cache;
  Module program = product_and_sum();
  size_t left = count_left(tune(program, {}, arguments(), kNone, nullptr));
  EXPECT_GT(left, 0u);
  while (left > 0) {
    size_t next = count_left(tune(program, {}, arguments(), kNone, nullptr));
    ASSERT_LT(next, left);
    left = next;
  }
  EXPECT_EQ(count_left(tune(program, {}, arguments(), kNone, nullptr)), 0u);
}

TEST(Tune, LaterCompilesFollowWhatWasMeasured) {
  TemporaryCache cache;
  Module program = product_and_sum();
  Road road = travel(program.clone(), {}, kNests);
  nest::IsolatedNest isolated = nest::isolate(road.nests.nests[0]);
  Options options;
  nest::Schedule rules = nest::choose_schedule(isolated.nest, options.backend->machine());
  nest::Schedule other = nest::schedules_for(isolated.nest, options.backend->machine()).back();
  keep_measurements(measurements_key(isolated, *options.backend), {{rules, 1.0}, {other, 0.5}});
  EXPECT_EQ(schedule_of(isolated, options), other);
  EXPECT_NE(explain(program, options).find("nest0 is tuned\n"), std::string::npos);
  EXPECT_NE(explain(program, options).find(indented(nest::to_string(other))), std::string::npos);
  options.schedules = {{measurements_key(isolated, *options.backend), rules}};
  EXPECT_EQ(schedule_of(isolated, options), rules);
}

TEST(Tune, StopsOnRequest) {
  volatile int32_t stop = 1;
  EXPECT_THROW(tune(product_and_sum(), {}, arguments(), kLong, &stop), Error);
}

} // namespace
} // namespace kolam::driver
