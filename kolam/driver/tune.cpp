// Runs a program with one schedule after another.
#include "kolam/driver/tune.h"

#include "kolam/driver/progress.h"
#include "kolam/driver/schedules.h"
#include "kolam/driver/spine.h"
#include "kolam/nest/schedule_choice.h"

#include <chrono>

namespace kolam::driver {
namespace {

using Clock = std::chrono::steady_clock;

/// A schedule is measured by so many runs at least, and by more as long as they take no longer.
constexpr int kRuns = 5;
constexpr std::chrono::milliseconds kShort{50};

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A nest, with all that equal it.
struct Subject {
  std::string name;
  ContentKey key;
  std::vector<size_t> numbers; ///< in the program
  std::vector<nest::Schedule> possible;
  std::vector<Measurement> measurements;

  const Measurement* find(const nest::Schedule& schedule) const {
    auto found = llvm::find_if(measurements, [&](const Measurement& measurement) {
      return measurement.schedule == schedule;
    });
    return found == measurements.end() ? nullptr : &*found;
  }
  /// A schedule that has not been measured; null where all have.
  const nest::Schedule* next() const {
    auto found = llvm::find_if(possible, [&](const auto& schedule) { return !find(schedule); });
    return found == possible.end() ? nullptr : &*found;
  }
};

std::vector<Subject> subjects_of(const Module& program, const Options& options) {
  Road road = travel(program.clone(), options, kNests);
  std::vector<Subject> subjects;
  for (const auto& [number, nest] : llvm::enumerate(road.nests.nests)) {
    nest::IsolatedNest isolated = nest::isolate(nest);
    ContentKey key = measurements_key(isolated, *options.backend);
    auto equal = llvm::find_if(subjects, [&](const Subject& other) { return other.key == key; });
    if (equal != subjects.end()) {
      equal->numbers.push_back(number);
      continue;
    }
    auto possible = nest::schedules_for(isolated.nest, options.backend->machine());
    subjects.push_back({nest.name, key, {number}, possible, find_measurements(key)});
  }
  return subjects;
}

/// The least seconds of each nest that runs, by its number, over some runs.
std::map<size_t, double> measure(const Executable& executable, std::span<const Array> arguments,
                                 const volatile int32_t* cancel) {
  Prepared prepared;
  std::map<size_t, double> least;
  auto run = [&] {
    for (const runtime::StepRecord& step : executable.measure(arguments, cancel, &prepared).steps)
      if (step.nest >= 0) {
        auto [found, is_first] = least.try_emplace(static_cast<size_t>(step.nest), step.seconds);
        found->second = std::min(found->second, step.seconds);
      }
  };
  run();
  Clock::time_point start = Clock::now();
  for (int runs = 1; runs < kRuns || Clock::now() - start < kShort; ++runs)
    run();
  return least;
}

/// One turn: every nest by its next schedule. False where all are measured.
bool measure_next(std::vector<Subject>& subjects, const Module& program, Options options,
                  std::span<const Array> arguments, const volatile int32_t* cancel) {
  std::vector<std::pair<Subject*, nest::Schedule>> tried;
  for (Subject& subject : subjects) {
    const nest::Schedule* next = subject.possible.size() > 1 ? subject.next() : nullptr;
    options.schedules[subject.key] = next ? *next : fastest(subject.measurements, subject.possible);
    if (next)
      tried.push_back({&subject, *next});
  }
  if (tried.empty())
    return false;
  std::map<size_t, double> seconds = measure(*compile(program.clone(), options), arguments, cancel);
  for (auto& [subject, schedule] : tried) {
    double sum = 0;
    for (size_t number : subject->numbers)
      if (auto found = seconds.find(number); found != seconds.end())
        sum += found->second;
    // A nest in a branch that was not taken has not run; a clock may stand still.
    subject->measurements.push_back({schedule, std::max(sum, 1e-9)});
    keep_measurements(subject->key, subject->measurements);
  }
  return true;
}

TunedNest result_of(const Subject& subject) {
  TunedNest result;
  result.name = subject.name;
  result.possible = subject.possible.size();
  for (const nest::Schedule& schedule : subject.possible)
    result.measured += subject.find(schedule) != nullptr;
  result.schedule = fastest(subject.measurements, subject.possible);
  if (const Measurement* rule = subject.find(subject.possible.front()))
    result.by_rule = rule->seconds;
  if (const Measurement* best = subject.find(result.schedule))
    result.best = best->seconds;
  return result;
}

} // namespace

std::vector<TunedNest> tune(const Module& program, const Options& options,
                            std::span<const Array> arguments, double seconds,
                            const volatile int32_t* cancel) {
  Clock::time_point start = Clock::now();
  std::vector<Subject> subjects = subjects_of(program, options);
  size_t turns = 0;
  for (const Subject& subject : subjects)
    if (subject.possible.size() > 1)
      turns = std::max(turns, subject.possible.size());
  Progress progress(STDERR_FILENO, std::chrono::seconds(1), "tuning");
  size_t turn = 0;
  do
    progress.at("schedule", ++turn, turns);
  while (measure_next(subjects, program, options, arguments, cancel) && since(start) < seconds);
  std::vector<TunedNest> results;
  for (const Subject& subject : subjects)
    results.push_back(result_of(subject));
  return results;
}

} // namespace kolam::driver
