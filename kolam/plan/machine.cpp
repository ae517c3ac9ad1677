// Checks, writes and reads machines.
#include "kolam/plan/machine.h"

#include <cmath>

#include "kolam/plan/document.h"
#include "kolam/support/error.h"

namespace kolam::plans {
namespace {

constexpr int64_t kMachineFormat = 1;

void expect(bool holds, const std::string& message) {
  if (!holds)
    fail(ErrorKind::value, "bad-machine", message);
}

void expect_speed(double value, const std::string& what) {
  expect(std::isfinite(value) && value > 0,
         what + ": expected a finite number above 0, but got " + number_json(value).dump());
}
void expect_time(double value, const std::string& what) {
  expect(std::isfinite(value) && value >= 0,
         what + ": expected a finite number of seconds, but got " + number_json(value).dump());
}

Level level_from_json(const Place& place) {
  place.expect_keys({"group", "bandwidth", "latency"});
  return {place["group"].integer(), place["bandwidth"].number(), place["latency"].number()};
}

} // namespace

void check_machine(const Machine& machine) {
  expect(machine.workers >= 1,
         "workers: expected at least 1, but got " + std::to_string(machine.workers));
  expect(machine.memory >= 0,
         "memory: expected a number of bytes, but got " + std::to_string(machine.memory));
  expect_speed(machine.flops, "flops");
  expect_speed(machine.memory_bandwidth, "memory_bandwidth");
  expect_time(machine.task_overhead, "task_overhead");
  int64_t inner = 1;
  for (size_t i = 0; i < machine.levels.size(); ++i) {
    const Level& level = machine.levels[i];
    const std::string what = "levels[" + std::to_string(i) + "]";
    expect_speed(level.bandwidth, what + ".bandwidth");
    expect_time(level.latency, what + ".latency");
    const bool grows = i == 0 ? level.group >= 1 : level.group > inner;
    expect(grows && (level.group % inner == 0 || level.group >= machine.workers),
           what + ".group: expected a multiple of " + std::to_string(inner) + ", but got " +
               std::to_string(level.group));
    inner = level.group;
  }
  expect(inner >= machine.workers, "levels: expected one whose group has all " +
                                       std::to_string(machine.workers) + " workers");
}

size_t level_between(const Machine& machine, int64_t a, int64_t b) {
  for (size_t i = 0; i < machine.levels.size(); ++i)
    if (a / machine.levels[i].group == b / machine.levels[i].group)
      return i;
  KOLAM_CHECK(!machine.levels.empty());
  return machine.levels.size() - 1;
}

std::string to_json(const Machine& machine) {
  Json levels = Json::array();
  for (const Level& level : machine.levels)
    levels.push_back({{"group", level.group},
                      {"bandwidth", number_json(level.bandwidth)},
                      {"latency", number_json(level.latency)}});
  const Json document{{"format", kMachineFormat},
                      {"workers", machine.workers},
                      {"flops", number_json(machine.flops)},
                      {"memory_bandwidth", number_json(machine.memory_bandwidth)},
                      {"memory", machine.memory},
                      {"levels", std::move(levels)},
                      {"task_overhead", number_json(machine.task_overhead)}};
  return document.dump(2) + "\n";
}

Machine machine_from_json(std::string_view text) {
  const ReadJson document = parsed(text, "bad-machine");
  const Place place(document, "bad-machine");
  if (const Place format = place["format"]; format.integer() != kMachineFormat)
    format.refuse("format " + std::to_string(kMachineFormat) + " of machines");
  place.expect_keys(
      {"format", "workers", "flops", "memory_bandwidth", "memory", "levels", "task_overhead"});
  Machine machine;
  machine.workers = place["workers"].integer();
  machine.flops = place["flops"].number();
  machine.memory_bandwidth = place["memory_bandwidth"].number();
  machine.memory = place["memory"].integer();
  machine.levels = list_of(place["levels"], level_from_json);
  machine.task_overhead = place["task_overhead"].number();
  check_machine(machine);
  return machine;
}

} // namespace kolam::plans
