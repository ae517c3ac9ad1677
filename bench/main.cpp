// Measures the cases whose name has all of --filter's words, and writes a JSON object a line: the
// times of each case and what the machine can do. bench/table.py says what they hold.
#include "bench/families.h"
#include "bench/limits.h"
#include "bench/peers.h"

#include "kolam/runtime/thread_pool.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <unistd.h>

namespace kolam::bench {
namespace {

using nlohmann::json;

struct Options {
  std::vector<std::string> filter;
  std::vector<int> threads = {1, 2};
  Effort effort;
  bool list = false;
  bool cpu_time = false; ///< see kCpuTime
};

std::vector<std::string> words(const std::string& text, char separator) {
  std::vector<std::string> result;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, separator);)
    if (!word.empty())
      result.push_back(word);
  return result;
}

Options parse(std::span<char*> arguments) {
  Options options;
  for (size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view name = arguments[i];
    const bool has_value = i + 1 < arguments.size();
    if (name == "--quick")
      options.effort = {.rounds = 3, .seconds_a_turn = 0.008};
    else if (name == "--list")
      options.list = true;
    else if (name == "--cpu-time")
      options.cpu_time = true;
    else if (name == "--filter" && has_value)
      options.filter = words(arguments[++i], ' ');
    else if (name == "--threads" && has_value) {
      options.threads.clear();
      for (const std::string& word : words(arguments[++i], ','))
        options.threads.push_back(std::stoi(word));
    } else
      throw std::invalid_argument("unknown option, or one without its value: " + std::string(name));
  }
  if (options.cpu_time && options.threads != std::vector<int>{1})
    throw std::invalid_argument("--cpu-time needs --threads 1");
  return options;
}

Suite selected(const Options& options) {
  Suite suite;
  add_matmul(suite);
  add_epilogue(suite);
  add_convolution(suite);
  add_normalization(suite);
  add_elementwise(suite);
  add_reduction(suite);
  add_attention(suite);
  add_axis_orders(suite);
  add_indexing(suite);
  add_recurrent(suite);
  add_compile(suite);
  add_calls(suite);
  std::erase_if(suite, [&](const Entry& entry) {
    return !std::ranges::all_of(options.filter, [&](const std::string& word) {
      return entry.name.find(word) != std::string::npos;
    });
  });
  return suite;
}

json json_of(const Limits& limits) {
  json result = {{"l2_bytes", limits.l2_bytes}, {"l3_bytes", limits.l3_bytes}};
  for (size_t i = 0; i < std::size(kArithmetics); ++i)
    result["flops"][kArithmetics[i]] = limits.flops[i];
  for (size_t i = 0; i < std::size(kLevels); ++i) {
    result["read"][kLevels[i]] = limits.read[i];
    result["copy"][kLevels[i]] = limits.copy[i];
  }
  return result;
}

json json_of(const Work& work) {
  return {{"flops", work.flops},
          {"arithmetic", kArithmetics[static_cast<int>(work.arithmetic)]},
          {"reads", work.reads},
          {"writes", work.writes},
          {"footprint", work.footprint}};
}

json json_of(const std::string& name, int threads, const Case& row, const Measured& measured) {
  json result = {{"name", name}, {"threads", threads}, {"ours", measured.ours}};
  result["peers"] = json::array();
  for (size_t i = 0; i < row.peers.size(); ++i)
    result["peers"].push_back({{"name", row.peers[i].name},
                               {"judged", row.peers[i].judged},
                               {"times", measured.peers[i]}});
  if (row.goal)
    result["goal"] = *row.goal;
  if (row.work.flops + row.work.reads + row.work.writes > 0)
    result["work"] = json_of(row.work);
  return result;
}

/// The better limits of those before and after a case: bandwidths change while others use the
/// machine.
Limits limits_around(int threads) {
  static std::map<int, Limits> last;
  const Limits after = measure_limits();
  auto [place, is_new] = last.try_emplace(threads, after);
  return better(std::exchange(place->second, after), after);
}

/// False where a result is wrong.
bool measure_entry(const Entry& entry, const Options& options) {
  for (int threads : options.threads)
    try {
      if (threads > 1 && entry.only_one_thread)
        continue;
      set_threads(threads);
      const Case row = entry.make(threads);
      json result = json_of(entry.name, threads, row, measure(row, options.effort));
      result["limits"] = json_of(limits_around(threads));
      std::cout << result << std::endl;
    } catch (const std::exception& error) {
      std::cout << json{{"failed", entry.name}, {"threads", threads}, {"why", error.what()}}
                << std::endl;
      return false;
    }
  return true;
}

int run(const Options& options) {
  const Suite suite = selected(options);
  if (suite.empty())
    throw std::invalid_argument("no case has these words in its name; --list shows all");
  if (options.list) {
    for (const Entry& entry : suite)
      std::cout << entry.name << "\n";
    return 0;
  }
  bool good = true;
  for (const Entry& entry : suite)
    good = measure_entry(entry, options) && good;
  return good ? 0 : 1;
}

/// OpenBLAS, which reads its environment before `main`, takes old kernels on new processors, where
/// nobody says which (scripts/bench --isa does), and its threads keep cores busy for long after a
/// call. So the program starts again with these set.
void restart_with_environment(const Options& options, char** arguments) {
  constexpr const char* kMark = "KOLAM_BENCH_RESTARTED";
  if (std::getenv(kMark))
    return;
  setenv(kMark, "1", 1);
  if (options.cpu_time)
    setenv(kCpuTime, "1", 1);
  if (__builtin_cpu_supports("avx512vl"))
    setenv("OPENBLAS_CORETYPE", "SKYLAKEX", 0);
  setenv("OPENBLAS_THREAD_TIMEOUT", "20", 1);
  unsetenv("OPENBLAS_L2_SIZE");
  execv("/proc/self/exe", arguments);
}

} // namespace

std::string by(const std::vector<int64_t>& extents) {
  std::string text;
  for (int64_t extent : extents)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

} // namespace kolam::bench

int main(int count, char** arguments) {
  if (count == 3 && std::string_view(arguments[1]) == "--compile-once")
    return kolam::bench::compile_once(arguments[2]);
  try {
    const auto options = kolam::bench::parse({arguments, static_cast<size_t>(count)});
    kolam::bench::restart_with_environment(options, arguments);
    return kolam::bench::run(options);
  } catch (const std::exception& error) {
    std::cerr << "bench: " << error.what() << "\n";
    return 2;
  }
}
