// Machines: what they refuse, how workers are linked, JSON there and back.
#include "kolam/plan/machine.h"

#include <gtest/gtest.h>

#include <cmath>

#include "test/runtime/expect_error.h"

namespace kolam::plans {
namespace {

/// Nodes of 8, 20 workers.
Machine nodes() {
  return {20, 4e14, 3e12, int64_t{80} << 30, {{8, 4.5e11, 2e-6}, {20, 5e10, 1e-5}}, 1e-5};
}

TEST(Machine, Levels) {
  EXPECT_EQ(level_between(nodes(), 0, 7), 0u);
  EXPECT_EQ(level_between(nodes(), 7, 8), 1u);
  EXPECT_EQ(level_between(nodes(), 19, 16), 0u);
}

TEST(Machine, JsonThereAndBack) {
  EXPECT_EQ(machine_from_json(to_json(nodes())), nodes());
  EXPECT_EQ(machine_from_json(R"({"format": 1, "workers": 1, "flops": 1, "memory_bandwidth": 2.5,
      "memory": 0, "levels": [], "task_overhead": 0})"),
            (Machine{1, 1.0, 2.5, 0, {}, 0.0}));
}

std::string words_of(const std::function<void(Machine&)>& damage) {
  Machine machine = nodes();
  damage(machine);
  return error_of([&] { check_machine(machine); }).message();
}

TEST(Machine, Refused) {
  EXPECT_EQ(words_of([](Machine& m) { m.workers = 0; }), "workers: expected at least 1, but got 0");
  EXPECT_EQ(words_of([](Machine& m) { m.memory = -1; }),
            "memory: expected a number of bytes, but got -1");
  EXPECT_EQ(words_of([](Machine& m) { m.flops = 0; }),
            "flops: expected a finite number above 0, but got 0.0");
  EXPECT_EQ(words_of([](Machine& m) { m.task_overhead = NAN; }),
            "task_overhead: expected a finite number of seconds, but got \"nan\"");
  EXPECT_EQ(words_of([](Machine& m) { m.levels[1].bandwidth = INFINITY; }),
            "levels[1].bandwidth: expected a finite number above 0, but got \"inf\"");
  EXPECT_EQ(words_of([](Machine& m) { m.levels[1].group = 8; }),
            "levels[1].group: expected a multiple of 8, but got 8");
  EXPECT_EQ(words_of([](Machine& m) { m.levels[0].group = 0; }),
            "levels[0].group: expected a multiple of 1, but got 0");
  EXPECT_EQ(words_of([](Machine& m) { m.levels.insert(m.levels.begin() + 1, {12, 1, 1}); }),
            "levels[1].group: expected a multiple of 8, but got 12");
  EXPECT_EQ(words_of([](Machine& m) { m.levels.pop_back(); }),
            "levels: expected one whose group has all 20 workers");
}

TEST(Machine, DocumentsRefused) {
  auto words = [](const std::string& text) {
    const Error error = error_of([&] { machine_from_json(text); });
    EXPECT_EQ(error.slug(), "bad-machine");
    return error.message();
  };
  EXPECT_EQ(words("[]"), "expected an object, but got a list of 0");
  EXPECT_EQ(words(R"({"format": 7})"), "format: expected format 1 of machines, but got 7");
  std::string text = to_json(nodes());
  text.replace(text.find("\"group\": 8"), 10, "\"group\": 8.5");
  EXPECT_EQ(words(text), "levels[0].group: expected an integer of 64 bits, but got 8.5");
}

} // namespace
} // namespace kolam::plans
