// Compiles with a clock in hand.
#include "kolam/driver/compile_times.h"

#include "kolam/driver/nest_cache.h"
#include "kolam/driver/schedules.h"
#include "kolam/driver/spine.h"
#include "kolam/nest/isolate.h"
#include "kolam/runtime/long_work.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>

namespace kolam::driver {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double sum(const Phases& phases) {
  return std::accumulate(phases.begin(), phases.end(), 0.0,
                         [](double all, const auto& phase) { return all + phase.second; });
}

/// Adds to the phase of that name, which is the last where there is none.
void add(Phases& phases, const std::string& name, double seconds) {
  auto found = std::ranges::find(phases, name, [](const auto& phase) { return phase.first; });
  if (found == phases.end())
    phases.emplace_back(name, seconds);
  else
    found->second += seconds;
}

std::string milliseconds(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", seconds * 1e3);
  return text;
}

std::string listed(const Phases& phases) {
  std::string text;
  for (const auto& [name, seconds] : phases)
    text += (text.empty() ? "" : ", ") + name + " " + milliseconds(seconds);
  return text;
}

Phases phases_of_program(const Road& road) {
  auto of = [&](std::initializer_list<const char*> stages) {
    double seconds = 0;
    for (const char* stage : stages)
      if (auto found = road.seconds.find(stage); found != road.seconds.end())
        seconds += found->second;
    return seconds;
  };
  return {{"rewrites", of({"verify", "guard", "kernels", "lists", "rewrite"})},
          {"forming nests", of({"nests"})}};
}

} // namespace

double CompileTimes::seconds() const { return sum(phases); }
double CompileTimes::Nest::seconds() const { return sum(phases); }

CompileTimes measure_compiling(const Module& program, const Options& options) {
  Road road = travel(program.clone(), options, kNests);
  CompileTimes times{phases_of_program(road), {}};
  const backend::Backend& backend = *options.backend;
  std::unique_ptr<backend::Tools> tools = backend.make_tools();
  std::map<ContentKey, size_t> known;
  for (const nest::Nest& nest : road.nests.nests) {
    runtime::stop_if_cancelled();
    Clock::time_point start = Clock::now();
    nest::IsolatedNest isolated = nest::isolate(nest);
    nest::Schedule schedule = schedule_of(isolated, options);
    ContentKey key = nest_key(isolated, backend, schedule);
    add(times.phases, "schedules", since(start));
    auto [place, is_first] = known.try_emplace(key, times.nests.size());
    if (!is_first) {
      ++times.nests[place->second].equal;
      continue;
    }
    std::unique_ptr<backend::UnfinishedNest> code =
        backend.translate(isolated, schedule, nest_symbol(key), [](auto&&...) { return false; });
    std::string bytes = code->finish(*tools);
    Phases phases = code->phases();
    start = Clock::now();
    backend.load(bytes, nest_symbol(key));
    phases.emplace_back("linking", since(start));
    for (const auto& [name, seconds] : phases)
      add(times.phases, name, seconds);
    times.nests.push_back({nest.name, 1, std::move(phases)});
  }
  return times;
}

std::string to_string(const CompileTimes& times) {
  constexpr size_t kShown = 5; // text: the dearest
  std::string text = "compiled anew in " + milliseconds(times.seconds()) +
                     " ms on one thread: " + listed(times.phases) + "\n";
  std::vector<const CompileTimes::Nest*> dearest;
  for (const CompileTimes::Nest& nest : times.nests)
    dearest.push_back(&nest);
  std::ranges::sort(dearest, [](const auto* a, const auto* b) {
    return std::pair(-a->seconds(), a) < std::pair(-b->seconds(), b); // of equal ones the first
  });
  dearest.resize(std::min(dearest.size(), kShown));
  for (const CompileTimes::Nest* nest : dearest)
    text += nest->name + " compiled in " + milliseconds(nest->seconds()) + " ms" +
            (nest->equal > 1 ? " for " + std::to_string(nest->equal) + " nests" : "") + ": " +
            listed(nest->phases) + "\n";
  return text;
}

} // namespace kolam::driver
