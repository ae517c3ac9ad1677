// Decides which calls are interpreted, and keeps what was compiled.
#include "kolam/frontend/array/at_once.h"

#include "kolam/driver/cost.h"
#include "kolam/frontend/array/program_state.h"
#include "kolam/support/machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <list>
#include <unordered_map>

namespace kolam::detail {
namespace {

/// Whether small calls are compiled too (KOLAM_EAGER=compile): what both give is the same, so this
/// finds faults.
bool compiles_small_calls() {
  static const bool answer = [] {
    const char* text = std::getenv("KOLAM_EAGER");
    if (text && *text && std::string_view(text) != "compile")
      std::fprintf(stderr, "kolam: warning: KOLAM_EAGER: expected 'compile', but got '%s'\n", text);
    return text && std::string_view(text) == "compile";
  }();
  return answer;
}

/// Bound: interpreting the longest calls so often takes as long as compiling, 10 ms.
constexpr int kLongCalls = 10;

/// Programs of single calls by their `sharing_key`; the oldest go first.
class EagerCache {
public:
  /// Makes `program` share what an earlier one of equal key has compiled.
  void share(const std::string& key, const Program& program) {
    std::lock_guard lock(mutex_);
    auto found = programs_.find(key);
    if (found != programs_.end())
      return Program::State::share_compiled(found->second, program);
    if (programs_.size() >= kCapacity) {
      programs_.erase(order_.front());
      order_.pop_front();
    }
    order_.push_back(key);
    programs_.emplace(key, program);
  }

  /// Whether compiling now costs less than interpreting a program of this key has, all calls
  /// together; `flops` are those of this call.
  bool is_worth_compiling(const std::string& key, double flops) {
    std::lock_guard lock(mutex_);
    if (programs_.contains(key))
      return true;
    if (interpreted_.size() >= kMostInterpreted)
      interpreted_.clear();
    return (interpreted_[key] += flops) > kLongCalls * kCalls.interpreted_flops;
  }

private:
  /// Bound: what is kept, and of how many keys it is known how often they were interpreted.
  static constexpr size_t kCapacity = 512, kMostInterpreted = 4096;
  std::mutex mutex_;
  std::unordered_map<std::string, Program> programs_;
  std::list<std::string> order_;
  std::unordered_map<std::string, double> interpreted_;
};

EagerCache& eager_cache() {
  static EagerCache* const cache = new EagerCache;
  return *cache;
}

} // namespace

void expect_single_calls(const Program& program) {
  Program::State& state = Program::State::of(program);
  std::optional<double> flops;
  if (!compiles_small_calls())
    flops = driver::small_flops(state.program.main(), kCalls.interpreted_flops,
                                kCalls.interpreted_bytes);
  // What a call takes beside its operations is as much as a few hundred of them.
  constexpr double kFewFlops = 200; // bound
  bool is_interpreted = flops && *flops < kFewFlops;
  if (!is_interpreted) {
    const std::string key = state.sharing_key();
    is_interpreted = flops && !eager_cache().is_worth_compiling(key, *flops);
    if (!is_interpreted)
      eager_cache().share(key, program);
  }
  if (is_interpreted)
    state.interpreted_calls = kLongCalls;
}

void expect_repeated_calls(const Program& program) {
  Program::State& state = Program::State::of(program);
  if (state.interpreted_calls == 0)
    return;
  // Bound: so many calls of few operations take about as long as compiling.
  constexpr double kShortCalls = 500;
  const double flops =
      driver::small_flops(state.program.main(), kCalls.interpreted_flops, kCalls.interpreted_bytes)
          .value_or(kCalls.interpreted_flops);
  const double calls = kLongCalls * kCalls.interpreted_flops / std::max(flops, 1.0);
  state.interpreted_calls =
      static_cast<int>(std::min(kShortCalls, std::max(1.0 * kLongCalls, calls)));
}

thread_local RunsAtOnce* RunsAtOnce::innermost_ = nullptr;

RunsAtOnce::RunsAtOnce() : around_(innermost_) { innermost_ = this; }
RunsAtOnce::~RunsAtOnce() { innermost_ = around_; }

void RunsAtOnce::note(RunAtOnce run) {
  // What captures arrays is not known by its arguments.
  const int count = run.program.captured().empty() ? 1 : 2;
  for (RunsAtOnce* runs = innermost_; runs; runs = runs->around_)
    if ((runs->count_ += count) == 1)
      runs->last_ = run;
}

} // namespace kolam::detail
