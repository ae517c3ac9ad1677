/// Machines on which plans run: workers, their speeds, and the links between them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kolam::plans {

/// Links between workers that are near each other: `group` neighbours (numbers that agree after
/// division by it) reach one another this way.
struct Level {
  int64_t group = 1;
  double bandwidth = 0; ///< bytes a second of each worker's own port, in and out separately
  double latency = 0;   ///< seconds until the first byte arrives
  friend bool operator==(const Level&, const Level&) = default;
};

struct Machine {
  int64_t workers = 1;
  double flops = 0;            ///< a second, of one worker
  double memory_bandwidth = 0; ///< bytes a second, of one worker
  int64_t memory = 0;          ///< bytes of one worker; 0: no limit
  std::vector<Level> levels;   ///< nested, the nearest first; the last one reaches all
  double task_overhead = 0;    ///< seconds
  friend bool operator==(const Machine&, const Machine&) = default;
};

/// Refuses with `[bad-machine]` workers below 1, speeds that are not above 0, times below 0, what
/// is not finite, and levels that are not nested: groups grow, each divides the next unless that
/// reaches all workers, and the last one does.
void check_machine(const Machine& machine);

/// The number of the nearest level that links two workers of a checked machine.
size_t level_between(const Machine& machine, int64_t a, int64_t b);

/// One JSON object:
///
///     {"format": 1, "workers": 16, "flops": 4e14, "memory_bandwidth": 3e12, "memory": 85899345920,
///      "levels": [{"group": 8, "bandwidth": 4.5e11, "latency": 2e-06}, ...], "task_overhead":
///      1e-5}
std::string to_json(const Machine& machine);
/// The checked machine of a document; refuses all else with `[bad-machine]` and the place in it.
Machine machine_from_json(std::string_view text);

} // namespace kolam::plans
