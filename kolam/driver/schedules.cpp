// Keeps measurements as lines of text.
#include "kolam/driver/schedules.h"

#include "kolam/driver/cache_directory.h"
#include "kolam/nest/schedule_check.h"
#include "kolam/nest/schedule_choice.h"
#include "kolam/support/error.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <mutex>

namespace kolam::driver {
namespace {

/// By how much a schedule must beat the rules'. Measurements differ by as much from run to run.
constexpr double kGain = 0.98;

/// Named by the style rules as part of the compile cache: what cannot be kept on disk.
struct InMemory {
  std::mutex mutex;
  std::map<ContentKey, std::vector<Measurement>> measurements;
};
InMemory& in_memory() {
  static InMemory* const memory = new InMemory;
  return *memory;
}

/// A schedule in one line, and back.
std::string in_one_line(const nest::Schedule& schedule) {
  std::string text = nest::to_string(schedule);
  std::replace(text.begin(), text.end(), '\n', ';');
  return text;
}
std::optional<nest::Schedule> from_one_line(std::string text) {
  std::replace(text.begin(), text.end(), ';', '\n');
  try {
    return nest::parse_schedule(text);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// `ops y;...: 1.25e-05 s`; lines that are not of this form are left out.
std::string print(const std::vector<Measurement>& measurements) {
  std::string text;
  for (const auto& [schedule, seconds] : measurements) {
    char number[32];
    std::snprintf(number, sizeof number, ": %.6e s\n", seconds);
    text += in_one_line(schedule) + number;
  }
  return text;
}

std::vector<Measurement> parse(llvm::StringRef text) {
  std::vector<Measurement> measurements;
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    auto [schedule_text, number] = line.split(": ");
    double seconds = 0;
    std::optional<nest::Schedule> schedule = from_one_line(schedule_text.str());
    if (schedule && number.consume_back(" s") && !number.getAsDouble(seconds) &&
        std::isfinite(seconds) && seconds > 0)
      measurements.push_back({*schedule, seconds});
  }
  return measurements;
}

} // namespace

ContentKey measurements_key(const nest::IsolatedNest& nest, const backend::Backend& backend) {
  return content_key({"measurements", std::string(backend.name()), backend.target(), nest.content});
}

std::vector<Measurement> find_measurements(const ContentKey& key) {
  CacheDirectory directory = CacheDirectory::open();
  if (directory.is_open())
    return parse(find_entry(directory, Shelf::schedules, key).bytes.value_or(""));
  std::lock_guard lock(in_memory().mutex);
  auto found = in_memory().measurements.find(key);
  return found == in_memory().measurements.end() ? std::vector<Measurement>() : found->second;
}

ContentKey measurements_stamp(const ContentKey& key, const CacheDirectory& directory) {
  std::optional<std::string> bytes = find_entry(directory, Shelf::schedules, key).bytes;
  return bytes ? content_key({*bytes}) : ContentKey{};
}

void keep_measurements(const ContentKey& key, const std::vector<Measurement>& measurements) {
  CacheDirectory directory = CacheDirectory::open();
  if (keep_entry(directory, Shelf::schedules, key, print(measurements)))
    return;
  std::lock_guard lock(in_memory().mutex);
  in_memory().measurements[key] = measurements;
}

nest::Schedule fastest(const std::vector<Measurement>& measurements,
                       const std::vector<nest::Schedule>& possible) {
  double by_rule = INFINITY;
  Measurement best{{}, INFINITY};
  for (const Measurement& measurement : measurements) {
    if (measurement.schedule == possible.front())
      by_rule = measurement.seconds;
    else if (measurement.seconds < best.seconds &&
             llvm::is_contained(possible, measurement.schedule))
      best = measurement;
  }
  return best.seconds < kGain * by_rule ? best.schedule : possible.front();
}

std::string indented(const std::string& text) {
  std::string result;
  for (llvm::StringRef line : llvm::split(llvm::StringRef(text).rtrim(), '\n'))
    result += "  " + line.str() + "\n";
  return result;
}

nest::Schedule schedule_of(const nest::IsolatedNest& nest, const Options& options) {
  auto by_hand = options.schedule_texts.find(nest.nest.name);
  if (by_hand != options.schedule_texts.end()) {
    nest::Schedule schedule = nest::parse_schedule(by_hand->second);
    nest::require_schedule(schedule, nest.nest, options.backend->machine());
    return schedule;
  }
  ContentKey key = measurements_key(nest, *options.backend);
  if (auto given = options.schedules.find(key); given != options.schedules.end())
    return given->second;
  std::vector<Measurement> measurements = find_measurements(key);
  if (measurements.empty())
    return nest::choose_schedule(nest.nest, options.backend->machine());
  return fastest(measurements, nest::schedules_for(nest.nest, options.backend->machine()));
}

} // namespace kolam::driver
