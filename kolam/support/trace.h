/// Traces where time goes: KOLAM_TRACE=path writes Chrome trace JSON (Perfetto, chrome://tracing)
/// while the process runs: what a file had before stays until the first span ends, and from then on
/// the file is whole at any moment, so that a killed process leaves all but its last 0.1 s.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kolam {

namespace detail {
enum class TraceState : uint8_t { unknown, off, on };
/// Unknown until the first span reads the environment.
extern std::atomic<TraceState> trace_state;
bool start_trace();
} // namespace detail

/// True where spans are recorded.
inline bool is_tracing() {
  const detail::TraceState state = detail::trace_state.load(std::memory_order_relaxed);
  return state != detail::TraceState::off &&
         (state == detail::TraceState::on || detail::start_trace());
}

/// Records the time from here to the end of its scope, on its thread. Costs one branch where
/// tracing is off. Name and category are copied at the end, so the texts must outlive the span.
class TraceSpan {
public:
  TraceSpan(std::string_view name, std::string_view category) {
    if (is_tracing()) [[unlikely]]
      begin(name, category);
  }
  /// Named `name` with `number` behind it, as in nest3.
  TraceSpan(std::string_view name, int number, std::string_view category)
      : TraceSpan(name, category) {
    number_ = number;
  }
  ~TraceSpan() {
    if (start_ >= 0) [[unlikely]]
      end();
  }
  TraceSpan(const TraceSpan&) = delete;
  TraceSpan& operator=(const TraceSpan&) = delete;

private:
  void begin(std::string_view name, std::string_view category);
  void end();

  std::string_view name_;
  std::string_view category_;
  int64_t start_ = -1; // nanoseconds
  int number_ = -1;    // behind the name where >= 0
};

/// What `work` gives, its time recorded.
template <class F> auto traced(std::string_view name, std::string_view category, const F& work) {
  TraceSpan span(name, category);
  return work();
}

/// A span that has ended, as processes hand it to one another.
struct TraceEvent {
  std::string name, category;
  int64_t start = 0, duration = 0; ///< nanoseconds, of CLOCK_MONOTONIC
  int64_t process = 0, thread = 0;
};

/// From now on the process keeps spans for `take_trace`, and writes no file: what an engine's
/// worker does, whose parent owns the file.
void collect_trace();
/// The spans since the last call, of a process that collects.
std::vector<TraceEvent> take_trace();
/// Puts spans of another process into the trace of this one. Nothing where tracing is off.
void add_to_trace(const std::vector<TraceEvent>& events);

/// Writes what was recorded so far. Nothing where tracing is off, nothing was recorded, and in the
/// child of a fork, whose parent owns the file. Throws `[io-write]`.
void flush_trace();

} // namespace kolam
